#pragma once

/// In front of a function whose loops the compiler is to vectorise for the processor it runs on: it is
/// compiled several times and the best one is chosen when the program starts. Results are the same
/// everywhere, because no version may contract or reorder floating-point operations. Sanitizers cannot run
/// the choice.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&     \
    !defined(__SANITIZE_THREAD__)
#define JITTERSCOPE_VECTOR_CLONES                                                                            \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define JITTERSCOPE_VECTOR_CLONES
#endif
