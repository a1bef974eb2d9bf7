#pragma once

#include <QString>
#include <map>
#include <optional>

#include "app/export/export_dialog.h"

namespace jitterscope::views {
class LaunchesWidget;
}

namespace jitterscope::app {

class MainWindow;

/// Pictures that can be exported from a window: every view that has content, by the name that the user
/// sees. The painters are valid as long as the window exists.
std::map<QString, ViewPainter> pictures_of(MainWindow& window);

/// Suggested changes before a view is exported at this size; empty: none.
QString advice_of(MainWindow& window, const QString& view, const PaperSize& size);

/// True if the window has all data that a view shows on paper of this size; otherwise requests them. Only the
/// timeline and the launches show more on paper than on the screen.
bool holds_for_paper(MainWindow& window, const QString& view, const PaperSize& size);

/// Height [mm] of a picture of this width and font that shows all of a view; 0 if any height does.
double needed_height_of(MainWindow& window, const QString& view, const PaperSize& size);

/// The numbers that a view shows, by the title of its dock or the name of its picture. Views whose rows are
/// in the engine (launches, timeline, parallel coordinates) have none.
std::optional<QString> csv_of_view(MainWindow& window, const QString& view);

/// The launches that a view shows: the table with their order, and the columns to save. The table is null for
/// views with numbers of their own.
struct LaunchesShown {
  views::LaunchesWidget* table = nullptr;
  QStringList columns;
};
LaunchesShown launches_of_view(MainWindow& window, const QString& view);

} // namespace jitterscope::app
