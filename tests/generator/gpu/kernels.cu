// Kernels that made the fixture of the performance model (see README.md in this folder): 31 families with several
// sizes, block sizes and data types.
//   kernels                 runs every configuration once after a warm-up, between cudaProfilerStart and Stop
//   kernels time > FILE     writes the times of 20 launches of every configuration, measured by events, as CSV
//   kernels machine > FILE  writes latencies and bandwidths of the memory levels as CSV
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <mma.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    const cudaError_t error = (call);                                                                                  \
    if (error != cudaSuccess) {                                                                                        \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                             \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

namespace {

__device__ unsigned thread_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- streams
template <class T>
__global__ void copy(const T* __restrict__ a, T* __restrict__ b, unsigned n) {
  const unsigned i = thread_index();
  if (i < n) b[i] = a[i];
}
template <class T>
__global__ void triad(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, unsigned n) {
  const unsigned i = thread_index();
  if (i < n) c[i] = a[i] + T(3) * b[i];
}
__global__ void copy_vector4(const float4* __restrict__ a, float4* __restrict__ b, unsigned n) {
  const unsigned i = thread_index();
  if (i < n) b[i] = a[i];
}
__global__ void axpy_grid_stride(const float* __restrict__ a, float* __restrict__ b, unsigned n) {
  for (unsigned i = thread_index(); i < n; i += gridDim.x * blockDim.x) b[i] += 2.f * a[i];
}
template <int Stride>
__global__ void strided(const float* __restrict__ a, float* __restrict__ b, unsigned n) {
  const unsigned i = thread_index();
  if (i < n / Stride) b[i] = a[i * Stride];
}
__global__ void gather(const float* __restrict__ a, const unsigned* __restrict__ index, float* __restrict__ b,
                       unsigned n) {
  const unsigned i = thread_index();
  if (i < n) b[i] = a[index[i]];
}
__global__ void scatter(const float* __restrict__ a, const unsigned* __restrict__ index, float* __restrict__ b,
                        unsigned n) {
  const unsigned i = thread_index();
  if (i < n) b[index[i]] = a[i];
}

// ---- reductions and scans
template <class T>
__global__ void reduce(const T* __restrict__ a, T* __restrict__ out, unsigned n) {
  __shared__ T part[1024];
  T sum = 0;
  for (unsigned i = thread_index(); i < n; i += gridDim.x * blockDim.x) sum += a[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
__global__ void scan_block(const float* __restrict__ a, float* __restrict__ b, unsigned n) {
  __shared__ float part[1024];
  const unsigned i = thread_index();
  part[threadIdx.x] = i < n ? a[i] : 0;
  __syncthreads();
  for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
    const float before = threadIdx.x >= offset ? part[threadIdx.x - offset] : 0;
    __syncthreads();
    part[threadIdx.x] += before;
    __syncthreads();
  }
  if (i < n) b[i] = part[threadIdx.x];
}
__global__ void sort_block(const float* __restrict__ a, float* __restrict__ b, unsigned n) {
  __shared__ float part[1024];
  const unsigned i = thread_index();
  part[threadIdx.x] = i < n ? a[i] : 0;
  __syncthreads();
  for (unsigned size = 2; size <= blockDim.x; size *= 2)
    for (unsigned step = size / 2; step > 0; step /= 2) {
      const unsigned other = threadIdx.x ^ step;
      if (other > threadIdx.x) {
        const bool up = (threadIdx.x & size) == 0;
        if ((part[threadIdx.x] > part[other]) == up) {
          const float kept = part[threadIdx.x];
          part[threadIdx.x] = part[other];
          part[other] = kept;
        }
      }
      __syncthreads();
    }
  if (i < n) b[i] = part[threadIdx.x];
}

// ---- matrices
template <class T>
__global__ void transpose_direct(const T* __restrict__ a, T* __restrict__ b, unsigned n) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < n && y < n) b[static_cast<size_t>(x) * n + y] = a[static_cast<size_t>(y) * n + x];
}
template <class T>
__global__ void transpose_tiled(const T* __restrict__ a, T* __restrict__ b, unsigned n) {
  __shared__ T tile[32][33];
  unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (unsigned j = 0; j < 32; j += 8)
    if (x < n && y + j < n) tile[threadIdx.y + j][threadIdx.x] = a[static_cast<size_t>(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (unsigned j = 0; j < 32; j += 8)
    if (x < n && y + j < n) b[static_cast<size_t>(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
template <class T>
__global__ void matmul_direct(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, unsigned n) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  T sum = 0;
  for (unsigned k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
template <class T, int Tile>
__global__ void matmul_tiled(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, unsigned n) {
  __shared__ T left[Tile][Tile], right[Tile][Tile];
  const unsigned x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  T sum = 0;
  for (unsigned k = 0; k < n; k += Tile) {
    left[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int j = 0; j < Tile; ++j) sum += left[threadIdx.y][j] * right[j][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
// One warp a tile of 16 × 16, matrices in half precision.
__global__ void matmul_tensor(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c, unsigned n) {
  using namespace nvcuda;
  const unsigned warp = thread_index() / 32, row = warp / (n / 16) * 16, column = warp % (n / 16) * 16;
  if (row >= n) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.f);
  for (unsigned k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(left, a + row * n + k, n);
    wmma::load_matrix_sync(right, b + k * n + column, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// ---- stencils and sparse matrices
template <class T>
__global__ void stencil_line(const T* __restrict__ a, T* __restrict__ b, unsigned n) {
  __shared__ T part[1024 + 8];
  const unsigned i = thread_index(), at = threadIdx.x + 4;
  part[at] = i < n ? a[i] : 0;
  if (threadIdx.x < 4) {
    part[at - 4] = i >= 4 && i - 4 < n ? a[i - 4] : 0;
    part[at + blockDim.x] = i + blockDim.x < n ? a[i + blockDim.x] : 0;
  }
  __syncthreads();
  T sum = 0;
  for (int j = -4; j <= 4; ++j) sum += part[static_cast<int>(at) + j];
  if (i < n) b[i] = sum;
}
template <class T>
__global__ void stencil_7_points(const T* __restrict__ a, T* __restrict__ b, unsigned n) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  for (unsigned z = 1; z < n - 1; ++z) {
    const size_t i = (static_cast<size_t>(z) * n + y) * n + x, plane = static_cast<size_t>(n) * n;
    b[i] = T(.4) * a[i] + T(.1) * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - plane] + a[i + plane]);
  }
}
__global__ void convolution(const float* __restrict__ a, const float* __restrict__ weights, float* __restrict__ b,
                            unsigned n, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int size = static_cast<int>(n);
  if (x < radius || y < radius || x >= size - radius || y >= size - radius) return;
  float sum = 0;
  for (int j = -radius; j <= radius; ++j)
    for (int i = -radius; i <= radius; ++i)
      sum += weights[(j + radius) * (2 * radius + 1) + i + radius] * a[(y + j) * size + x + i];
  b[y * size + x] = sum;
}
__global__ void spmv_thread_per_row(const unsigned* __restrict__ begin, const unsigned* __restrict__ column,
                                    const float* __restrict__ value, const float* __restrict__ x,
                                    float* __restrict__ y, unsigned rows) {
  const unsigned row = thread_index();
  if (row >= rows) return;
  float sum = 0;
  for (unsigned i = begin[row]; i < begin[row + 1]; ++i) sum += value[i] * x[column[i]];
  y[row] = sum;
}
__global__ void spmv_warp_per_row(const unsigned* __restrict__ begin, const unsigned* __restrict__ column,
                                  const float* __restrict__ value, const float* __restrict__ x,
                                  float* __restrict__ y, unsigned rows) {
  const unsigned row = thread_index() / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (unsigned i = begin[row] + lane; i < begin[row + 1]; i += 32) sum += value[i] * x[column[i]];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

// ---- histograms, rows
__global__ void histogram_global(const unsigned* __restrict__ a, unsigned* __restrict__ bins, unsigned n) {
  for (unsigned i = thread_index(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[a[i] & 4095], 1u);
}
__global__ void histogram_shared(const unsigned* __restrict__ a, unsigned* __restrict__ bins, unsigned n) {
  __shared__ unsigned part[256];
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) part[i] = 0;
  __syncthreads();
  for (unsigned i = thread_index(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&part[a[i] & 255], 1u);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], part[i]);
}
__device__ float sum_of_block(float value) {
  __shared__ float part[32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (unsigned i = 0; i < blockDim.x / 32; ++i) sum += part[i];
  return sum;
}
__global__ void softmax_rows(const float* __restrict__ a, float* __restrict__ b, unsigned columns) {
  const float* row = a + static_cast<size_t>(blockIdx.x) * columns;
  float sum = 0;
  for (unsigned i = threadIdx.x; i < columns; i += blockDim.x) sum += __expf(row[i]);
  sum = sum_of_block(sum);
  for (unsigned i = threadIdx.x; i < columns; i += blockDim.x)
    b[static_cast<size_t>(blockIdx.x) * columns + i] = __expf(row[i]) / sum;
}
__global__ void layer_norm_rows(const float* __restrict__ a, float* __restrict__ b, unsigned columns) {
  const float* row = a + static_cast<size_t>(blockIdx.x) * columns;
  float sum = 0, squares = 0;
  for (unsigned i = threadIdx.x; i < columns; i += blockDim.x) sum += row[i], squares += row[i] * row[i];
  const float mean = sum_of_block(sum) / columns;
  const float scale = rsqrtf(sum_of_block(squares) / columns - mean * mean + 1e-5f);
  for (unsigned i = threadIdx.x; i < columns; i += blockDim.x)
    b[static_cast<size_t>(blockIdx.x) * columns + i] = (row[i] - mean) * scale;
}

// ---- computation
template <class T, int Parallel>
__global__ void fma_chain(T* __restrict__ a, unsigned n, int steps) {
  const unsigned i = thread_index();
  if (i >= n) return;
  T value[Parallel];
  for (int j = 0; j < Parallel; ++j) value[j] = a[i] + T(j);
  for (int step = 0; step < steps; ++step)
    for (int j = 0; j < Parallel; ++j) value[j] = value[j] * T(.999) + T(.001);
  T sum = 0;
  for (int j = 0; j < Parallel; ++j) sum += value[j];
  a[i] = sum;
}
__global__ void integer_chain(unsigned* __restrict__ a, unsigned n, int steps) {
  const unsigned i = thread_index();
  if (i >= n) return;
  unsigned x = a[i] | 1u;
  for (int step = 0; step < steps; ++step) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  a[i] = x;
}
template <class T>
__global__ void nbody(const T* __restrict__ x, T* __restrict__ force, unsigned n) {
  __shared__ T tile[256];
  const unsigned i = thread_index();
  const T here = i < n ? x[i] : 0;
  T sum = 0;
  for (unsigned base = 0; base < n; base += blockDim.x) {
    tile[threadIdx.x] = base + threadIdx.x < n ? x[base + threadIdx.x] : 0;
    __syncthreads();
    for (unsigned j = 0; j < blockDim.x; ++j) {
      const T distance = tile[j] - here;
      sum += distance * rsqrt(distance * distance + T(.01));
    }
    __syncthreads();
  }
  if (i < n) force[i] = sum;
}
__global__ void mandelbrot(unsigned* __restrict__ out, unsigned n, int limit) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  const float cr = -2.f + 3.f * x / n, ci = -1.5f + 3.f * y / n;
  float zr = 0, zi = 0;
  int count = 0;
  for (; count < limit && zr * zr + zi * zi < 4.f; ++count) {
    const float kept = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = kept;
  }
  out[y * n + x] = count;
}
__global__ void black_scholes(const float* __restrict__ price, float* __restrict__ call, unsigned n) {
  const unsigned i = thread_index();
  if (i >= n) return;
  const float s = 5.f + price[i] * 25.f, strike = 20.f, years = 2.f, rate = .02f, spread = .3f;
  const float root = sqrtf(years);
  const float d1 = (logf(s / strike) + (rate + .5f * spread * spread) * years) / (spread * root);
  const float d2 = d1 - spread * root;
  call[i] = s * normcdff(d1) - strike * expf(-rate * years) * normcdff(d2);
}
__global__ void pointer_chase(const unsigned* __restrict__ next, unsigned* __restrict__ out, unsigned n, int steps) {
  const unsigned i = thread_index();
  unsigned at = i & (n - 1); // n is a power of two
  for (int step = 0; step < steps; ++step) at = (next[at] + i) & (n - 1);
  out[i] = at;
}

__global__ void nothing() {}

// ---- machine: latency of one thread, bandwidth of all
__global__ void latency(const unsigned* next, unsigned* out, long long* cycles, int warm_up, int steps) {
  unsigned at = 0;
  for (int step = 0; step < warm_up; ++step) at = next[at];
  const long long begin = clock64();
  for (int step = 0; step < steps; ++step) at = next[at];
  *cycles = clock64() - begin;
  *out = at;
}
__global__ void read_again(const float4* __restrict__ a, float* __restrict__ out, unsigned n, int times) {
  float sum = 0;
  for (int t = 0; t < times; ++t)
    for (unsigned i = thread_index(); i < n; i += gridDim.x * blockDim.x) {
      const float4 v = __ldcg(a + i);
      sum += v.x + v.y + v.z + v.w;
    }
  if (sum == 12345.f) *out = sum;
}

// ---- driver
constexpr size_t kBytes = size_t{1} << 29; // B of every buffer

struct Buffers {
  void *a = nullptr, *b = nullptr, *c = nullptr;
  unsigned *index = nullptr, *begin = nullptr, *column = nullptr, *next = nullptr;
};

struct Configuration {
  std::string family;
  std::string size;
  std::function<void()> launch;
};

unsigned random_number() {
  static unsigned x = 2463534242u;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x;
}

constexpr unsigned kIndexes = 1u << 25, kRows = 1u << 20, kPerRow = 24;

Buffers make_buffers() {
  Buffers buffers;
  std::vector<float> numbers(kBytes / sizeof(float));
  for (auto& number : numbers) number = static_cast<float>(random_number() % 1000) / 1000.f;
  for (void** each : {&buffers.a, &buffers.b, &buffers.c}) {
    CHECK(cudaMalloc(each, kBytes));
    CHECK(cudaMemcpy(*each, numbers.data(), kBytes, cudaMemcpyHostToDevice));
  }
  std::vector<unsigned> index(kIndexes), begin(kRows + 1), column(size_t{kRows} * kPerRow), next(kIndexes);
  for (auto& each : index) each = random_number() % kIndexes;
  for (unsigned row = 0; row <= kRows; ++row) begin[row] = row * kPerRow;
  for (auto& each : column) each = random_number() % kRows;
  for (unsigned i = 0; i < kIndexes; ++i) next[i] = i;
  for (unsigned i = kIndexes - 1; i > 0; --i) std::swap(next[i], next[random_number() % i]); // one cycle (Sattolo)
  const auto send = [](unsigned** to, const std::vector<unsigned>& from) {
    CHECK(cudaMalloc(to, from.size() * sizeof(unsigned)));
    CHECK(cudaMemcpy(*to, from.data(), from.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  };
  send(&buffers.index, index);
  send(&buffers.begin, begin);
  send(&buffers.column, column);
  send(&buffers.next, next);
  return buffers;
}

template <class T>
T* as(void* pointer) {
  return static_cast<T*>(pointer);
}

unsigned blocks_of(unsigned n, unsigned block) {
  return (n + block - 1) / block;
}

std::vector<Configuration> configurations(const Buffers& d) {
  std::vector<Configuration> all;
  const auto add = [&](std::string family, unsigned n, unsigned block, std::function<void()> launch) {
    all.push_back({std::move(family), std::to_string(n) + " x " + std::to_string(block), std::move(launch)});
  };
  for (const unsigned n : {1u << 20, 1u << 23, 1u << 25, 1u << 26})
    for (const unsigned block : {64u, 256u, 1024u}) {
      add("copy<float>", n, block, [=] { copy<<<blocks_of(n, block), block>>>(as<float>(d.a), as<float>(d.b), n); });
      if (n == 1u << 20 || block == 64) continue;
      add("copy<double>", n, block,
          [=] { copy<<<blocks_of(n, block), block>>>(as<double>(d.a), as<double>(d.b), n); });
      add("triad<float>", n, block,
          [=] { triad<<<blocks_of(n, block), block>>>(as<float>(d.a), as<float>(d.b), as<float>(d.c), n); });
      add("triad<double>", n, block,
          [=] { triad<<<blocks_of(n, block), block>>>(as<double>(d.a), as<double>(d.b), as<double>(d.c), n); });
      if (n <= 1u << 25)
        add("copy_vector4", n, block,
            [=] { copy_vector4<<<blocks_of(n, block), block>>>(as<float4>(d.a), as<float4>(d.b), n); });
      add("axpy_grid_stride", n, block, [=] { axpy_grid_stride<<<132 * 4, block>>>(as<float>(d.a), as<float>(d.b), n); });
    }
  for (const unsigned n : {1u << 24, 1u << 26}) {
    add("strided<2>", n, 256, [=] { strided<2><<<blocks_of(n / 2, 256), 256>>>(as<float>(d.a), as<float>(d.b), n); });
    add("strided<4>", n, 256, [=] { strided<4><<<blocks_of(n / 4, 256), 256>>>(as<float>(d.a), as<float>(d.b), n); });
    add("strided<8>", n, 256, [=] { strided<8><<<blocks_of(n / 8, 256), 256>>>(as<float>(d.a), as<float>(d.b), n); });
    add("strided<32>", n, 256, [=] { strided<32><<<blocks_of(n / 32, 256), 256>>>(as<float>(d.a), as<float>(d.b), n); });
  }
  for (const unsigned n : {1u << 20, 1u << 22, 1u << 25})
    for (const unsigned block : {128u, 512u}) {
      add("gather", n, block,
          [=] { gather<<<blocks_of(n, block), block>>>(as<float>(d.a), d.index, as<float>(d.b), n); });
      add("scatter", n, block,
          [=] { scatter<<<blocks_of(n, block), block>>>(as<float>(d.a), d.index, as<float>(d.b), n); });
    }
  for (const unsigned n : {1u << 22, 1u << 25, 1u << 26})
    for (const unsigned block : {128u, 512u}) {
      add("reduce<float>", n, block, [=] { reduce<<<132 * 4, block>>>(as<float>(d.a), as<float>(d.b), n); });
      add("reduce<double>", n, block, [=] { reduce<<<132 * 4, block>>>(as<double>(d.a), as<double>(d.b), n); });
      add("scan_block", n, block, [=] { scan_block<<<blocks_of(n, block), block>>>(as<float>(d.a), as<float>(d.b), n); });
      if (n <= 1u << 25)
        add("sort_block", n, block,
            [=] { sort_block<<<blocks_of(n, block), block>>>(as<float>(d.a), as<float>(d.b), n); });
      add("stencil_line<float>", n, block,
          [=] { stencil_line<<<blocks_of(n, block), block>>>(as<float>(d.a), as<float>(d.b), n); });
      add("histogram_shared", n, block,
          [=] { histogram_shared<<<132 * 8, block>>>(as<unsigned>(d.a), as<unsigned>(d.b), n); });
      if (n <= 1u << 25)
        add("histogram_global", n, block,
            [=] { histogram_global<<<132 * 8, block>>>(as<unsigned>(d.a), as<unsigned>(d.b), n); });
      add("black_scholes", n, block,
          [=] { black_scholes<<<blocks_of(n, block), block>>>(as<float>(d.a), as<float>(d.b), n); });
    }
  for (const unsigned n : {1024u, 4096u, 8192u}) {
    const dim3 tile(32, 8), direct(n / 32, n / 8), tiled(n / 32, n / 32);
    add("transpose_direct<float>", n, 256, [=] { transpose_direct<<<direct, tile>>>(as<float>(d.a), as<float>(d.b), n); });
    add("transpose_tiled<float>", n, 256, [=] { transpose_tiled<<<tiled, tile>>>(as<float>(d.a), as<float>(d.b), n); });
    add("transpose_tiled<double>", n, 256,
        [=] { transpose_tiled<<<tiled, tile>>>(as<double>(d.a), as<double>(d.b), n); });
  }
  for (const unsigned n : {512u, 1024u, 2048u}) {
    const dim3 wide(32, 8), narrow(16, 16), large(32, 32);
    add("matmul_direct<float>", n, 256, [=] {
      matmul_direct<<<dim3(n / 32, n / 8), wide>>>(as<float>(d.a), as<float>(d.b), as<float>(d.c), n);
    });
    add("matmul_direct<double>", n, 256, [=] {
      matmul_direct<<<dim3(n / 32, n / 8), wide>>>(as<double>(d.a), as<double>(d.b), as<double>(d.c), n);
    });
    add("matmul_tiled<float, 16>", n, 256, [=] {
      matmul_tiled<float, 16><<<dim3(n / 16, n / 16), narrow>>>(as<float>(d.a), as<float>(d.b), as<float>(d.c), n);
    });
    add("matmul_tiled<float, 32>", n, 1024, [=] {
      matmul_tiled<float, 32><<<dim3(n / 32, n / 32), large>>>(as<float>(d.a), as<float>(d.b), as<float>(d.c), n);
    });
    add("matmul_tiled<double, 16>", n, 256, [=] {
      matmul_tiled<double, 16><<<dim3(n / 16, n / 16), narrow>>>(as<double>(d.a), as<double>(d.b), as<double>(d.c), n);
    });
    add("matmul_tensor", n, 128, [=] {
      matmul_tensor<<<n / 16 * (n / 16) / 4, 128>>>(as<half>(d.a), as<half>(d.b), as<float>(d.c), n);
    });
  }
  for (const unsigned n : {128u, 256u, 384u})
    for (const unsigned rows : {4u, 16u}) {
      const dim3 block(32, rows), grid(blocks_of(n, 32), blocks_of(n, rows));
      add("stencil_7_points<float>", n, 32 * rows,
          [=] { stencil_7_points<<<grid, block>>>(as<float>(d.a), as<float>(d.b), n); });
      add("stencil_7_points<double>", n, 32 * rows,
          [=] { stencil_7_points<<<grid, block>>>(as<double>(d.a), as<double>(d.b), n); });
    }
  for (const unsigned n : {1024u, 4096u})
    for (const int radius : {1, 3, 7}) {
      const dim3 block(32, 8), grid(n / 32, n / 8);
      add("convolution radius " + std::to_string(radius), n, 256,
          [=] { convolution<<<grid, block>>>(as<float>(d.a), as<float>(d.c), as<float>(d.b), n, radius); });
    }
  for (const unsigned rows : {1u << 16, 1u << 18, 1u << 20})
    for (const unsigned block : {128u, 512u}) {
      add("spmv_thread_per_row", rows, block, [=] {
        spmv_thread_per_row<<<blocks_of(rows, block), block>>>(d.begin, d.column, as<float>(d.a), as<float>(d.b),
                                                               as<float>(d.c), rows);
      });
      add("spmv_warp_per_row", rows, block, [=] {
        spmv_warp_per_row<<<blocks_of(rows * 32, block), block>>>(d.begin, d.column, as<float>(d.a), as<float>(d.b),
                                                                  as<float>(d.c), rows);
      });
    }
  for (const unsigned columns : {256u, 1024u, 8192u})
    for (const unsigned block : {128u, 512u}) {
      const unsigned rows = (1u << 25) / columns;
      add("softmax_rows", columns, block, [=] { softmax_rows<<<rows, block>>>(as<float>(d.a), as<float>(d.b), columns); });
      add("layer_norm_rows", columns, block,
          [=] { layer_norm_rows<<<rows, block>>>(as<float>(d.a), as<float>(d.b), columns); });
    }
  for (const unsigned n : {1u << 20, 1u << 23})
    for (const int steps : {8, 64, 512}) {
      const std::string of = " steps " + std::to_string(steps);
      add("fma_chain<float, 1>" + of, n, 256, [=] { fma_chain<float, 1><<<n / 256, 256>>>(as<float>(d.b), n, steps); });
      add("fma_chain<float, 4>" + of, n, 256, [=] { fma_chain<float, 4><<<n / 256, 256>>>(as<float>(d.b), n, steps); });
      add("fma_chain<double, 1>" + of, n, 256, [=] { fma_chain<double, 1><<<n / 256, 256>>>(as<double>(d.b), n, steps); });
      add("integer_chain" + of, n, 256, [=] { integer_chain<<<n / 256, 256>>>(as<unsigned>(d.c), n, steps); });
    }
  for (const unsigned n : {1u << 14, 1u << 16}) {
    add("nbody<float>", n, 256, [=] { nbody<<<n / 256, 256>>>(as<float>(d.a), as<float>(d.b), n); });
    add("nbody<double>", n, 256, [=] { nbody<<<n / 256, 256>>>(as<double>(d.a), as<double>(d.b), n); });
  }
  for (const unsigned n : {1024u, 4096u})
    for (const int limit : {64, 512}) {
      const dim3 block(16, 16), grid(n / 16, n / 16);
      add("mandelbrot limit " + std::to_string(limit), n, 256, [=] { mandelbrot<<<grid, block>>>(as<unsigned>(d.b), n, limit); });
    }
  for (const unsigned block : {32u, 256u, 1024u})
    for (const unsigned blocks : {1u, 132u, 1u << 17, 1u << 20})
      add("nothing", blocks, block, [=] { nothing<<<blocks, block>>>(); });
  for (const unsigned n : {1u << 12, 1u << 20, 1u << 25})
    for (const unsigned threads : {1u << 14, 1u << 18})
      add("pointer_chase of " + std::to_string(n), threads, 256,
          [=] { pointer_chase<<<threads / 256, 256>>>(d.next, as<unsigned>(d.b), n, 64); });
  return all;
}

void write_times(const std::vector<Configuration>& all) {
  std::printf("family,configuration,launch,duration_us\n");
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (const auto& each : all) {
    for (int i = 0; i < 3; ++i) each.launch();
    for (int i = 0; i < 20; ++i) {
      float milliseconds = 0;
      CHECK(cudaEventRecord(begin));
      each.launch();
      CHECK(cudaEventRecord(end));
      CHECK(cudaEventSynchronize(end));
      CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
      std::printf("\"%s\",%s,%d,%.3f\n", each.family.c_str(), each.size.c_str(), i, milliseconds * 1e3);
    }
  }
}

// Elements of a chain that visits every 128th byte of `bytes` in random order.
std::vector<unsigned> chain_of(size_t bytes) {
  const unsigned lines = static_cast<unsigned>(bytes / 128);
  std::vector<unsigned> order(lines), next(bytes / sizeof(unsigned));
  for (unsigned i = 0; i < lines; ++i) order[i] = i;
  for (unsigned i = lines - 1; i > 0; --i) std::swap(order[i], order[random_number() % (i + 1)]);
  for (unsigned i = 0; i < lines; ++i) next[order[i] * 32u] = order[(i + 1) % lines] * 32u;
  return next;
}

void write_machine(const Buffers& d) {
  std::printf("measure,bytes,value,unit\n");
  long long* cycles = nullptr;
  CHECK(cudaMalloc(&cycles, sizeof *cycles));
  for (size_t bytes = size_t{1} << 13; bytes <= size_t{1} << 28; bytes *= 2) {
    const auto next = chain_of(bytes);
    CHECK(cudaMemcpy(d.c, next.data(), bytes, cudaMemcpyHostToDevice));
    const int lines = static_cast<int>(bytes / 128), steps = std::min(lines, 20000);
    long long taken = 0;
    latency<<<1, 1>>>(as<unsigned>(d.c), as<unsigned>(d.b), cycles, lines, steps);
    CHECK(cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDeviceToHost));
    std::printf("latency,%zu,%.1f,cycles\n", bytes, static_cast<double>(taken) / steps);
  }
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (size_t bytes = size_t{1} << 20; bytes <= kBytes; bytes *= 2) {
    const int times = static_cast<int>(std::max<size_t>(1, (size_t{1} << 33) / bytes));
    float milliseconds = 0;
    for (int i = 0; i < 2; ++i) {
      CHECK(cudaEventRecord(begin));
      read_again<<<132 * 8, 256>>>(as<float4>(d.a), as<float>(d.b), static_cast<unsigned>(bytes / 16), times);
      CHECK(cudaEventRecord(end));
      CHECK(cudaEventSynchronize(end));
      CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    }
    std::printf("read bandwidth,%zu,%.1f,GB/s\n", bytes, static_cast<double>(bytes) * times / milliseconds / 1e6);
  }
}

} // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  const auto buffers = make_buffers();
  const auto all = configurations(buffers);
  if (what == "time") {
    write_times(all);
  } else if (what == "machine") {
    write_machine(buffers);
  } else {
    for (const auto& each : all) each.launch();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaProfilerStart());
    for (const auto& each : all) each.launch();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaProfilerStop());
    std::fprintf(stderr, "%zu configurations\n", all.size());
  }
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  return 0;
}
