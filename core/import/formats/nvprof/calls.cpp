// Numbers of frequent calls as in CUPTI's headers. Numbers were never reused.

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/core.h>

#include "core/import/formats/nvprof/nvprof_db.h"

namespace jitterscope::import::nvprof {
namespace {

struct Call {
  std::int64_t number;
  std::string_view name;
};

constexpr Call kRuntime[] = {
    {3, "cudaGetDeviceCount"},
    {4, "cudaGetDeviceProperties"},
    {8, "cudaConfigureCall"},
    {9, "cudaSetupArgument"},
    {10, "cudaGetLastError"},
    {11, "cudaPeekAtLastError"},
    {13, "cudaLaunch"},
    {14, "cudaFuncSetCacheConfig"},
    {15, "cudaFuncGetAttributes"},
    {16, "cudaSetDevice"},
    {17, "cudaGetDevice"},
    {19, "cudaSetDeviceFlags"},
    {20, "cudaMalloc"},
    {21, "cudaMallocPitch"},
    {22, "cudaFree"},
    {23, "cudaMallocArray"},
    {24, "cudaFreeArray"},
    {25, "cudaMallocHost"},
    {26, "cudaFreeHost"},
    {27, "cudaHostAlloc"},
    {28, "cudaHostGetDevicePointer"},
    {30, "cudaMemGetInfo"},
    {31, "cudaMemcpy"},
    {32, "cudaMemcpy2D"},
    {33, "cudaMemcpyToArray"},
    {34, "cudaMemcpy2DToArray"},
    {35, "cudaMemcpyFromArray"},
    {36, "cudaMemcpy2DFromArray"},
    {37, "cudaMemcpyArrayToArray"},
    {38, "cudaMemcpy2DArrayToArray"},
    {39, "cudaMemcpyToSymbol"},
    {40, "cudaMemcpyFromSymbol"},
    {41, "cudaMemcpyAsync"},
    {42, "cudaMemcpyToArrayAsync"},
    {43, "cudaMemcpyFromArrayAsync"},
    {44, "cudaMemcpy2DAsync"},
    {45, "cudaMemcpy2DToArrayAsync"},
    {46, "cudaMemcpy2DFromArrayAsync"},
    {47, "cudaMemcpyToSymbolAsync"},
    {48, "cudaMemcpyFromSymbolAsync"},
    {49, "cudaMemset"},
    {50, "cudaMemset2D"},
    {51, "cudaMemsetAsync"},
    {52, "cudaMemset2DAsync"},
    {126, "cudaThreadSynchronize"},
    {129, "cudaStreamCreate"},
    {130, "cudaStreamDestroy"},
    {131, "cudaStreamSynchronize"},
    {132, "cudaStreamQuery"},
    {133, "cudaEventCreate"},
    {134, "cudaEventCreateWithFlags"},
    {135, "cudaEventRecord"},
    {136, "cudaEventDestroy"},
    {137, "cudaEventSynchronize"},
    {138, "cudaEventQuery"},
    {139, "cudaEventElapsedTime"},
    {164, "cudaDeviceReset"},
    {165, "cudaDeviceSynchronize"},
    {211, "cudaLaunchKernel"},
};

constexpr Call kDriver[] = {
    {307, "cuLaunchKernel"},
};

template <std::size_t N>
std::string name_of(const Call (&calls)[N], std::int64_t number, std::string_view what) {
  const auto* found = std::find_if(std::begin(calls), std::end(calls),
                                   [&](const Call& call) { return call.number == number; });
  return found == std::end(calls) ? fmt::format("{} {}", what, number) : std::string(found->name);
}

} // namespace

std::string runtime_call(std::int64_t number) {
  return name_of(kRuntime, number, "CUDA runtime call");
}

std::string driver_call(std::int64_t number) {
  return name_of(kDriver, number, "CUDA driver call");
}

} // namespace jitterscope::import::nvprof
