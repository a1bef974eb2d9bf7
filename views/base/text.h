#pragma once

#include <QCoreApplication>

namespace jitterscope::views {

/// Text::tr("…"): texts of the window outside classes of Qt, which have their own tr.
struct Text {
  Q_DECLARE_TR_FUNCTIONS(Jitterscope)
};

} // namespace jitterscope::views
