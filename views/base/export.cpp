#include "views/base/export.h"

#include <QBuffer>
#include <QFile>
#include <QFileInfo>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <cmath>

#include "core/base/output_file.h"
#include "views/base/svg_device.h"

namespace jitterscope::views {

namespace {

constexpr int kDotsPerInch = 96; // 96 logical pixels per inch
constexpr double kMetresPerInch = 0.0254;

Expected<void> notPainted(const QString& path) {
  return failure(ErrorKind::Internal, "the picture cannot be painted", path.toStdString());
}

Expected<void> writeBytes(const QString& path, const QByteArray& bytes) {
  return write_output(QFile::encodeName(path).toStdString(),
                      {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

Expected<void> writePng(const QString& path, const QSize& size, double scale, const PaintFunction& paint) {
  QImage image = renderImage(size, scale, paint);
  const int dots = static_cast<int>(std::lround(scale * kDotsPerInch / kMetresPerInch));
  image.setDotsPerMeterX(dots); // keeps the physical size when the picture is inserted into a document
  image.setDotsPerMeterY(dots);
  QBuffer png;
  png.open(QIODevice::WriteOnly);
  if (!image.save(&png, "PNG")) return notPainted(path);
  return writeBytes(path, png.data());
}

Expected<void> writeSvg(const QString& path, const QSize& size, const QString& title,
                        const PaintFunction& paint) {
  SvgDevice svg(size, title);
  QPainter painter;
  if (!painter.begin(&svg)) return notPainted(path);
  paint(painter, QRectF(QPointF(0, 0), QSizeF(size)));
  painter.end();
  // Qt writes rounded millimetres, a fraction of a pixel too large: programs that convert them to pixels
  // add one pixel.
  static const QRegularExpression kMillimetres(QStringLiteral("<svg width=\"[^\"]*\" height=\"[^\"]*\""));
  QString text = svg.document();
  if (const auto match = kMillimetres.match(text); match.hasMatch())
    text.replace(match.capturedStart(), match.capturedLength(),
                 QStringLiteral("<svg width=\"%1px\" height=\"%2px\"").arg(size.width()).arg(size.height()));
  return writeBytes(path, text.toUtf8());
}

Expected<void> writePdf(const QString& path, const QSize& size, const QString& title,
                        const PaintFunction& paint) {
  QBuffer file;
  file.open(QIODevice::WriteOnly);
  QPdfWriter pdf(&file);
  pdf.setTitle(title);
  const QSizeF points = QSizeF(size) * 72.0 / kDotsPerInch;
  pdf.setPageSize(QPageSize(points, QPageSize::Point, QString(), QPageSize::ExactMatch));
  pdf.setPageMargins(QMarginsF(0, 0, 0, 0));
  pdf.setResolution(1200);
  QPainter painter;
  if (!painter.begin(&pdf)) return notPainted(path);
  painter.setRenderHint(QPainter::LosslessImageRendering); // otherwise heat map cells are JPEG, whose colours
                                                           // blur into each other
  painter.scale(pdf.width() / static_cast<double>(size.width()),
                pdf.height() / static_cast<double>(size.height()));
  paint(painter, QRectF(QPointF(0, 0), QSizeF(size)));
  painter.end();
  return writeBytes(path, file.data());
}

} // namespace

QImage renderImage(QSize size, double scale, const PaintFunction& paint) {
  const QSize pixels(static_cast<int>(std::lround(size.width() * scale)),
                     static_cast<int>(std::lround(size.height() * scale)));
  QImage image(pixels, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(scale);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  paint(painter, QRectF(QPointF(0, 0), QSizeF(size)));
  return image;
}

Expected<void> exportPicture(const QString& path, QSize size, double scale, const QString& title,
                             const PaintFunction& paint) {
  if (size.isEmpty() || !(scale > 0)) {
    return failure(ErrorKind::BadUse, "a picture needs a size above 0", path.toStdString());
  }
  const QString ending = QFileInfo(path).suffix().toLower();
  if (ending == QLatin1String("png")) return writePng(path, size, scale, paint);
  if (ending == QLatin1String("svg")) return writeSvg(path, size, title, paint);
  if (ending == QLatin1String("pdf")) return writePdf(path, size, title, paint);
  return failure(ErrorKind::BadUse, "pictures are written as .png, .svg or .pdf", path.toStdString(), {},
                 "Choose one of these extensions.");
}

} // namespace jitterscope::views
