#include <cmath>

#include <fmt/core.h>

#include "app/command/chosen_columns.h"
#include "app/command/command.h"
#include "app/command/plain_table.h"
#include "core/causal/base/result.h"
#include "core/causal/base/wording.h"
#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/table_json.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

constexpr std::size_t kPrintedDevices = 20;

/// A number that may be unknown (NaN); `spec` formats it with its unit.
std::string number_or_dash(double number, const char* spec) {
  return std::isnan(number) ? "–" : fmt::format(fmt::runtime(spec), number);
}

std::string interval(const auto& of, const char* spec) {
  if (std::isnan(of.ci_low) || std::isnan(of.ci_high)) return "–";
  return number_or_dash(of.ci_low, spec) + " – " + number_or_dash(of.ci_high, spec) + " %";
}

void print_devices(const engine::answers::DevicesAnswer& answer, const causal::GroupEstimates& groups,
                   std::size_t maximum) {
  for (const auto& sentence : answer.sentences) fmt::print("{}\n", sentence);
  for (const auto& w : answer.warnings) fmt::print("note [{}]: {}\n", w.code, w.text);
  if (groups.components.empty()) return;
  if (groups.logarithm)
    fmt::print("Shares are of the variance of the logarithm, means are geometric. Differences are relative; "
               "the less "
               "certain a difference is, the nearer it is to 0.\n");
  fmt::print("\n{:>12} {:>18}  {}\n", "of variance", "(95 %)", "between");
  for (const auto& c : groups.components)
    fmt::print("{:>12} {:>18}  {} {} ({})\n", number_or_dash(c.percent, "{:.1f} %"), interval(c, "{:.1f}"),
               causal::grouped(c.levels), c.label, c.group);
  const auto& devices = groups.devices;
  const auto unit = QString::fromStdString(answer.target_unit);
  fmt::print("\n{:>5} {:>10} {:>20} {:>8} {:>14}  {}\n", "rank", "difference", "(95 %)", "rows",
             groups.logarithm ? "geometric mean" : "mean", groups.unit);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (i == maximum) {
      fmt::print("… and {} more; --all prints them\n", devices.size() - maximum);
      break;
    }
    const auto& device = devices[i];
    std::string name = device.name;
    for (std::size_t p = 0; p < device.places.size(); ++p)
      if (!device.places[p].empty())
        name += fmt::format(", {} {}", groups.place_columns[p], device.places[p]);
    const auto mean = groups.logarithm ? device.geometric_mean.value_or(std::nan("")) : device.mean;
    fmt::print("{:>5} {:>10} {:>20} {:>8} {}  {}\n",
               std::isnan(device.difference_percent) ? "–" : fmt::format("{}", i + 1),
               number_or_dash(device.difference_percent, "{:+.2f} %"), interval(device, "{:+.2f}"),
               causal::grouped(device.n), views::formatValue(mean, unit, 5).rightJustified(14).toStdString(),
               name);
  }
}

class DevicesCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    auto* app = app_ = parser.add_subcommand(
        "devices", "Variance between and within clusters, cabinets, nodes, devices and runs; ranked devices");
    app->add_option("FILES", files_, "Stores, profiler files, or one table")->required();
    app->add_option("--target", target_, "duration (default of launches) or a column");
    app->add_flag("--all", all_, "Print all devices, not only the first 20");
    add_engine(*app, common, engine::Divides::in_ranks);
    add_open(*app, common);
    add_metrics(*app, common);
    add_efficiencies(*app, common);
    add_json(*app, common);
    return app;
  }

  Expected<void> run() override {
    if (auto kept = keep_inputs(files_, {common.json}); !kept) return kept;
    const Job job = terminal_job();
    BlockingEngine engine(common.ranks);
    engine::DevicesOptions options;
    options.question = std::make_unique<engine::CausalOptions>();
    auto& question = *options.question;
    question.target = target_;
    question.where = common.where;
    nlohmann::json inputs;
    const bool of_launches = !common.where.empty() || !common.mapping.empty();
    if (!of_launches && files_.size() == 1 && is_plain_table(files_.front(), job) &&
        !table_has_launches(files_.front(), job)) {
      if (auto used =
              refuse_options(*app_, {"--metric", "--efficiencies", "--names"}, "on a table without launches");
          !used)
        return used;
      question.table = files_.front();
      auto own = inputs_of_files(files_, job);
      if (!own) return end_progress(), forward(own.error());
      inputs = std::move(*own);
    } else {
      auto info = open_session(engine, files_, common, job);
      if (!info) return end_progress(), forward(info.error());
      if (auto chosen = choose_columns(engine, common, *info, job); !chosen) return end_progress(), chosen;
      inputs = info->at("inputs");
      question.target = column_of_launches(info->at("columns"), question.target, files_, job);
    }
    auto answer = engine.run(options, job).and_then(engine::table_of<engine::answers::DevicesAnswer>);
    end_progress();
    if (!answer) return forward(answer.error());
    const auto groups = causal::decode_groups(answer->groups);
    if (!groups) return forward(groups.error());
    auto document = engine::json_of(*answer);
    document.erase("groups");
    document.update(causal::to_json(*groups));
    document["inputs"] = inputs;
    document["options"] = {{"target", question.target}, {"where", question.where}};
    if (!question.table.empty()) document["options"]["table"] = question.table;
    if (common.json != "-") print_devices(*answer, *groups, all_ ? groups->devices.size() : kPrintedDevices);
    return write_json(common, document);
  }

private:
  CLI::App* app_ = nullptr;
  std::vector<std::string> files_;
  std::string target_;
  bool all_ = false;
};

} // namespace

std::unique_ptr<Command> devices_command() {
  return std::make_unique<DevicesCommand>();
}

} // namespace jitterscope::app
