#include "app/report/report_page.h"

#include <QDateTime>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "app/engine/decode.h"
#include "app/engine/row_texts.h"
#include "app/report/html.h"
#include "core/causal/base/wording.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

using engine::answers::KernelAnswer;
using nlohmann::json;
using namespace html;

QString import_report(const json& info) {
  if (info.at("report").empty())
    return "<p class=soft>No data were repaired, dropped or flagged as doubtful.</p>\n";
  HtmlTable report({"", "count", "import report", "code"}, {0, 2, 3});
  for (const auto& entry : info.at("report"))
    report.row({escaped(entry.at("severity")), count(entry.at("count")), escaped(entry.at("text")),
                escaped(entry.at("code"))});
  return report.html();
}

// Text about the content of a table without times.
QString table_in_words(const json& info) {
  const auto& launches = info.at("launches");
  const auto& columns = info.at("columns");
  const auto recorded = std::count_if(columns.begin(), columns.end(),
                                      [](const json& column) { return column.value("recorded", false); });
  const bool named = info.value("rows", std::string("launches")) != "rows"; // else rows state no kernel
  return QString("<p>The table contains %1%2 in %3, without times and in the order of the rows. "
                 "%4 recorded, of which %5 only one value.</p>\n")
      .arg(row_text(number_of(launches.at("count"), "launch")),
           named ? " of " + number_of(launches.at("kernels"), "kernel") : QString(),
           number_of(launches.at("configurations"), "configuration"),
           number_of(recorded, "column") + (recorded == 1 ? " was" : " were"),
           count(info.at("constant_columns")) + (info.at("constant_columns") == 1 ? " has" : " have"));
}

QString opened(const json& info) {
  HtmlTable files({"file", "format", "tool", "schema", "bytes", "sha256", "time axis"}, {0, 1, 5, 6});
  for (const auto& input : info.at("inputs"))
    files.row({escaped(input.at("path")), escaped(input.at("format")), escaped(input.at("tool")),
               escaped(input.at("schema")), count(input.at("bytes")),
               escaped(input.at("sha256").get<std::string>().substr(0, 16)) + "…",
               escaped(input.at("alignment"))});
  const auto& launches = info.at("launches");
  QString html = files.html();
  if (axis_of(info) == views::AxisUnit::Launches) return html + table_in_words(info) + import_report(info);
  const auto names = device_names(info);
  const auto unsized = info.at("transfers").value("bytes_unknown", std::uint64_t{0});
  html +=
      row_text(
          QString("<p>The trace contains %1 of %2 in %3, with a total duration of %4, from %5 to %6. It also "
                  "contains %7 of %8%9, %10, "))
          .arg(number_of(launches.at("count"), "launch"), number_of(launches.at("kernels"), "kernel"),
               number_of(launches.at("configurations"), "configuration"),
               time(launches.at("duration_sum_ns")), time(launches.at("first_start_ns"), 9),
               time(launches.at("last_end_ns"), 9), number_of(info.at("transfers").at("count"), "transfer"),
               number_of(info.at("transfers").at("bytes_sum"), "byte"),
               unsized > 0 ? QString(" (%1 of them of unknown size)").arg(unsized) : QString(),
               number_of(info.at("calls").at("count"), "API call"));
  html += QString("%1, %2 and %3. Devices: %4.</p>\n")
              .arg(number_of(info.at("mpi_calls").at("count"), "MPI call"),
                   number_of(info.at("messages").at("count"), "message"),
                   number_of(info.at("ranges").at("count"), "range"),
                   names.isEmpty() ? QString("not recorded") : names);
  return html + import_report(info);
}

// "GPC clock 0.71 GHz, elsewhere 1.41 GHz (97 % of the excess)", or the reason why there is none.
QString reason_of(const json& bin) {
  const auto reason = bin.value("reason", json());
  if (reason.is_null()) return bin.contains("reason_note") ? escaped(bin.at("reason_note")) : QString("–");
  const auto& part = reason.at("excess_percent"); // null for different work, which is not part of the excess
  if (!part.is_number()) return escaped(reason.at("text"));
  const auto excess = bin.value("excess_percent", json());
  return QString(excess.is_number() && excess.get<double>() < 0
                     ? "less time than elsewhere: %1 (%2 % of the difference)"
                     : "%1 (%2 % of the excess)")
      .arg(escaped(reason.at("text")))
      .arg(part.get<double>(), 0, 'f', 0);
}

QString ranked(const json& bins) {
  const QString unit = QString::fromStdString(bins.at("unit").get<std::string>());
  const auto axis = axis_of(bins);
  const auto place = [&](const json& start) {
    return axis == views::AxisUnit::Time ? time(start, 9)
                                         : views::formatPlace({start.get<std::int64_t>()}, {1}, axis);
  };
  const auto& kept = bins.at("kept_bins");
  HtmlTable table({"rank", "bin", "start", "n", "sum", "mean", "median", "max", "CV", "top kernel", "reason"},
                  {9, 10});
  for (const auto& b : kept) {
    const auto value = [&](const char* key) {
      return b.at(key).is_null() ? QString("–") : views::formatValue(b.at(key).get<double>(), unit);
    };
    table.row({count(b.at("rank")), count(b.at("index")), place(b.at("start_ns")), count(b.at("n")),
               value("sum"), value("mean"), value("median"), value("max"),
               b.at("cv").is_null() ? QString("–") : QString::number(b.at("cv").get<double>(), 'f', 2),
               b.at("top_kernel").is_null()
                   ? QString()
                   : escaped(b.at("top_kernel")) +
                         QString(" (%1)").arg(QString::fromStdString(
                             causal::share_in_words(100 * b.at("top_kernel_share").get<double>()))),
               reason_of(b)});
  }
  return QString("<p class=soft>%1 by %2 in bins of %3; %4 of %5 non-empty bins kept.</p>\n")
             .arg(escaped(bins.at("metric")).replace('_', ' '), escaped(bins.at("rank_by")),
                  views::formatLength({bins.at("width_ns").get<std::int64_t>()}, axis))
             .arg(count(kept.size()), count(bins.at("bin_count"))) +
         table.html();
}

QString answer_box(const std::vector<std::string>& sentences, const QString& remark = {}) {
  QString html = "<div class=answer>";
  if (!remark.isEmpty()) html += "<p>" + remark.toHtmlEscaped() + "</p>";
  for (const auto& sentence : sentences) html += "<p>" + escaped(sentence) + "</p>";
  return html + "</div>\n";
}

QString interval(double low, double high) {
  return percent(low) + " – " + percent(high);
}

QString answer(const causal::CausalResult& causal, const QString& remark) {
  QString html = answer_box(causal.sentences, remark);
  HtmlTable table({"factor", "", "attributable share", "95 %", "share of variance", "95 %", "stability"},
                  {0, 1});
  for (const auto& c : causal.contributions) {
    const auto& share = c.attributable_percent;
    table.row({(c.under.empty() ? "" : "&emsp;same cause: ") + escaped(c.label),
               escaped(causal::name_in(causal::kRoleNames, c.role)), share ? percent(*share) : QString("–"),
               share ? interval(c.attributable_ci_low, c.attributable_ci_high) : QString("–"),
               percent(c.percent), interval(c.ci_low, c.ci_high), QString::number(c.stability, 'f', 2)});
  }
  if (!causal.contributions.empty()) html += table.html();
  html += row_text(QString("<p class=soft>n = %1 launches; method %2. %3</p>\n"))
              .arg(count(causal.n), escaped(causal.method).toUpper(), escaped(causal.reading_text));
  for (const auto& w : causal.warnings)
    html += "<p class=soft>" + escaped(w.text) + " [" + escaped(w.code) + "]</p>\n";
  return html;
}

QString kernels_table(std::vector<KernelAnswer> kernels) {
  std::ranges::stable_sort(kernels, std::greater(), [](const KernelAnswer& kernel) {
    return std::isnan(kernel.variability_sum) ? -1 : kernel.variability_sum;
  });
  HtmlTable table(
      {"kernel", "n", "total", "mean", "CV", "P50", "P90", "P99", "max", "variability Σ|d − mean|"}, {0});
  for (const auto& k : kernels)
    table.row({escaped(k.name), count(k.n), time(k.sum), time(k.mean), number(k.cv), time(k.median),
               time(k.p90), time(k.p99), time(k.max), time(k.variability_sum)});
  return table.html();
}

QString figure(const ReportContent& content, const QString& id) {
  for (const auto& f : content.figures)
    if (f.id == id)
      return QString("<figure><img alt=\"%1\" "
                     "src=\"data:image/png;base64,%2\"><figcaption>%3</figcaption></figure>\n")
          .arg(f.title.toHtmlEscaped(), QString::fromLatin1(f.png.toBase64()), f.caption.toHtmlEscaped());
  return {};
}

QString late_ones(const engine::answers::ArrivalsAnswer& collectives) {
  QString html = answer_box(collectives.sentences);
  if (collectives.participants.size() < 2) return html;
  HtmlTable table({"device", "times last", "total wait of the others", "longer kernels", "not launched",
                   "queued", "host's own work"},
                  {0});
  const auto sum = [](const engine::answers::Spread& spread) {
    return spread.n() == 0 ? QString("–") : time(spread.sum(), 3);
  };
  for (const auto& one : collectives.participants) {
    const auto& parts = one.why->parts_ns;
    table.row({escaped(one.name), count(one.last), time(one.waited_for_ns, 3), sum(parts.kernels()),
               sum(parts.not_launched()), sum(parts.queued()), sum(one.why->host_work_ns)});
  }
  return html + table.html() +
         "<p class=soft>Each time is a sum over the collectives at which the device arrives last. The last "
         "four columns are differences: the time of this device minus the mean time of the other "
         "devices.</p>\n";
}

} // namespace

QByteArray report_page(const ReportContent& content) {
  QString html = "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
                 "content=\"width=device-width\"><title>" +
                 content.title.toHtmlEscaped() + "</title><style>" + kStyle + "</style></head><body>\n";
  html += "<h1>" + content.title.toHtmlEscaped() + "</h1>\n<p class=soft>Jitterscope, " +
          QDateTime::currentDateTime().toString(Qt::ISODate) + "</p>\n";
  if (!content.selection.isEmpty())
    html += "<p>" + row_text(QString("This page covers only launches ")) + content.selection.toHtmlEscaped() +
            ".</p>\n";
  if (content.contrast)
    html += "<h2>Why these launches take longer or shorter than elsewhere</h2>\n" +
            answer_box(content.contrast->sentences);
  html += "<h2>Why durations vary</h2>\n" +
          (content.no_causes.isEmpty()
               ? answer(content.causal, content.remark) + figure(content, "causal")
               : row_text(QString("<div class=answer><p>These launches do not show why durations vary: ")) +
                     content.no_causes.toHtmlEscaped() + ".</p></div>\n");
  if (!content.collectives.sentences.empty())
    html += "<h2>Last device to arrive at collectives</h2>\n" + late_ones(content.collectives);
  const bool timed = axis_of(content.info) == views::AxisUnit::Time;
  if (timed) html += "<h2>Timeline</h2>\n" + figure(content, "timeline");
  html += "<h2>Ranked bins</h2>\n" + figure(content, "bins") + ranked(content.bins);
  const bool measured = std::ranges::any_of(content.kernels, [](const auto& kernel) { return kernel.n > 0; });
  html += measured ? "<h2>Kernels</h2>\n" + figure(content, "distribution") + kernels_table(content.kernels)
                   : "<h2>Distribution</h2>\n" + figure(content, "distribution");
  html += "<h2>Parallel coordinates</h2>\n" + figure(content, "parallel");
  html += "<h2>Input files</h2>\n" + opened(content.info);
  return (html + "</body></html>\n").toUtf8();
}

} // namespace jitterscope::app
