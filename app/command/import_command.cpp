#include <filesystem>

#include <fmt/core.h>

#include "app/command/command.h"
#include "core/engine/messages/table_json.h"

namespace jitterscope::app {
namespace {

class ImportCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    auto* app = parser.add_subcommand("import", "Convert profiler files into one store");
    app->add_option("FILES", files_, "Profiler files, folders or archives, all of one session")->required();
    app->add_option("-o,--output", output_, "Store to write (.jts)")->required();
    add_open(*app, common);
    app->remove_option(app->get_option("--names")); // a store keeps all names
    add_json(*app, common);
    return app;
  }

  Expected<void> run() override {
    if (auto file = refuse_standard_output(output_); !file) return file;
    if (auto kept = keep_inputs(files_, {output_, common.json}); !kept) return kept;
    const auto imported = import_store(files_, output_, common, terminal_job());
    end_progress();
    if (!imported) return forward(imported.error());
    if (common.json != "-") print(*imported);
    auto document = engine::json_of(*imported);
    document["files"] = files_;
    return write_json(common, document);
  }

private:
  void print(const engine::answers::ImportAnswer& imported) const {
    fmt::print("{} ({:.1f} MB)\n", output_, static_cast<double>(std::filesystem::file_size(output_)) / 1e6);
    if (imported.report.empty()) fmt::print("No data were repaired, dropped or flagged as doubtful.\n");
    for (const auto& entry : imported.report)
      fmt::print("  {:7} {:>8} ×  {} [{}]\n", entry.severity, entry.count, entry.text, entry.code);
  }

  std::vector<std::string> files_;
  std::string output_;
};

} // namespace

std::unique_ptr<Command> import_command() {
  return std::make_unique<ImportCommand>();
}

} // namespace jitterscope::app
