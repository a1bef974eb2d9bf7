#pragma once

#ifdef __has_feature // Clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define JITTERSCOPE_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define JITTERSCOPE_SANITIZED
#endif

namespace jitterscope::app {

/// Longest time that a test of the window waits for an answer [ms]. Sanitizers make answers many times
/// slower.
#ifdef JITTERSCOPE_SANITIZED
constexpr int kPatience = 600'000;
#else
constexpr int kPatience = 120'000;
#endif

} // namespace jitterscope::app
