#pragma once

#include <QString>

namespace jitterscope::views {

/// An OpenGL 3.2 core context without any surface or window system (EGL_PLATFORM_SURFACELESS_MESA).
/// It is current only between makeCurrent() and release(), so that it does not replace Qt's own contexts.
class EglContext {
public:
  EglContext();
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  bool valid() const { return context_ != nullptr; }
  const QString& problem() const { return problem_; } ///< message if not valid
  bool makeCurrent();
  bool isCurrent() const;
  void release();

private:
  void* display_ = nullptr;
  void* context_ = nullptr;
  QString problem_;
};

} // namespace jitterscope::views
