#pragma once

#include <QRectF>

#include "views/base/view_style.h"
#include "views/evidence/evidence_model.h"

class QPainter;

namespace jitterscope::views::evidence {

/// The whole view at any size: for export and without EGL.
void paint(QPainter& painter, const QRectF& rect, const EvidenceModel& model, const ViewStyle& style);

/// A line of the words above the plots; what has no room goes on in a second line where the view is high
/// enough.
struct HeaderLine {
  QString text;
  int of = 0; ///< place in EvidenceModel::headlines()
};
std::vector<HeaderLine> headerLines(const EvidenceModel& model, const QRectF& rect, const ViewStyle& style);

/// Words, axes and legend: above the picture that VTK draws, and part of paint().
void paintFrame(QPainter& painter, const EvidenceModel& model, const ViewStyle& style);

/// Colour of a cell, t from 0 (one row) to 1 (the densest).
QColor cellColour(double t, const ViewStyle& style);
/// Where a cell of `count` rows stands between one row and the densest, logarithmically.
double cellShade(std::uint32_t count, std::uint32_t densest);

} // namespace jitterscope::views::evidence
