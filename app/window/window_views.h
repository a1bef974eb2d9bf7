#pragma once

namespace jitterscope::views {
class BinsWidget;
class CausalWidget;
class DistributionWidget;
class EfficiencyWidget;
class HeatMapWidget;
class KernelsWidget;
class LaunchesWidget;
class MetricHistogramWidget;
class MetricsWidget;
class ModelWidget;
class ParallelWidget;
class TimelineWidget;
} // namespace jitterscope::views

namespace jitterscope::app {

class ActivityView;
class CausalController;
class DetailsPanel;
class DistributionPanel;
class LaunchViews;
class MetricTracks;
class MetricsController;
class ParallelController;
class TimelineDocks;

/// Pointers to the views of a window; null until created.
class WindowViews {
public:
  views::TimelineWidget* timeline() { return timeline_; }
  views::BinsWidget* bins() { return bins_; }
  views::CausalWidget* causal() { return causal_; }
  CausalController* causal_controller() { return causal_controller_; }
  ParallelController* parallel_controller() { return parallel_controller_; }
  views::ParallelWidget* parallel() { return parallel_; }
  views::DistributionWidget* distribution() { return distribution_; }
  views::KernelsWidget* kernels() { return kernels_; }
  views::LaunchesWidget* launches() { return launches_; }
  views::HeatMapWidget* heat_map() { return heat_map_; }
  views::EfficiencyWidget* efficiency() { return efficiency_; }
  views::ModelWidget* model() { return model_; }
  views::MetricsWidget* metrics() { return metrics_; }
  views::MetricHistogramWidget* metric_histogram() { return metric_histogram_; }
  MetricsController* metrics_controller() { return metrics_controller_; }
  MetricTracks* metric_tracks() { return metric_tracks_; }
  DistributionPanel* distribution_choices() { return distribution_panel_; }
  DetailsPanel* details() { return details_; }
  LaunchViews* launch_views() { return launch_views_; }
  ActivityView* activity() { return activity_; }
  TimelineDocks* timeline_docks() { return timeline_docks_; }

protected:
  WindowViews() = default;
  ~WindowViews() = default;

  views::TimelineWidget* timeline_ = nullptr;
  views::BinsWidget* bins_ = nullptr;
  views::CausalWidget* causal_ = nullptr;
  CausalController* causal_controller_ = nullptr; ///< evidence, what-if and knowledge for the causal graph
  views::ParallelWidget* parallel_ = nullptr;
  ParallelController* parallel_controller_ = nullptr; ///< columns, scales, colours, brushes
  views::DistributionWidget* distribution_ = nullptr;
  views::KernelsWidget* kernels_ = nullptr;
  views::LaunchesWidget* launches_ = nullptr;
  views::HeatMapWidget* heat_map_ = nullptr;
  views::EfficiencyWidget* efficiency_ = nullptr;
  views::ModelWidget* model_ = nullptr;
  views::MetricsWidget* metrics_ = nullptr;
  views::MetricHistogramWidget* metric_histogram_ = nullptr;
  MetricsController* metrics_controller_ = nullptr;
  MetricTracks* metric_tracks_ = nullptr; ///< metrics in the timeline
  DistributionPanel* distribution_panel_ = nullptr;
  DetailsPanel* details_ = nullptr;
  LaunchViews* launch_views_ = nullptr;
  ActivityView* activity_ = nullptr;
  TimelineDocks* timeline_docks_ = nullptr;
};

} // namespace jitterscope::app
