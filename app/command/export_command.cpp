#include <fmt/core.h>

#include "app/command/chosen_columns.h"
#include "app/command/command.h"
#include "core/base/output_file.h"
#include "core/efficiency/paraver/paraver_export.h"
#include "core/engine/messages/export_answers.h"
#include "core/engine/messages/export_options.h"
#include "core/engine/messages/metric_answers.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/messages/table_json.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

class ExportCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    auto* app = parser.add_subcommand(
        "export", "Write a trace in another tool's format, its launches as a table, or a metric over time");
    app->add_option("FILES", files_, "Stores or profiler files")->required();
    auto* format =
        app->add_option("--to", format_,
                        "prv: Paraver, with the .pcf and .row next to it; chrome: JSON for Perfetto "
                        "and chrome://tracing; csv: all launches with all columns")
            ->check(CLI::IsMember({"prv", "csv", "chrome"}));
    auto* metric =
        app->add_option(
               "--metric", metric_,
               "Write a metric as CSV instead (time, track, value): a *.metric file or a shipped one")
            ->type_name("FILE|NAME")
            ->excludes(format);
    app->add_option("--points", points_,
                    "With --metric: number of equal parts of the range, each with average, minimum and "
                    "maximum; default: every change of the value")
        ->check(CLI::Range(1, 4'000'000))
        ->needs(metric);
    app->add_option(
           "--level", level_,
           "With --metric: values per application, node, process (or rank), device, stream or thread")
        ->check(CLI::IsMember({"application", "node", "process", "rank", "device", "stream", "thread"}))
        ->needs(metric);
    app->add_option("--range", range_, "With --metric: range of the time axis, A:B; default: all of it")
        ->type_name("A:B")
        ->needs(metric);
    app->add_option("-o,--output", output_, "File to write")->required();
    app->add_flag("--overwrite", overwrite_, "With --to prv: replace the .prv, .pcf and .row if they exist");
    add_open(*app, common);
    add_json(*app, common);
    return app;
  }

  Expected<void> run() override {
    if (auto file = refuse_standard_output(output_); !file) return file;
    auto outputs = format_ == "prv" ? efficiency::paraver_files(output_) : std::vector{output_};
    outputs.push_back(common.json);
    if (auto kept = keep_inputs(files_, outputs); !kept) return kept;
    outputs.pop_back();
    if (format_.empty() && metric_.empty())
      return failure(ErrorKind::BadUse, "neither a format nor a metric is given", {}, {},
                     "Use --to prv, csv or chrome, or --metric NAME.");
    if (overwrite_ && format_ != "prv")
      return failure(ErrorKind::BadUse, "--overwrite needs --to prv", {}, "--overwrite",
                     "Other formats are one file, which is replaced.");
    if (format_ == "prv")
      if (auto kept = refuse_existing(outputs, overwrite_); !kept) return kept;
    const auto metric = metric_request();
    if (!metric) return forward(metric.error());
    const Job job = terminal_job();
    BlockingEngine engine(1);
    auto info = open_session(engine, files_, common, job);
    if (!info) return end_progress(), forward(info.error());
    auto done = written(engine, *metric, job);
    end_progress();
    if (!done) return forward(done.error());
    done->document["inputs"] = info->at("inputs");
    if (common.json != "-") {
      fmt::print("{} {}, {} bytes in {}\n", done->records,
                 format_ == "csv" ? info->value("rows", std::string("launches")) : std::string(unit()),
                 done->bytes, output_);
      for (const auto& text : done->left_out) fmt::print("note: {}\n", text);
    }
    return write_json(common, done->document);
  }

private:
  const char* unit() const { return format_.empty() ? "rows" : format_ == "prv" ? "records" : "events"; }

  /// What was written, and its document.
  struct Written {
    std::int64_t records = 0, bytes = 0;
    std::vector<std::string> left_out;
    json document;
  };

  template <engine::TableType Answer>
  static Expected<Written> written_as(BlockingEngine& engine, const engine::Request& request,
                                      const Job& job) {
    const auto answer = engine.run(request, job).and_then(engine::table_of<Answer>);
    if (!answer) return forward(answer.error());
    Written done{answer->records, answer->bytes, {}, engine::json_of(*answer)};
    if constexpr (requires { answer->left_out; }) done.left_out = answer->left_out;
    return done;
  }

  Expected<Written> written(BlockingEngine& engine, const engine::ExportMetricOptions& metric,
                            const Job& job) const {
    using namespace engine::answers;
    if (format_ == "prv")
      return written_as<ExportParaverAnswer>(
          engine, engine::ExportParaverOptions{.path = output_, .overwrite = overwrite_}, job);
    if (format_ == "chrome")
      return written_as<ExportChromeAnswer>(engine, engine::ExportChromeOptions{.path = output_}, job);
    if (format_ == "csv")
      return written_as<ExportCsvAnswer>(engine, engine::ExportCsvOptions{.path = output_}, job);
    auto done = written_as<ExportMetricAnswer>(engine, metric, job);
    if (done) done->document.update(std::exchange(done->document["of"], {})), done->document.erase("of");
    return done;
  }

  /// Options of the export of a metric; without effect if a format is given.
  Expected<engine::ExportMetricOptions> metric_request() const {
    if (metric_.empty()) return engine::ExportMetricOptions();
    auto metric = metric_of(metric_);
    if (!metric) return forward(metric.error());
    engine::ExportMetricOptions options{
        .text = metric->text, .level = level_, .path = output_, .points = points_};
    if (!range_.empty()) {
      auto range = parse_range(range_);
      if (!range) return forward(range.error());
      options.begin_ns = range->at(0), options.end_ns = range->at(1);
    }
    return options;
  }

  std::vector<std::string> files_;
  std::string format_, metric_, level_, range_, output_;
  std::int64_t points_ = 0;
  bool overwrite_ = false;
};

} // namespace

std::unique_ptr<Command> export_command() {
  return std::make_unique<ExportCommand>();
}

} // namespace jitterscope::app
