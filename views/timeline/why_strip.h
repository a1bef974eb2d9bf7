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
/// The same colour in every run and theme for the same cause.
QColor whyColour(std::size_t kind, const ViewStyle& style);
/// The largest sum of one direction in a column of the visible window; 0 without data.
double whyScale(const TimelineModel& model);
WhyHit whyAt(const TimelineModel& model, double x, double y);
/// The parts of a column in words, the largest first; empty where nothing ran.
QString whyText(const TimelineModel& model, int column);
void paintWhy(QPainter& painter, const TimelineModel& model, const ViewStyle& style);

} // namespace timeline
} // namespace jitterscope::views
