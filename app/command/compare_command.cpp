#include <QTemporaryDir>
#include <QXmlStreamWriter>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/core.h>

#include "app/command/chosen_columns.h"
#include "app/command/command.h"
#include "app/command/text_fields.h"
#include "core/analysis/distributions/comparison.h"
#include "core/base/output_file.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/table_answers.h"
#include "core/engine/messages/table_options.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

constexpr std::size_t kPrintedRows = 20;
constexpr const char* kColumns[] = {"run",         "name",        "configuration", "n_a",       "n_b",
                                    "median_a_ns", "median_b_ns", "median_ratio",  "ci_low",    "ci_high",
                                    "p",           "q",           "verdict",       "mean_a_ns", "mean_b_ns",
                                    "sum_a_ns",    "sum_b_ns",    "change_ns",     "cv_a",      "cv_b"};

std::string header() {
  std::string line;
  for (const char* column : kColumns) line += (line.empty() ? "" : ",") + std::string(column);
  return line + "\n";
}

std::string line_of(const json& kernel) {
  std::string line;
  for (const char* column : kColumns) line += (line.empty() ? "" : ",") + csv_field(kernel.at(column));
  return line + "\n";
}

std::string table_of(const json& kernels) {
  std::string text = header();
  for (const auto& kernel : kernels) text += line_of(kernel);
  return text;
}

std::string time(const json& ns) {
  if (ns.is_null()) return "–";
  return views::formatDuration(ns.get<double>()).toStdString();
}

/// Rows of the table of kernels that meet a condition in the filter language: 1, others 0. The table is
/// opened like any other, so the condition can use all that filters can.
Expected<std::vector<std::uint8_t>> rows_that_meet(const std::string& condition, const json& kernels,
                                                   const Job& job) {
  std::vector<std::uint8_t> meets(kernels.size());
  if (kernels.empty()) return meets;
  const QTemporaryDir folder;
  const auto table = QFile::encodeName(folder.filePath("kernels.csv")).toStdString(),
             store = QFile::encodeName(folder.filePath("kernels.jts")).toStdString();
  // A last row with all values: a column without any value would not be a column of numbers.
  json complete = json::object();
  for (const char* column : kColumns) complete[column] = 0.5;
  for (const char* column : {"run", "name", "configuration", "verdict"}) complete[column] = "-";
  if (auto written = write_output(table, table_of(kernels) + line_of(complete)); !written)
    return forward(written.error());
  CommonOptions own;
  own.mapping = {"kernel=name"};
  if (auto imported = import_store({table}, store, own, job); !imported) return forward(imported.error());
  BlockingEngine engine(1);
  if (auto opened = engine.run(engine::OpenOptions{.stores = {store}}, job); !opened)
    return forward(opened.error());
  const auto answer = engine.run(
      engine::LaunchesOptions{.where = condition, .count = static_cast<std::int64_t>(kernels.size() + 1)},
      job);
  const auto rows = answer.and_then(engine::table_of<engine::answers::LaunchesAnswer>);
  if (!rows) {
    auto error = rows.error();
    error.place = "--fail-if" + (error.place.empty() ? "" : ": " + error.place);
    return forward(std::move(error));
  }
  for (const auto row : rows->numbers)
    if (const auto at = static_cast<std::size_t>(row); at < meets.size()) meets[at] = 1;
  return meets;
}

/// The comparison as JUnit XML, which continuous integration displays: one test per configuration, which
/// fails if it meets the condition.
std::string junit(const json& document, const std::vector<std::uint8_t>& failed,
                  const std::string& condition) {
  QString text;
  QXmlStreamWriter xml(&text);
  xml.setAutoFormatting(true);
  xml.writeStartDocument();
  xml.writeStartElement("testsuite");
  xml.writeAttribute("name", "jitterscope compare");
  xml.writeAttribute("tests", QString::number(failed.size()));
  xml.writeAttribute("failures", QString::number(std::count(failed.begin(), failed.end(), 1)));
  const auto& kernels = document.at("kernels");
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const auto& kernel = kernels[k];
    const auto of = [&](const char* key) {
      return QString::fromStdString(kernel.at(key).get<std::string>());
    };
    xml.writeStartElement("testcase");
    xml.writeAttribute("classname", of("run"));
    xml.writeAttribute("name", of("name") + " " + of("configuration"));
    const auto result =
        QString::fromStdString(fmt::format("{}: median {} → {}", kernel.at("verdict").get<std::string>(),
                                           time(kernel.at("median_a_ns")), time(kernel.at("median_b_ns"))));
    if (failed[k]) {
      xml.writeStartElement("failure");
      xml.writeAttribute("message", result);
      xml.writeCharacters(QString::fromStdString(condition));
      xml.writeEndElement();
    } else {
      xml.writeTextElement("system-out", result);
    }
    xml.writeEndElement();
  }
  xml.writeEndDocument();
  return text.toStdString();
}

/// Names for display: short names, or full names where several kernels would have the same line.
class DisplayedNames {
public:
  explicit DisplayedNames(const json& document) {
    for (const char* list : {"kernels", "new", "gone"})
      for (const auto& kernel : document.value(list, json::array()))
        names_[line_of(kernel)].insert(kernel.at("name"));
  }
  std::string of(const json& kernel) const {
    const auto found = names_.find(line_of(kernel));
    const bool several = found != names_.end() && found->second.size() > 1;
    return kernel.at(several ? "name" : "short_name").get<std::string>();
  }

private:
  static std::string line_of(const json& kernel) {
    return kernel.at("short_name").get<std::string>() + " " + kernel.at("configuration").get<std::string>();
  }
  std::map<std::string, std::set<std::string>> names_; ///< by line
};

std::string ratio_text(const json& kernel) {
  if (kernel.at("median_ratio").is_null()) return "–";
  auto text = fmt::format("{:.3f}", kernel.at("median_ratio").get<double>());
  if (!kernel.at("ci_low").is_null())
    text += fmt::format(" ({:.3f} – {:.3f})", kernel.at("ci_low").get<double>(),
                        kernel.at("ci_high").get<double>());
  return text;
}

void print_singles(const char* title, const json& list, const std::string& run, const DisplayedNames& names) {
  std::size_t printed = 0;
  for (const auto& each : list) {
    if (each.at("run") != run) continue;
    if (printed++ == 0) fmt::print("\n{}\n", title);
    if (printed <= kPrintedRows)
      fmt::print("  {:>9} launches, {:>9}  {} {}\n", each.at("n").get<std::int64_t>(),
                 time(each.at("sum_ns")), names.of(each), each.at("configuration").get<std::string>());
  }
  if (printed > kPrintedRows) fmt::print("  … and {} more\n", printed - kPrintedRows);
}

class CompareCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    auto* app = parser.add_subcommand(
        "compare",
        "Runs, kernel by kernel: which configurations became slower or faster; a test for scripts");
    app->add_option("FILES", files_,
                    "Stores or profiler files: the first is the baseline, each other one is compared with it")
        ->required();
    app->add_option("--baseline", baseline_,
                    "Repetitions of the baseline; FILES are then repetitions of one other run")
        ->allow_extra_args();
    app->add_option("--tolerance", tolerance_, "Difference of medians that does not matter, in percent (1)")
        ->check(CLI::Range(0.0, 99.0));
    auto* gate =
        app->add_option("--fail-if", fail_if_,
                        "End with exit code 5 if a configuration meets this condition on the columns of "
                        "--csv, e.g. 'verdict = \"slower\" and median_ratio > 1.05'");
    app->add_option("--junit", junit_, "Write the configurations as tests in JUnit XML")->needs(gate);
    app->add_option("--csv", csv_, "Write the compared configurations as a table");
    app->add_flag("--all", all_, "Print all configurations, not only the first 20 of each run");
    add_engine(*app, common, engine::Divides::in_threads);
    add_open(*app, common);
    add_json(*app, common);
    return app;
  }

  Expected<void> run() override {
    auto read = files_;
    read.insert(read.end(), baseline_.begin(), baseline_.end());
    if (auto kept = keep_inputs(read, {common.json, csv_, junit_}); !kept) return kept;
    if (files_.size() + baseline_.size() < 2)
      return failure(ErrorKind::BadUse, "a comparison needs two runs", {}, "FILES",
                     "Name the baseline first, then the other run.");
    const Job job = terminal_job();
    BlockingEngine engine(common.ranks);
    auto compared = compare(engine, job);
    if (!compared) return end_progress(), forward(compared.error());
    json& document = *compared;
    std::vector<std::uint8_t> failed;
    if (!fail_if_.empty()) {
      auto rows = rows_that_meet(fail_if_, document.at("kernels"), job);
      if (!rows) return end_progress(), forward(rows.error());
      failed = std::move(*rows);
      document["fail_if"] = {{"condition", fail_if_},
                             {"failed", std::count(failed.begin(), failed.end(), 1)}};
      for (std::size_t k = 0; k < failed.size(); ++k) document["kernels"][k]["failed"] = failed[k] != 0;
      failed_ = std::count(failed.begin(), failed.end(), 1) > 0;
    }
    end_progress();
    if (common.json != "-" && csv_ != "-" && junit_ != "-") print(document, failed);
    if (!csv_.empty())
      if (auto written = write_text(csv_, table_of(document.at("kernels"))); !written) return written;
    if (!junit_.empty())
      if (auto written = write_text(junit_, junit(document, failed, fail_if_)); !written) return written;
    return write_json(common, document);
  }

  int exit_code_of_result() const override { return failed_ ? kFailedCondition : kOk; }

private:
  struct Run {
    std::string name;
    std::vector<std::string> files;
  };

  std::vector<Run> runs() const {
    std::vector<Run> runs;
    if (!baseline_.empty()) return {{"baseline", baseline_}, {"other run", files_}};
    for (const auto& file : files_) runs.push_back({file, {file}});
    return runs;
  }

  /// The document of the engine, with the names of runs.
  Expected<json> compare(BlockingEngine& engine, const Job& job) {
    std::vector<std::string> stores;
    engine::CompareOptions options{.where = common.where, .tolerance = tolerance_ / 100};
    const auto all = runs();
    for (const auto& run : all) {
      auto& traces = options.runs.emplace_back().traces;
      for (const auto& file : run.files) {
        auto own = stores_of({file}, common, job);
        if (!own) return forward(own.error());
        for (const auto& store : *own)
          traces.push_back(static_cast<std::uint32_t>(stores.size())), stores.push_back(store);
      }
    }
    auto info = engine.run(engine::OpenOptions{.stores = stores, .short_names = common.short_names}, job);
    if (!info) return forward(info.error());
    auto answer = engine.run(options, job);
    if (!answer) return forward(answer.error());
    json document = std::move(answer->document);
    for (std::size_t r = 0; r < all.size(); ++r) {
      const auto& of = document["runs"][r].at("traces");
      document["runs"][r]["name"] = of.size() == 1 ? of[0] : json(all[r].name);
    }
    for (const char* list : {"kernels", "new", "gone"})
      for (auto& each : document[list])
        each["run"] = document["runs"][each.at("run").get<std::size_t>()]["name"];
    document["inputs"] = info->document.at("inputs");
    document["options"] = {{"tolerance", options.tolerance}, {"where", options.where}};
    return document;
  }

  void print(const json& d, const std::vector<std::uint8_t>& failed) const {
    const auto& runs = d.at("runs");
    const DisplayedNames shown(d);
    for (std::size_t r = 1; r < runs.size(); ++r) {
      const auto name = runs[r].at("name").get<std::string>();
      std::map<std::string, int> verdicts;
      for (const auto& kernel : d.at("kernels"))
        if (kernel.at("run") == name) ++verdicts[kernel.at("verdict").get<std::string>()];
      const bool comparable = !verdicts.empty();
      fmt::print(
          "{}{} compared with {}: {} slower, {} faster, {} same, {} unclear, {} with too few launches\n",
          r > 1 ? "\n" : "", name, runs[0].at("name").get<std::string>(), verdicts["slower"],
          verdicts["faster"], verdicts["same"], verdicts["unclear"], verdicts["few"]);
      if (!comparable) {
        fmt::print(
            "no kernel ran with the same configuration in both runs: nothing can be compared. Compare runs "
            "of the same program with the same launch parameters; --names short ignores template "
            "arguments.\n");
      } else {
        print_undecided(d.at("kernels"), name, shown);
        print_kernels(d.at("kernels"), name, failed, shown);
      }
      print_singles("only in this run", d.at("new"), name, shown);
      print_singles("only in the baseline", d.at("gone"), name, shown);
    }
    if (std::any_of(runs.begin(), runs.end(), [](const json& run) { return !run.at("repeated"); }))
      fmt::print(
          "\nnote: the intervals do not account for differences between repetitions of the same run; three "
          "or more repetitions (--baseline) show these\n");
  }

  /// The kernel that changes the run's time most, of those without a verdict whose median changes by half.
  static void print_undecided(const json& kernels, const std::string& run, const DisplayedNames& names) {
    constexpr double kMuch = 1.5, kOfTheRun = 0.01;
    double all = 0, largest = 0;
    const json* found = nullptr;
    for (const auto& kernel : kernels) {
      if (kernel.at("run") != run) continue;
      all += kernel.at("sum_a_ns").get<double>();
      const auto& ratio = kernel.at("median_ratio");
      const auto verdict = kernel.at("verdict").get<std::string>();
      if ((verdict != "few" && verdict != "unclear") || ratio.is_null() || kernel.at("change_ns").is_null() ||
          (ratio < kMuch && ratio > 1 / kMuch))
        continue;
      const auto change = std::fabs(kernel.at("change_ns").get<double>()) * kernel.at("n_b").get<double>();
      if (change > largest) largest = change, found = &kernel;
    }
    if (!found || largest < kOfTheRun * all) return;
    const auto launches = [&](const char* key) { return found->at(key).get<std::int64_t>(); };
    fmt::print("undecided, though large: {} changes from {} to {} (medians of {} and {} launches{})\n",
               names.of(*found), time(found->at("median_a_ns")), time(found->at("median_b_ns")),
               launches("n_a"), launches("n_b"),
               found->at("verdict") == "few"
                   ? fmt::format("; a verdict needs {} of each", analysis::kMinCompared)
                   : std::string());
  }

  void print_kernels(const json& kernels, const std::string& run, const std::vector<std::uint8_t>& failed,
                     const DisplayedNames& names) const {
    fmt::print("\n{:8} {:26} {:>10} {:>10} {:>9} {:>9} {:>10}  {}\n", "verdict", "ratio of medians (95 %)",
               "baseline", "run", "launches", "launches", "change", "kernel");
    std::size_t printed = 0, all = 0;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const auto& kernel = kernels[k];
      if (kernel.at("run") != run) continue;
      ++all;
      if (!all_ && printed >= kPrintedRows && (failed.empty() || !failed[k])) continue;
      ++printed;
      fmt::print("{:8} {} {} {} {:>9} {:>9} {}  {}{} {}\n", kernel.at("verdict").get<std::string>(),
                 padded(ratio_text(kernel), 26), right(time(kernel.at("median_a_ns")), 10),
                 right(time(kernel.at("median_b_ns")), 10), kernel.at("n_a").get<std::int64_t>(),
                 kernel.at("n_b").get<std::int64_t>(), right(time(kernel.at("change_ns")), 10),
                 !failed.empty() && failed[k] ? "FAILED " : "", names.of(kernel),
                 kernel.at("configuration").get<std::string>());
    }
    if (printed < all) fmt::print("… and {} more; --all prints them\n", all - printed);
  }

  static std::string right(const std::string& text, int width) {
    return QString::fromStdString(text).rightJustified(width).toStdString();
  }

  std::vector<std::string> files_, baseline_;
  std::string fail_if_, junit_, csv_;
  double tolerance_ = 1;
  bool all_ = false, failed_ = false;
};

} // namespace

std::unique_ptr<Command> compare_command() {
  return std::make_unique<CompareCommand>();
}

} // namespace jitterscope::app
