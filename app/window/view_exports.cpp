#include "app/window/view_exports.h"

#include <QAbstractTextDocumentLayout>
#include <QDockWidget>
#include <QListWidget>
#include <QPainter>
#include <QScrollArea>
#include <QStandardItemModel>
#include <QTableView>
#include <QTableWidget>
#include <QTextBrowser>
#include <algorithm>
#include <limits>
#include <memory>

#include "app/controllers/activity_view.h"
#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/causal/knowledge_panel.h"
#include "app/controllers/details_panel.h"
#include "app/controllers/timeline_docks.h"
#include "app/export/view_csv.h"
#include "app/window/main_window.h"
#include "app/window/pinned_views.h"
#include "views/area/area_widget.h"
#include "views/base/format.h"
#include "views/base/text.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_painter.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_canvas.h"
#include "views/causal/causal_layout.h"
#include "views/causal/causal_multiples.h"
#include "views/causal/causal_painter.h"
#include "views/causal/causal_widget.h"
#include "views/devices/device_map_painter.h"
#include "views/devices/device_map_widget.h"
#include "views/distribution/distribution_painter.h"
#include "views/distribution/distribution_widget.h"
#include "views/efficiency/efficiency_painter.h"
#include "views/efficiency/efficiency_widget.h"
#include "views/evidence/evidence_painter.h"
#include "views/evidence/evidence_widget.h"
#include "views/evidence/whatif_painter.h"
#include "views/evidence/whatif_widget.h"
#include "views/heatmap/heat_map_painter.h"
#include "views/heatmap/heat_map_widget.h"
#include "views/metrics/metric_histogram.h"
#include "views/metrics/metrics_painter.h"
#include "views/metrics/metrics_widget.h"
#include "views/model/model_widget.h"
#include "views/parallel/parallel_frame.h"
#include "views/parallel/parallel_painter.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"
#include "views/table_parts/table_picture.h"
#include "views/table_parts/tsv.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {
namespace {

using views::Text;

using views::ViewStyle;
using Pictures = std::map<QString, ViewPainter>;

constexpr qint64 kPaperRows = 300; ///< launches that fill more than 2 m of paper in small print

QString kernels_text(std::uint64_t n) {
  return (n == 1 ? Text::tr("%1 kernel") : Text::tr("%1 kernels")).arg(views::formatCount(n));
}

QString launches_text(std::uint64_t n) {
  return (n == 1 ? Text::tr("%1 launch") : Text::tr("%1 launches")).arg(views::formatCount(n));
}

// Laid out with the fonts of the paper, not of the screen.
void paint_groups(QPainter& painter, const QRectF& rect, const views::CausalMultiplesModel& shown,
                  const views::ViewStyle& style) {
  views::CausalMultiplesModel model;
  model.setGroups(shown.groups(), views::causalMeasure(style));
  model.setNote(shown.note());
  views::causal::paintMultiples(painter, rect, model, style);
}

// Painter of a table whose model exists only for the picture.
ViewPainter painter_of(std::shared_ptr<const QAbstractItemModel> model, const QString& title) {
  return [model = std::move(model), title](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::TablePicture picture;
    picture.model = model.get();
    for (int column = 0; column < model->columnCount(); ++column) picture.columns.push_back(column);
    picture.title = title;
    picture.maxLines = 6;
    views::paintTable(p, r, picture, s);
  };
}

ViewPainter painter_of(QTableView* table, const QString& title) {
  return [table, title](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::paintTable(p, r, views::pictureOf(*table, title), s);
  };
}

// Table of repaired, dropped and doubtful items, one per line.
std::shared_ptr<QStandardItemModel> import_report(const nlohmann::json& info) {
  auto model = std::make_shared<QStandardItemModel>();
  model->setHorizontalHeaderLabels(
      {Text::tr("Severity"), Text::tr("Count"), Text::tr("What"), Text::tr("Code")});
  for (const auto& entry : info.value("report", nlohmann::json::array())) {
    const auto text = [&](const char* key) {
      return new QStandardItem(QString::fromStdString(entry.value(key, std::string())));
    };
    const auto n = entry.value("count", std::uint64_t{0});
    auto* count = new QStandardItem(views::formatCount(n));
    count->setData(QString::number(n), views::kCsvRole);
    count->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    model->appendRow({text("severity"), count, text("text"), text("code")});
  }
  return model;
}

std::shared_ptr<QStandardItemModel> stated(const CausalKnowledge& knowledge) {
  auto model = std::make_shared<QStandardItemModel>();
  model->setHorizontalHeaderLabels({Text::tr("Statement")});
  for (const auto& statement : knowledge.statements()) model->appendRow(new QStandardItem(statement));
  return model;
}

// Running requests, then the log.
std::shared_ptr<QStandardItemModel> activity(ActivityView& view) {
  auto model = std::make_shared<QStandardItemModel>();
  model->setHorizontalHeaderLabels({Text::tr("Time"), Text::tr("What")});
  const auto add = [&](const QString& time, const QString& what) {
    model->appendRow({new QStandardItem(time), new QStandardItem(what)});
  };
  for (int i = 0; i < view.requests()->count(); ++i)
    add(Text::tr("running"), view.requests()->item(i)->text());
  for (const auto& line : view.text().split('\n', Qt::SkipEmptyParts))
    add(line.section("  ", 0, 0), line.section("  ", 1));
  return model;
}

ViewPainter painter_of(QTextBrowser* text) {
  return [text](QPainter& painter, const QRectF& rect, const views::ViewStyle& style) {
    const std::unique_ptr<QTextDocument> document(text->document()->clone());
    document->addResource(QTextDocument::ImageResource, QUrl("histogram"),
                          text->document()->resource(QTextDocument::ImageResource, QUrl("histogram")));
    document->setDefaultFont(style.font());
    document->setTextWidth(rect.width());
    painter.save();
    painter.translate(rect.topLeft());
    painter.setClipRect(QRectF({}, rect.size()));
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette = DetailsPanel::palette_of(style);
    document->documentLayout()->draw(&painter, context);
    painter.restore();
  };
}

/// Rows of a launch table from the first visible one, including those that do not fit on the screen.
class LaunchRows : public QAbstractTableModel {
public:
  explicit LaunchRows(const views::LaunchesModel& launches) : launches_(launches) {}
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0
                            : static_cast<int>(std::clamp<qint64>(
                                  launches_.total().value_or(0) - launches_.top(), 0, kPaperRows));
  }
  int columnCount(const QModelIndex& parent = {}) const override { return launches_.columnCount(parent); }
  QVariant data(const QModelIndex& index, int role) const override {
    return launches_.cell(launches_.top() + index.row(), index.column(), role);
  }
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    return launches_.headerData(section, orientation, role);
  }

private:
  const views::LaunchesModel& launches_;
};

ViewPainter painter_of(views::LaunchesWidget* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) {
    const auto total = view->model().total().value_or(0);
    const LaunchRows rows(view->model());
    auto picture = views::pictureOf(
        *view->table(), Text::tr("Launches · n = %1").arg(launches_text(static_cast<std::uint64_t>(total))));
    picture.model = &rows;
    picture.first = 0;
    picture.total = static_cast<int>(std::min<qint64>(total, std::numeric_limits<int>::max()));
    views::paintTable(p, r, picture, s);
  };
}
ViewPainter painter_of(views::TimelineWidget* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::timeline::paint(p, r, view->model(), s);
  };
}
ViewPainter painter_of(views::CausalWidget* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::causal::paint(p, r, view->graph(), s, &view->canvas()->layout());
  };
}
ViewPainter painter_of(views::CausalMultiples* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) { paint_groups(p, r, view->model(), s); };
}
ViewPainter painter_of(views::ParallelWidget* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::parallel::paint(p, r, view->model(), s, view->lines());
  };
}
ViewPainter painter_of(views::DistributionWidget* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::distribution::paint(p, r, view->model().data, s);
  };
}
ViewPainter painter_of(views::HeatMapWidget* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::heat_map::paint(p, r, view->model().data, s);
  };
}
ViewPainter painter_of(views::DeviceMapWidget* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::device_map::paint(p, r, view->data(), s);
  };
}
ViewPainter painter_of(views::EfficiencyWidget* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::efficiency::paint(p, r, view->data(), s);
  };
}
ViewPainter painter_of(views::ModelWidget* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) {
    const auto* canvas = view->canvas();
    views::model::paint(p, r, view->data(), canvas->chart(), s, canvas->device(), canvas->firstLine());
  };
}
ViewPainter painter_of(views::MetricsWidget* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) {
    auto model = view->canvas()->model();
    model.cursor.reset();
    model.scroll = 0;
    model.layout(r, s);
    views::metrics::paint(p, r, model, s);
  };
}
ViewPainter painter_of(views::MetricHistogramWidget* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::metrics::paintHistogram(p, r, view->data(), s);
  };
}
ViewPainter painter_of(views::EvidenceWidget* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::evidence::paint(p, r, view->model(), s);
  };
}
ViewPainter painter_of(views::WhatIfWidget* view) {
  return [view](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::what_if::paint(p, r, view->canvas()->shown(), s);
  };
}

void add_area(Pictures& pictures, const QString& title, views::AreaWidget* area) {
  if (area->area().range.empty()) return;
  pictures[title + Text::tr(": kernels")] =
      painter_of(area->kernels(), Text::tr("Kernels of the area · %1").arg(area->text()));
  pictures[title + Text::tr(": tracks")] =
      painter_of(area->tracks(), Text::tr("Tracks of the area · %1").arg(area->text()));
}

void add_bins(Pictures& pictures, const QString& title, views::BinsWidget* bins) {
  pictures[title] = [bins](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::bins::paint(p, r, bins->model(), s, bins->selected());
  };
  pictures[title + Text::tr(" as a table")] = [bins](QPainter& p, const QRectF& r, const ViewStyle& s) {
    auto picture =
        views::pictureOf(*bins->table(), Text::tr("Ranked bins · %1").arg(bins->model().bins().metric));
    picture.columns.clear(); // paper has room for columns hidden in narrow docks
    for (int column = 0; column < bins->model().columnCount(); ++column) picture.columns.push_back(column);
    views::paintTable(p, r, picture, s);
  };
}

/// Adds the pictures of a view that has content: one, or two for some views.
void add_pictures(MainWindow& window, Pictures& pictures, const QString& title, QWidget* view) {
  if (auto* timeline = qobject_cast<views::TimelineWidget*>(view)) pictures[title] = painter_of(timeline);
  if (auto* bins = qobject_cast<views::BinsWidget*>(view)) add_bins(pictures, title, bins);
  if (auto* causal = qobject_cast<views::CausalWidget*>(view)) pictures[title] = painter_of(causal);
  if (auto* groups = qobject_cast<views::CausalMultiples*>(view); groups && !groups->model().groups().empty())
    pictures[title] = painter_of(groups);
  if (auto* parallel = qobject_cast<views::ParallelWidget*>(view)) pictures[title] = painter_of(parallel);
  if (auto* distribution = qobject_cast<views::DistributionWidget*>(view))
    pictures[title] = painter_of(distribution);
  if (auto* map = qobject_cast<views::HeatMapWidget*>(view)) pictures[title] = painter_of(map);
  if (auto* devices = qobject_cast<views::DeviceMapWidget*>(view);
      devices && !devices->data().devices.empty())
    pictures[title] = painter_of(devices);
  if (auto* efficiency = qobject_cast<views::EfficiencyWidget*>(view);
      efficiency && !efficiency->data().empty())
    pictures[title] = painter_of(efficiency);
  if (auto* model = qobject_cast<views::ModelWidget*>(view); model && !model->data().empty()) {
    pictures[title] = painter_of(model);
    pictures[title + Text::tr(" as a table")] = painter_of(model->table(), title);
    pictures[title + Text::tr(": terms")] = painter_of(model->details());
  }
  if (auto* metrics = qobject_cast<views::MetricsWidget*>(view); metrics && !metrics->panels().empty())
    pictures[title] = painter_of(metrics);
  if (auto* values = qobject_cast<views::MetricHistogramWidget*>(view); values && !values->data().empty())
    pictures[title] = painter_of(values);
  if (auto* evidence = qobject_cast<views::EvidenceWidget*>(view); evidence && !evidence->model().empty())
    pictures[title] = painter_of(evidence);
  if (auto* what_if = qobject_cast<views::WhatIfWidget*>(view); what_if && what_if->canvas()->shown().answer)
    pictures[title] = painter_of(what_if);
  if (auto* kernels = qobject_cast<views::KernelsWidget*>(view))
    pictures[title] = painter_of(
        kernels->table(),
        Text::tr("Kernels · %1").arg(kernels_text(static_cast<std::uint64_t>(kernels->model().rowCount()))));
  if (auto* launches = qobject_cast<views::LaunchesWidget*>(view)) pictures[title] = painter_of(launches);
  if (auto* area = qobject_cast<views::AreaWidget*>(view)) add_area(pictures, title, area);
  if (auto* marks = qobject_cast<QTableWidget*>(view); marks && marks->rowCount() > 0)
    pictures[title] = painter_of(marks, PinnedViews::title(PinnedKind::Marks));
  if (qobject_cast<KnowledgePanel*>(view) && !window.causal_controller()->knowledge().value().empty())
    pictures[title] =
        painter_of(stated(window.causal_controller()->knowledge()), Text::tr("Stated background knowledge"));
  if (auto* own = qobject_cast<ActivityView*>(view))
    pictures[title] = painter_of(activity(*own), PinnedViews::title(PinnedKind::Activity));
  auto* details = qobject_cast<DetailsPanel*>(view);
  if (auto* text = details ? details->browser() : qobject_cast<QTextBrowser*>(view))
    pictures[title] = painter_of(text);
}

/// All views by their names in the window; duplicated views by the titles of
/// their docks.
std::vector<std::pair<QString, QWidget*>> views_of(MainWindow& window) {
  auto* controller = window.causal_controller();
  std::vector<std::pair<QString, QWidget*>> views = {
      {PinnedViews::title(PinnedKind::Timeline), window.timeline()},
      {PinnedViews::title(PinnedKind::Bins), window.bins()},
      {PinnedViews::title(PinnedKind::Causal), window.causal()},
      {Text::tr("Causal graphs side by side"), controller->multiples()},
      {PinnedViews::title(PinnedKind::Parallel), window.parallel()},
      {PinnedViews::title(PinnedKind::Distribution), window.distribution()},
      {PinnedViews::title(PinnedKind::HeatMap), window.heat_map()},
      {PinnedViews::title(PinnedKind::Efficiency), window.efficiency()},
      {PinnedViews::title(PinnedKind::Model), window.model()},
      {PinnedViews::title(PinnedKind::Metrics), window.metrics()},
      {PinnedViews::title(PinnedKind::MetricHistogram), window.metric_histogram()},
      {MainWindow::tr("Devices"), controller->devices()},
      {PinnedViews::title(PinnedKind::Evidence), controller->evidence()},
      {PinnedViews::title(PinnedKind::WhatIf), controller->what_if()},
      {PinnedViews::title(PinnedKind::Kernels), window.kernels()},
      {PinnedViews::title(PinnedKind::Launches), window.launches()},
      {PinnedViews::title(PinnedKind::Details), window.details()},
      {PinnedViews::title(PinnedKind::Area), window.timeline_docks()->area()},
      {PinnedViews::title(PinnedKind::Marks), window.timeline_docks()->marks()->table()},
      {PinnedViews::title(PinnedKind::Knowledge), controller->knowledge_panel()},
      {PinnedViews::title(PinnedKind::Activity), window.activity()}};
  for (auto* dock : window.pinned()->docks()) {
    auto* scrolled = qobject_cast<QScrollArea*>(dock->widget());
    views.emplace_back(dock->windowTitle(), scrolled ? scrolled->widget() : dock->widget());
  }
  return views;
}

std::optional<QString> csv_of_widget(MainWindow& window, QWidget* view, const QString& picture) {
  if (auto* bins = qobject_cast<views::BinsWidget*>(view)) return views::toCsv(*bins->table()->model());
  if (auto* kernels = qobject_cast<views::KernelsWidget*>(view))
    return views::toCsv(*kernels->table()->model());
  if (auto* area = qobject_cast<views::AreaWidget*>(view)) {
    const bool tracks = picture.endsWith(Text::tr(": tracks")) ||
                        (!picture.endsWith(Text::tr(": kernels")) && area->table() == area->tracks());
    return tracks ? views::toCsv(*area->tracks()->model()) : csv_of(area->area());
  }
  if (auto* distribution = qobject_cast<views::DistributionWidget*>(view))
    return csv_of(distribution->model().data);
  if (auto* map = qobject_cast<views::HeatMapWidget*>(view)) return csv_of(map->model().data);
  if (auto* causal = qobject_cast<views::CausalWidget*>(view)) return csv_of(causal->graph());
  if (auto* groups = qobject_cast<views::CausalMultiples*>(view)) return csv_of(groups->model().groups());
  if (auto* evidence = qobject_cast<views::EvidenceWidget*>(view)) return csv_of(evidence->model().data());
  if (auto* what_if = qobject_cast<views::WhatIfWidget*>(view)) return csv_of(what_if->canvas()->shown());
  if (auto* efficiency = qobject_cast<views::EfficiencyWidget*>(view)) return csv_of(efficiency->data());
  if (auto* model = qobject_cast<views::ModelWidget*>(view)) return views::toCsv(*model->table()->model());
  if (auto* metrics = qobject_cast<views::MetricsWidget*>(view)) return csv_of(metrics->panels());
  if (auto* values = qobject_cast<views::MetricHistogramWidget*>(view)) return csv_of(values->data());
  if (qobject_cast<KnowledgePanel*>(view)) return csv_of(window.causal_controller()->knowledge().value());
  if (qobject_cast<QTableWidget*>(view))
    return csv_of(window.timeline()->model().flags, window.timeline()->model().ranges,
                  window.session().axis());
  if (auto* own = qobject_cast<ActivityView*>(view)) return views::toCsv(*activity(*own));
  return std::nullopt;
}

} // namespace

Pictures pictures_of(MainWindow& window) {
  Pictures made;
  for (const auto& [title, view] : views_of(window)) add_pictures(window, made, title, view);
  if (window.session().has_session())
    made[Text::tr("Import report")] =
        painter_of(import_report(window.session().info()), Text::tr("Import report"));
  return made;
}

namespace {

constexpr double kPixelsOfMillimetre = 96 / 25.4;

QString advice_of(const views::TimelineWidget& timeline, const PaperSize& size) {
  if (timeline.model().empty()) return {};
  const double minimum =
      std::ceil(views::timeline::paperHeight(timeline.model(), size.width_mm * kPixelsOfMillimetre,
                                             with_font(ViewStyle::paper(), size.font_pt)) /
                kPixelsOfMillimetre);
  return minimum > size.height_mm
             ? Text::tr(
                   "Not all tracks fit: %1 mm of height show all; hidden and folded tracks are left out.")
                   .arg(minimum, 0, 'g', 5)
             : QString();
}

QString advice_of(views::CausalWidget& causal, const PaperSize& size) {
  const auto style = with_font(ViewStyle::paper(), size.font_pt);
  const auto scale_at = [&](double larger) {
    return views::causal::textScale(QSizeF(size.width_mm, size.height_mm) * kPixelsOfMillimetre * larger,
                                    causal.graph(), style, &causal.canvas()->layout());
  };
  constexpr double kMinScale = 0.97;
  if (scale_at(1) >= kMinScale) return {};
  double larger = 1;
  while (larger < 20 && scale_at(larger) < kMinScale) larger += 0.05;
  return Text::tr("At this size the node names are %1 pt; %4 pt needs a picture of %2 mm × %3 mm.")
      .arg(size.font_pt * scale_at(1), 0, 'f', 1)
      .arg(std::ceil(size.width_mm * larger), 0, 'g', 5)
      .arg(std::ceil(size.height_mm * larger), 0, 'g', 5)
      .arg(size.font_pt, 0, 'g', 3);
}

QString advice_of_parallel(MainWindow& window, const PaperSize& size) {
  if (window.parallel()->model().empty()) return {};
  const auto style = with_font(views::ViewStyle::paper(), size.font_pt);
  auto model = window.parallel()->model();
  model.setSize(QSizeF(size.width_mm, size.height_mm) * kPixelsOfMillimetre);
  QStringList advice;
  if (const double requested = views::parallel::minWidth(model, style),
      minimum = std::ceil(requested / kPixelsOfMillimetre);
      requested > model.size().width())
    advice += Text::tr("%1 axes are too close for their titles in %2 mm: %3 mm is enough, or fewer axes.")
                  .arg(model.order().size())
                  .arg(size.width_mm, 0, 'g', 4)
                  .arg(minimum, 0, 'g', 4);
  model.setFrame(views::parallel::frameOf(model, style));
  for (int i = 0; i < model.order().size(); ++i) {
    if (model.axis(i).categories.isEmpty()) continue;
    const auto names = views::parallel::categoryNames(model, i, style);
    if (names.count == static_cast<int>(names.named.size())) continue;
    advice +=
        Text::tr("%1: %2 of %3 names are shown, those with most rows; %4 mm of height show all.")
            .arg(model.axis(i).title)
            .arg(names.count)
            .arg(names.named.size())
            .arg(std::ceil(views::parallel::minHeight(model, i, style) / kPixelsOfMillimetre), 0, 'g', 4);
  }
  return advice.join(' ');
}

} // namespace

QString advice_of(MainWindow& window, const QString& view, const PaperSize& size) {
  if (view == PinnedViews::title(PinnedKind::Timeline)) return advice_of(*window.timeline(), size);
  if (view == PinnedViews::title(PinnedKind::Causal)) return advice_of(*window.causal(), size);
  return view == PinnedViews::title(PinnedKind::Parallel) ? advice_of_parallel(window, size) : QString();
}

bool holds_for_paper(MainWindow& window, const QString& view) {
  for (const auto& [title, widget] : views_of(window)) {
    if (title != view) continue;
    if (auto* timeline = qobject_cast<views::TimelineWidget*>(widget)) return timeline->holdsAllTracks();
    if (auto* launches = qobject_cast<views::LaunchesWidget*>(widget)) return launches->holdsRows(kPaperRows);
  }
  return true;
}

std::optional<QString> csv_of_view(MainWindow& window, const QString& view) {
  if (view == Text::tr("Import report")) return views::toCsv(*import_report(window.session().info()));
  // Uses the longest matching title: "Area: kernels" belongs to "Area", not to a pinned area.
  QWidget* best = nullptr;
  qsizetype length = -1;
  for (const auto& [title, widget] : views_of(window))
    if (view.startsWith(title) && title.size() > length) best = widget, length = title.size();
  return best ? csv_of_widget(window, best, view) : std::nullopt;
}

} // namespace jitterscope::app
