#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <fmt/format.h>

#include "app/command/chosen_columns.h"
#include "app/command/command.h"
#include "app/engine/decode.h"
#include "core/causal/base/wording.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/table_answers.h"
#include "core/engine/messages/table_json.h"
#include "core/engine/messages/table_options.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

std::string duration(const nlohmann::json& ns) {
  return ns.is_null() ? "–" : views::formatDuration(ns.get<double>(), 6).toStdString();
}

std::string count(const nlohmann::json& n) {
  return views::formatCount(n.get<std::uint64_t>()).toStdString();
}

// "4,096 B, 2 of unknown size": unrecorded sizes are not in the sum.
std::string sizes(const nlohmann::json& sums) {
  const auto unknown = sums.value("bytes_unknown", std::uint64_t{0});
  if (unknown == 0) return count(sums.at("bytes_sum")) + " B";
  if (unknown == sums.at("count").get<std::uint64_t>()) return "sizes unknown";
  return fmt::format("{} B, {} of unknown size", count(sums.at("bytes_sum")), count(unknown));
}

// Prints both ends. If they have the same text (a clock that counts from the start of the machine), prints
// the start and the length.
void print_span(const nlohmann::json& begin, const nlohmann::json& end) {
  const auto from = duration(begin), to = duration(end);
  if (from != to || begin.is_null())
    fmt::print("            {} – {}\n", from, to);
  else
    fmt::print(
        "            starts at {} on the clock of the trace, lasts {}\n", from,
        views::formatDuration(static_cast<double>(end.get<std::int64_t>() - begin.get<std::int64_t>()), 6)
            .toStdString());
}

// Prints the traces of one archive once, with their number.
void print_inputs(const nlohmann::json& inputs) {
  const auto alike = [](const nlohmann::json& a, const nlohmann::json& b) {
    return std::ranges::all_of(
        std::array{"path", "format", "tool", "schema", "sha256", "alignment", "checksums"},
        [&](const char* key) { return a.at(key) == b.at(key); });
  };
  for (std::size_t i = 0, next = 0; i < inputs.size(); i = next) {
    const auto& input = inputs[i];
    while (next < inputs.size() && alike(inputs[next], input)) ++next;
    fmt::print("{}{}\n  {} {}  schema {}  {} B  sha256 {}…\n  {}\n{}", input.at("path").get<std::string>(),
               next - i > 1 ? fmt::format("  ({} traces)", next - i) : std::string(),
               input.at("format").get<std::string>(), input.at("tool").get<std::string>(),
               input.at("schema").get<std::string>().empty() ? "not stated"
                                                             : input.at("schema").get<std::string>(),
               count(input.at("bytes")), input.at("sha256").get<std::string>().substr(0, 12),
               input.at("alignment").get<std::string>(),
               input.at("checksums").get<bool>()
                   ? ""
                   : "  unverified: the store has no checksums; import the trace again to add them\n");
  }
}

std::string quantity(const nlohmann::json& value, double factor, const char* unit) {
  return value.is_null() ? std::string("unknown")
                         : fmt::format("{:.4g} {}", value.get<double>() * factor, unit);
}

// Prints the benchmark results that the performance model uses.
void print_machine(const nlohmann::json& machine) {
  for (const auto& gpu : machine.at("gpus")) {
    fmt::print("GPU {}: {} multiprocessors, {}\n", gpu.at("name").get<std::string>(),
               gpu.at("multiprocessors").get<std::int64_t>(), quantity(gpu.at("clock_hz"), 1e-9, "GHz"));
    for (const auto& level : gpu.at("levels"))
      fmt::print("  {:5} latency {}, bandwidth {}, size {}\n", level.at("name").get<std::string>(),
                 quantity(level.at("latency_cycles"), 1, "cycles"),
                 quantity(level.at("bandwidth_bytes_per_second"), 1e-9, "GB/s"),
                 level.at("size_bytes").is_number()
                     ? causal::value_in_words(level.at("size_bytes").get<double>(), "B", 4)
                     : std::string("unknown"));
  }
  for (const auto& m : machine.at("networks"))
    fmt::print("{} {}: {} message sizes, {}, {} memory, {} pairs\n", m.at("name").get<std::string>(),
               m.at("tool").get<std::string>(), m.at("points").size(), m.at("distance").get<std::string>(),
               m.at("memory").get<std::string>(), m.at("pairs").get<double>());
  for (const auto& b : machine.at("bandwidths"))
    fmt::print("{}: {}\n", b.at("name").get<std::string>(),
               quantity(b.at("bandwidth_bytes_per_second"), 1e-9, "GB/s"));
}

void print_info(const nlohmann::json& d) {
  print_inputs(d.at("inputs"));
  for (const auto& device : d.at("devices"))
    fmt::print("device {}: {}\n", device.value("device", 0),
               device.at("name") == "" ? "name not recorded" : device.at("name").get<std::string>());
  const auto rows = d.value("rows", std::string("launches"));
  const auto& launches = d.at(d.contains("analysed") ? "analysed" : "launches");
  // Rows of a table that states no kernel have no names.
  const auto named = rows == "rows" ? std::string()
                                    : fmt::format(" of {} {}", count(launches.at("kernels")),
                                                  rows == "launches" ? "kernels" : "names");
  fmt::print("{:<11} {}{} in {} configurations, Σ {}\n", rows, count(launches.at("count")), named,
             count(launches.at("configurations")), duration(launches.at("duration_sum_ns")));
  if (axis_of(d) == views::AxisUnit::Launches)
    fmt::print("            without times: in the order of the table; {} of {} columns have only one value\n",
               count(d.at("constant_columns")), count(d.at("columns").size()));
  else
    print_span(launches.at("first_start_ns"), launches.at("last_end_ns"));
  fmt::print("transfers   {}, {}\n", count(d.at("transfers").at("count")), sizes(d.at("transfers")));
  for (const auto& [kind, sums] : d.at("transfers").at("by_kind").items())
    fmt::print("            {:28} {:>10} {:>20}\n", kind, count(sums.at("count")), sizes(sums));
  if (const auto& sets = d.at("memsets"); sets.at("count").get<std::int64_t>() > 0)
    fmt::print("memsets     {}, {}\n", count(sets.at("count")), sizes(sets));
  fmt::print("calls {} · MPI calls {} · messages {} · ranges {} · samples {} of {} counters\n",
             count(d.at("calls").at("count")), count(d.at("mpi_calls").at("count")),
             count(d.at("messages").at("count")), count(d.at("ranges").at("count")),
             count(d.at("samples").at("count")), count(d.at("samples").at("counters")));
  fmt::print("streams {} · MPI ranks {} · processes {}\n", count(d.at("streams")), count(d.at("ranks")),
             count(d.at("processes")));
  print_machine(d.at("machine"));
  for (const auto& trace : d.at("alignment"))
    if (const auto pattern = trace.at("collective_kernels").get<std::string>(); !pattern.empty())
      fmt::print("kernels that communicate: also those whose names match {}\n", pattern);
  if (d.contains("collectives")) fmt::print("collectives:\n");
  for (const auto& sentence :
       d.value("collectives", nlohmann::json::object()).value("sentences", nlohmann::json::array()))
    fmt::print("  {}\n", sentence.get<std::string>());
  if (!d.at("report").empty()) fmt::print("import report:\n");
  for (const auto& entry : d.at("report"))
    fmt::print("  {:7} {:>8} ×  {} [{}]\n", entry.at("severity").get<std::string>(),
               entry.at("count").get<std::int64_t>(), entry.at("text").get<std::string>(),
               entry.at("code").get<std::string>());
}

std::string damaged_places(const engine::answers::VerifiedStoreAnswer& store) {
  std::vector<std::string> places;
  for (const auto& rows : store.damaged)
    places.push_back(fmt::format("{}.{} rows {} to {}", rows.table, rows.column, rows.first, rows.last - 1));
  for (const auto& range : store.other)
    places.push_back(fmt::format("strings or file structure in bytes {} to {}", range.begin, range.end - 1));
  return fmt::format("{}", fmt::join(places, ", "));
}

void print_verification(const engine::answers::VerifyStoresAnswer& verified) {
  for (const auto& store : verified.stores)
    if (!store.checksums)
      fmt::print("{}: unverified, because the store has no checksums; import the trace again to add them\n",
                 store.path);
    else
      fmt::print("{}: {} B compared, {}\n", store.path, count(store.bytes),
                 store.intact ? "intact" : "damaged");
}

/// The document of the devices at collectives.
nlohmann::json document_of(const engine::answers::ArrivalsAnswer& arrivals) {
  auto document = engine::json_of(arrivals);
  const auto complete = [](nlohmann::json& why) {
    auto& parts = why.at("parts_ns");
    parts["not-launched"] = parts.at("not_launched"), parts.erase("not_launched");
    for (const char* key : {"host_longer", "host_meanwhile"})
      for (auto& call : why.at(key))
        if (call.at("name") == "") call["name"] = nullptr; // no recorded activity
  };
  for (auto& one : document.at("participants")) complete(one.at("why"));
  if (arrivals.at) complete(document.at("at").at("why"));
  return document;
}

/// Moves counts of rows that are not launches to `analysed`: `launches` counts only kernels on devices.
void separate_rows(nlohmann::json& info) {
  const auto kind = info.value("rows", std::string("launches"));
  if (kind == "launches" || kind == "mixed" || kind == "rows") return;
  auto& launches = info.at("launches");
  info["analysed"] = launches;
  for (auto& [key, value] : launches.items())
    value = key == "first_start_ns" || key == "last_end_ns" ? nlohmann::json() : nlohmann::json(0);
}

class InfoCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    auto* app = parser.add_subcommand("info", "Content of a trace or store");
    app->add_option("FILES", files_, "Stores or profiler files")->required();
    app->add_flag("--columns", columns_, "List the columns of launches with their meaning");
    app->add_flag("--verify", verify_, "Only check the stores against their checksums and list damaged rows");
    add_open(*app, common);
    add_metrics(*app, common);
    add_efficiencies(*app, common);
    add_json(*app, common);
    return app;
  }

  Expected<void> run() override {
    if (auto kept = keep_inputs(files_, {common.json}); !kept) return kept;
    BlockingEngine engine(1);
    if (verify_) return verify(engine);
    auto info = open_session(engine, files_, common, terminal_job());
    if (!info) return end_progress(), forward(info.error());
    if (auto chosen = choose_columns(engine, common, *info, terminal_job()); !chosen)
      return end_progress(), chosen;
    if (axis_of(*info) == views::AxisUnit::Time) {
      const auto arrivals = engine.run(engine::ArrivalsOptions(), terminal_job())
                                .and_then(engine::table_of<engine::answers::ArrivalsAnswer>);
      if (!arrivals) return end_progress(), forward(arrivals.error());
      if (!arrivals->participants.empty()) (*info)["collectives"] = document_of(*arrivals);
    }
    end_progress();
    separate_rows(*info);
    if (common.json != "-") {
      print_info(*info);
      if (columns_)
        for (const auto& column : info->at("columns"))
          fmt::print("  {:32} {:4} {}{}\n", column.at("name").get<std::string>(),
                     column.at("unit").get<std::string>(), column.at("description").get<std::string>(),
                     column.at("constant").get<bool>() ? " (only one value)" : "");
    }
    return write_json(common, *info);
  }

private:
  Expected<void> verify(BlockingEngine& engine) {
    auto stores = stores_of(files_, common, terminal_job());
    if (!stores) return end_progress(), forward(stores.error());
    const auto found = engine.run(engine::VerifyStoresOptions{.stores = *stores}, terminal_job())
                           .and_then(engine::table_of<engine::answers::VerifyStoresAnswer>);
    end_progress();
    if (!found) return forward(found.error());
    if (common.json != "-") print_verification(*found);
    for (const auto& store : found->stores)
      if (!store.intact)
        return failure(ErrorKind::BadInput, "the store is damaged", store.path, damaged_places(store),
                       "Import the original trace again.");
    return write_json(common, engine::json_of(*found));
  }

  std::vector<std::string> files_;
  bool columns_ = false, verify_ = false;
};

} // namespace

std::unique_ptr<Command> info_command() {
  return std::make_unique<InfoCommand>();
}

} // namespace jitterscope::app
