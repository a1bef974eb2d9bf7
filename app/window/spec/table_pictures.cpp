#include "app/window/spec/table_pictures.h"

#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QTableView>
#include <QTextBrowser>
#include <memory>
#include <utility>

#include "app/controllers/details_panel.h"
#include "views/table_parts/table_picture.h"

namespace jitterscope::app {

ViewPainter painter_of(QTableView* table, const QString& title) {
  return [table, title](QPainter& painter, const QRectF& rect, const views::ViewStyle& style) {
    views::paintTable(painter, rect, views::pictureOf(*table, title), style);
  };
}

ViewPainter painter_of(std::shared_ptr<const QAbstractItemModel> model, const QString& title) {
  return [model = std::move(model), title](QPainter& painter, const QRectF& rect,
                                           const views::ViewStyle& style) {
    views::TablePicture picture;
    picture.model = model.get();
    for (int column = 0; column < model->columnCount(); ++column) picture.columns.push_back(column);
    picture.title = title;
    picture.maxLines = 6;
    views::paintTable(painter, rect, picture, style);
  };
}

ViewPainter painter_of(QTextBrowser* text) {
  return [text](QPainter& painter, const QRectF& rect, const views::ViewStyle& style) {
    const std::unique_ptr<QTextDocument> document(text->document()->clone());
    document->addResource(QTextDocument::ImageResource, QUrl("histogram"),
                          text->document()->resource(QTextDocument::ImageResource, QUrl("histogram")));
    document->setDefaultFont(style.font());
    document->setTextWidth(rect.width());
    painter.save();
    painter.translate(rect.topLeft());
    painter.setClipRect(QRectF({}, rect.size()));
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette = DetailsPanel::palette_of(style);
    document->documentLayout()->draw(&painter, context);
    painter.restore();
  };
}

} // namespace jitterscope::app
