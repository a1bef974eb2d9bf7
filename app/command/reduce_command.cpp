#include <fmt/core.h>

#include "app/command/command.h"
#include "app/engine/options_json.h"
#include "app/reduce/reduce_options.h"
#include "core/base/output_file.h"
#include "core/efficiency/paraver/paraver_export.h"

namespace jitterscope::app {
namespace {

/// Common part of `cut` and `filter`: both write a smaller trace, and each accepts the other's options.
class ReduceCommand final : public Command {
public:
  ReduceCommand(const char* name, const char* about) : name_(name), about_(about) {}

  CLI::App* add(CLI::App& parser) override {
    auto* app = app_ = parser.add_subcommand(name_, about_);
    app->add_option("FILES", files_, "A store, or the profiler files of one run")->required();
    app->add_option("-o,--output", texts_.output,
                    "Trace to write: .jts, .prv, .json (Chrome trace) or .csv (launches)")
        ->required();
    app->add_option("--range", texts_.range, "Range of the time axis, A:B: rows that overlap it are kept")
        ->type_name("A:B");
    app->add_flag("--clip", texts_.clip,
                  "Clip rows that extend beyond a border of the range (default: such rows are kept whole)");
    app->add_flag("--from-zero", texts_.from_zero, "Move the start of the range to time 0");
    app->add_option("--ranks", texts_.ranks, "Only these ranks of the program, such as 0-3,7")
        ->type_name("LIST");
    app->add_option("--devices", texts_.devices, "Only devices with these numbers, such as 0,1")
        ->type_name("LIST");
    app->add_option(
           "--tracks", texts_.tracks,
           "Only streams and threads whose name in the timeline matches this regular expression, such "
           "as \"stream [67]$\"")
        ->type_name("REGEX");
    app->add_option(
           "--keep", texts_.keep,
           "Kinds of rows to keep (kernels, collectives, transfers, calls, mpi, ranges, states, bursts, "
           "samples), or a condition on launches")
        ->type_name("KINDS|EXPR");
    app->add_option("--where", texts_.where,
                    "Only launches that meet this condition, e.g. \"name ~ /gemm/\"");
    app->add_option("--kernels-above", texts_.kernels_above, "Drop kernels shorter than this, e.g. 1ms")
        ->type_name("TIME");
    app->add_option("--bursts-above", texts_.bursts_above,
                    "Drop bursts of computation shorter than this, e.g. 5ms")
        ->type_name("TIME");
    app->add_flag("--software-counters", texts_.software_counters,
                  "Replace dropped events by counters that have samples at the borders of bursts");
    app->add_flag("--overwrite", texts_.overwrite,
                  "Replace the output if it exists (with .prv also the .pcf and .row)");
    add_open(*app, common);
    app->remove_option(app->get_option("--rows")); // a smaller trace keeps the rows of its source
    add_json(*app, common);
    return app;
  }

  Expected<void> run() override {
    if (auto file = refuse_standard_output(texts_.output); !file) return file;
    auto outputs = efficiency::paraver_files(texts_.output);
    outputs.push_back(common.json);
    if (auto kept = keep_inputs(files_, outputs); !kept) return kept;
    outputs.pop_back();
    if (auto kept = refuse_existing(outputs, texts_.overwrite); !kept) return kept;
    auto options = reduce_options(texts_);
    if (!options) return forward(options.error());
    if (auto effective = refuse_without_effect(*options); !effective) return effective;
    const Job job = terminal_job();
    BlockingEngine engine(1);
    auto info = open_session(engine, files_, common, job);
    if (!info) return end_progress(), forward(info.error());
    auto answer = engine.run(*options, job);
    end_progress();
    if (!answer) return forward(answer.error());
    auto& document = answer->document;
    document["schema_version"] = 1;
    document["inputs"] = info->at("inputs");
    document["options"] = options_json(*options);
    if (common.json != "-")
      for (const auto& line : reduce_summary(document)) fmt::print("{}\n", line.toStdString());
    return write_json(common, document);
  }

private:
  Expected<void> refuse_without_effect(const engine::ReduceOptions& options) const {
    if (texts_.range.empty())
      if (auto used = refuse_options(*app_, {"--clip", "--from-zero"}, "without --range"); !used) return used;
    if (!leaves_out(options))
      return failure(
          ErrorKind::BadUse, fmt::format("{} would copy the whole trace", name_), {}, {},
          "Give a part with --range, --ranks, --devices, --tracks, --keep, --where, --kernels-above or "
          "--bursts-above. `jitterscope import` and `jitterscope export` write a whole trace.");
    if (!drops_rows(options))
      return refuse_options(*app_, {"--software-counters"},
                            "without --keep, --where, --kernels-above or --bursts-above");
    return {};
  }

  CLI::App* app_ = nullptr;
  const char *name_, *about_;
  std::vector<std::string> files_;
  ReduceTexts texts_;
};

} // namespace

std::unique_ptr<Command> cut_command() {
  return std::make_unique<ReduceCommand>(
      "cut", "Write part of a trace as a smaller trace: a time range, some ranks or devices");
}

std::unique_ptr<Command> filter_command() {
  return std::make_unique<ReduceCommand>(
      "filter", "Write a smaller trace: long bursts and kernels, chosen kinds, counters for dropped events");
}

} // namespace jitterscope::app
