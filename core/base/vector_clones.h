#pragma once

/// Put in front of a function whose loops the compiler should vectorise for the processor at run time: it is
/// compiled several times and the best version is chosen at program start. Results are the same everywhere,
/// because no version may contract or reorder floating-point operations. Sanitizers cannot run the
/// selection.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define JITTERSCOPE_VECTOR_CLONES                                                                            \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define JITTERSCOPE_VECTOR_CLONES
#endif
