#pragma once

#include <memory>

#include "app/export/export_dialog.h"

class QAbstractItemModel;
class QTableView;
class QTextBrowser;

namespace jitterscope::app {

/// Picture of a table as it is on the screen, with a title.
ViewPainter painter_of(QTableView* table, const QString& title);
/// Picture of all columns of a model that exists only for the picture.
ViewPainter painter_of(std::shared_ptr<const QAbstractItemModel> model, const QString& title);
/// Picture of a text, with the image "histogram" of its document.
ViewPainter painter_of(QTextBrowser* text);

} // namespace jitterscope::app
