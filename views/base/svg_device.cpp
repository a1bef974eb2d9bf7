#include "views/base/svg_device.h"

#include <QBuffer>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>
#include <optional>

namespace jitterscope::views {

namespace {

constexpr int kSvgDotsPerInch = 96; // 96 logical pixels per inch
// Text written through QSvgGenerator where the clip changes; no text of a view starts with it.
const QString kClipMark = QStringLiteral("jitterscope-clip");

QString rectangle(const QRectF& rect) {
  return QStringLiteral("x=\"%1\" y=\"%2\" width=\"%3\" height=\"%4\"")
      .arg(rect.x())
      .arg(rect.y())
      .arg(std::max(rect.width(), 0.0))
      .arg(std::max(rect.height(), 0.0));
}

/// QSvgGenerator writes consecutive groups, one per painter state; clips become groups around them.
QString withClips(const QString& written) {
  static const QRegularExpression kTags(
      QStringLiteral("<g [^>]*>|<text [^>]*>\\s*jitterscope-clip([^<]*)</text>"));
  QString out, group;
  qsizetype done = 0;
  int clips = 0;
  bool open = false;
  for (auto found = kTags.globalMatch(written); found.hasNext();) {
    const auto tag = found.next();
    out += written.mid(done, tag.capturedStart() - done);
    done = tag.capturedEnd();
    if (tag.capturedView().startsWith(QLatin1String("<g "))) {
      group = tag.captured();
      out += group;
    } else {
      out += QLatin1String("</g>\n");
      if (open) out += QLatin1String("</g>\n");
      const QString rect = tag.captured(1).trimmed().replace(QLatin1String("&quot;"), QLatin1String("\""));
      open = !rect.isEmpty();
      if (open)
        out +=
            QStringLiteral("<clipPath id=\"clip%1\"><rect %2/></clipPath>\n<g clip-path=\"url(#clip%1)\">\n")
                .arg(++clips)
                .arg(rect);
      out += group;
    }
  }
  out += written.mid(done);
  if (open) out.insert(out.lastIndexOf(QLatin1String("</svg>")), QLatin1String("</g>\n"));
  return out;
}

} // namespace

/// Forwards everything to QSvgGenerator and marks clip changes.
class SvgDevice::Engine : public QPaintEngine {
public:
  Engine(QSize size, const QString& title) : QPaintEngine(QPaintEngine::AllFeatures) {
    written_.open(QIODevice::WriteOnly);
    svg_.setOutputDevice(&written_);
    svg_.setSize(size);
    svg_.setViewBox(QRect(QPoint(0, 0), size));
    svg_.setResolution(kSvgDotsPerInch);
    svg_.setTitle(title);
  }

  QString document() const { return withClips(QString::fromUtf8(written_.data())); }

  Type type() const override { return QPaintEngine::SVG; }
  bool begin(QPaintDevice* /*device*/) override { return to_.begin(&svg_); }
  bool end() override { return to_.end(); }

  void updateState(const QPaintEngineState& now) override {
    const auto dirty = now.state();
    if (dirty & DirtyPen) to_.setPen(now.pen());
    if (dirty & DirtyBrush) to_.setBrush(now.brush());
    if (dirty & DirtyBrushOrigin) to_.setBrushOrigin(now.brushOrigin());
    if (dirty & DirtyFont) to_.setFont(now.font());
    if (dirty & DirtyTransform) to_.setTransform(now.transform());
    if (dirty & DirtyOpacity) to_.setOpacity(now.opacity());
    if (dirty & DirtyCompositionMode) to_.setCompositionMode(now.compositionMode());
    if (dirty & DirtyHints) {
      to_.setRenderHints(to_.renderHints(), false);
      to_.setRenderHints(now.renderHints(), true);
    }
  }
  void drawPath(const QPainterPath& path) override { clipped().drawPath(path); }
  void drawLines(const QLineF* lines, int count) override { clipped().drawLines(lines, count); }
  void drawRects(const QRectF* rects, int count) override { clipped().drawRects(rects, count); }
  void drawEllipse(const QRectF& rect) override { clipped().drawEllipse(rect); }
  void drawPoints(const QPointF* points, int count) override { clipped().drawPoints(points, count); }
  void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override {
    if (mode == PolylineMode)
      clipped().drawPolyline(points, count);
    else
      clipped().drawPolygon(points, count, mode == WindingMode ? Qt::WindingFill : Qt::OddEvenFill);
  }
  void drawTextItem(const QPointF& at, const QTextItem& item) override {
    auto& to = clipped();
    to.setFont(item.font());
    to.drawText(at, item.text());
  }
  void drawPixmap(const QRectF& rect, const QPixmap& pixmap, const QRectF& part) override {
    drawImage(rect, pixmap.toImage(), part, Qt::AutoColor);
  }
  void drawImage(const QRectF& rect, const QImage& image, const QRectF& part,
                 Qt::ImageConversionFlags flags) override {
    auto& to = clipped();
    if (to.testRenderHint(QPainter::SmoothPixmapTransform) || part.isEmpty())
      return to.drawImage(rect, image, part, flags);
    // Viewers smooth images that they enlarge, so each large pixel is written as many small pixels.
    constexpr double kFine = 3, kLargest = 4'000;
    const double width = to.transform().mapRect(rect).width();
    const int times = static_cast<int>(
        std::min(std::ceil(kFine * width / part.width()), kLargest / std::max(part.width(), part.height())));
    if (times <= kFine) return to.drawImage(rect, image, part, flags);
    to.drawImage(rect, image.copy(part.toAlignedRect())
                           .scaled(part.toAlignedRect().size() * times, Qt::IgnoreAspectRatio,
                                   Qt::FastTransformation));
  }

private:
  /// The painter of QSvgGenerator, after writing a mark if the clip has changed.
  QPainter& clipped() {
    std::optional<QRectF> now;
    if (painter()->hasClipping()) now = painter()->transform().mapRect(painter()->clipBoundingRect());
    if (now == clip_) return to_;
    clip_ = now;
    mark(kClipMark + QLatin1Char(' ') + (clip_ ? rectangle(*clip_) : QString()));
    return to_;
  }
  void mark(const QString& text) {
    to_.save();
    to_.resetTransform();
    to_.setPen(Qt::black);
    to_.drawText(QPointF(0, 0), text);
    to_.restore();
  }

  QBuffer written_;
  QSvgGenerator svg_;
  QPainter to_;
  std::optional<QRectF> clip_;
};

SvgDevice::SvgDevice(QSize size, const QString& title)
    : size_(size), engine_(std::make_unique<Engine>(size, title)) {}

SvgDevice::~SvgDevice() = default;

QPaintEngine* SvgDevice::paintEngine() const {
  return engine_.get();
}

QString SvgDevice::document() const {
  return engine_->document();
}

int SvgDevice::metric(PaintDeviceMetric metric) const {
  constexpr double kMillimetres = 25.4;
  switch (metric) {
  case PdmWidth:
    return size_.width();
  case PdmHeight:
    return size_.height();
  case PdmWidthMM:
    return qRound(size_.width() * kMillimetres / kSvgDotsPerInch);
  case PdmHeightMM:
    return qRound(size_.height() * kMillimetres / kSvgDotsPerInch);
  case PdmNumColors:
    return 0x7fffffff;
  case PdmDepth:
    return 32;
  case PdmDpiX:
  case PdmDpiY:
  case PdmPhysicalDpiX:
  case PdmPhysicalDpiY:
    return kSvgDotsPerInch;
  case PdmDevicePixelRatio:
    return 1;
  case PdmDevicePixelRatioScaled:
    return static_cast<int>(devicePixelRatioFScale());
  }
  return 0;
}

} // namespace jitterscope::views
