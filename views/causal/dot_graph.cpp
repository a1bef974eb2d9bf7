#include "views/causal/dot_graph.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::views {

std::vector<QPointF> controlPoints(Agedge_t* edge, const std::function<QPointF(pointf)>& place) {
  std::vector<QPointF> points;
  if (ED_spl(edge) == nullptr || ED_spl(edge)->size == 0) return points;
  const bezier& curve = ED_spl(edge)->list[0];
  for (std::size_t i = 0; i < static_cast<std::size_t>(curve.size); ++i)
    points.push_back(place(curve.list[i]));
  return points;
}

QPolygonF flattened(const std::vector<QPointF>& bezier) {
  QPolygonF line;
  if (bezier.empty()) return line;
  line << bezier[0];
  for (std::size_t i = 0; i + 3 < bezier.size(); i += 3) {
    const QPointF across = bezier[i + 3] - bezier[i];
    const int steps = std::clamp(static_cast<int>(std::hypot(across.x(), across.y()) / 6), 8, 80);
    for (int s = 1; s <= steps; ++s) {
      const double t = static_cast<double>(s) / steps;
      const double u = 1 - t;
      line << bezier[i] * (u * u * u) + bezier[i + 1] * (3 * u * u * t) + bezier[i + 2] * (3 * u * t * t) +
                  bezier[i + 3] * (t * t * t);
    }
  }
  return line;
}

} // namespace jitterscope::views
