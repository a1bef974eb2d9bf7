// Debian's GLEW supports only GLX. Under EGL glewInit() loads every function and then returns 4 (no GLX
// display), which makes VTK print an error and stay partly initialised (lines never wider than 1). This
// definition is in the executable, so the dynamic linker uses it before libGLEW's; it calls the real function
// and treats the value 4 as success.
#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) unsigned glewInit() {
  constexpr unsigned kNoGlxDisplay = 4;
  using Init = unsigned (*)();
  const auto real = reinterpret_cast<Init>(dlsym(RTLD_NEXT, "glewInit"));
  const unsigned result = real != nullptr ? real() : 1;
  return result == kNoGlxDisplay ? 0 : result;
}
