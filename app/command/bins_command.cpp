#include <sstream>

#include <QFile>
#include <fmt/core.h>

#include "app/command/bin_reasons.h"
#include "app/command/bins_output.h"
#include "app/command/chosen_columns.h"
#include "app/command/command.h"
#include "app/command/dry_run_output.h"
#include "app/engine/decode.h"
#include "app/engine/options_json.h"
#include "app/engine/row_texts.h"
#include "core/analysis/columns/call_sites.h"
#include "core/causal/base/wording.h"
#include "core/engine/ranks/dry_run.h"
#include "core/reasons/contrast.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

std::string label(const nlohmann::json& group) {
  return group.is_null() ? "–" : group.is_string() ? group.get<std::string>() : group.dump();
}

std::string mostly(const nlohmann::json& bin) {
  if (bin.at("top_kernel").is_null()) return {};
  return fmt::format("{} ({})", bin.at("top_kernel").get<std::string>(),
                     causal::share_in_words(100 * bin.at("top_kernel_share").get<double>()));
}

/// "took 52 % longer than the same launches elsewhere: 96 % from GPC clock 0.71 GHz, elsewhere 1.41 GHz";
/// empty if reasons were not requested.
std::string reason_text(const nlohmann::json& bin) {
  if (!bin.contains("reason")) return {};
  const auto& percent = bin.at("excess_percent");
  const auto excess = percent.is_null()
                          ? std::string()
                          : row_text(fmt::format("took {} the same launches elsewhere: ",
                                                 analysis::excess_words(percent.get<double>())));
  const auto& reason = bin.at("reason");
  if (reason.is_null()) return excess + bin.at("reason_note").get<std::string>();
  const auto text = reason.at("text").get<std::string>();
  // Different work is a difference from the configuration, not from the same launches elsewhere.
  const bool of_work = reason.at("feature").get<std::string>() == analysis::kCallSite;
  return of_work || reason.at("percent").is_null()
             ? text
             : excess + fmt::format("{:.0f} % from {}", reason.at("percent").get<double>(), text);
}

void print_bins(const nlohmann::json& d) {
  const QString unit = QString::fromStdString(d.at("unit").get<std::string>());
  const auto statistic = d.at("rank_by").get<std::string>();
  const QString unit_of_rank = statistic == "cv"                            ? QString()
                               : statistic == "variance" && !unit.isEmpty() ? unit + "²"
                                                                            : unit;
  const auto axis = axis_of(d);
  const auto place = [&](const char* key, const nlohmann::json& of) {
    return axis == views::AxisUnit::Time
               ? views::formatDuration(of.at(key).get<double>(), 9).toStdString()
               : views::formatPlace({of.at(key).get<std::int64_t>()}, {1}, axis).toStdString();
  };
  const auto by = d.at("by").get<std::string>();
  fmt::print("bins of {} from {}, {} ranked by {}; {} of {} {} kept\n",
             views::formatLength({d.at("width_ns").get<std::int64_t>()}, axis).toStdString(),
             place("origin_ns", d), d.at("metric").get<std::string>(), statistic,
             causal::grouped(d.at("kept").size()), causal::grouped(d.at("bin_count").get<std::int64_t>()),
             by.empty() ? "non-empty bins" : "parts of bins, each with one " + by + ",");
  fmt::print("computed by {} {} of {} {}\n", d.at("ranks").get<int>(), d.at("ranks") == 1 ? "rank" : "ranks",
             d.at("threads_per_rank").get<int>(), d.at("threads_per_rank") == 1 ? "thread" : "threads");
  if (const auto missing = d.at("missing").get<std::int64_t>(); missing > 0)
    fmt::print("{}", row_text(fmt::format(
                         "{} {} no value of this metric and {} not counted\n", causal::grouped(missing),
                         missing == 1 ? "launch has" : "launches have", missing == 1 ? "is" : "are")));
  fmt::print("{:>5} {:>8} {:>14} {:>8} {:>12} {:>12} {:>8}  {}\n", "rank", "bin", "start", "n", statistic,
             "median", "CV", by.empty() ? row_text("top kernel") : by);
  for (const auto& bin : d.at("kept_bins")) {
    const auto value = [&](const std::string& key) {
      return bin.at(key).is_null()
                 ? std::string("–")
                 : views::formatValue(bin.at(key).get<double>(), key == statistic ? unit_of_rank
                                                                 : key == "cv"    ? ""
                                                                                  : unit)
                       .toStdString();
    };
    fmt::print("{:>5} {:>8} {:>14} {:>8} {:>12} {:>12} {:>8}  {}\n", bin.at("rank").get<std::int64_t>(),
               bin.at("index").get<std::int64_t>(), place("start_ns", bin), bin.at("n").get<std::int64_t>(),
               value(statistic), value("median"), value("cv"),
               bin.contains("group") ? label(bin.at("group")) : mostly(bin));
    if (const auto text = reason_text(bin); !text.empty()) fmt::print("{:>15}{}\n", "", text);
  }
  if (d.at("bin_count").get<std::int64_t>() == 0)
    fmt::print("{}", row_text("no launch of the selection has a value of this metric\n"));
  if (d.contains("no_reasons"))
    fmt::print("The bins have no reasons: {}\n", row_text(d.at("no_reasons").get<std::string>()));
}

class BinsCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    auto* app = parser.add_subcommand("bins", "Statistics of time bins and their ranking");
    app_ = app;
    app->add_option("FILES", files_, "Stores or profiler files")->required();
    app->add_option("--width", width_,
                    "Length of a bin, e.g. 10ms (default: the length that gives 2,000 bins); for tables "
                    "without times a number of launches");
    app->add_option(
           "--metric", metrics_,
           "duration, kernel-variability (default), memory-stall, any column, or a metric: a *.metric file "
           "or a shipped metric (help metrics); further metrics become columns for --where")
        ->type_name("COLUMN|FILE|NAME")
        ->allow_extra_args(false);
    add_efficiencies(*app, common);
    add_open(*app, common);
    app->add_option("--by", by_,
                    "Divide every bin by kernel, stream, device, rank, range or another text column");
    app->add_option("--rank-by", rank_by_, "sum (default), variance, cv, iqr, max or mean");
    app->add_option("--top", top_, "Bins to keep: a share (1%, default, at least 20 bins) or a number");
    app->add_flag("--why", why_,
                  "Add the reason for every kept bin: why its launches take longer or shorter than the same "
                  "launches elsewhere; of whole bins, so not with --by")
        ->excludes("--by");
    app->add_option("--csv", csv_, "Write all bins as CSV (- for standard output)");
    auto* dry_run = app->add_option(
        "--dry-run", dry_run_,
        "Predict the time of this analysis on these numbers of MPI ranks, e.g. 128,256,512,1024: computation "
        "is measured with one rank at a time, messages are counted and their time is predicted");
    app->add_option("--ranks-per-node", ranks_per_node_, "Ranks per node in a dry run (default 4)")
        ->needs(dry_run);
    app->add_option("--plot", plot_, "Write a picture of the dry run to this file (.svg, .png or .pdf)")
        ->needs(dry_run);
    add_engine(*app, common, engine::Divides::in_threads);
    add_json(*app, common);
    return app;
  }

  bool paints() const override { return !plot_.empty(); }

  Expected<void> run() override {
    if (auto file = refuse_standard_output(plot_); !file) return file;
    if (auto kept = keep_inputs(files_, {csv_, common.json, plot_}); !kept) return kept;
    if (!dry_run_.empty())
      if (auto used = refuse_options(*app_, {"--csv", "--why", "--ranks", "--efficiencies"},
                                     "with --dry-run, which shows times and not the bins");
          !used)
        return used;
    if (!dry_run_.empty() && metrics_.size() > 1)
      return failure(ErrorKind::BadUse, "a dry run has one metric", {}, "--metric", "Leave out the others.");
    auto options = engine_options();
    if (!options) return forward(options.error());
    if (!dry_run_.empty()) return rehearse(*options);
    BlockingEngine engine(common.ranks);
    const Job job = terminal_job();
    auto info = open_session(engine, files_, common, job);
    if (!info) return forward(info.error());
    auto metric = choose_named(engine, common, metrics_, *info, job);
    if (!metric) return end_progress(), forward(metric.error());
    options->metric = *metric;
    options->all = lists_all_bins();
    auto answer = engine.run(*options, job);
    if (!answer) end_progress();
    if (!answer) return forward(answer.error());
    auto& document = answer->document;
    if (why_)
      if (auto added = add_reasons(engine, {.where = common.where}, document, job); !added) {
        end_progress();
        if (added.error().kind != ErrorKind::BadInput) return added;
        document["no_reasons"] = added.error().message; // the ranking is still useful
      }
    if (const auto left_out = document.value("bins_left_out", std::int64_t{0}); left_out > 0)
      fmt::print(stderr,
                 "jitterscope: only the kept bins are listed, because there are more than 1,000,000 bins; {} "
                 "others are left out. Use a larger --width.\n",
                 left_out);
    document["inputs"] = info->at("inputs");
    document["options"] = options_json(*options);
    document["options"]["all"] = options->all;
    complete(common, document);
    if (!csv_.empty())
      if (auto written = write_csv(*answer); !written) return written;
    if (common.json != "-" && csv_ != "-") print_bins(document);
    return common.json.empty() ? Expected<void>() : write_text(common.json, bins_json(*answer));
  }

private:
  bool lists_all_bins() const { return !csv_.empty() || !common.json.empty(); }

  Expected<void> rehearse(const engine::BinsOptions& options) const {
    engine::DryRunOptions requested;
    requested.bins = options;
    requested.bins.all = lists_all_bins();
    requested.ranks_per_node = ranks_per_node_;
    auto ranks = parse_rank_list(dry_run_);
    if (!ranks) return forward(ranks.error());
    requested.ranks = std::move(*ranks);
    const Job job = terminal_job();
    auto stores = stores_of(files_, common, job);
    if (!stores) return forward(stores.error());
    requested.stores = std::move(*stores);
    auto document = engine::dry_run(requested, job);
    end_progress();
    if (!document) return forward(document.error());
    auto& inputs = (*document)["inputs"] = nlohmann::json::array();
    for (const auto& store : requested.stores) inputs.push_back({{"path", store}}); // only sizes are read
    (*document)["options"] = options_json(options);
    if (common.json != "-") print_dry_run(*document);
    if (!plot_.empty()) {
      const auto paint = dry_run_plot(*document, views::ViewStyle::paper());
      if (auto saved = views::exportPicture(QFile::decodeName(plot_.c_str()), {900, 520}, 1,
                                            "Jitterscope dry run", paint);
          !saved)
        return saved;
    }
    return write_json(common, *document);
  }

  Expected<engine::BinsOptions> engine_options() const {
    engine::BinsOptions options{.where = common.where,
                                .metric = metrics_.empty() ? std::string() : metrics_.front(),
                                .by = by_,
                                .rank_by = rank_by_};
    if (!width_.empty()) {
      auto width = parse_time(width_, "--width");
      if (!width) return forward(width.error());
      if (*width <= 0) return failure(ErrorKind::BadUse, "the width of a bin must be above 0", {}, "--width");
      options.width_ns = *width;
    }
    char* end = nullptr;
    const double top = std::strtod(top_.c_str(), &end);
    const bool share = std::string(end) == "%";
    const bool whole = top >= 1 && top <= 1e7 && top == static_cast<double>(static_cast<std::int64_t>(top));
    if (end == top_.c_str() || (share ? !(top > 0 && top <= 100) : *end || !whole))
      return failure(ErrorKind::BadUse, "\"" + top_ + "\" is neither a share nor a number of bins", {},
                     "--top", "Examples: 1%, 50.");
    if (share)
      options.top_share = top / 100;
    else
      options.top_count = static_cast<std::int64_t>(top);
    return options;
  }

  Expected<void> write_csv(const engine::Answer& answer) const {
    std::ostringstream text;
    write_bins_csv(text, answer);
    return write_text(csv_, text.view());
  }

  const CLI::App* app_ = nullptr;
  std::vector<std::string> files_;
  std::vector<std::string> metrics_;
  std::string width_, by_, rank_by_ = "sum", top_ = "1%", csv_, dry_run_, plot_;
  int ranks_per_node_ = 4;
  bool why_ = false;
};

} // namespace

std::unique_ptr<Command> bins_command() {
  return std::make_unique<BinsCommand>();
}

} // namespace jitterscope::app
