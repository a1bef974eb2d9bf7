#pragma once

#include <QString>
#include <map>
#include <optional>

#include "app/export/export_dialog.h"

namespace jitterscope::app {

class MainWindow;

/// Pictures that can be exported from a window: every view that has content, by the name that the user
/// sees. The painters are valid as long as the window exists.
std::map<QString, ViewPainter> pictures_of(MainWindow& window);

/// Suggested changes before a view is exported at this size; empty: none.
QString advice_of(MainWindow& window, const QString& view, const PaperSize& size);

/// True if the window has all data that a view shows on paper; otherwise requests them. For views that
/// show more there than on the screen: timeline, launches.
bool holds_for_paper(MainWindow& window, const QString& view);

/// The numbers that a view shows, by the title of its dock or the name of its picture. Not of views whose
/// rows the engine holds (launches, timeline, parallel coordinates).
std::optional<QString> csv_of_view(MainWindow& window, const QString& view);

} // namespace jitterscope::app
