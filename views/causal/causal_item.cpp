#include "views/causal/causal_item.h"

#include <vtkBrush.h>
#include <vtkContext2D.h>
#include <vtkObjectFactory.h>
#include <vtkPen.h>
#include <vtkTextProperty.h>

#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "views/base/painting.h"
#include "views/base/text_cache.h"
#include "views/causal/causal_painter.h"
#include "views/table_parts/distinct_names.h"
#include "views/vtk/vtk_host.h"

namespace jitterscope::views {

vtkStandardNewMacro(CausalItem);

namespace {

void setBrush(vtkContext2D& painter, const QColor& c) {
  painter.GetBrush()->SetColor(static_cast<unsigned char>(c.red()), static_cast<unsigned char>(c.green()),
                               static_cast<unsigned char>(c.blue()), static_cast<unsigned char>(c.alpha()));
}

} // namespace

void CausalItem::show(CausalScene scene, const ViewStyle& style, const QTransform& transform, double height,
                      double ratio) {
  scene_ = std::move(scene);
  style_ = style;
  transform_ = transform;
  height_ = height;
  ratio_ = ratio;
  shown_ = shownTexts();
  Modified();
}

// Elided texts keep the part that distinguishes them from others elided to the same text.
QStringList CausalItem::shownTexts() const {
  constexpr double kSides =
      16; // horizontal padding of the box: letters of few pixels are wider than proportional
  QStringList shown;
  std::map<QString, std::vector<int>> alike;
  const auto room = [&](const SceneText& text) {
    return (text.rect.width() + kSides) * transform_.m11() / ratio_;
  };
  for (const SceneText& text : scene_.texts) {
    shown << (text.elided ? elidedText(drawnFont(text), text.text, Qt::ElideMiddle, room(text)) : text.text);
    if (shown.last() != text.text) alike[shown.last()].push_back(static_cast<int>(shown.size()) - 1);
  }
  for (const auto& [cut, places] : alike) {
    QStringList names;
    for (const int place : places) names << scene_.texts[static_cast<std::size_t>(place)].text;
    if (names.count(names.front()) == names.size()) continue;
    const SceneText& first = scene_.texts[static_cast<std::size_t>(places.front())];
    const QStringList distinct = distinctNames(names, drawnFont(first), room(first));
    for (std::size_t i = 0; i < places.size(); ++i) shown[places[i]] = distinct[static_cast<int>(i)];
  }
  return shown;
}

std::vector<float> CausalItem::mapped(const QPolygonF& points) const {
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(points.size()) * 2);
  for (const QPointF& point : points) {
    const QPointF p = transform_.map(point);
    result.push_back(static_cast<float>(p.x()));
    result.push_back(static_cast<float>(height_ - p.y()));
  }
  return result;
}

// Draws wide lines as quads with round joints: OpenGL's own wide lines have gaps at bends.
void CausalItem::drawLine(vtkContext2D& painter, const SceneLine& line) const {
  const double width = std::max(1.0, line.width * transform_.m11());
  std::vector<float> points = mapped(line.points);
  const int count = static_cast<int>(points.size() / 2);
  if (count < 2) return;
  painter.GetPen()->SetLineType(vtkPen::NO_PEN);
  setBrush(painter, line.colour);
  std::vector<float> left;
  std::vector<float> right;
  for (int i = 0; i < count; ++i) {
    const int a = std::max(i - 1, 0);
    const int b = std::min(i + 1, count - 1);
    const auto at = [&](int index, int axis) {
      return static_cast<double>(points[static_cast<std::size_t>(2 * index + axis)]);
    };
    const double dx = at(b, 0) - at(a, 0);
    const double dy = at(b, 1) - at(a, 1);
    const double length = std::max(std::hypot(dx, dy), 1e-9);
    const double nx = -dy / length * width / 2;
    const double ny = dx / length * width / 2;
    left.insert(left.end(), {static_cast<float>(at(i, 0) + nx), static_cast<float>(at(i, 1) + ny)});
    right.insert(right.end(), {static_cast<float>(at(i, 0) - nx), static_cast<float>(at(i, 1) - ny)});
  }
  for (std::size_t i = 0; i + 3 < left.size(); i += 2) {
    std::array<float, 8> quad = {left[i],      left[i + 1],  left[i + 2], left[i + 3],
                                 right[i + 2], right[i + 3], right[i],    right[i + 1]};
    painter.DrawQuad(quad.data());
  }
}

void CausalItem::drawShape(vtkContext2D& painter, const SceneShape& shape) const {
  std::vector<float> points = mapped(shape.outline);
  const int count = static_cast<int>(points.size() / 2);
  if (count < 3) return;
  if (shape.fill.isValid()) {
    painter.GetPen()->SetLineType(vtkPen::NO_PEN);
    setBrush(painter, shape.fill);
    painter.DrawPolygon(points.data(), count - 1);
  }
  if (!shape.stroke.isValid()) return;
  drawLine(painter, {shape.outline, shape.stroke, shape.width});
}

// The window's dpi is 72·ratio: one point is one logical pixel, scaled like the graph.
QFont CausalItem::drawnFont(const SceneText& text) const {
  return causal::scaledFont(style_.font(text.font), transform_.m11() / ratio_);
}

void CausalItem::drawText(vtkContext2D& painter, const SceneText& text, const QString& shown) const {
  const QFont font = drawnFont(text);
  vtkTextProperty* property = painter.GetTextProp();
  property->SetColor(text.colour.redF(), text.colour.greenF(), text.colour.blueF());
  property->SetFontSize(font.pixelSize());
  property->SetBold(font.bold() ? 1 : 0);
  property->SetJustificationToCentered();
  property->SetVerticalJustificationToCentered();
  if (const QString file = vtkFontFile(); !file.isEmpty()) {
    property->SetFontFamily(VTK_FONT_FILE);
    property->SetFontFile(
        (font.bold() ? QString(file).replace(QLatin1String("Sans.ttf"), QLatin1String("Sans-Bold.ttf"))
                     : file)
            .toUtf8()
            .constData());
  }
  const QPointF centre = transform_.map(text.rect.center());
  painter.DrawString(static_cast<float>(std::round(centre.x())),
                     static_cast<float>(std::round(height_ - centre.y())), shown.toUtf8().constData());
}

bool CausalItem::Paint(vtkContext2D* painter) {
  for (const SceneShape& shape : scene_.underlay) drawShape(*painter, shape);
  for (const SceneLine& line : scene_.lines) drawLine(*painter, line);
  for (const SceneShape& shape : scene_.shapes) drawShape(*painter, shape);
  for (std::size_t i = 0; i < scene_.texts.size(); ++i)
    drawText(*painter, scene_.texts[i], shown_[static_cast<int>(i)]);
  return true;
}

} // namespace jitterscope::views
