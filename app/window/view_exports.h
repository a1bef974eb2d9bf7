#pragma once

#include <QString>
#include <map>
#include <optional>

#include "app/export/export_dialog.h"

namespace jitterscope::app {

class MainWindow;

/// What can be put on paper of a window: every view that shows something now, by the name that the user
/// chooses. The painters live as long as the window.
std::map<QString, ViewPainter> pictures_of(MainWindow& window);

/// What a careful author would change before a view is put on paper of this size; empty: nothing.
QString advice_of(MainWindow& window, const QString& view, const PaperSize& size);

/// Whether the window holds all that a view shows on paper; else it is asked for. Of views that show more
/// there than on the screen: timeline, launches.
bool holds_for_paper(MainWindow& window, const QString& view);

/// The numbers that a view shows, by the title of its dock or the name of its picture. Not of views whose
/// rows the engine holds (launches, timeline, parallel coordinates).
std::optional<QString> csv_of_view(MainWindow& window, const QString& view);

} // namespace jitterscope::app
