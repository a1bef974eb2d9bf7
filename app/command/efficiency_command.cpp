#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/core.h>

#include "app/command/command.h"
#include "app/command/text_fields.h"
#include "app/controllers/efficiency_text.h"
#include "app/engine/number_list.h"
#include "app/engine/options_json.h"
#include "core/efficiency/efficiency_json.h"
#include "core/efficiency/talp/talp_file.h"
#include "core/store/hdf5/checksum.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

constexpr std::size_t kPrintedParts = 20;

std::string time_text(const json& ns) {
  return views::formatDuration(ns.get<double>(), 4).toStdString();
}

std::string share(const json& part, const json& whole) {
  return fmt::format("{:.1f} %", 100 * part.get<double>() / whole.get<double>());
}

/// Number of parents of a factor in a list of factors.
int depth_of(const json& factors, const json& factor) {
  int depth = 0;
  for (json parent = factor.at("parent"); !parent.is_null();) {
    ++depth;
    json next;
    for (const auto& other : factors)
      if (other.at("factor") == parent) next = other.at("parent");
    parent = next;
  }
  return depth;
}

void print_tree(const json& d) {
  for (const auto& loss : d.at("losses")) {
    const int depth = depth_of(d.at("losses"), loss);
    const auto factor = QString::fromStdString(loss.at("factor").get<std::string>());
    if (depth == 0) fmt::print("\n");
    fmt::print("{} {:>8}  {:>12}  {}\n",
               padded(efficiency_text::title_in_tree(factor, depth).toStdString(), 36),
               efficiency_text::percent(loss.at("value")).toStdString(), time_text(loss.at("cost_ns")),
               efficiency_text::where(loss).toStdString());
  }
}

void print_rows(const json& document, const char* list,
                const std::vector<std::pair<const char*, const char*>>& columns, const char* title,
                std::size_t maximum) {
  const auto &rows = document.at(list), &elapsed = document.at("elapsed_ns");
  if (rows.empty()) return;
  fmt::print("\n{:<28}", title);
  for (const auto& [key, name] : columns) fmt::print("{:>22}", name);
  fmt::print("\n");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == maximum) {
      fmt::print("… and {} more; --all prints them\n", rows.size() - maximum);
      break;
    }
    fmt::print("{}", padded(rows[i].at("name").get<std::string>(), 28));
    for (const auto& [key, name] : columns)
      fmt::print("{}", (efficiency_text::is_recorded(document, key)
                            ? QString::fromStdString(time_text(rows[i].at(key)) +
                                                     fmt::format(" {:>8}", share(rows[i].at(key), elapsed)))
                            : QString("–"))
                           .rightJustified(22)
                           .toStdString());
    fmt::print("\n");
  }
}

void print_factors(const json& of) {
  const auto value = [&](const char* object, const char* key) {
    return efficiency_text::percent(of.at(object).at(key)).toStdString();
  };
  const auto short_value = [](const std::string& text) {
    return text == "not determined" ? std::string("–") : text;
  };
  for (const auto& [object, key] : {std::pair{"device", "parallel"},
                                    {"device", "load_balance"},
                                    {"device", "communication"},
                                    {"device", "orchestration"},
                                    {"host", "parallel"},
                                    {"host", "mpi"},
                                    {"host", "offload"},
                                    {"mpi", "parallel"},
                                    {"mpi", "load_balance"},
                                    {"mpi", "communication"}})
    fmt::print("{}", QString::fromStdString(short_value(value(object, key))).rightJustified(9).toStdString());
  fmt::print("\n");
}

void print_table(const json& rows, const std::function<std::string(const json&)>& name,
                 const std::string& title, std::size_t maximum) {
  fmt::print("\n{:<28}{:^36}{:^27}{:^27}\n", title, "device", "host", "POP");
  fmt::print("{:<28}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}\n", "", "parallel", "balance", "comm",
             "orch", "parallel", "MPI", "offload", "parallel", "balance", "comm");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == maximum) {
      fmt::print("… and {} more; --all prints them\n", rows.size() - maximum);
      break;
    }
    fmt::print("{}", padded(name(rows[i]), 28));
    print_factors(rows[i]);
  }
}

void print_scaling(const json& scaling, std::size_t maximum) {
  for (const char* of : {"hosts", "devices"}) {
    const auto& s = scaling.at(of);
    if (s.is_null()) continue;
    fmt::print("\n{} relative to the reference run ({} scaling)\n", of, s.at("scaling").get<std::string>());
    for (const auto& [key, title] : {std::pair{"computation", "computation"},
                                     {"instructions", "  × instructions"},
                                     {"ipc", "  × IPC"},
                                     {"frequency", "  × frequency"},
                                     {"global", "global efficiency"}})
      if (s.contains(key))
        fmt::print("{} {:>8}\n", padded(title, 36), efficiency_text::percent(s.at(key)).toStdString());
    if (!s.at("speedup").is_null()) fmt::print("{:<36} {:>8.3f}\n", "speedup", s.at("speedup").get<double>());
  }
  if (scaling.at("kernels").empty()) return;
  fmt::print("\n{:>12} {:>12} {:>12}  kernel (collectives are not in the sum: {})\n", "computation", "here",
             "reference", efficiency_text::percent(scaling.at("kernels_computation")).toStdString());
  for (std::size_t i = 0; i < std::min(maximum, scaling.at("kernels").size()); ++i) {
    const auto& kernel = scaling.at("kernels")[i];
    fmt::print("{:>12} {:>12} {:>12}  {:.90}\n",
               efficiency_text::percent(kernel.at("computation")).toStdString(),
               time_text(kernel.at("duration_ns")), time_text(kernel.at("reference_ns")),
               kernel.at("name").get<std::string>());
  }
  if (const auto all = scaling.at("kernels").size(); all > maximum)
    fmt::print("… and {} more; --all prints them\n", all - maximum);
}

void print_reference(const json& reference) {
  fmt::print("Reference: {}, {}\n", reference.at("name").get<std::string>(),
             reference.contains("range_ns")
                 ? efficiency_text::range_text(reference.at("range_ns")).toStdString()
                 : "region " + reference.at("region").get<std::string>());
  if (!reference.at("note").is_null()) fmt::print("{}\n", reference.at("note").get<std::string>());
}

/// `collectives_here`: collectives are recorded and count as communication. `inactive`: host threads have
/// other time.
void print_comparison(const json& comparison, bool collectives_here, bool inactive) {
  const auto& talp = comparison.at("talp");
  fmt::print("\n{:<36} {:>10} {:>10} {:>12}   TALP: {}, region {}, DLB {}\n", "against TALP", "here", "TALP",
             "difference", talp.at("file").get<std::string>(), talp.at("region").get<std::string>(),
             talp.at("version").get<std::string>());
  const auto& factors = comparison.at("factors");
  for (const auto& factor : factors) {
    if (factor.at("here").is_null() && factor.at("talp").is_null()) continue;
    const auto& difference = factor.at("difference");
    const auto title = efficiency_text::title_in_tree(
        QString::fromStdString(factor.at("factor").get<std::string>()), depth_of(factors, factor));
    fmt::print("{} {:>10} {:>10} {:>12}\n", padded(title.toStdString(), 36),
               efficiency_text::percent(factor.at("here")).toStdString(),
               efficiency_text::percent(factor.at("talp")).toStdString(),
               difference.is_null() ? "–" : fmt::format("{:+.1f} points", 100 * difference.get<double>()));
  }
  if (inactive)
    fmt::print("TALP leaves out time that is neither useful nor in MPI nor in calls of a GPU's runtime.\n");
  if (collectives_here)
    fmt::print("TALP counts collectives of devices as useful: --collectives-as useful compares the same.\n");
}

void print_efficiency(const json& d, const std::string& by, std::size_t maximum) {
  const auto& range = d.at("range_ns");
  const Nanoseconds begin{range.at("begin").get<std::int64_t>()}, end{range.at("end").get<std::int64_t>()};
  const Nanoseconds step{std::max<std::int64_t>((end - begin).count / 1000, 1)};
  const auto counted = [&](const char* rows, const char* one) {
    const auto count = d.at(rows).size();
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
  };
  fmt::print("{} – {} ({}), {}, {}{}\n", views::formatTime(begin, step).toStdString(),
             views::formatTime(end, step).toStdString(), time_text(d.at("elapsed_ns")),
             counted("devices", "device"), counted("hosts", "host thread"),
             d.at("devices").empty() ? std::string() : "; " + efficiency_text::convention(d).toStdString());
  print_tree(d);
  print_rows(d, "devices",
             {{"useful_ns", "useful"},
              {"communication_ns", "exposed communication"},
              {"hidden_communication_ns", "hidden communication"},
              {"idle_ns", "idle"}},
             "device", maximum);
  print_rows(d, "hosts",
             {{"useful_ns", "useful"}, {"mpi_ns", "MPI"}, {"offload_ns", "offload"}, {"other_ns", "other"}},
             "host thread", maximum);
  if (by == "rank")
    print_table(
        d.at("ranks"),
        [](const json& r) {
          return r.at("rank").is_null() ? "rank unknown" : fmt::format("rank {}", r.at("rank").get<int>());
        },
        "by rank", maximum);
  if (by == "device")
    print_table(
        d.at("by_device"), [](const json& r) { return r.at("name").get<std::string>(); }, "by device",
        maximum);
  if (by == "step")
    print_table(
        d.at("steps").at("ranges"),
        [](const json& r) {
          const Nanoseconds from{r.at("begin_ns").get<std::int64_t>()},
              to{r.at("end_ns").get<std::int64_t>()};
          const Nanoseconds digit{std::max<std::int64_t>((to - from).count / 100, 1)};
          return fmt::format("{} + {}", views::formatTime(from, digit).toStdString(),
                             views::formatDuration(to - from, 3).toStdString());
        },
        "by \"" + d.at("steps").at("name").get<std::string>() + "\"", maximum);
  if (d.contains("timeline"))
    print_table(
        d.at("timeline"),
        [](const json& r) {
          const Nanoseconds from{r.at("begin_ns").get<std::int64_t>()},
              to{r.at("end_ns").get<std::int64_t>()};
          return views::formatTime(from, {std::max<std::int64_t>((to - from).count / 10, 1)}).toStdString();
        },
        "by time", maximum);
  if (d.contains("comparison"))
    print_comparison(
        d.at("comparison"),
        d.at("collectives_as") == "comm" && d.at("recorded").at("collectives").get<bool>(),
        std::ranges::any_of(d.at("hosts"), [](const json& host) { return host.at("other_ns") > 0; }));
  if (d.contains("scaling")) print_scaling(d.at("scaling"), maximum);
  fmt::print("\n");
  if (d.contains("reference")) print_reference(d.at("reference"));
  for (const auto& note : efficiency_text::notes(d)) fmt::print("{}\n", note.toStdString());
}

class EfficiencyCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    auto* app = parser.add_subcommand(
        "efficiency", "Efficiencies of devices, hosts and MPI, with the cost, rank and time of each factor");
    app_ = app;
    app->add_option("FILES", files_, "Stores or profiler files of one run")->required();
    app->add_option(
           "--range", range_,
           "Range of the time axis, A:B; default: from the first to the last GPU activity; without GPUs, "
           "host activity")
        ->type_name("A:B");
    app->add_option("--collectives-as", collectives_,
                    "Count kernels of NCCL, RCCL and NVSHMEM as comm (communication, default) or useful")
        ->check(CLI::IsMember({"comm", "useful"}));
    app->add_option("--only-ranks", only_ranks_, "Only these ranks of the program, such as 0-3,7")
        ->type_name("LIST");
    app->add_option("--only-devices", only_devices_, "Only devices with these numbers, such as 0,1")
        ->type_name("LIST");
    app->add_option("--by", by_, "Add the efficiencies of each rank, device or step")
        ->check(CLI::IsMember({"rank", "device", "step"}));
    app->add_option("--step", step_, "With --by step: text that the names of step ranges contain");
    app->add_option("--reference", reference_,
                    "Run to compare with: a file, the name of a trace in FILES, or a TALP JSON file")
        ->type_name("RUN");
    app->add_option("--reference-range", reference_range_,
                    "Range of the reference run, A:B; default: as that of --range")
        ->type_name("A:B");
    app->add_option("--compare", compare_,
                    "TALP JSON file whose factors are shown next to those of the trace")
        ->type_name("TALP.json");
    app->add_option("--talp-region", talp_region_, "Region of the TALP file; default: Global")
        ->type_name("NAME");
    app->add_option("--talp", talp_, "Write the efficiencies as TALP JSON (DLB 3.6) to this file")
        ->type_name("FILE");
    app->add_option("--timeline", timeline_,
                    "Divide the range into this number of equal parts and add the efficiencies of each")
        ->check(CLI::Range(1, 1'000'000));
    app->add_option("--csv", csv_, "Write the timeline, steps, ranks or devices as CSV to this file")
        ->type_name("FILE");
    app->add_option("--ideal-time", ideal_,
                    "Elapsed time on an ideal network, as Dimemas computes it: needed to separate "
                    "serialisation from transfer");
    app->add_flag("--all", all_, "Print all rows, not only the first 20");
    add_engine(*app, common, engine::Divides::in_threads);
    app->remove_option(app->get_option("--where"));
    add_open(*app, common);
    add_json(*app, common);
    return app;
  }

  Expected<void> run() override {
    if (auto kept = keep_inputs(files_, {common.json, talp_, csv_}); !kept) return kept;
    if (auto kept = keep_inputs({compare_, reference_}, {common.json, talp_, csv_}); !kept) return kept;
    if (by_ != "step")
      if (auto used = refuse_options(*app_, {"--step"}, "without --by step"); !used) return used;
    if (compare_.empty() && !efficiency::is_talp_file(reference_))
      if (auto used = refuse_options(*app_, {"--talp-region"}, "without a TALP file"); !used) return used;
    const Job job = terminal_job();
    auto options = options_of();
    if (!options) return forward(options.error());
    std::optional<efficiency::TalpFile> compared;
    if (!compare_.empty()) {
      auto read = efficiency::read_talp_file(compare_);
      if (!read) return forward(read.error());
      compared = std::move(*read);
    }
    BlockingEngine engine(common.ranks);
    auto info = open_session(engine, files_, common, job);
    if (!info) return end_progress(), forward(info.error());
    if (!reference_.empty())
      if (auto added = add_reference(engine, *options, job); !added) return end_progress(), added;
    auto answer = engine.run(*options, job);
    end_progress();
    if (!answer) return forward(answer.error());
    auto& document = answer->document;
    if (by_ == "device" && document.at("devices").empty())
      return failure(ErrorKind::BadUse, "the analysed traces have no devices", {}, "--by", "Use --by rank.");
    if (compared) {
      auto region = compared->region(talp_region_);
      if (!region) return forward(region.error());
      document["comparison"] = efficiency::compare_with_talp(document, *compared, **region, compare_);
    }
    if (auto written = write_talp(document); !written) return written;
    if (auto written = write_csv(document); !written) return written;
    describe_reference(document);
    document["inputs"] = info->at("inputs");
    document["options"] = options_json(*options);
    document["schema_version"] = 1;
    if (common.json != "-" && csv_ != "-" && talp_ != "-")
      print_efficiency(document, by_, all_ ? SIZE_MAX : kPrintedParts);
    return write_json(common, document);
  }

private:
  Expected<engine::EfficiencyOptions> options_of() const {
    engine::EfficiencyOptions options{.collectives_as = collectives_, .by = by_, .step = step_};
    if (auto added = add_chosen(options); !added) return forward(added.error());
    if (!range_.empty()) {
      auto range = parse_range(range_);
      if (!range) return forward(range.error());
      options.begin_ns = range->at(0), options.end_ns = range->at(1);
    }
    if (timeline_ > 0) options.timeline = timeline_;
    options.talp = !talp_.empty();
    if (!csv_.empty() && timeline_ == 0 && by_.empty())
      return failure(ErrorKind::BadUse, "--csv writes a timeline, steps, ranks or devices", {}, "--csv",
                     "Add --timeline N, --by step, --by rank or --by device.");
    if (!csv_.empty() && timeline_ > 0 && !by_.empty())
      return failure(ErrorKind::BadUse, "--csv writes one table", {}, "--csv", "Omit --timeline or --by.");
    if (!reference_range_.empty() && reference_.empty())
      return failure(ErrorKind::BadUse, "--reference-range needs --reference");
    if (ideal_.empty()) return options;
    auto ideal = parse_time(ideal_, "--ideal-time");
    if (!ideal) return forward(ideal.error());
    if (*ideal <= 0)
      return failure(ErrorKind::BadUse, "the time on an ideal network must be longer than 0", {},
                     "--ideal-time");
    options.ideal_ns = *ideal;
    return options;
  }

  /// Adds the chosen ranks and devices, of the analysed run and of the reference run.
  Expected<void> add_chosen(engine::EfficiencyOptions& options) const {
    auto added = add_numbers(only_ranks_, "--only-ranks", options.ranks);
    return added ? add_numbers(only_devices_, "--only-devices", options.devices) : added;
  }

  /// Adds the sums of the reference run: of a region of a TALP file, of another file, or of one trace of the
  /// session. In the last case, the other traces are the analysed run.
  Expected<void> add_reference(BlockingEngine& engine, engine::EfficiencyOptions& options, const Job& job) {
    reference_of_ = {{"name", reference_}};
    if (efficiency::is_talp_file(reference_)) return add_talp_reference(options, job);
    engine::EfficiencyOptions requested{.collectives_as = collectives_, .sums = true};
    if (auto added = add_chosen(requested); !added) return added;
    if (!reference_range_.empty()) {
      auto range = parse_range(reference_range_);
      if (!range) return forward(range.error());
      requested.begin_ns = range->at(0), requested.end_ns = range->at(1);
    }
    if (std::filesystem::exists(reference_)) {
      if (files_.size() > 1 && std::ranges::any_of(files_, [&](const std::string& file) {
            std::error_code ignored;
            return std::filesystem::equivalent(file, reference_, ignored);
          }))
        return failure(ErrorKind::BadUse, "the reference run is one of several FILES", reference_,
                       "--reference", "Name only the files of the analysed run before --reference.");
      BlockingEngine other(common.ranks);
      auto opened = open_session(other, {reference_}, common, job);
      if (!opened) return forward(opened.error());
      reference_of_["inputs"] = opened->at("inputs");
      return read_sums(other.run(requested, job), options);
    }
    requested.traces = {reference_};
    options.traces_except = {reference_};
    auto answer = engine.run(requested, job);
    if (!answer && answer.error().place == "traces") {
      answer.error().message =
          fmt::format("\"{}\" is neither a file nor a trace of this session", reference_);
      answer.error().place = "--reference";
    }
    return read_sums(std::move(answer), options);
  }

  Expected<void> add_talp_reference(engine::EfficiencyOptions& options, const Job& job) {
    if (!reference_range_.empty())
      return failure(ErrorKind::BadUse, "a TALP file has regions, not ranges", reference_,
                     "--reference-range", "Choose a region with --talp-region.");
    auto talp = efficiency::read_talp_file(reference_);
    if (!talp) return forward(talp.error());
    auto region = talp->region(talp_region_);
    if (!region) return forward(region.error());
    if (!only_ranks_.empty() || !only_devices_.empty())
      fmt::print(
          stderr,
          "note: the region of the TALP file contains all ranks and devices, not only the chosen ones\n");
    options.reference = efficiency::talp_sums(**region, collectives_).dump();
    reference_of_["region"] = (**region).name;
    auto checksum = store::sha256_of_file(reference_, job);
    if (!checksum) return forward(checksum.error());
    reference_of_["inputs"] = json::array({{{"path", reference_}, {"sha256", *checksum}}});
    return {};
  }

  Expected<void> write_talp(json& document) const {
    if (talp_.empty()) return {};
    const auto text = document.at("talp").dump(2) + "\n";
    document.erase("talp");
    return write_text(talp_, text);
  }

  Expected<void> write_csv(const json& document) const {
    if (csv_.empty()) return {};
    const auto& rows = timeline_ > 0     ? document.at("timeline")
                       : by_ == "rank"   ? document.at("ranks")
                       : by_ == "device" ? document.at("by_device")
                                         : document.at("steps").at("ranges");
    const std::vector<const char*> titles = timeline_ > 0     ? std::vector{"begin_ns", "end_ns"}
                                            : by_ == "rank"   ? std::vector{"rank"}
                                            : by_ == "device" ? std::vector{"name", "rank", "number"}
                                                              : std::vector{"begin_ns", "end_ns"};
    std::string text;
    for (const char* title : titles) text += (title == titles.front() ? "" : ",") + std::string(title);
    const auto factors = efficiency::to_json(efficiency::Factors());
    for (const auto& [object, keys] : factors.items())
      for (const auto& [key, none] : keys.items()) text += "," + object + "." + key;
    text += "\n";
    for (const auto& row : rows) {
      for (const char* title : titles)
        text += (title == titles.front() ? "" : ",") + csv_field(row.at(title));
      for (const auto& [object, keys] : factors.items())
        for (const auto& [key, none] : keys.items()) {
          const auto& value = row.at(object).at(key);
          text += "," + (value.is_null() ? std::string() : value.dump());
        }
      text += "\n";
    }
    return write_text(csv_, text);
  }

  Expected<void> read_sums(Expected<engine::Answer> answer, engine::EfficiencyOptions& options) {
    if (!answer) return forward(answer.error());
    options.reference = answer->document.at("sums").dump();
    for (const char* key : {"range_ns", "range_given"}) reference_of_[key] = answer->document.at(key);
    return {};
  }

  /// Completes the description of the reference run, with a note if its range is not chosen as that of this
  /// run.
  void describe_reference(json& document) const {
    if (reference_of_.is_null()) return;
    auto& reference = document["reference"] = reference_of_;
    reference["note"] = json();
    if (reference.value("range_given", false) == document.at("range_given")) return;
    const auto range = efficiency_text::range_text(document.at("range_ns")).toStdString();
    const auto there = reference.contains("range_ns")
                           ? efficiency_text::range_text(reference.at("range_ns")).toStdString()
                           : "region " + reference.at("region").get<std::string>();
    reference["note"] =
        fmt::format("Scaling compares {} of this run{} with {} of the reference{}: they may contain "
                    "different work. Choose the same part of both runs with --range and "
                    "--reference-range.",
                    range, document.at("range_given").get<bool>() ? " (--range)" : "", there,
                    reference.value("range_given", false) ? " (--reference-range)" : "");
  }

  const CLI::App* app_ = nullptr;
  std::vector<std::string> files_;
  std::string range_, collectives_ = "comm", by_, step_, reference_, ideal_, compare_, talp_region_, talp_,
                      csv_;
  std::string reference_range_, only_ranks_, only_devices_;
  json reference_of_; ///< description of the reference run in the answer; null without one
  int timeline_ = 0;
  bool all_ = false;
};

} // namespace

std::unique_ptr<Command> efficiency_command() {
  return std::make_unique<EfficiencyCommand>();
}

} // namespace jitterscope::app
