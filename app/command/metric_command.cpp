#include <QFile>

#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <optional>

#include "app/command/command.h"
#include "app/command/histogram_output.h"
#include "app/command/text_fields.h"
#include "app/engine/options_json.h"
#include "app/metrics/metric_answer.h"
#include "app/metrics/metric_library.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/messages/table_json.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

using MetricAnswer = engine::answers::MetricAnswer;
using MetricObject = engine::answers::MetricObjectAnswer;

constexpr std::size_t kPrintedRows = 40;
constexpr int kSparkColumns = 60;

std::string value_text(double value, const std::string& unit) {
  if (std::isnan(value)) return "–";
  if (unit == "ns") return views::formatDuration(value, 4).toStdString();
  return fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit);
}

std::string csv_number(double value) {
  return std::isnan(value) ? "" : fmt::format("{}", value);
}

json numbers(const double* values, std::size_t count) {
  json list = json::array();
  for (std::size_t i = 0; i < count; ++i) list.push_back(std::isnan(values[i]) ? json() : json(values[i]));
  return list;
}

class MetricCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    auto* app = parser.add_subcommand(
        "metric",
        "Values over time of a metric that is defined as text: a shipped metric or your own (help metrics)");
    app_ = app;
    app->add_option("FILES", files_, "Stores or profiler files");
    auto* name = app->add_option("--metric", name_, "Shipped metric, by its name");
    auto* define =
        app->add_option("--define", text_, "Definition as text, for example: any(active(kernels) per device)")
            ->excludes(name);
    auto* file = app->add_option("--file", file_, "File with a definition (*.metric)")
                     ->excludes(name)
                     ->excludes(define);
    auto* from =
        app->add_option("--from", from_,
                        "Use the windows of a Paraver configuration (*.cfg) as metrics; without FILES, print "
                        "their definitions, and the reason for each window that is not supported")
            ->excludes(name)
            ->excludes(define)
            ->excludes(file);
    app->add_option("--window", window_,
                    "With --from: the window to use (default: the last supported window)")
        ->needs(from);
    app->add_flag("--list", list_, "List the shipped metrics");
    app->add_option("--level", level_,
                    "Values per application, node, process (or rank), device, stream or thread")
        ->check(CLI::IsMember({"application", "node", "process", "rank", "device", "stream", "thread"}));
    app->add_option("--range", range_, "Range of the time axis, A:B; default: all of it")->type_name("A:B");
    app->add_option(
           "--columns", columns_,
           "Number of equal parts of the range, each with average, minimum and maximum; default: 1, without "
           "--csv and --json 60")
        ->check(CLI::Range(1, 1'000'000));
    app->add_flag("--exact", exact_, "Print every change of the value instead of equal parts of the range");
    auto* histogram =
        app->add_option("--histogram", bins_,
                        "Time of each object at the values of the metric, in this number of bins")
            ->check(CLI::Range(1, 10'000));
    app->add_option("--values", values_,
                    "With --histogram: LOW:HIGH of the bins; default: minimum and maximum of the metric")
        ->type_name("LOW:HIGH")
        ->needs(histogram);
    app->add_flag("--log", logarithmic_, "With --histogram: bins of equal ratio instead of equal width")
        ->needs(histogram);
    app->add_flag("--with-zero", zero_, "With --histogram: count time at the value 0")->needs(histogram);
    app->add_option("--data", data_,
                    "With --histogram: another metric, by its name or as a definition, whose "
                    "values in each cell are added")
        ->type_name("METRIC")
        ->needs(histogram);
    app->add_option("--statistic", statistic_,
                    "With --histogram: what is printed: time (default), bursts, burst-time; with --data "
                    "average (default), minimum, maximum or integral")
        ->needs(histogram)
        ->check(CLI::IsMember(statistic_names()));
    app->add_option("--csv", csv_, "Write the values as CSV; - is the standard output")->type_name("FILE");
    app->add_flag("--all", all_, "Print all rows, not only the first 40");
    add_engine(*app, common, engine::Divides::in_threads);
    app->remove_option(app->get_option("--where"));
    add_open(*app, common);
    add_json(*app, common);
    return app;
  }

  Expected<void> run() override {
    auto inputs = files_;
    inputs.insert(inputs.end(), {file_, from_});
    if (auto kept = keep_inputs(inputs, {common.json, csv_}); !kept) return kept;
    if (auto used = refuse_unused(); !used) return used;
    if (list_) return list();
    if (!from_.empty() && files_.empty()) return list_windows();
    auto text = definition();
    if (!text) return forward(text.error());
    if (files_.empty())
      return failure(ErrorKind::BadUse, "no file is given", {}, {},
                     "Example: jitterscope metric trace.sqlite --metric gpu-busy");
    json asked;
    const auto request = bins_ > 0 ? request_of(histogram_options(), *text, asked)
                                   : request_of(metric_options(), *text, asked);
    if (!request) return forward(request.error());
    const Job job = terminal_job();
    BlockingEngine engine(common.ranks);
    auto info = open_session(engine, files_, common, job);
    if (!info) return end_progress(), forward(info.error());
    const auto answer = engine.run(*request, job);
    end_progress();
    if (!answer) return forward(in_file(answer.error()));
    auto document = bins_ > 0 ? show_histogram(*answer) : show(*answer);
    if (!document) return forward(document.error());
    if (common.json.empty()) return {};
    (*document)["inputs"] = info->at("inputs");
    (*document)["options"] = std::move(asked);
    (*document)["schema_version"] = 1;
    return write_json(common, *document);
  }

private:
  /// Prints the answer and writes it as CSV, as requested; returns its document.
  Expected<json> show(const engine::Answer& answer) const {
    const auto metric = engine::table_of<MetricAnswer>(answer);
    if (!metric) return forward(metric.error());
    if (!quiet()) print(*metric);
    if (!csv_.empty())
      if (auto written = write_text(csv_, csv_of(*metric)); !written) return forward(written.error());
    return document_of(*metric);
  }
  Expected<json> show_histogram(const engine::Answer& answer) const {
    const auto cells = engine::table_of<engine::answers::MetricHistogramAnswer>(answer);
    if (!cells) return forward(cells.error());
    const HistogramOutput histogram(*cells, statistic());
    if (!quiet()) histogram.print(all_ ? SIZE_MAX : kPrintedRows);
    if (!csv_.empty())
      if (auto written = write_text(csv_, histogram.csv()); !written) return forward(written.error());
    return histogram.document();
  }

  bool printed_only() const { return common.json.empty() && csv_.empty(); }
  bool quiet() const { return common.json == "-" || csv_ == "-"; }

  static std::vector<std::string> statistic_names() {
    std::vector<std::string> names;
    for (const auto& each : cell_statistics()) names.emplace_back(each.name);
    return names;
  }
  CellStatisticSpec statistic() const {
    return *cell_statistic(!statistic_.empty() ? statistic_ : data_.empty() ? "time" : "average");
  }

  /// The request with these options, completed by what all metrics have; `asked`: the options in documents.
  template <class Options>
  Expected<engine::Request> request_of(Expected<Options> options, const std::string& text,
                                       json& asked) const {
    if (!options) return forward(options.error());
    options->text = text;
    options->level = level_;
    if (!range_.empty()) {
      auto range = parse_range(range_);
      if (!range) return forward(range.error());
      options->begin_ns = range->at(0), options->end_ns = range->at(1);
    }
    asked = options_json(*options);
    return engine::Request(*options);
  }

  Expected<engine::MetricOptions> metric_options() const {
    engine::MetricOptions options;
    options.exact = exact_;
    if (!exact_) options.columns = columns_ > 0 ? columns_ : printed_only() ? kSparkColumns : 1;
    return options;
  }

  Expected<engine::MetricHistogramOptions> histogram_options() const {
    engine::MetricHistogramOptions options{.bins = bins_, .logarithmic = logarithmic_, .zero = zero_};
    if (!values_.empty()) {
      const auto colon = values_.find(':', 1);
      double low = 0, high = 0;
      if (colon == std::string::npos || !read_number(values_.substr(0, colon), low) ||
          !read_number(values_.substr(colon + 1), high) || low > high)
        return failure(ErrorKind::BadUse, "the values must be two ascending numbers", {}, "--values",
                       "Write LOW:HIGH, for example 0:1.");
      options.low = low, options.high = high;
    }
    if (statistic().of_data && data_.empty())
      return failure(ErrorKind::BadUse, statistic_ + " is a statistic of another metric", {}, "--statistic",
                     "Add --data METRIC.");
    options.data = data_;
    if (!data_.empty())
      if (const auto shipped = shipped_metric(QString::fromStdString(data_))) options.data = shipped->text;
    return options;
  }

  static bool read_number(const std::string& text, double& number) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    return result.ec == std::errc() && result.ptr == text.data() + text.size() && std::isfinite(number);
  }

  Expected<void> refuse_unused() const {
    if (bins_ > 0)
      if (auto used = refuse_options(*app_, {"--columns", "--exact"}, "with --histogram"); !used) return used;
    if (exact_)
      if (auto used = refuse_options(*app_, {"--columns"}, "with --exact, which shows every change"); !used)
        return used;
    if (!list_ && (from_.empty() || !files_.empty())) return {};
    if (list_)
      if (auto used =
              refuse_options(*app_, {"FILES", "--metric", "--define", "--file", "--from"}, "with --list");
          !used)
        return used;
    return refuse_options(*app_,
                          {"--window", "--level", "--range", "--columns", "--exact", "--histogram", "--csv",
                           "--all", "--ranks", "--map", "--kernel-column", "--collective-kernels", "--rows",
                           "--names"},
                          list_ ? "with --list" : "without FILES: only the definitions are shown");
  }

  Expected<void> list() const {
    json document = {{"schema_version", 1}, {"metrics", json::array()}};
    for (const auto& metric : shipped_metrics()) {
      const auto name = metric.name.toStdString(), help = metric.help.toStdString();
      document["metrics"].push_back({{"name", name}, {"help", help}});
      if (!quiet()) fmt::print("{}{}\n", padded(name, 24), help);
    }
    return write_json(common, document);
  }

  Expected<void> list_windows() const {
    auto metrics = metrics_from_cfg(QFile::decodeName(from_.c_str()));
    if (!metrics) return forward(metrics.error());
    json document = {{"schema_version", 1},
                     {"inputs", {from_}},
                     {"histograms_left_out", metrics->histograms},
                     {"windows", json::array()}};
    for (const auto& of : metrics->windows) {
      document["windows"].push_back({{"name", of.name},
                                     {"definition", of.text.empty() ? json() : json(of.text)},
                                     {"not_covered", of.text.empty() ? json(of.unsupported) : json()},
                                     {"note", of.note}});
      if (quiet()) continue;
      if (of.text.empty())
        fmt::print("# {} is not supported: {}\n\n", of.name, of.unsupported);
      else
        fmt::print("{}{}\n", of.text, of.note.empty() ? "" : "# " + of.note + "\n");
    }
    if (metrics->histograms > 0 && !quiet())
      fmt::print("# {} left out; use the histogram of a metric instead\n",
                 metrics->histograms == 1 ? "one histogram is"
                                          : fmt::format("{} histograms are", metrics->histograms));
    return write_json(common, document);
  }

  /// The definition of the requested window.
  Expected<std::string> window() const {
    auto metrics = metrics_from_cfg(QFile::decodeName(from_.c_str()));
    if (!metrics) return forward(metrics.error());
    std::string last;
    for (const auto& of : metrics->windows) {
      if (!window_.empty() && of.name != window_) continue;
      if (!window_.empty() && of.text.empty())
        return failure(ErrorKind::BadInput, "the window is not supported: " + of.unsupported, from_, window_,
                       "\"jitterscope metric --from FILE\" lists the supported windows.");
      if (!of.text.empty()) last = of.text;
    }
    if (!last.empty()) return last;
    if (!window_.empty())
      return failure(ErrorKind::BadUse, "the file has no window \"" + window_ + "\"", from_, "--window",
                     "\"jitterscope metric --from FILE\" lists the windows.");
    return failure(ErrorKind::BadInput, "no window of the file is supported", from_, {},
                   "\"jitterscope metric --from FILE\" lists the reasons.");
  }

  Expected<std::string> definition() const {
    if (!text_.empty()) return text_;
    const auto read = [&](Expected<NamedMetric> metric) -> Expected<std::string> {
      if (!metric) return forward(metric.error());
      return metric->text;
    };
    if (!file_.empty()) return read(metric_from_file(QFile::decodeName(file_.c_str())));
    if (!from_.empty()) return window();
    if (!name_.empty()) return read(shipped_metric(QString::fromStdString(name_)));
    return failure(ErrorKind::BadUse, "no metric is given", {}, {},
                   "Use --metric NAME, --define TEXT, --file FILE or --from FILE.cfg; --list shows the "
                   "shipped metrics.");
  }

  /// Adds the file to errors with a position in the definition.
  Error in_file(Error error) const {
    if (!text_.empty() && shipped_metric(QString::fromStdString(text_)))
      error.hint = fmt::format("To use the shipped metric of this name, write --metric {}.", text_);
    if (!file_.empty() && error.file.empty() && error.place.starts_with("line ")) error.file = file_;
    return error;
  }

  /// Column bounds, as the engine computes them.
  static Interval column(const MetricAnswer& answer, std::int64_t c) {
    const auto range = answer.of->range_ns;
    const auto at = [&](std::int64_t i) {
      return range.begin +
             Nanoseconds{static_cast<std::int64_t>(Int128{range.length().count} * i / answer.columns)};
    };
    return {at(c), at(c + 1)};
  }

  /// Calls visit(object, first value, count) for each object of the answer.
  template <class Visit>
  static void each_object(const MetricAnswer& answer, Visit&& visit) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < answer.of->objects.size(); ++i) {
      const auto count =
          static_cast<std::size_t>(answer.step_count.empty() ? answer.columns : answer.step_count[i]);
      visit(answer.of->objects[i], first, count);
      first += count;
    }
  }

  void print(const MetricAnswer& answer) const {
    const auto& of = *answer.of;
    const auto [begin, end] = of.range_ns;
    const Nanoseconds step{std::max<std::int64_t>((end - begin).count / 1000, 1)};
    const auto& unit = of.unit;
    fmt::print("{}{}{}{} – {}, per {}\n", of.title, unit.empty() || unit == "ns" ? "" : " [" + unit + "]",
               of.title.empty() ? "" : ", ", views::formatTime(begin, step).toStdString(),
               views::formatTime(end, step).toStdString(), of.level);
    if (const auto missing = missing_records(of); !missing.isEmpty())
      fmt::print("note: {}\n", missing.toStdString());
    const auto [from, to] = of.recorded_range_ns;
    if (begin < from || to < end)
      fmt::print("note: the range exceeds the recorded time, {} – {}: nothing is known about the rest\n",
                 views::formatTime(from, step).toStdString(), views::formatTime(to, step).toStdString());
    if (exact_) return print_steps(answer);
    const auto &average = answer.average, &minimum = answer.minimum, &maximum = answer.maximum;
    double high = 0;
    for (const double value : average) high = std::isnan(value) ? high : std::max(high, value);
    fmt::print("{}{:>14}{:>14}{:>14}\n", padded(std::string(), 28), "average", "minimum", "maximum");
    std::size_t row = 0;
    each_object(answer, [&](const MetricObject& object, std::size_t first, std::size_t count) {
      if (++row > kPrintedRows && !all_) return;
      double area = 0, low = INFINITY, top = -INFINITY;
      for (std::size_t c = 0; c < count; ++c) {
        const auto span = column(answer, static_cast<std::int64_t>(c));
        if (span.empty()) continue;
        area += average[first + c] * static_cast<double>(span.length().count);
        low = std::min(low, minimum[first + c]);
        top = std::max(top, maximum[first + c]);
      }
      fmt::print("{}{:>14}{:>14}{:>14}  {}\n", padded(object.name, 28),
                 value_text(area / static_cast<double>((end - begin).count), unit), value_text(low, unit),
                 value_text(top, unit),
                 count > 1 && count <= 200 ? sparkline(average.data() + first, count, high) : "");
    });
    if (row > kPrintedRows && !all_) fmt::print("… and {} more; --all prints them\n", row - kPrintedRows);
  }

  void print_steps(const MetricAnswer& answer) const {
    std::size_t printed = 0;
    each_object(answer, [&](const MetricObject& object, std::size_t first, std::size_t count) {
      if (printed > kPrintedRows && !all_) return;
      fmt::print("{}\n", object.name);
      for (std::size_t i = first; i < first + count; ++i) {
        if (++printed > kPrintedRows && !all_) return fmt::print("… --all prints all steps\n");
        fmt::print("{:>18} ns  {}\n", answer.step_begin[i],
                   value_text(answer.step_value[i], answer.of->unit));
      }
    });
  }

  std::string csv_of(const MetricAnswer& answer) const {
    std::string text =
        exact_ ? "object,begin_ns,end_ns,value\n" : "object,begin_ns,end_ns,average,minimum,maximum\n";
    const auto end = answer.of->range_ns.end.count;
    each_object(answer, [&](const MetricObject& object, std::size_t first, std::size_t count) {
      const auto name = csv_field(object.name);
      for (std::size_t i = 0; i < count; ++i) {
        const auto at = first + i;
        if (exact_) {
          const auto& begins = answer.step_begin;
          text += fmt::format("{},{},{},{}\n", name, begins[at], i + 1 < count ? begins[at + 1] : end,
                              answer.step_value[at]);
        } else {
          const auto span = column(answer, static_cast<std::int64_t>(i));
          text += fmt::format("{},{},{},{},{},{}\n", name, span.begin.count, span.end.count,
                              csv_number(answer.average[at]), csv_number(answer.minimum[at]),
                              csv_number(answer.maximum[at]));
        }
      }
    });
    return text;
  }

  json document_of(const MetricAnswer& answer) const {
    auto document = engine::json_of(*answer.of);
    if (!exact_) document["columns"] = answer.columns;
    std::size_t i = 0;
    each_object(answer, [&](const MetricObject&, std::size_t first, std::size_t count) {
      auto& object = document["objects"][i++];
      object.erase("track");
      if (!exact_) {
        object["average"] = numbers(answer.average.data() + first, count);
        object["minimum"] = numbers(answer.minimum.data() + first, count);
        object["maximum"] = numbers(answer.maximum.data() + first, count);
        return;
      }
      const auto begin = answer.step_begin.begin() + static_cast<std::ptrdiff_t>(first);
      object["begin_ns"] = std::vector(begin, begin + static_cast<std::ptrdiff_t>(count));
      object["value"] = numbers(answer.step_value.data() + first, count);
    });
    return document;
  }

  const CLI::App* app_ = nullptr;
  std::vector<std::string> files_;
  std::string name_, text_, file_, from_, window_, level_, range_, csv_, values_, data_, statistic_;
  int columns_ = 0, bins_ = 0;
  bool exact_ = false, list_ = false, all_ = false, zero_ = false, logarithmic_ = false;
};

} // namespace

std::unique_ptr<Command> metric_command() {
  return std::make_unique<MetricCommand>();
}

} // namespace jitterscope::app
