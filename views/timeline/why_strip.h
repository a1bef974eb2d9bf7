#pragma once

#include <QColor>
#include <QString>
#include <array>
#include <vector>

#include "core/base/time.h"
#include "views/timeline/why_data.h"

class QPainter;

namespace jitterscope::views {

struct ViewStyle;
class TimelineModel;

namespace timeline {

QString whyName(std::size_t kind);
/// Colour of a cause: the same hue in every run and theme.
QColor whyColour(std::size_t kind, const ViewStyle& style);
/// Largest sum in one direction over the columns of the visible window; 0 without data.
double whyScale(const TimelineModel& model);
WhyHit whyAt(const TimelineModel& model, double x, double y);
/// Text of a column's parts, the largest first; empty if nothing ran.
QString whyText(const TimelineModel& model, int column);
void paintWhy(QPainter& painter, const TimelineModel& model, const ViewStyle& style);

} // namespace timeline
} // namespace jitterscope::views
