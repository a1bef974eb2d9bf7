#pragma once

#include <QRectF>

#include "views/base/view_style.h"
#include "views/evidence/evidence_model.h"

class QPainter;

namespace jitterscope::views::evidence {

/// Paints the whole view at any size; for export and without EGL.
void paint(QPainter& painter, const QRectF& rect, const EvidenceModel& model, const ViewStyle& style);

/// A text line above the plots; text that does not fit continues in a second line if the view is high
/// enough.
struct HeaderLine {
  QString text;
  int of = 0; ///< index into EvidenceModel::headlines()
};
std::vector<HeaderLine> headerLines(const EvidenceModel& model, const QRectF& rect, const ViewStyle& style);

/// Paints text, axes and legend: over the picture that VTK draws, and as part of paint().
void paintFrame(QPainter& painter, const EvidenceModel& model, const ViewStyle& style);

/// Colour of a cell, t from 0 (one row) to 1 (the densest).
QColor cellColour(double t, const ViewStyle& style);
/// Position of a cell of `count` rows between one row and the densest cell, on a logarithmic scale.
double cellShade(std::uint32_t count, std::uint32_t densest);

} // namespace jitterscope::views::evidence
