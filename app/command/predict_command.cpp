#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/core.h>
#include <fmt/format.h>

#include "app/command/command.h"
#include "app/engine/options_json.h"
#include "core/base/output_file.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

constexpr std::size_t kPrintedKernels = 20;

std::string time_text(const nlohmann::json& ns) {
  return ns.is_null() ? "–" : views::formatDuration(ns.get<double>(), 4).toStdString();
}

/// Prints a kernel of a what-if question: times of the analytical model as recorded and for the question.
void print_asked_kernel(const nlohmann::json& k) {
  const double before = k.at("before").at("analytical_ns").get<double>(),
               after = k.at("predicted_ns").get<double>();
  fmt::print("{:>12} {:>12} {:>12} {:>9}  {:10} {:>6.1f} {:>6.1f}  {}\n", time_text(k.at("measured_ns")),
             time_text(before), time_text(after), fmt::format("{:.2f} ×", before / after),
             k.at("bottleneck").get<std::string>(), k.at("mwp").get<double>(), k.at("cwp").get<double>(),
             k.at("name").get<std::string>());
}

void print_kernels(const nlohmann::json& kernels, std::size_t maximum) {
  if (kernels.empty()) return;
  const bool asked = kernels.front().contains("before");
  fmt::print("{:>12} {:>12} {:>12} {:>9}  {:10} {:>6} {:>6}  {}\n", "measured",
             asked ? "as recorded" : "analytical", asked ? "what if" : "predicted",
             asked ? "speedup" : "error", "bottleneck", "MWP", "CWP", "kernel");
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (i == maximum) {
      fmt::print("… and {} more; --all prints them\n", kernels.size() - maximum);
      return;
    }
    const auto& k = kernels[i];
    if (asked) {
      print_asked_kernel(k);
      continue;
    }
    fmt::print("{:>12} {:>12} {:>12} {:>9}  {:10} {:>6.1f} {:>6.1f}  {}{}\n", time_text(k.at("measured_ns")),
               time_text(k.at("analytical_ns")), time_text(k.at("predicted_ns")),
               k.at("residual_percent").is_null()
                   ? std::string("–")
                   : fmt::format("{:+.1f} %", k.at("residual_percent").get<double>()),
               k.at("bottleneck").get<std::string>(), k.at("mwp").get<double>(), k.at("cwp").get<double>(),
               k.at("name").get<std::string>(),
               k.at("extrapolated").get<bool>() ? "  (extrapolating: not corrected)" : "");
  }
}

void print_error(const nlohmann::json& v, const std::string& of) {
  fmt::print("  {:11} median {:6.2f} %, mean {:6.2f} %, 95th percentile {:6.2f} %\n", of,
             v.at(of + "_median_percent").get<double>(), v.at(of + "_mean_percent").get<double>(),
             v.at(of + "_p95_percent").get<double>());
}

void print_validation(const nlohmann::json& v, const char* rows) {
  if (v.is_null() || v.at("rows") == 0) return; // nothing was measured
  if (const auto here = v.value("here", nlohmann::json()); here.is_object()) {
    fmt::print("\nerror of {} {} of these files:\n", here.at("rows").get<std::int64_t>(), rows);
    print_error(here, "analytical");
    print_error(here, "corrected");
    fmt::print("\nwhen the model was trained, ");
  } else {
    fmt::print("\n");
  }
  fmt::print("error of {} {}, {} groups in {} folds, {}:\n", v.at("rows").get<std::int64_t>(), rows,
             v.at("groups").get<std::int64_t>(), v.at("folds").get<int>(), v.at("split").get<std::string>());
  print_error(v, "analytical");
  if (v.at("applied").get<bool>())
    print_error(v, "corrected");
  else
    fmt::print("  not corrected: {}\n", v.at("refusal").get<std::string>());
}

void print_network(const nlohmann::json& networks) {
  for (const auto& n : networks) {
    const auto curves = n.at("curves").get<std::size_t>();
    fmt::print("\nmessages {}, {} memory: {} curve{}{}\n", n.at("distance").get<std::string>(),
               n.at("memory").get<std::string>(), curves, curves == 1 ? "" : "s",
               n.at("scaling_unknown").get<bool>() ? ", only one number of pairs, so the scaling is unknown"
                                                   : "");
    for (const auto& r : n.at("regimes")) {
      const auto sizes = r.at("last_size_bytes").is_null()
                             ? std::string(&r == &n.at("regimes").front() ? "all sizes" : "larger sizes")
                             : fmt::format("up to {:>8.0f} B", r.at("last_size_bytes").get<double>());
      const double rate = r.contains("rate_bytes_per_us") ? r.at("rate_bytes_per_us").get<double>()
                                                          : 1 / r.at("beta_us_per_byte").get<double>();
      const auto per_byte = std::isfinite(rate) ? fmt::format("n / ({:.1f} MB/s)", rate) : std::string("0");
      fmt::print("  {:17} {:8.3f} µs + {}  {}\n", sizes + ":", r.at("alpha_us").get<double>(), per_byte,
                 r.at("form").get<std::string>());
    }
    if (n.at("fit_mean_percent").is_null())
      fmt::print("  start-up times are unknown and assumed to be 0; measure them with osu_latency\n");
    for (const auto& rate : n.at("pipelined"))
      fmt::print("  non-blocking: the rate of the bandwidth benchmark, up to {:.1f} MB/s for {:g} pair{}\n",
                 rate.at("maximum_bytes_per_us").get<double>(), rate.at("pairs").get<double>(),
                 rate.at("pairs").get<double>() == 1 ? "" : "s");
    if (!n.at("held_out_median_percent").is_null())
      fmt::print("  error of held-out sizes ({}): median {:.2f} %, mean {:.2f} %, 95th percentile {:.2f} %\n",
                 n.at("held_out_sizes").get<std::size_t>(), n.at("held_out_median_percent").get<double>(),
                 n.at("held_out_mean_percent").get<double>(), n.at("held_out_p95_percent").get<double>());
  }
}

void print_messages(const nlohmann::json& mpi) {
  if (mpi.is_null()) return;
  fmt::print("\nmessages of {} ranks; network: {}\n", mpi.at("ranks").get<std::int64_t>(),
             mpi.at("model").get<std::string>());
  fmt::print("{:>8} {:>12} {:>6} {:>12} {:>12} {:>12}  {}\n", "messages", "bytes", "k", "measured",
             "analytical", "predicted", "operation");
  for (const auto& m : mpi.at("messages"))
    fmt::print("{:>8} {:>12.0f} {:>6.2f} {:>12} {:>12} {:>12}  {}, {}\n", m.at("count").get<std::int64_t>(),
               m.at("bytes").get<double>(), m.at("concurrency").get<double>(), time_text(m.at("measured_ns")),
               time_text(m.at("analytical_ns")), time_text(m.at("predicted_ns")),
               m.at("operation").get<std::string>(), m.at("distance").get<std::string>());
  if (const auto left = mpi.at("unknown_bytes").get<std::int64_t>(); left > 0)
    fmt::print("  {} left out: no size is recorded.\n",
               left == 1 ? "1 message is" : fmt::format("{} messages are", left));
  for (const auto& assumption : mpi.at("assumptions")) fmt::print("  {}\n", assumption.get<std::string>());
}

void print_run(const nlohmann::json& run) {
  if (run.is_null() || run.at("runs").size() < 2) return; // no runs were predicted
  fmt::print("\n{:28} {:>12} {:>8} {:>12} {:>12} {:>12} {:>16} {:>12} {:>12}\n", "run", "time", "speedup",
             "only kernels", "only memory", "only MPI", "only computation", "overlapped", "none");
  for (const auto& r : run.at("runs"))
    fmt::print("{:28} {:>12} {:>6.2f} × {:>12} {:>12} {:>12} {:>16} {:>12} {:>12}\n",
               r.at("title").get<std::string>(), time_text(r.at("total_ns")), r.at("speedup").get<double>(),
               time_text(r.at("kernels_ns")), time_text(r.at("copies_ns")), time_text(r.at("messages_ns")),
               time_text(r.at("computation_ns")), time_text(r.at("overlapped_ns")),
               time_text(r.at("other_ns")));
  for (const auto& note : run.at("notes")) fmt::print("  {}\n", note.get<std::string>());
}

tl::unexpected<Error> missing_inputs(const nlohmann::json& missing, const std::string& file) {
  constexpr std::size_t kShown = 3;
  auto names = missing.at("inputs").get<std::vector<std::string>>();
  const auto count = names.size();
  names.resize(std::min(count, kShown));
  return failure(ErrorKind::BadInput,
                 fmt::format("the performance model needs hardware counters of each kernel; {} missing: {}{}",
                             count == 1 ? "one is" : fmt::format("{} are", count), fmt::join(names, ", "),
                             count > kShown ? fmt::format(" and {} more", count - kShown) : std::string()),
                 file, {}, "Record them: " + missing.at("command").get<std::string>());
}

Expected<double> parse_number(const std::string& text) {
  try {
    std::size_t used = 0;
    const double value = std::stod(text, &used);
    if (used == text.size() && std::isfinite(value)) return value;
  } catch (const std::exception&) { // not a number, or out of range
  }
  return failure(ErrorKind::BadUse, "\"" + text + "\" is not a number", {}, "--what-if",
                 "Examples: block=512, hit-rate=L2:0.9, nodes=4, message-size=2");
}

class PredictCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    auto* app = parser.add_subcommand(
        "predict", "Performance model: predicted and measured time of every kernel and message");
    app->add_option("FILES", files_,
                    "Stores, tables of Nsight Compute or rocprof, TAU profiles, results of OSU, MT4G, "
                    "BabelStream")
        ->required();
    app->add_option("--gpu", gpu_,
                    "GPU of the recording: a name (A100, H100, MI210 …) or a result of MT4G; default: the "
                    "device that the trace names");
    app->add_option("--what-if", what_if_,
                    "Change to predict: gpu=NAME|FILE, block=THREADS, hit-rate=[LEVEL:]RATE, nodes=TIMES, "
                    "message-size=TIMES; may be repeated");
    app->add_option("--scaling", scaling_,
                    "Scaling of nodes=TIMES: strong (default, the same problem) or weak (a problem that "
                    "grows with the nodes)");
    app->add_option("--ranks-per-node", ranks_per_node_,
                    "Ranks per node; default: ranks of one host of the trace")
        ->check(CLI::PositiveNumber);
    app->add_option("--ranks-per-socket", ranks_per_socket_,
                    "Ranks per socket; default: a node is one socket")
        ->check(CLI::PositiveNumber);
    auto* fit = app->add_option("--fit", fit_, "Train a correction on these files and save it");
    app->add_option("--model", model_, "Apply a saved correction")->excludes(fit);
    app->add_option(
        "--mode", mode_,
        "Model: guarded (default, with lower bounds of the time), or paper (exactly as published)");
    app->add_option("--waves", waves_,
                    "Number of waves of blocks: real (default, with a fraction), or whole (the time of the "
                    "last, partial wave is computed separately)");
    app->add_flag("--all", all_, "Print all kernels, not only the first 20");
    app->add_option("--where", common.where,
                    "Only launches that meet this condition, e.g. \"name ~ /gemm/\"");
    add_json(*app, common);
    return app;
  }

  Expected<void> run() override {
    if (auto file = refuse_standard_output(fit_); !file) return file;
    auto inputs = files_;
    if (!model_.empty()) inputs.push_back(model_);
    if (auto kept = keep_inputs(inputs, {common.json, fit_, fit_.empty() ? fit_ : message_file()}); !kept)
      return kept;
    engine::PredictOptions options;
    options.where = common.where;
    options.gpu = gpu_, options.mode = mode_, options.waves = waves_, options.model = model_;
    if (auto parsed = parse_what_if(options); !parsed) return parsed;
    if (scaling_ != "strong" && scaling_ != "weak")
      return failure(ErrorKind::BadUse, "the scaling \"" + scaling_ + "\" is neither strong nor weak", {},
                     "--scaling");
    options.scaling = scaling_;
    options.ranks_per_node = ranks_per_node_, options.ranks_per_socket = ranks_per_socket_;
    if (!fit_.empty() && options.what_if)
      return failure(ErrorKind::BadUse,
                     "a correction cannot be trained on launches that --what-if changes: their times were "
                     "measured without the change",
                     {}, "--fit", "Train it first, then use --what-if with --model.");
    if (!fit_.empty()) options.fit = true;
    const Job job = terminal_job();
    BlockingEngine engine(1);
    auto info = open_session(engine, files_, common, job);
    if (!info) return end_progress(), forward(info.error());
    auto answer = engine.run(options, job);
    end_progress();
    if (!answer) return forward(answer.error());
    auto& document = answer->document;
    const bool other = !document.at("network").empty() || !document.at("mpi").is_null() ||
                       (!document.at("run").is_null() && document.at("run").at("runs").size() > 1);
    if (!document.at("missing").is_null() && !other)
      return missing_inputs(document.at("missing"), files_.front());
    if (document.at("kernels").empty() && !other)
      return failure(ErrorKind::BadInput, "the files contain nothing that can be predicted", files_.front(),
                     {}, "Open launches with counters, or the output of OSU micro-benchmarks.");
    if (auto asked = check_effect(options, document); !asked) return asked;
    if (auto saved = save_model(document); !saved) return saved;
    document.erase("model"), document.erase("message_model");
    document["inputs"] = info->at("inputs"), document["options"] = options_json(options);
    if (common.json != "-") print(document);
    return write_json(common, document);
  }

private:
  /// A question that nothing in the files depends on.
  static Expected<void> check_effect(const engine::PredictOptions& options, const nlohmann::json& document) {
    const auto no_effect = [](const char* change, const char* why) {
      return failure(ErrorKind::BadUse,
                     fmt::format("--what-if {} has no effect: the files contain no {}", change, why), {},
                     "--what-if", "Leave it out.");
    };
    const bool run = !document.at("run").is_null();
    if (!options.nodes.empty() && !run) return no_effect("nodes", "activity with times");
    if (options.message_size != 1 && document.at("mpi").is_null())
      return no_effect("message-size", "messages");
    if (options.what_if && (options.what_if->block.has_value() || !options.what_if->hit_rates.empty()) &&
        document.at("kernels").empty())
      return no_effect("block and hit-rate", "kernels with counters");
    return {};
  }

  Expected<void> parse_what_if(engine::PredictOptions& options) const {
    const auto what_if = [&]() -> engine::WhatIfOptions& {
      if (!options.what_if) options.what_if = std::make_unique<engine::WhatIfOptions>();
      return *options.what_if;
    };
    std::set<std::string> given;
    for (const auto& text : what_if_) {
      const auto equal = text.find('=');
      const auto key = text.substr(0, equal),
                 value = equal == std::string::npos ? std::string() : text.substr(equal + 1);
      if (key != "nodes" && key != "hit-rate" && !given.insert(key).second)
        return failure(ErrorKind::BadUse, "--what-if changes " + key + " twice", {}, "--what-if",
                       "Ask each question in a command of its own.");
      if (key == "gpu" && !value.empty()) {
        what_if().gpu = value;
      } else if (key == "block") {
        auto threads = parse_number(value);
        if (!threads) return forward(threads.error());
        what_if().block = *threads;
      } else if (key == "nodes") {
        auto times = parse_number(value);
        if (!times) return forward(times.error());
        options.nodes.push_back(*times);
      } else if (key == "message-size") {
        auto times = parse_number(value);
        if (!times) return forward(times.error());
        options.message_size = *times;
      } else if (key == "hit-rate") {
        const auto colon = value.find(':');
        auto rate = parse_number(colon == std::string::npos ? value : value.substr(colon + 1));
        if (!rate) return forward(rate.error());
        what_if().hit_rates.push_back(
            {.level = colon == std::string::npos ? "L1" : value.substr(0, colon), .rate = *rate});
      } else {
        return failure(ErrorKind::BadUse, "\"" + text + "\" is not a change for --what-if", {}, "--what-if",
                       "Examples: gpu=H100, block=512, hit-rate=L2:0.9, nodes=4, message-size=2");
      }
    }
    return {};
  }

  Expected<void> save_model(const nlohmann::json& document) const {
    if (fit_.empty()) return {};
    const bool kernels = document.contains("model"), messages = document.contains("message_model");
    if (!kernels && !messages)
      return failure(ErrorKind::BadInput, "there are no launches or messages to train a correction on",
                     files_.front());
    if (kernels)
      if (auto done = write_output(fit_, document.at("model").get<std::string>()); !done) return done;
    if (!messages) return {};
    return write_output(kernels ? message_file() : fit_, document.at("message_model").get<std::string>());
  }

  /// "MODEL-messages.json" next to "MODEL.json".
  std::string message_file() const {
    const std::filesystem::path path(fit_);
    return (path.parent_path() / (path.stem().string() + "-messages" + path.extension().string())).string();
  }

  void print(const nlohmann::json& d) const {
    for (const auto& gpu : d.at("gpus")) {
      if (gpu.at("name").get<std::string>().empty()) continue; // a file without launches
      fmt::print("GPU {} ({})\n", gpu.at("name").get<std::string>(), gpu.at("source").get<std::string>());
      for (const auto& assumed : gpu.at("assumed")) fmt::print("  assumed: {}\n", assumed.get<std::string>());
    }
    if (const auto& asked = d.at("asked_gpu"); !asked.is_null()) {
      fmt::print("on GPU {} ({})\n", asked.at("name").get<std::string>(),
                 asked.at("source").get<std::string>());
      for (const auto& assumed : asked.at("assumed"))
        fmt::print("  assumed: {}\n", assumed.get<std::string>());
    }
    print_kernels(d.at("kernels"), all_ ? d.at("kernels").size() : kPrintedKernels);
    print_validation(d.at("validation"), "launches");
    if (!d.at("missing").is_null()) fmt::print("{}\n", describe(missing_inputs(d.at("missing"), {}).value()));
    for (const auto& warning : d.at("warnings"))
      fmt::print("warning: {}\n", warning.at("text").get<std::string>());
    print_network(d.at("network"));
    print_messages(d.at("mpi"));
    if (!d.at("mpi").is_null()) print_validation(d.at("mpi").at("validation"), "messages");
    print_run(d.at("run"));
  }

  std::vector<std::string> files_, what_if_;
  std::string gpu_, fit_, model_, mode_ = "guarded", waves_ = "real", scaling_ = "strong";
  std::int64_t ranks_per_node_ = 0, ranks_per_socket_ = 0;
  bool all_ = false;
};

} // namespace

std::unique_ptr<Command> predict_command() {
  return std::make_unique<PredictCommand>();
}

} // namespace jitterscope::app
