#pragma once

// AVX-512 as in Intel's processors since Ice Lake and AMD's since Zen 4: the attribute of functions that use
// it, and a check of the current processor.

#if defined(__x86_64__)

#include <immintrin.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" // in the compiler's own headers (GCC bug 105593)
#endif

#define JITTERSCOPE_AVX512                                                                                   \
  gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512cd,pclmul,bmi,bmi2,popcnt,lzcnt")

namespace jitterscope::import {

inline bool has_avx512() {
  static const bool has = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2") &&
                          __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("pclmul");
  return has;
}

} // namespace jitterscope::import

#endif
