#include "core/causal/statistics/cross_products.h"

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace jitterscope::causal {
namespace {

constexpr std::size_t kVectorBytes = 64;
constexpr Eigen::Index kTile = 5;          ///< columns by columns that stay in registers
constexpr Eigen::Index kChunkBytes = 4096; ///< bytes of one column: 5 + 5 such chunks fit into the L1 cache
constexpr Eigen::Index kTileNumbers = kTile * kTile * 8; ///< doubles in a tile's sums, 8 lanes each
constexpr Eigen::Index kStripe = 40; ///< columns of b that are reused from the second-level cache

template <class Scalar>
struct Vectors {
  typedef Scalar Type __attribute__((vector_size(kVectorBytes), may_alias));
};

// Lanes are summed as a tree, the same on every processor.
typedef double Doubles4 __attribute__((vector_size(32)));
typedef double Doubles2 __attribute__((vector_size(16)));
typedef float Floats8 __attribute__((vector_size(32)));
typedef float Floats4 __attribute__((vector_size(16)));

[[gnu::always_inline]] inline double sum_of_lanes(const Vectors<double>::Type& v) {
  const Doubles4 four = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  const Doubles2 two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
  return two[0] + two[1];
}
[[gnu::always_inline]] inline float sum_of_lanes(const Vectors<float>::Type& v) {
  const Floats8 eight = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                        __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  const Floats4 four =
      __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

/// Adds products of 5 by 5 columns over `vectors` vectors to sums by lane; a column may occur several times.
/// `lower`: products of a with itself, only i ≥ j.
template <class Scalar, bool lower>
[[gnu::always_inline]] inline void add_tile(const Scalar* const* a, const Scalar* const* b,
                                            Eigen::Index vectors,
                                            typename Vectors<Scalar>::Type (&sum)[kTile][kTile]) {
  using Vector = typename Vectors<Scalar>::Type;
  constexpr auto lanes = static_cast<Eigen::Index>(kVectorBytes / sizeof(Scalar));
  for (Eigen::Index v = 0; v < vectors; ++v) {
    Vector left[kTile];
    for (Eigen::Index i = 0; i < kTile; ++i) left[i] = *reinterpret_cast<const Vector*>(a[i] + v * lanes);
    for (Eigen::Index j = 0; j < kTile; ++j) {
      const Vector right = lower ? left[j] : *reinterpret_cast<const Vector*>(b[j] + v * lanes);
      for (Eigen::Index i = lower ? j : 0; i < kTile; ++i) sum[j][i] += left[i] * right;
    }
  }
}

/// The sums of one tile, over all lanes.
template <class Scalar>
[[gnu::always_inline]] inline void tile_products(const Scalar* const* a, const Scalar* const* b,
                                                 Eigen::Index vectors, Scalar* sums) {
  typename Vectors<Scalar>::Type sum[kTile][kTile] = {};
  add_tile<Scalar, false>(a, b, vectors, sum);
  for (Eigen::Index j = 0; j < kTile; ++j)
    for (Eigen::Index i = 0; i < kTile; ++i) sums[j * kTile + i] = sum_of_lanes(sum[j][i]);
}

/// Adds one tile to sums by lane in memory: `kTile` × `kTile` vectors.
template <bool lower>
[[gnu::always_inline]] inline void tile_kept(const double* const* a, const double* const* b,
                                             Eigen::Index vectors, double* kept) {
  using Vector = Vectors<double>::Type;
  Vector sum[kTile][kTile];
  auto* const stored = reinterpret_cast<Vector*>(kept);
  for (Eigen::Index j = 0; j < kTile; ++j)
    for (Eigen::Index i = lower ? j : 0; i < kTile; ++i) sum[j][i] = stored[j * kTile + i];
  add_tile<double, lower>(a, b, vectors, sum);
  for (Eigen::Index j = 0; j < kTile; ++j)
    for (Eigen::Index i = lower ? j : 0; i < kTile; ++i) stored[j * kTile + i] = sum[j][i];
}

// One body for several processors. Only here multiplication and addition are fused: with fixed lanes the bits
// are the same for every vector width. Clang, which lacks this attribute, does not fuse them.
#ifdef __clang__
#define JITTERSCOPE_FUSED(processor) __attribute__((target(processor)))
#else
#define JITTERSCOPE_FUSED(processor) __attribute__((target(processor), optimize("O3", "fp-contract=fast")))
#endif
// NOLINTBEGIN(bugprone-macro-parentheses): `scalar` is a type
#define JITTERSCOPE_TILE(name, scalar, processor)                                                            \
  JITTERSCOPE_FUSED(processor)                                                                               \
  void name(const scalar* const* a, const scalar* const* b, Eigen::Index vectors, scalar* sums) {            \
    tile_products<scalar>(a, b, vectors, sums);                                                              \
  }
// NOLINTEND(bugprone-macro-parentheses)
JITTERSCOPE_TILE(tile_double_512, double, "avx512f,avx512dq,fma")
JITTERSCOPE_TILE(tile_float_512, float, "avx512f,avx512dq,fma")
JITTERSCOPE_TILE(tile_double_256, double, "avx2,fma")
JITTERSCOPE_TILE(tile_float_256, float, "avx2,fma")
JITTERSCOPE_TILE(tile_double_any, double, "sse2")
JITTERSCOPE_TILE(tile_float_any, float, "sse2")
#undef JITTERSCOPE_TILE
#define JITTERSCOPE_KEPT_TILE(name, lower, processor)                                                        \
  JITTERSCOPE_FUSED(processor)                                                                               \
  void name(const double* const* a, const double* const* b, Eigen::Index vectors, double* kept) {            \
    tile_kept<lower>(a, b, vectors, kept);                                                                   \
  }
JITTERSCOPE_KEPT_TILE(kept_full_512, false, "avx512f,avx512dq,fma")
JITTERSCOPE_KEPT_TILE(kept_lower_512, true, "avx512f,avx512dq,fma")
JITTERSCOPE_KEPT_TILE(kept_full_256, false, "avx2,fma")
JITTERSCOPE_KEPT_TILE(kept_lower_256, true, "avx2,fma")
JITTERSCOPE_KEPT_TILE(kept_full_any, false, "sse2")
JITTERSCOPE_KEPT_TILE(kept_lower_any, true, "sse2")
#undef JITTERSCOPE_KEPT_TILE
#undef JITTERSCOPE_FUSED

template <class Scalar>
using Tile = void (*)(const Scalar* const*, const Scalar* const*, Eigen::Index, Scalar*);

enum class Processor { any, vectors_256, vectors_512 };
Processor this_processor() {
  static const Processor processor =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? Processor::vectors_512
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")       ? Processor::vectors_256
                                                                              : Processor::any;
  return processor;
}

/// One of the functions for any processor, for vectors of 32 bytes and of 64 bytes.
template <class Scalar>
Tile<Scalar> of_this_processor(Tile<Scalar> any, Tile<Scalar> vectors_256, Tile<Scalar> vectors_512) {
  if (this_processor() == Processor::vectors_512) return vectors_512;
  return this_processor() == Processor::vectors_256 ? vectors_256 : any;
}
Tile<double> tile_for(double) {
  return of_this_processor<double>(tile_double_any, tile_double_256, tile_double_512);
}
Tile<float> tile_for(float) {
  return of_this_processor<float>(tile_float_any, tile_float_256, tile_float_512);
}

} // namespace

template <class Scalar>
PaddedColumns<Scalar>::PaddedColumns(Eigen::Index rows, Eigen::Index columns)
    : rows_(rows), columns_(columns) {
  constexpr auto lanes = static_cast<Eigen::Index>(kVectorBytes / sizeof(Scalar));
  stride_ = (rows + lanes - 1) / lanes * lanes;
  // A stride of many whole pages would map all columns to the same few cache lines.
  if (stride_ * static_cast<Eigen::Index>(sizeof(Scalar)) % 4096 == 0 && stride_ > 0) stride_ += lanes;
  storage_.assign(static_cast<std::size_t>(stride_ * columns + lanes), Scalar{0});
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
  const std::uintptr_t skipped = (kVectorBytes - address % kVectorBytes) % kVectorBytes;
  first_ = storage_.data() + skipped / sizeof(Scalar);
}

template class PaddedColumns<float>;
template class PaddedColumns<double>;

template <class Scalar>
void add_cross_products(const PaddedColumns<Scalar>& a, Eigen::Index a_first, Eigen::Index a_last,
                        const PaddedColumns<Scalar>& b, Eigen::Index b_first, Eigen::Index b_last,
                        Eigen::Ref<Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>> out) {
  constexpr auto lanes = static_cast<Eigen::Index>(kVectorBytes / sizeof(Scalar));
  constexpr Eigen::Index chunk = kChunkBytes / static_cast<Eigen::Index>(sizeof(Scalar));
  const Tile<Scalar> tile = tile_for(Scalar{});
  const Eigen::Index padded = (a.rows() + lanes - 1) / lanes * lanes;
  Scalar sums[kTile * kTile];
  for (Eigen::Index row = 0; row < padded; row += chunk) {
    const Eigen::Index vectors = std::min(chunk, padded - row) / lanes;
    for (Eigen::Index stripe = b_first; stripe < b_last; stripe += kStripe)
      for (Eigen::Index i = a_first; i < a_last; i += kTile)
        for (Eigen::Index j = stripe; j < std::min(stripe + kStripe, b_last); j += kTile) {
          const Scalar *left[kTile], *right[kTile];
          for (Eigen::Index k = 0; k < kTile; ++k) {
            left[k] = a.column(std::min(i + k, a_last - 1)) + row;
            right[k] = b.column(std::min(j + k, b_last - 1)) + row;
          }
          tile(left, right, vectors, sums);
          for (Eigen::Index c = 0; c < std::min(kTile, b_last - j); ++c)
            for (Eigen::Index r = 0; r < std::min(kTile, a_last - i); ++r)
              out(i - a_first + r, j - b_first + c) += sums[c * kTile + r];
        }
  }
}

template void add_cross_products<float>(const PaddedColumns<float>&, Eigen::Index, Eigen::Index,
                                        const PaddedColumns<float>&, Eigen::Index, Eigen::Index,
                                        Eigen::Ref<Eigen::MatrixXf>);
template void add_cross_products<double>(const PaddedColumns<double>&, Eigen::Index, Eigen::Index,
                                         const PaddedColumns<double>&, Eigen::Index, Eigen::Index,
                                         Eigen::Ref<Eigen::MatrixXd>);

void add_gram(const PaddedColumns<double>& x, Eigen::MatrixXd& cross) {
  const Eigen::Index q = x.columns();
  for (Eigen::Index j = 0; j < q; j += kTile) {
    const Eigen::Index last = std::min(j + kTile, q);
    add_cross_products<double>(x, j, q, x, j, last, cross.block(j, j, q - j, last - j));
  }
}

GramSums::GramSums(Eigen::Index columns)
    : columns_(columns), tiles_((columns + kTile - 1) / kTile),
      kept_(tiles_ * (tiles_ + 1) / 2 * kTileNumbers, 1) {}

void GramSums::add(const PaddedColumns<double>& x) {
  const Eigen::Index vectors = (x.rows() + 7) / 8;
  const auto full = of_this_processor<double>(kept_full_any, kept_full_256, kept_full_512),
             lower = of_this_processor<double>(kept_lower_any, kept_lower_256, kept_lower_512);
  const auto columns_from = [&](Eigen::Index first, const double** out) {
    for (Eigen::Index k = 0; k < kTile; ++k) out[k] = x.column(std::min(first + k, columns_ - 1));
  };
  double* kept = kept_.column(0);
  const double *left[kTile], *right[kTile];
  for (Eigen::Index j = 0; j < tiles_; ++j) {
    columns_from(j * kTile, right);
    for (Eigen::Index i = j; i < tiles_; ++i, kept += kTileNumbers) {
      columns_from(i * kTile, left);
      (i == j ? lower : full)(left, right, vectors, kept);
    }
  }
}

void GramSums::add_to(Eigen::MatrixXd& cross) const {
  const double* kept = kept_.column(0);
  for (Eigen::Index j = 0; j < columns_; j += kTile)
    for (Eigen::Index i = j; i < columns_; i += kTile, kept += kTileNumbers)
      for (Eigen::Index c = j; c < std::min(j + kTile, columns_); ++c)
        for (Eigen::Index r = std::max(i, c); r < std::min(i + kTile, columns_); ++r)
          cross(r, c) += sum_of_lanes(
              *reinterpret_cast<const Vectors<double>::Type*>(kept + ((c - j) * kTile + r - i) * 8));
}

double measured_fma_rate() {
  constexpr Eigen::Index rows = 256; // all columns of the tile fit into the first-level cache
  PaddedColumns<double> x(rows, kTile);
  for (Eigen::Index c = 0; c < kTile; ++c)
    for (Eigen::Index r = 0; r < rows; ++r) x.column(c)[r] = 1e-3 * static_cast<double>(r + c);
  const double* columns[kTile];
  for (Eigen::Index c = 0; c < kTile; ++c) columns[c] = x.column(c);
  double sums[kTile * kTile], best = 0;
  const Tile<double> tile = tile_for(0.0);
  for (int trial = 0; trial < 20; ++trial) {
    constexpr int times = 5'000;
    const std::clock_t start = std::clock();
    for (int t = 0; t < times; ++t) tile(columns, columns, rows / 8, sums);
    const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (took > 0) best = std::max(best, 2e-9 * kTile * kTile * rows * times / took);
  }
  return best;
}

} // namespace jitterscope::causal
