#include "app/view_exports.h"

#include <QListWidget>
#include <QStandardItemModel>
#include <QTableView>
#include <QTableWidget>
#include <memory>

#include "app/activity_view.h"
#include "app/causal_desk.h"
#include "app/main_window.h"
#include "app/timeline_docks.h"
#include "app/view_csv.h"
#include "views/base/format.h"
#include "views/base/table_picture.h"
#include "views/base/tsv.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_painter.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_canvas.h"
#include "views/causal/causal_multiples.h"
#include "views/causal/causal_painter.h"
#include "views/causal/causal_widget.h"
#include "views/distribution/distribution_painter.h"
#include "views/distribution/distribution_widget.h"
#include "views/evidence/evidence_painter.h"
#include "views/evidence/evidence_widget.h"
#include "views/evidence/whatif_painter.h"
#include "views/evidence/whatif_widget.h"
#include "views/heatmap/heat_map_painter.h"
#include "views/heatmap/heat_map_widget.h"
#include "views/parallel/parallel_frame.h"
#include "views/parallel/parallel_painter.h"
#include "views/parallel/parallel_widget.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"
#include "views/timeline/area_widget.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {
namespace {

using views::ViewStyle;
using Pictures = std::map<QString, ViewPainter>;

// Laid out with the fonts of the paper, not of the screen.
void paint_groups(QPainter& painter, const QRectF& rect, const views::CausalMultiplesModel& shown, const views::ViewStyle& style) {
  views::CausalMultiplesModel model;
  model.setGroups(shown.groups(), views::causalMeasure(style));
  model.setNote(shown.note());
  views::causal::paintMultiples(painter, rect, model, style);
}

// Tables that a model holds only for the picture.
ViewPainter painter_of(std::shared_ptr<const QAbstractItemModel> model, const QString& title) {
  return [model = std::move(model), title](QPainter& p, const QRectF& r, const ViewStyle& s) {
    views::TablePicture picture;
    picture.model = model.get();
    for (int column = 0; column < model->columnCount(); ++column) picture.columns.push_back(column);
    picture.title = title;
    picture.mostLines = 6;
    views::paintTable(p, r, picture, s);
  };
}

ViewPainter painter_of(QTableView* table, const QString& title) {
  return [table, title](QPainter& p, const QRectF& r, const ViewStyle& s) { views::paintTable(p, r, views::pictureOf(*table, title), s); };
}

// What was repaired, dropped or doubted, a line each.
std::shared_ptr<QStandardItemModel> import_report(const nlohmann::json& info) {
  auto model = std::make_shared<QStandardItemModel>();
  model->setHorizontalHeaderLabels({"Severity", "Count", "What", "Code"});
  for (const auto& entry : info.value("report", nlohmann::json::array())) {
    const auto text = [&](const char* key) { return new QStandardItem(QString::fromStdString(entry.value(key, std::string()))); };
    auto* count = new QStandardItem(QString::number(entry.value("count", std::int64_t{0})));
    count->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    model->appendRow({text("severity"), count, text("text"), text("code")});
  }
  return model;
}

std::shared_ptr<QStandardItemModel> stated(const CausalKnowledge& knowledge) {
  auto model = std::make_shared<QStandardItemModel>();
  model->setHorizontalHeaderLabels({"Statement"});
  for (const auto& statement : knowledge.statements()) model->appendRow(new QStandardItem(statement));
  return model;
}

// What runs, then what happened.
std::shared_ptr<QStandardItemModel> activity(ActivityView& view) {
  auto model = std::make_shared<QStandardItemModel>();
  model->setHorizontalHeaderLabels({"Time", "What"});
  const auto add = [&](const QString& time, const QString& what) { model->appendRow({new QStandardItem(time), new QStandardItem(what)}); };
  for (int i = 0; i < view.requests()->count(); ++i) add("running", view.requests()->item(i)->text());
  for (const auto& line : view.text().split('\n', Qt::SkipEmptyParts)) add(line.section("  ", 0, 0), line.section("  ", 1));
  return model;
}

void add_tables(MainWindow& window, Pictures& pictures) {
  const auto count = [](auto n, const QString& of) { return views::formatCount(static_cast<std::uint64_t>(n)) + " " + of; };
  pictures["Kernels"] = painter_of(window.kernels()->table(), "Kernels · " + count(window.kernels()->model().rowCount(), "kernels"));
  pictures["Launches"] = painter_of(window.launches()->table(), "Launches · n = " + count(window.launches()->model().total().value_or(0), "launches"));
  pictures["Ranked bins as a table"] = painter_of(window.bins()->table(), "Ranked bins · " + window.bins()->model().bins().metric);
  if (auto* area = window.timeline_docks()->area(); !area->area().range.empty()) {
    pictures["Area: kernels"] = painter_of(area->kernels(), "Kernels of the area · " + area->text());
    pictures["Area: tracks"] = painter_of(area->tracks(), "Tracks of the area · " + area->text());
  }
  if (auto* marks = window.timeline_docks()->marks()->table(); marks->rowCount() > 0) pictures["Marks"] = painter_of(marks, "Marks");
  if (!window.causal_desk()->knowledge().value().empty()) pictures["Knowledge"] = painter_of(stated(window.causal_desk()->knowledge()), "What was stated about causes");
  pictures["Activity"] = painter_of(activity(*window.activity()), "Activity");
  if (window.session().has_session()) pictures["Import report"] = painter_of(import_report(window.session().info()), "Import report");
}

} // namespace

Pictures pictures_of(MainWindow& window) {
  Pictures made;
  auto* w = &window;
  auto* desk = window.causal_desk();
  made["Timeline"] = [w](QPainter& p, const QRectF& r, const ViewStyle& s) { views::timeline::paint(p, r, w->timeline()->model(), s); };
  made["Ranked bins"] = [w](QPainter& p, const QRectF& r, const ViewStyle& s) { views::bins::paint(p, r, w->bins()->model(), s, w->bins()->selected()); };
  made["Causal graph"] = [w](QPainter& p, const QRectF& r, const ViewStyle& s) { views::causal::paint(p, r, w->causal()->graph(), s, &w->causal()->canvas()->layout()); };
  made["Parallel coordinates"] = [w](QPainter& p, const QRectF& r, const ViewStyle& s) { views::parallel::paint(p, r, w->parallel()->model(), s, w->parallel()->lines()); };
  made["Distribution"] = [w](QPainter& p, const QRectF& r, const ViewStyle& s) { views::distribution::paint(p, r, w->distribution()->model().data, s); };
  made["Heat map"] = [w](QPainter& p, const QRectF& r, const ViewStyle& s) { views::heat_map::paint(p, r, w->heat_map()->model().data, s); };
  if (!desk->evidence()->model().empty())
    made["Evidence"] = [desk](QPainter& p, const QRectF& r, const ViewStyle& s) { views::evidence::paint(p, r, desk->evidence()->model(), s); };
  if (desk->what_if()->canvas()->shown().answer)
    made["What if"] = [desk](QPainter& p, const QRectF& r, const ViewStyle& s) { views::what_if::paint(p, r, desk->what_if()->canvas()->shown(), s); };
  if (!desk->multiples()->model().groups().empty())
    made["Causal graphs side by side"] = [desk](QPainter& p, const QRectF& r, const ViewStyle& s) { paint_groups(p, r, desk->multiples()->model(), s); };
  add_tables(window, made);
  return made;
}

QString advice_of(MainWindow& window, const QString& view, const PaperSize& size) {
  if (view != "Parallel coordinates" || window.parallel()->model().empty()) return {};
  constexpr double kPixelsOfMillimetre = 96 / 25.4;
  const auto style = with_font(views::ViewStyle::paper(), size.font_pt);
  auto model = window.parallel()->model();
  model.setSize(QSizeF(size.width_mm, size.height_mm) * kPixelsOfMillimetre);
  QStringList advice;
  if (const double wanted = views::parallel::leastWidth(model, style), least = std::ceil(wanted / kPixelsOfMillimetre); wanted > model.size().width())
    advice += QString("%1 axes stand too close for their titles in %2 mm: %3 mm is enough, or fewer axes.")
                  .arg(model.order().size())
                  .arg(size.width_mm, 0, 'g', 4)
                  .arg(least, 0, 'g', 4);
  model.setFrame(views::parallel::frameOf(model, style));
  for (int i = 0; i < model.order().size(); ++i) {
    if (model.axis(i).categories.isEmpty()) continue;
    const auto names = views::parallel::categoryNames(model, i, style);
    if (names.count == static_cast<int>(names.named.size())) continue;
    advice += QString("%1: %2 of %3 are named, those of most rows; %4 mm of height name all.")
                  .arg(model.axis(i).title)
                  .arg(names.count)
                  .arg(names.named.size())
                  .arg(std::ceil(views::parallel::leastHeight(model, i, style) / kPixelsOfMillimetre), 0, 'g', 4);
  }
  return advice.join(' ');
}

std::optional<QString> csv_of_view(MainWindow& window, const QString& view) {
  auto* desk = window.causal_desk();
  auto* area = window.timeline_docks()->area();
  if (view.startsWith("Ranked bins")) return views::toCsv(*window.bins()->table()->model());
  if (view == "Kernels") return views::toCsv(*window.kernels()->table()->model());
  if (view == "Area") return views::toCsv(*area->table()->model());
  if (view == "Area: kernels") return views::toCsv(*area->kernels()->model());
  if (view == "Area: tracks") return views::toCsv(*area->tracks()->model());
  if (view == "Distribution") return csv_of(window.distribution()->model().data);
  if (view == "Heat map") return csv_of(window.heat_map()->model().data);
  if (view.startsWith("Causal graph")) return csv_of(window.causal()->graph());
  if (view == "Evidence") return csv_of(desk->evidence()->model().data());
  if (view == "What if") return csv_of(desk->what_if()->canvas()->shown());
  if (view == "Knowledge") return csv_of(desk->knowledge().value());
  if (view == "Marks") return csv_of(window.timeline()->model().flags, window.timeline()->model().ranges, window.session().axis());
  if (view == "Activity") return views::toCsv(*activity(*window.activity()));
  if (view == "Import report") return views::toCsv(*import_report(window.session().info()));
  return std::nullopt;
}

} // namespace jitterscope::app
