#pragma once

#include <QRectF>
#include <optional>

#include "views/base/view_style.h"
#include "views/bins/bins_model.h"

class QPainter;

namespace jitterscope::views::bins {

/// Paints headline, strip and as many of the ranked rows as fit; for export.
void paint(QPainter& painter, const QRectF& rect, const BinsModel& model, const ViewStyle& style,
           std::optional<std::uint32_t> selected = {});

/// Height at which paint() shows all kept bins.
int pictureHeight(int width, const BinsModel& model, const ViewStyle& style);

/// Paints only the strip over time, with its axis.
void paintStrip(QPainter& painter, const QRectF& rect, const BinsModel& model, const ViewStyle& style,
                std::optional<std::uint32_t> selected = {});

/// The plot area of the strip inside the rectangle given to paintStrip.
QRectF stripPlot(const QRectF& rect, const ViewStyle& style);

/// Y position of the threshold below which bins are not kept; nullopt where none or all are kept.
std::optional<double> thresholdY(const QRectF& rect, const BinsModel& model, const ViewStyle& style);

/// Paints the value cell of a row: bar and number.
void paintValueCell(QPainter& painter, const QRectF& cell, double share, const QString& text, bool kept,
                    bool selected, const ViewStyle& style);

} // namespace jitterscope::views::bins
