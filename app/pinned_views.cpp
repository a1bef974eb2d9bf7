#include "app/pinned_views.h"

#include <QDockWidget>
#include <QMainWindow>

#include "app/decode.h"
#include "app/decode_launches.h"
#include "views/bins/bins_widget.h"
#include "views/distribution/distribution_widget.h"
#include "views/heatmap/heat_map_widget.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_widget.h"

namespace jitterscope::app {

using nlohmann::json;

PinnedViews::PinnedViews(QMainWindow& window, SessionController& session, QObject* parent)
    : QObject(parent), window_(window), session_(session) {
  connect(&session_, &SessionController::reopened, this, [this] {
    for (const auto& view : views_)
      if (view.dock) view.ask();
  });
}

QString PinnedViews::title(PinnedKind kind) {
  switch (kind) {
  case PinnedKind::Distribution:
    return "Distribution";
  case PinnedKind::Kernels:
    return "Kernels";
  case PinnedKind::Bins:
    return "Ranked bins";
  case PinnedKind::Parallel:
    return "Parallel coordinates";
  case PinnedKind::HeatMap:
    return "Heat map";
  }
  return {};
}

template <class Widget>
PinnedViews::View PinnedViews::make(PinnedKind kind, Widget* widget, std::function<void()> ask) {
  const QString range = session_.selection_range();
  auto* dock = new QDockWidget(title(kind) + " · pinned: " + range, &window_);
  dock->setObjectName(QString("dock.pinned.%1").arg(next_++));
  dock->setToolTip("Stays with: " + range);
  dock->setAttribute(Qt::WA_DeleteOnClose);
  dock->setWidget(widget);
  widget->setMessage("Asking the engine …");
  widget->setViewStyle(style_);
  View view{dock, [widget = QPointer(widget)](const views::ViewStyle& style) {
              if (widget) widget->setViewStyle(style);
            },
            std::move(ask)};
  window_.addDockWidget(Qt::BottomDockWidgetArea, dock);
  dock->show();
  return view;
}

QDockWidget* PinnedViews::pin(PinnedKind kind) {
  const auto channel = "pinned " + std::to_string(next_);
  json options = session_.selection_options();
  options["channel"] = channel;
  const QString range = session_.selection_range(), doing = title(kind);
  const auto start = [&](auto* widget, const std::string& operation, auto&& show) {
    views_.push_back(make(kind, widget, [this, widget = QPointer(widget), operation, options, doing, show] {
      session_.ask(operation, options, doing, [widget, show](const engine::Answer& answer) {
        if (!widget) return;
        widget->setMessage({});
        show(widget.data(), answer);
      });
    }));
    views_.back().ask();
  };
  const auto& distribution = session_.distribution_choices();
  QString column = words(distribution.column);
  column[0] = column[0].toUpper();
  switch (kind) {
  case PinnedKind::Distribution:
    options["column"] = distribution.column;
    options["log"] = distribution.log;
    options["time"] = distribution.time;
    options["group_by"] = distribution.group_by;
    start(new views::DistributionWidget, "distribution",
          [title = column + " · " + range, distribution](views::DistributionWidget* widget, const engine::Answer& answer) {
            auto data = decode_distribution(answer, title);
            if (!data) return;
            data->logHeights = distribution.log_heights;
            data->groupedBy = words(distribution.group_by);
            widget->setData(std::move(*data));
          });
    break;
  case PinnedKind::Kernels:
    start(new views::KernelsWidget, "kernels", [range](views::KernelsWidget* widget, const engine::Answer& answer) {
      if (auto data = decode_kernels(answer, range)) widget->setKernels(std::move(*data));
    });
    break;
  case PinnedKind::Bins: {
    const auto& bins = session_.bin_choices();
    options["metric"] = bins.metric;
    options["rank_by"] = bins.rank_by;
    options["width_ns"] = bins.width_ns;
    options["top_count"] = bins.top_count;
    options["top_share"] = bins.top_share;
    options["all"] = true;
    start(new views::BinsWidget, "bins",
          [span = session_.tracks().launch_span](views::BinsWidget* widget, const engine::Answer& answer) {
            if (auto data = decode_bins(answer, span)) widget->setBins(std::move(*data));
          });
    break;
  }
  case PinnedKind::Parallel:
    start(new views::ParallelWidget, "parallel", [](views::ParallelWidget* widget, const engine::Answer& answer) {
      if (auto data = decode_parallel(answer)) widget->setData(std::move(*data));
    });
    break;
  case PinnedKind::HeatMap:
    options["column"] = distribution.column;
    options["columns"] = 240;
    options["rows"] = 60;
    start(new views::HeatMapWidget, "heat_map",
          [title = column + " · " + range, axis = session_.axis()](views::HeatMapWidget* widget, const engine::Answer& answer) {
            if (auto data = decode_heat_map(answer, title, axis)) widget->setData(std::move(*data));
          });
    break;
  }
  return views_.back().dock;
}

void PinnedViews::set_style(const views::ViewStyle& style) {
  style_ = style;
  for (const auto& view : views_) view.style(style);
}

int PinnedViews::count() const {
  return static_cast<int>(std::count_if(views_.begin(), views_.end(), [](const View& view) { return !view.dock.isNull(); }));
}

void PinnedViews::clear() {
  for (const auto& view : views_) delete view.dock.data();
  views_.clear();
}

} // namespace jitterscope::app
