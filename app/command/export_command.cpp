#include <fmt/core.h>

#include "app/command/command.h"

namespace jitterscope::app {
namespace {

class ExportCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    auto* app = parser.add_subcommand("export", "Write a trace in another tool's format");
    app->add_option("FILES", files_, "Stores or profiler files")->required();
    app->add_option("--to", format_, "prv: Paraver, with the .pcf and .row next to it")
        ->check(CLI::IsMember({"prv"}))
        ->required();
    app->add_option("-o,--output", output_, "File to write")->required();
    add_open(*app, common);
    add_json(*app, common);
    return app;
  }

  Expected<void> run() override {
    const auto stem = output_.ends_with(".prv") ? output_.substr(0, output_.size() - 4) : output_;
    if (auto kept = keep_inputs(files_, {common.json, output_, stem + ".pcf", stem + ".row"}); !kept)
      return kept;
    const Job job = terminal_job();
    BlockingEngine engine(1);
    auto info = open_session(engine, files_, common, job);
    if (!info) return end_progress(), forward(info.error());
    auto answer = engine.run("export_paraver", {{"path", output_}}, job);
    end_progress();
    if (!answer) return forward(answer.error());
    auto& document = answer->document;
    document["schema_version"] = 1;
    document["inputs"] = info->at("inputs");
    if (common.json != "-") {
      fmt::print("{} records, {} bytes in {}\n", document.at("records").get<std::int64_t>(),
                 document.at("bytes").get<std::int64_t>(), output_);
      for (const auto& text : document.at("left_out")) fmt::print("left out: {}\n", text.get<std::string>());
    }
    return write_json(common, document);
  }

private:
  std::vector<std::string> files_;
  std::string format_, output_;
};

} // namespace

std::unique_ptr<Command> export_command() {
  return std::make_unique<ExportCommand>();
}

} // namespace jitterscope::app
