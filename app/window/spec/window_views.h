#pragma once

namespace jitterscope::views {
class BinsWidget;
class CausalWidget;
class DistributionWidget;
class KernelsWidget;
class LaunchesWidget;
class MetricHistogramWidget;
class ParallelWidget;
class TimelineWidget;
} // namespace jitterscope::views

namespace jitterscope::app {

class ActivityView;
class CausalController;
class DetailsPanel;
class DistributionPanel;
class EfficiencyController;
class HistogramController;
class LaunchViews;
class MetricTracks;
class MetricsController;
class ParallelController;
class StretchBar;
class TimelineDocks;
class TimelineLink;

/// Views and controllers that other views or the window refer to; null until made. Each view sets its
/// pointers when it is made.
struct WindowParts {
  views::TimelineWidget* timeline = nullptr;
  views::BinsWidget* bins = nullptr;
  views::CausalWidget* causal = nullptr;
  CausalController* causal_controller = nullptr; ///< controls causal graph, evidence, what-if, knowledge
  views::ParallelWidget* parallel = nullptr;
  ParallelController* parallel_controller = nullptr; ///< controls columns, scales, colours and brushes
  views::DistributionWidget* distribution = nullptr;
  DistributionPanel* distribution_panel = nullptr;
  views::KernelsWidget* kernels = nullptr;
  views::LaunchesWidget* launches = nullptr;
  LaunchViews* launch_views = nullptr;
  views::MetricHistogramWidget* metric_histogram = nullptr;
  EfficiencyController* efficiency_controller = nullptr;
  MetricsController* metrics_controller = nullptr;
  HistogramController* histogram_controller = nullptr;
  MetricTracks* metric_tracks = nullptr; ///< supplies metrics as tracks of the timeline
  DetailsPanel* details = nullptr;
  ActivityView* activity = nullptr;
  TimelineDocks* timeline_docks = nullptr;
  TimelineLink* timeline_link = nullptr;
  StretchBar* stretch_bar = nullptr; ///< bar above the timeline
};

/// Access to the parts of a window.
class WindowViews {
public:
  views::TimelineWidget* timeline() { return parts_.timeline; }
  views::BinsWidget* bins() { return parts_.bins; }
  views::CausalWidget* causal() { return parts_.causal; }
  CausalController* causal_controller() { return parts_.causal_controller; }
  views::ParallelWidget* parallel() { return parts_.parallel; }
  ParallelController* parallel_controller() { return parts_.parallel_controller; }
  views::DistributionWidget* distribution() { return parts_.distribution; }
  DistributionPanel* distribution_choices() { return parts_.distribution_panel; }
  views::KernelsWidget* kernels() { return parts_.kernels; }
  views::LaunchesWidget* launches() { return parts_.launches; }
  LaunchViews* launch_views() { return parts_.launch_views; }
  views::MetricHistogramWidget* metric_histogram() { return parts_.metric_histogram; }
  EfficiencyController* efficiency_controller() { return parts_.efficiency_controller; }
  MetricsController* metrics_controller() { return parts_.metrics_controller; }
  HistogramController* histogram_controller() { return parts_.histogram_controller; }
  MetricTracks* metric_tracks() { return parts_.metric_tracks; }
  DetailsPanel* details() { return parts_.details; }
  ActivityView* activity() { return parts_.activity; }
  TimelineDocks* timeline_docks() { return parts_.timeline_docks; }
  StretchBar* stretch_bar() { return parts_.stretch_bar; }

protected:
  WindowViews() = default;
  ~WindowViews() = default;

  WindowParts parts_;
};

} // namespace jitterscope::app
