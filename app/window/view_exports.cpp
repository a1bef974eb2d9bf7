#include "app/window/view_exports.h"

#include <QStandardItemModel>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "app/window/main_window.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/table_pictures.h"
#include "views/base/format.h"
#include "views/base/text.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"
#include "views/table_parts/tsv.h"

namespace jitterscope::app {
namespace {

using views::Text;

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

/// All views by their names in the window; duplicates by the titles of their docks.
std::vector<std::pair<QString, ViewExports>> exports_in(MainWindow& window) {
  std::vector<std::pair<QString, ViewExports>> found;
  for (const auto& view : window.all_views()) found.emplace_back(title_of(*view.spec), view.exports);
  for (auto& duplicate : window.pinned()->exports()) found.push_back(std::move(duplicate));
  return found;
}

/// The exports with the longest matching title: "Area: kernels" belongs to "Area", not to a pinned area.
ViewExports exports_of_view(MainWindow& window, const QString& view) {
  ViewExports best;
  qsizetype length = -1;
  for (auto& [title, exports] : exports_in(window))
    if (view.startsWith(title) && title.size() > length) best = std::move(exports), length = title.size();
  return best;
}

} // namespace

Pictures pictures_of(MainWindow& window) {
  Pictures made;
  for (const auto& [title, exports] : exports_in(window))
    if (exports.pictures) exports.pictures(made, title);
  if (window.session().has_session())
    made[Text::tr("Import report")] =
        painter_of(import_report(window.session().info()), Text::tr("Import report"));
  return made;
}

QString advice_of(MainWindow& window, const QString& view, const PaperSize& size) {
  for (const auto& each : window.all_views())
    if (title_of(*each.spec) == view) {
      if (each.advice) return each.advice(size);
      if (each.needed_height) return advice_on_height(each.needed_height(size), size);
    }
  return {};
}

double needed_height_of(MainWindow& window, const QString& view, const PaperSize& size) {
  for (const auto& each : window.all_views())
    if (each.needed_height && title_of(*each.spec) == view)
      return std::ceil(each.needed_height(size) / kPixelsOfMillimetre);
  return 0;
}

bool holds_for_paper(MainWindow& window, const QString& view, const PaperSize& size) {
  for (const auto& [title, exports] : exports_in(window))
    if (title == view && exports.holds_paper) return exports.holds_paper(size);
  return true;
}

std::optional<QString> csv_of_view(MainWindow& window, const QString& view) {
  if (view == Text::tr("Import report")) return views::toCsv(*import_report(window.session().info()));
  const auto exports = exports_of_view(window, view);
  const QString text = exports.csv ? exports.csv(view) : QString();
  return text.isNull() ? std::nullopt : std::optional(text);
}

LaunchesShown launches_of_view(MainWindow& window, const QString& view) {
  const auto exports = exports_of_view(window, view);
  LaunchesShown shown;
  shown.table = exports.launches ? exports.launches() : nullptr;
  if (!shown.table) return shown;
  if (exports.launch_columns)
    shown.columns = exports.launch_columns();
  else
    for (const auto& column : shown.table->model().columns()) shown.columns << column.name;
  return shown;
}

} // namespace jitterscope::app
