#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/command/chosen_columns.h"
#include "app/command/plain_table.h"
#include "app/command/session_use.h"
#include "app/engine/options_json.h"
#include "app/engine/row_texts.h"
#include "app/session/questions.h"
#include "core/analysis/filter/filter_tokens.h"
#include "core/causal/base/wording.h"
#include "core/causal/discovery/discovery.h"
#include "core/engine/messages/selection.h"
#include "core/engine/messages/table_answers.h"
#include "core/engine/messages/table_json.h"
#include "core/import/records/units.h"
#include "core/import/text/text.h"

namespace jitterscope::app {
namespace {

/// --do NAME=VALUE, with or without a unit.
struct Intervention {
  std::string name, unit;
  double value = 0;
};

Expected<Intervention> read_intervention(const std::string& text) {
  const auto equals = text.rfind('=');
  const auto refused = [&] {
    return failure(ErrorKind::BadUse, "\"" + text + "\" is not NAME=VALUE", {}, "--do");
  };
  if (equals == std::string::npos || equals == 0) return refused();
  const char* begin = text.c_str() + equals + 1;
  char* end = nullptr;
  const double value = std::strtod(begin, &end);
  if (end == begin) return refused();
  while (*end == ' ') ++end;
  return Intervention{text.substr(0, equals), end, value};
}

/// Converts a value to the unit of its column.
Expected<double> in_unit_of(const Intervention& intervention, const std::string& unit,
                            const std::string& column_unit) {
  if (unit.empty() || unit == column_unit) return intervention.value;
  const auto from = import::normalised_unit(unit), to = import::normalised_unit(column_unit);
  if (from.base != to.base)
    return failure(
        ErrorKind::BadUse,
        column_unit.empty()
            ? fmt::format("{} has no unit, so a value in \"{}\" cannot be converted", intervention.name, unit)
            : fmt::format("{} is in {}, not in \"{}\"", intervention.name, column_unit, unit),
        {}, "--do");
  return intervention.value * from.factor / to.factor;
}

// Replaces headers of the table's file by the names of the corresponding launch columns.
void name_columns(const nlohmann::json& columns, engine::CausalOptions& options) {
  options.target = column_of_launches(columns, options.target);
  for (auto& feature : options.features) feature = column_of_launches(columns, feature);
}

// Escapes slashes in a regular expression, because a slash closes it in the filter language.
std::string as_filter(const std::string& kernel) {
  std::string escaped;
  for (const char c : kernel) {
    if (c == '/') escaped += '\\';
    escaped += c;
  }
  return "name ~ /" + escaped + "/";
}

/// Converts run=NAME and rank=N to a filter. "rest" becomes empty, which means all other launches; other
/// texts are filters already.
std::string as_condition(const std::string& against) {
  if (against == "rest") return {};
  if (against.starts_with("run=")) return "run = " + analysis::quoted_text(against.substr(4));
  if (against.starts_with("rank=")) return "rank = " + against.substr(5);
  return against;
}

// Associations of less than 0.5 % are not printed; the document contains them.
bool is_negligible(const causal::Contribution& contribution) {
  return contribution.role == causal::Role::associated &&
         contribution.attributable_percent.value_or(contribution.percent) < 0.5;
}

void print_intervention(const causal::CausalResult& r, const causal::Intervention& i) {
  fmt::print("do({} = {}): ", i.feature, i.value);
  if (i.mean_after == i.mean_before && i.ci_low == i.ci_high)
    return fmt::print("no change: no path of the graph leads from this factor to {}\n", r.target);
  std::string longer;
  if (i.duration_change_ns)
    longer = fmt::format("; durations {:+.6g} ns on average (95 % interval {:+.6g} to {:+.6g})",
                         *i.duration_change_ns, i.duration_interval.low, i.duration_interval.high);
  fmt::print("mean {} {:.6g} → {:.6g}{}{} (95 % interval {:.6g} to {:.6g}; n = {}){}{}\n",
             i.around_median ? "|duration − median|" : "of " + r.target, i.mean_before, i.mean_after,
             r.target_unit.empty() ? "" : " ", r.target_unit, i.ci_low, i.ci_high, r.n, longer,
             i.extrapolates ? ", outside the observed range" : "");
}

void print_provisional(std::int64_t launches) {
  fmt::print("{}", row_text(fmt::format("This first answer is from {} launches; its intervals are wide.\n",
                                        causal::grouped(launches))));
}

using ContrastAnswer = engine::answers::ContrastAnswer;

void print_contrast(const ContrastAnswer& contrast) {
  if (contrast.provisional) print_provisional(contrast.sampled);
  for (const auto& sentence : contrast.sentences) fmt::print("{}\n", sentence);
}

nlohmann::json document_of(const ContrastAnswer& contrast, const BlockingEngine& engine) {
  auto document = engine::json_of(contrast);
  document["ranks"] = engine.ranks();
  if (contrast.against.empty()) document.erase("against");
  return document;
}

void print_contributions(const std::vector<causal::Contribution>& contributions) {
  // Tables of runs have no attributable shares.
  const bool attributed =
      std::ranges::any_of(contributions, [](const auto& c) { return c.attributable_percent.has_value(); });
  const auto print_shares = [&](std::string_view share, std::string_view interval) {
    if (attributed) fmt::print("{:>12} {:>22} ", share, interval);
  };
  if (!std::ranges::all_of(contributions, is_negligible)) {
    fmt::print("\n");
    print_shares("attributable", "(95 %)");
    fmt::print("{:>22}  {}\n", "of variance (95 %)", "factor");
  }
  for (const auto& c : contributions) {
    if (is_negligible(c)) continue;
    const auto& share = c.attributable_percent;
    const bool category = !c.highest_at.empty();
    print_shares(share ? fmt::format("{:.1f} %", *share) : "–",
                 share ? fmt::format("{:.1f} – {:.1f} %", c.attributable_ci_low, c.attributable_ci_high)
                       : "");
    fmt::print("{:>22}  {}{} {}{} ({})\n",
               fmt::format("{:.1f} % ({:.1f} – {:.1f})", c.percent, c.ci_low, c.ci_high),
               c.under.empty() ? "" : "  same cause: ",
               category     ? " "
               : c.sign < 0 ? "−"
               : c.sign > 0 ? "+"
                            : "?",
               c.label, c.label == c.feature || category ? "" : " [" + c.feature + "]",
               causal::name_in(causal::kRoleNames, c.role));
  }
}

void print_causal(const CausalAnswer& answer, const std::optional<ContrastAnswer>& contrast) {
  const auto& r = answer.result;
  if (contrast) {
    print_contrast(*contrast);
    fmt::print("\n");
  }
  if (answer.rest.provisional) print_provisional(r.n);
  if (!answer.remark.empty()) fmt::print("{}\n", answer.remark);
  for (const auto& sentence : sentences_beyond(contrast, r)) fmt::print("{}\n", sentence);
  fmt::print("{}\n", r.reading_text);
  print_contributions(r.contributions);
  for (const auto& i : r.interventions) print_intervention(r, i);
  for (const auto& c : r.counterfactuals)
    fmt::print("row {}, {} {} → {}: {} {:.6g} → {:.6g} (95 % interval {:.6g} to {:.6g}){}\n", c.row,
               c.feature, c.from, c.to, r.target, c.target_before, c.target_after, c.ci_low, c.ci_high,
               c.extrapolates ? ", outside the observed range" : "");
  if (!r.warnings.empty()) fmt::print("\n");
  for (const auto& w : r.warnings) fmt::print("note [{}]: {}\n", w.code, w.text);
}

class CausalCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    auto* app = parser.add_subcommand("causal",
                                      "Why durations vary: causal graph, attributable shares, interventions");
    app_ = app;
    app->add_option("FILES", files_, "Stores, profiler files, one session file, or one table")->required();
    app->add_option(
        "--target", target_,
        "Quantity to explain: kernel-variability (default of launches), duration, memory-stall or a column");
    app->add_option("--kernel", kernel_,
                    "Only launches of kernels whose name matches this regular expression");
    app->add_option("--features", features_, "Only these columns, comma-separated")->delimiter(',');
    app->add_option(
        "--method", method_,
        "Method that finds the graph: boss (default), pc, ges or lingam; the other methods check every edge");
    app->add_option(
        "--reading", reading_,
        "Differences that are compared: automatic (default), pooled, within or between configurations");
    app->add_option("--scale", scale_,
                    "Scale of the columns: automatic (rank-normal for columns with heavy tails; "
                    "default), rank-normal, log1p or raw");
    app->add_option("--tiers", knowledge_,
                    "Background knowledge: JSON or CSV file of tiers, required and forbidden edges");
    app->add_option("--bootstrap", bootstrap_,
                    "Bootstrap resamples for intervals and stability (default 200)")
        ->check(CLI::Range(0, 1'000'000));
    app->add_option("--do", interventions_,
                    "Expected change with the factor NAME set to VALUE: NAME=VALUE, in the unit of the "
                    "column or with a unit (1.4GHz)");
    app->add_option("--row", row_, "With --do: the result for this row (launch, counted from 0)")
        ->check(CLI::NonNegativeNumber);
    app->add_option("--max-rows", max_rows_,
                    "Number of launches above which a sample is analysed (0: always all; default 131,072, up "
                    "to 2,000,000 where fewer do not represent the variability of all)")
        ->check(CLI::NonNegativeNumber);
    constexpr const char* kHidden = "";
    app->add_option("--most-rows", max_rows_, "Former name of --max-rows")
        ->check(CLI::NonNegativeNumber)
        ->group(kHidden);
    app->add_flag(
        "--provisional", provisional_,
        "Give a first answer sooner, with wide intervals, from a sample of 10,000 launches (with --against "
        "12,288)");
    app->add_option("--against", against_,
                    "Compare the launches of --where, --kernel or --kept-bins with the same launches "
                    "elsewhere: rest (all others), run=NAME, rank=N or a filter");
    app->add_flag("--kept-bins", kept_bins_, "Only launches in the top-ranked bins");
    add_engine(*app, common, engine::Divides::in_ranks);
    add_open(*app, common);
    add_metrics(*app, common);
    add_efficiencies(*app, common);
    add_json(*app, common);
    return app;
  }

  Expected<void> run() override {
    if (auto kept = keep_inputs(files_, {common.json}); !kept) return kept;
    if (!against_.empty())
      if (auto used = refuse_options(*app_,
                                     {"--target", "--features", "--method", "--reading", "--scale", "--tiers",
                                      "--bootstrap", "--do", "--row", "--max-rows", "--most-rows"},
                                     "with --against, which compares durations with those of other launches");
          !used)
        return used;
    auto options = engine_options();
    if (!options) return forward(options.error());
    auto session = extract_session(files_, common);
    if (!session) return forward(session.error());
    engine::BinsOptions ranking{.where = options->where};
    const bool of_session = session->has_value();
    auto rows = QuestionRows::Own;
    if (of_session) rows = use_causal_choices(**session, *options);
    if (rows == QuestionRows::KeptBins) {
      kept_bins_ = true;
      use_bin_choices(**session, ranking);
    }
    const Job job = terminal_job();
    BlockingEngine engine(common.ranks);
    const bool of_launches = of_session || !common.where.empty() || !kernel_.empty() || kept_bins_ ||
                             !against_.empty() || !common.mapping.empty() || !common.metrics.empty() ||
                             !common.efficiencies.empty();
    const bool table = files_.size() == 1 && !of_launches && is_plain_table(files_.front(), job);
    // Launch tables are imported like traces; other tables keep the names of their columns. The answer is the
    // same as for the imported table.
    if (table && !table_has_launches(files_.front(), job)) {
      auto asked = *options;
      asked.table = files_.front();
      if (auto done = set_interventions(nullptr, true, asked); !done) return done;
      const auto inputs = inputs_of_files(files_, job);
      if (!inputs) return end_progress(), forward(inputs.error());
      const auto answer = answer_causal(engine, asked, QuestionRows::Own, job);
      if (!answer) return end_progress(), forward(answer.error());
      return report_answer(engine, *answer, *inputs);
    }
    auto info = open_session(engine, files_, common, job);
    if (!info) return forward(info.error());
    if (auto chosen = choose_columns(engine, common, *info, job); !chosen) return end_progress(), chosen;
    if (table) name_columns(info->at("columns"), *options);
    options->target = column_of_launches(info->at("columns"), options->target, files_, job);
    if (auto done = set_interventions(&info->at("columns"), table || !common.mapping.empty(), *options);
        !done)
      return done;
    if (kept_bins_)
      if (auto restricted = restrict_to_kept_bins(engine, *options, ranking, job); !restricted)
        return restricted;
    if (!against_.empty()) return compare(engine, *options, *info, job);
    auto contrast = answer_contrast(engine, selection_in(*options), rows,
                                    of_session ? (*session)->causal.against : std::string(), job);
    if (!contrast) return end_progress(), forward(contrast.error());
    auto asked = answer_causal(engine, *options, rows, job);
    if (!asked) return end_progress(), forward(asked.error());
    return report_answer(engine, *asked, info->at("inputs"), *contrast);
  }

private:
  /// Error if no launch meets the condition of --against: a name may be misspelled.
  Expected<void> check_peers(BlockingEngine& engine, const std::string& condition, const nlohmann::json& info,
                             const Job& job) const {
    if (condition.empty()) return {};
    std::vector<std::string> runs;
    for (const auto& trace : info.at("alignment")) runs.push_back(trace.at("name").get<std::string>());
    const bool of_run = against_.starts_with("run=");
    const auto hint = of_run ? fmt::format("Open runs: {}.", fmt::join(runs, ", ")) : std::string();
    const bool has_runs = std::ranges::any_of(info.at("columns"),
                                              [](const auto& column) { return column.at("name") == "run"; });
    if (of_run && !has_runs)
      return failure(ErrorKind::BadUse, "the open files are one run, so there is no other run", {},
                     "--against", "Import each run into its own store, then name both stores.");
    auto found = engine.run(engine::LaunchesOptions{.where = condition, .count = 1}, job);
    if (!found) {
      auto error = found.error();
      if (error.place.empty()) error.place = "--against";
      return forward(std::move(error));
    }
    const auto rows = engine::table_of<engine::answers::LaunchesAnswer>(*found);
    if (!rows) return forward(rows.error());
    if (rows->numbers.empty())
      return failure(ErrorKind::BadUse, row_text(fmt::format("no launch meets the condition {}", condition)),
                     {}, "--against", hint);
    return {};
  }

  /// Compares the selected launches with their peers.
  Expected<void> compare(BlockingEngine& engine, const engine::CausalOptions& options,
                         const nlohmann::json& info, const Job& job) const {
    const auto condition = as_condition(against_);
    if (auto there = check_peers(engine, condition, info, job); !there) return end_progress(), there;
    auto question = contrast_question(selection_in(options), condition);
    question.provisional = provisional_;
    if (question.where.empty() && question.intervals.empty()) {
      if (condition.empty())
        return failure(ErrorKind::BadUse,
                       row_text("all launches are selected, so none are left to compare them with"), {},
                       "--against", row_text("Select launches with --where, --kernel or --kept-bins."));
      question.where = "not (" + condition + ")";
    }
    const auto answer = engine.run(question, job).and_then(engine::table_of<ContrastAnswer>);
    end_progress();
    if (!answer) return forward(answer.error());
    auto document = document_of(*answer, engine);
    document["inputs"] = info.at("inputs");
    document["options"] = options_json(question);
    document["options"]["against"] = against_;
    if (common.json != "-") print_contrast(*answer);
    return write_json(common, document);
  }

  Expected<void> report_answer(const BlockingEngine& engine, const CausalAnswer& answer,
                               const nlohmann::json& inputs,
                               const std::optional<ContrastAnswer>& contrast = {}) const {
    end_progress();
    auto document = engine::json_of(answer.rest);
    document.erase("result");
    document.update(causal::to_json(answer.result));
    document["ranks"] = engine.ranks();
    document["question"] = "inside";
    document["inputs"] = inputs;
    document["options"] = options_json(answer.question);
    if (!answer.remark.empty()) document["remark"] = answer.remark;
    if (contrast) document["contrast"] = document_of(*contrast, engine);
    if (common.json != "-") print_causal(answer, contrast);
    return write_json(common, document);
  }

  Expected<engine::CausalOptions> engine_options() const {
    engine::CausalOptions options{.target = target_,
                                  .features = features_,
                                  .method = method_,
                                  .reading = reading_,
                                  .scale = scale_,
                                  .bootstrap = bootstrap_,
                                  .knowledge_file = knowledge_,
                                  .provisional = provisional_};
    if (max_rows_ >= 0) options.most_rows = max_rows_;
    if (row_ >= 0 && interventions_.empty())
      return failure(ErrorKind::BadUse,
                     "--row shows one row with a factor set to another value, but no factor is set", {},
                     "--row", "Add --do NAME=VALUE.");
    if (row_ >= 0) options.row = row_;
    std::string where = common.where;
    if (!kernel_.empty()) where = (where.empty() ? "" : "(" + where + ") and ") + as_filter(kernel_);
    options.where = where;
    for (const auto& text : interventions_)
      if (const auto intervention = read_intervention(text); !intervention)
        return forward(intervention.error()); // reported before any file is opened
    return options;
  }

  /// `columns`: columns of the launches; null for a plain table, whose headers contain the units.
  Expected<void> set_interventions(const nlohmann::json* columns, bool of_table,
                                   engine::CausalOptions& options) const {
    for (const auto& text : interventions_) {
      const auto intervention = read_intervention(text);
      if (!intervention) return forward(intervention.error());
      const auto name =
          columns && of_table ? column_of_launches(*columns, intervention->name) : intervention->name;
      std::string unit(import::split_unit(intervention->name).unit), column_unit = unit;
      if (columns)
        for (const auto& column : *columns)
          if (column.at("name") == name) column_unit = column.at("unit").get<std::string>();
      if (name == intervention->name) unit = column_unit;
      const auto value =
          in_unit_of(*intervention, intervention->unit.empty() ? unit : intervention->unit, column_unit);
      if (!value) return forward(value.error());
      options.interventions.push_back({.feature = name, .value = *value});
    }
    return {};
  }

  const CLI::App* app_ = nullptr;
  std::vector<std::string> files_, features_, interventions_;
  std::string target_, kernel_, against_, method_ = "boss", reading_ = "automatic", scale_ = "automatic",
                                          knowledge_;
  int bootstrap_ = 200;
  bool provisional_ = false;
  std::int64_t max_rows_ = -1; // default limit of the engine
  std::int64_t row_ = -1;
  bool kept_bins_ = false;
};

} // namespace

std::unique_ptr<Command> causal_command() {
  return std::make_unique<CausalCommand>();
}

} // namespace jitterscope::app
