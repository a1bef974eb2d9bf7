#include <fmt/core.h>

#include "app/command/chosen_columns.h"
#include "app/command/command.h"
#include "core/base/output_file.h"
#include "core/efficiency/paraver/paraver_export.h"
#include "core/engine/messages/export_options.h"
#include "core/engine/messages/metric_options.h"

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
    const auto request = request_of();
    if (!request) return forward(request.error());
    const Job job = terminal_job();
    BlockingEngine engine(1);
    auto info = open_session(engine, files_, common, job);
    if (!info) return end_progress(), forward(info.error());
    auto answer = engine.run(*request, job);
    end_progress();
    if (!answer) return forward(answer.error());
    auto& document = answer->document;
    document["schema_version"] = 1;
    document["inputs"] = info->at("inputs");
    if (common.json != "-") {
      fmt::print("{} {}, {} bytes in {}\n", document.at("records").get<std::int64_t>(),
                 format_ == "csv" ? info->value("rows", std::string("launches")) : std::string(unit()),
                 document.at("bytes").get<std::int64_t>(), output_);
      for (const auto& text : document.value("left_out", json::array()))
        fmt::print("note: {}\n", text.get<std::string>());
    }
    return write_json(common, document);
  }

private:
  const char* unit() const { return format_.empty() ? "rows" : format_ == "prv" ? "records" : "events"; }

  Expected<engine::Request> request_of() const {
    if (format_ == "prv")
      return engine::Request(engine::ExportParaverOptions{.path = output_, .overwrite = overwrite_});
    if (format_ == "chrome") return engine::Request(engine::ExportChromeOptions{.path = output_});
    if (format_ == "csv") return engine::Request(engine::ExportCsvOptions{.path = output_});
    auto metric = metric_of(metric_);
    if (!metric) return forward(metric.error());
    engine::ExportMetricOptions options{
        .text = metric->text, .level = level_, .path = output_, .points = points_};
    if (!range_.empty()) {
      auto range = parse_range(range_);
      if (!range) return forward(range.error());
      options.begin_ns = range->at(0), options.end_ns = range->at(1);
    }
    return engine::Request(options);
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
