#include "core/engine/ranks/dry_run.h"

#include <algorithm>
#include <optional>

#include "core/engine/messages/session_options.h"
#include "core/engine/operations/operations.h"
#include "core/engine/ranks/collective_cost.h"
#include "core/engine/ranks/virtual_ranks.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

/// Result of one number of ranks: the recorded run and the answer of rank 0.
struct Rehearsal {
  VirtualRun run;
  json answer;
  std::int64_t rows = 0, bins = 0;
};

class Rehearsing {
public:
  Rehearsing(const DryRunOptions& options, const Job& job) : options_(options), job_(job) {}

  Expected<Rehearsal> with(int ranks) {
    rehearsal_ = {};
    problem_.reset();
    auto run = run_virtual_ranks(ranks, [&](VirtualRank& rank) { one(rank); });
    if (!run) return forward(run.error());
    if (problem_) return forward(*problem_);
    rehearsal_.run = std::move(*run);
    return std::move(rehearsal_);
  }

private:
  void one(VirtualRank& rank) {
    Job job;
    job.cancelled = [&] {
      rank.sample_memory();
      return job_.cancelled();
    };
    Workspace workspace;
    const Context context{workspace, rank, job};
    if (auto opened = step(context, rank, OpenOptions{.stores = options_.stores}); !opened) return;
    if (rank.rank() == 0) rehearsal_.rows = workspace.session->launches();
    auto bins = step(context, rank, options_.bins);
    if (bins && rank.rank() == 0) {
      rehearsal_.answer = std::move(bins->document);
      rehearsal_.bins = rehearsal_.answer.at("bin_count").get<std::int64_t>();
    }
    job_.progress(rank.rank() + 1, rank.size(), "dry run of " + std::to_string(rank.size()) + " ranks");
  }

  std::optional<Answer> step(const Context& context, VirtualRank& rank, const Request& request) {
    auto answer = run_operation(context, request);
    if (!answer && (!problem_ || problem_->kind == ErrorKind::Cancelled)) problem_ = answer.error();
    if (!rank.finish(answer.has_value())) return {};
    return std::move(*answer);
  }

  const DryRunOptions& options_;
  const Job& job_;
  Rehearsal rehearsal_;
  std::optional<Error> problem_;
};

/// CPU time on the critical path, in s.
struct Compute {
  double slowest = 0;    // time of the slowest rank except 0, summed over stages
  double root_alone = 0; // additional time of rank 0
  double sum = 0;        // sum over all ranks
};

Compute compute_of(const VirtualRun& run) {
  Compute compute;
  for (const auto& stage : run.stages) {
    const double slowest = run.ranks == 1 ? stage.root : stage.slowest;
    compute.slowest += slowest;
    compute.root_alone += std::max(stage.root - slowest, 0.0);
    compute.sum += stage.sum;
  }
  return compute;
}

Traffic traffic_of(const std::vector<CollectiveCall>& calls, const Cluster& cluster) {
  Traffic traffic;
  for (const auto& call : calls) traffic += engine::traffic_of(call, cluster);
  return traffic;
}

double predicted(const Compute& compute, const Traffic& traffic) {
  return compute.slowest + compute.root_alone + 1e-6 * traffic.us;
}

/// Predicted time with the same work per rank as in `base`. The additional time of rank 0 and the totals of
/// the calls grow in proportion to the number of ranks.
double predicted_weak(const VirtualRun& base, const Cluster& cluster) {
  const double growth = static_cast<double>(cluster.ranks) / base.ranks;
  auto compute = compute_of(base);
  compute.root_alone *= growth;
  auto calls = base.calls;
  for (auto& call : calls) call.total = static_cast<std::int64_t>(static_cast<double>(call.total) * growth);
  return predicted(compute, traffic_of(calls, cluster));
}

bool same_answer(json one, json many) {
  for (const char* key : {"ranks", "threads_per_rank"}) one.erase(key), many.erase(key);
  return one.dump() == many.dump(); // compared as text: NaN equals itself
}

json entry(const Rehearsal& rehearsal, const Cluster& cluster, double alone_s, const json& answer) {
  const auto& run = rehearsal.run;
  const auto compute = compute_of(run);
  const auto traffic = traffic_of(run.calls, cluster);
  const double total = predicted(compute, traffic);
  return {
      {"ranks", run.ranks},
      {"rows_per_rank", rehearsal.rows / run.ranks},
      {"bins_per_rank", rehearsal.bins / run.ranks},
      {"compute_s",
       {{"slowest", compute.slowest}, {"mean", compute.sum / run.ranks}, {"root_alone", compute.root_alone}}},
      {"communication_s", 1e-6 * traffic.us},
      {"predicted_s", total},
      {"speedup", alone_s / total},
      {"efficiency", alone_s / total / run.ranks},
      {"calls", run.calls.size()},
      {"messages", traffic.messages},
      {"bytes", traffic.bytes},
      {"messages_to_root", traffic.messages_to_root},
      {"bytes_to_root", traffic.bytes_to_root},
      {"root_peak_bytes", run.root_peak_bytes},
      {"other_peak_bytes", run.other_peak_bytes},
      {"same_answer", same_answer(answer, rehearsal.answer)}};
}

Expected<void> check(const DryRunOptions& options) {
  const auto& ranks = options.ranks;
  if (ranks.empty() || ranks.front() < 2 || ranks.back() > 16'384 ||
      !std::is_sorted(ranks.begin(), ranks.end()) ||
      std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end())
    return failure(ErrorKind::BadUse, "a dry run needs numbers of ranks in ascending order, each 2 to 16,384",
                   {}, "dry-run", "Example: 128,256,512,1024.");
  if (options.ranks_per_node < 1)
    return failure(ErrorKind::BadUse, "a node must have at least one rank", {}, "ranks-per-node");
  return {};
}

} // namespace

Expected<json> dry_run(const DryRunOptions& options, const Job& job) {
  if (auto good = check(options); !good) return forward(good.error());
  Rehearsing rehearsing(options, job);
  auto alone = rehearsing.with(1);
  if (!alone) return forward(alone.error());
  const double alone_s = predicted(compute_of(alone->run), {});
  json runs = json::array({entry(*alone, {1, options.ranks_per_node}, alone_s, alone->answer)});
  std::optional<VirtualRun> base;
  double base_s = 0;
  for (const int ranks : options.ranks) {
    auto rehearsal = rehearsing.with(ranks);
    if (!rehearsal) return forward(rehearsal.error());
    const Cluster cluster{ranks, options.ranks_per_node};
    runs.push_back(entry(*rehearsal, cluster, alone_s, alone->answer));
    if (!base) {
      base = rehearsal->run;
      base_s = predicted_weak(*base, cluster);
    }
    const double weak_s = predicted_weak(*base, cluster);
    runs.back()["weak"] = {{"rows", rehearsal->rows / base->ranks * ranks},
                           {"predicted_s", weak_s},
                           {"efficiency", base_s / weak_s}};
  }
  return json{
      {"schema_version", 1},
      {"rows", alone->rows},
      {"bins", alone->bins},
      {"metric", alone->answer.at("metric")},
      {"ranks_per_node", options.ranks_per_node},
      {"network",
       "K-model with the parameters of Lassen (InfiniBand EDR) between nodes and of Summit within a node"},
      {"runs", std::move(runs)}};
}

} // namespace jitterscope::engine
