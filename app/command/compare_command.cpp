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
#include "core/engine/messages/comparison_answers.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/table_answers.h"
#include "core/engine/messages/table_json.h"
#include "core/engine/messages/table_options.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

using engine::answers::CompareAnswer, engine::answers::ComparedKernelAnswer,
    engine::answers::ComparedRunAnswer, engine::answers::SingleKernelAnswer, engine::answers::Verdict;
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

std::string table_of(const std::vector<ComparedKernelAnswer>& kernels) {
  std::string text = header();
  for (const auto& kernel : kernels) text += line_of(engine::json_of(kernel));
  return text;
}

std::string words_of(Verdict verdict) {
  return engine::words_of_enum(EnumNameVerdict(verdict));
}

std::string time(double ns) {
  return std::isnan(ns) ? "–" : views::formatDuration(ns).toStdString();
}

/// Rows of the table of kernels that meet a condition in the filter language: 1, others 0. The table is
/// opened like any other, so the condition can use all that filters can.
Expected<std::vector<std::uint8_t>> rows_that_meet(const std::string& condition,
                                                   const std::vector<ComparedKernelAnswer>& kernels,
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
std::string junit(const CompareAnswer& compared) {
  QString text;
  QXmlStreamWriter xml(&text);
  xml.setAutoFormatting(true);
  xml.writeStartDocument();
  xml.writeStartElement("testsuite");
  xml.writeAttribute("name", "jitterscope compare");
  xml.writeAttribute("tests", QString::number(compared.kernels.size()));
  xml.writeAttribute("failures", QString::number(compared.fail_if->failed));
  for (const auto& kernel : compared.kernels) {
    xml.writeStartElement("testcase");
    xml.writeAttribute("classname", QString::fromStdString(kernel.run));
    xml.writeAttribute("name", QString::fromStdString(kernel.name + " " + kernel.configuration));
    const auto result = QString::fromStdString(fmt::format(
        "{}: median {} → {}", words_of(kernel.verdict), time(kernel.median_a_ns), time(kernel.median_b_ns)));
    if (*kernel.failed) {
      xml.writeStartElement("failure");
      xml.writeAttribute("message", result);
      xml.writeCharacters(QString::fromStdString(compared.fail_if->condition));
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
  explicit DisplayedNames(const CompareAnswer& compared) {
    add(compared.kernels), add(compared.new_), add(compared.gone);
  }
  template <class Kernel>
  const std::string& of(const Kernel& kernel) const {
    const auto found = names_.find(line_of(kernel));
    const bool several = found != names_.end() && found->second.size() > 1;
    return several ? kernel.name : kernel.short_name;
  }

private:
  template <class Kernel>
  static std::string line_of(const Kernel& kernel) {
    return kernel.short_name + " " + kernel.configuration;
  }
  void add(const auto& kernels) {
    for (const auto& kernel : kernels) names_[line_of(kernel)].insert(kernel.name);
  }
  std::map<std::string, std::set<std::string>> names_; ///< by line
};

std::string ratio_text(const ComparedKernelAnswer& kernel) {
  if (std::isnan(kernel.median_ratio)) return "–";
  auto text = fmt::format("{:.3f}", kernel.median_ratio);
  if (!std::isnan(kernel.ci_low)) text += fmt::format(" ({:.3f} – {:.3f})", kernel.ci_low, kernel.ci_high);
  return text;
}

void print_singles(const char* title, const std::vector<SingleKernelAnswer>& list, const std::string& run,
                   const DisplayedNames& names) {
  std::size_t printed = 0;
  for (const auto& each : list) {
    if (each.run != run) continue;
    if (printed++ == 0) fmt::print("\n{}\n", title);
    if (printed <= kPrintedRows)
      fmt::print("  {:>9} launches, {:>9}  {} {}\n", each.n, time(static_cast<double>(each.sum_ns)),
                 names.of(each), each.configuration);
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
    json inputs;
    auto compared = compare(engine, job, inputs);
    if (!compared) return end_progress(), forward(compared.error());
    if (!fail_if_.empty())
      if (auto done = check_condition(*compared, job); !done) return end_progress(), done;
    end_progress();
    if (common.json != "-" && csv_ != "-" && junit_ != "-") print(*compared);
    if (!csv_.empty())
      if (auto written = write_text(csv_, table_of(compared->kernels)); !written) return written;
    if (!junit_.empty())
      if (auto written = write_text(junit_, junit(*compared)); !written) return written;
    auto document = engine::json_of(*compared);
    document["inputs"] = std::move(inputs);
    document["options"] = {{"tolerance", compared->tolerance}, {"where", common.where}};
    return write_json(common, document);
  }

  int exit_code_of_result() const override { return failed_ ? kFailedCondition : kOk; }

private:
  struct Run {
    std::string name; ///< of several traces
    std::vector<std::string> files;
  };

  std::vector<Run> runs() const {
    std::vector<Run> runs;
    if (!baseline_.empty()) return {{"baseline", baseline_}, {"other run", files_}};
    for (const auto& file : files_) runs.push_back({file, {file}});
    return runs;
  }

  Expected<CompareAnswer> compare(BlockingEngine& engine, const Job& job, json& inputs) {
    std::vector<std::string> stores;
    engine::CompareOptions options{.where = common.where, .tolerance = tolerance_ / 100};
    for (const auto& run : runs()) {
      auto& requested = options.runs.emplace_back();
      for (const auto& file : run.files) {
        auto own = stores_of({file}, common, job);
        if (!own) return forward(own.error());
        for (const auto& store : *own)
          requested.traces.push_back(static_cast<std::uint32_t>(stores.size())), stores.push_back(store);
      }
      if (requested.traces.size() > 1) requested.name = run.name;
    }
    auto info = engine.run(engine::OpenOptions{.stores = stores, .short_names = common.short_names}, job);
    if (!info) return forward(info.error());
    inputs = info->document.at("inputs");
    return engine.run(options, job).and_then(engine::table_of<CompareAnswer>);
  }

  /// Finds the configurations that meet the condition.
  Expected<void> check_condition(CompareAnswer& compared, const Job& job) {
    const auto failed = rows_that_meet(fail_if_, compared.kernels, job);
    if (!failed) return forward(failed.error());
    for (std::size_t k = 0; k < failed->size(); ++k) compared.kernels[k].failed = (*failed)[k] != 0;
    compared.fail_if = std::make_unique<engine::answers::FailIfAnswer>();
    compared.fail_if->condition = fail_if_;
    compared.fail_if->failed = std::ranges::count(*failed, 1);
    failed_ = compared.fail_if->failed > 0;
    return {};
  }

  void print(const CompareAnswer& compared) const {
    const auto& runs = compared.runs;
    const DisplayedNames shown(compared);
    for (std::size_t r = 1; r < runs.size(); ++r) {
      std::map<Verdict, int> verdicts;
      for (const auto& kernel : compared.kernels)
        if (kernel.run == runs[r].name) ++verdicts[kernel.verdict];
      const bool comparable = !verdicts.empty();
      fmt::print(
          "{}{} compared with {}: {} slower, {} faster, {} same, {} unclear, {} with too few launches\n",
          r > 1 ? "\n" : "", runs[r].name, runs[0].name, verdicts[Verdict::Slower], verdicts[Verdict::Faster],
          verdicts[Verdict::Same], verdicts[Verdict::Unclear], verdicts[Verdict::Few]);
      if (!comparable) {
        fmt::print(
            "no kernel ran with the same configuration in both runs: nothing can be compared. Compare runs "
            "of the same program with the same launch parameters; --names short ignores template "
            "arguments.\n");
      } else {
        print_undecided(compared.kernels, runs[r].name, shown);
        print_kernels(compared.kernels, runs[r].name, shown);
      }
      print_singles("only in this run", compared.new_, runs[r].name, shown);
      print_singles("only in the baseline", compared.gone, runs[r].name, shown);
    }
    if (!std::ranges::all_of(runs, &ComparedRunAnswer::repeated))
      fmt::print(
          "\nnote: the intervals do not account for differences between repetitions of the same run; three "
          "or more repetitions (--baseline) show these\n");
  }

  /// The kernel that changes the run's time most, of those without a verdict whose median changes by half.
  static void print_undecided(const std::vector<ComparedKernelAnswer>& kernels, const std::string& run,
                              const DisplayedNames& names) {
    constexpr double kMuch = 1.5, kOfTheRun = 0.01;
    double all = 0, largest = 0;
    const ComparedKernelAnswer* found = nullptr;
    for (const auto& kernel : kernels) {
      if (kernel.run != run) continue;
      all += kernel.sum_a_ns;
      const bool decided = kernel.verdict != Verdict::Few && kernel.verdict != Verdict::Unclear;
      const bool little = kernel.median_ratio < kMuch && kernel.median_ratio > 1 / kMuch;
      if (decided || little || std::isnan(kernel.median_ratio)) continue;
      const auto change = std::fabs(kernel.change_ns) * static_cast<double>(kernel.n_b);
      if (change > largest) largest = change, found = &kernel; // not if NaN
    }
    if (!found || largest < kOfTheRun * all) return;
    fmt::print("undecided, though large: {} changes from {} to {} (medians of {} and {} launches{})\n",
               names.of(*found), time(found->median_a_ns), time(found->median_b_ns), found->n_a, found->n_b,
               found->verdict == Verdict::Few
                   ? fmt::format("; a verdict needs {} of each", analysis::kMinCompared)
                   : std::string());
  }

  void print_kernels(const std::vector<ComparedKernelAnswer>& kernels, const std::string& run,
                     const DisplayedNames& names) const {
    fmt::print("\n{:8} {:26} {:>10} {:>10} {:>9} {:>9} {:>10}  {}\n", "verdict", "ratio of medians (95 %)",
               "baseline", "run", "launches", "launches", "change", "kernel");
    std::size_t printed = 0, all = 0;
    for (const auto& kernel : kernels) {
      if (kernel.run != run) continue;
      ++all;
      const bool failed = kernel.failed.value_or(false);
      if (!all_ && printed >= kPrintedRows && !failed) continue;
      ++printed;
      fmt::print(
          "{:8} {} {} {} {:>9} {:>9} {}  {}{} {}\n", words_of(kernel.verdict), padded(ratio_text(kernel), 26),
          right(time(kernel.median_a_ns), 10), right(time(kernel.median_b_ns), 10), kernel.n_a, kernel.n_b,
          right(time(kernel.change_ns), 10), failed ? "FAILED " : "", names.of(kernel), kernel.configuration);
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
