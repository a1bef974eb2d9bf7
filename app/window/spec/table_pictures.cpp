#include "app/window/spec/table_pictures.h"

#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QTableView>
#include <QTextBlock>
#include <QTextBrowser>
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/controllers/details_panel.h"
#include "views/base/painting.h"
#include "views/base/text.h"
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

namespace {

/// Largest height up to `limit` that cuts no line of text.
double whole_lines(const QTextDocument& document, double limit) {
  double height = limit;
  for (auto block = document.lastBlock(); block.isValid(); block = block.previous()) {
    const QPointF origin = document.documentLayout()->blockBoundingRect(block).topLeft();
    for (int l = block.layout()->lineCount() - 1; l >= 0; --l) {
      const QRectF line = block.layout()->lineAt(l).rect().translated(origin);
      if (line.top() < height && line.bottom() > height) height = line.top();
    }
  }
  return height;
}

} // namespace

ViewPainter painter_of(QTextBrowser* text) {
  return [text](QPainter& painter, const QRectF& rect, const views::ViewStyle& style) {
    constexpr double kMargin = 10;
    painter.fillRect(rect, style.background);
    QRectF room = rect.adjusted(kMargin, kMargin, -kMargin, -kMargin);
    if (room.isEmpty()) return;
    const std::unique_ptr<QTextDocument> document(text->document()->clone());
    document->addResource(QTextDocument::ImageResource, QUrl("histogram"),
                          text->document()->resource(QTextDocument::ImageResource, QUrl("histogram")));
    document->setDefaultFont(style.font());
    document->setDocumentMargin(0);
    document->setTextWidth(room.width());
    if (const double height = document->size().height(); height > room.height()) {
      painter.setFont(style.font(views::FontRole::Small));
      painter.setPen(style.mutedText);
      const double line = std::ceil(views::metricsOf(painter.font()).height()) + 4;
      views::drawElided(painter, {room.left(), room.bottom() - line, room.width(), line},
                        views::Text::tr("The text continues. A height of %1 mm shows all.")
                            .arg(std::ceil((height + 2 * kMargin) / kPixelsOfMillimetre)),
                        Qt::AlignLeft | Qt::AlignBottom);
      room.setHeight(whole_lines(*document, std::max(room.height() - line, 0.0)));
    }
    painter.save();
    painter.translate(room.topLeft());
    painter.setClipRect(QRectF({}, room.size()));
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette = DetailsPanel::palette_of(style);
    document->documentLayout()->draw(&painter, context);
    painter.restore();
  };
}

} // namespace jitterscope::app
