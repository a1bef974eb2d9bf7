#include "views/vtk/egl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <array>
#include <cstring>

#include "views/base/text.h"

namespace jitterscope::views {

namespace {

EGLDisplay surfacelessDisplay(QString& problem) {
  const char* extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  if (extensions == nullptr || std::strstr(extensions, "EGL_MESA_platform_surfaceless") == nullptr) {
    problem = Text::tr("this machine's EGL library cannot draw without a window system");
    return EGL_NO_DISPLAY;
  }
  const auto getDisplay =
      reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  if (getDisplay == nullptr) {
    problem = Text::tr("this machine's EGL library is too old");
    return EGL_NO_DISPLAY;
  }
  const EGLDisplay display = getDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) == EGL_FALSE) {
    problem = Text::tr(
        "EGL could not be initialised. Install a Mesa driver, on Debian the package libgl1-mesa-dri.");
    return EGL_NO_DISPLAY;
  }
  return display;
}

EGLContext coreContext(EGLDisplay display, QString& problem) {
  constexpr std::array<EGLint, 13> requested = {EGL_SURFACE_TYPE,
                                                EGL_PBUFFER_BIT,
                                                EGL_RENDERABLE_TYPE,
                                                EGL_OPENGL_BIT,
                                                EGL_RED_SIZE,
                                                8,
                                                EGL_GREEN_SIZE,
                                                8,
                                                EGL_BLUE_SIZE,
                                                8,
                                                EGL_ALPHA_SIZE,
                                                8,
                                                EGL_NONE};
  constexpr std::array<EGLint, 7> attributes = {EGL_CONTEXT_MAJOR_VERSION,
                                                3,
                                                EGL_CONTEXT_MINOR_VERSION,
                                                2,
                                                EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                                EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                                EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglBindAPI(EGL_OPENGL_API) == EGL_FALSE ||
      eglChooseConfig(display, requested.data(), &config, 1, &count) == EGL_FALSE || count == 0) {
    problem = Text::tr("EGL offers no OpenGL configuration");
    return EGL_NO_CONTEXT;
  }
  const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes.data());
  if (context == EGL_NO_CONTEXT) problem = Text::tr("EGL does not support OpenGL 3.2");
  return context;
}

} // namespace

EglContext::EglContext() {
  display_ = surfacelessDisplay(problem_);
  if (display_ == EGL_NO_DISPLAY) return;
  context_ = coreContext(display_, problem_);
}

// The display is shared by all contexts of the process and stays initialised.
EglContext::~EglContext() {
  if (!valid()) return;
  release();
  eglDestroyContext(display_, context_);
}

bool EglContext::makeCurrent() {
  if (!valid()) return false;
  if (isCurrent()) return true;
  eglBindAPI(EGL_OPENGL_API);
  return eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_TRUE;
}

bool EglContext::isCurrent() const {
  return valid() && eglGetCurrentContext() == context_;
}

void EglContext::release() {
  if (isCurrent()) eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

} // namespace jitterscope::views
