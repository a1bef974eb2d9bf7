#include "core/analysis/prediction/launch_model.h"

#include <algorithm>
#include <atomic>

#include "core/analysis/columns/columns.h"
#include "core/model/gpu/kernel_model.h"

namespace jitterscope::analysis {
namespace {

constexpr int kCounters = 3, kVariability = 5; // causal tiers

double bytes_at(const model::KernelPrediction& p, std::string_view level) {
  for (std::size_t l = 0; l < p.levels.size(); ++l)
    if (p.levels[l] == level) return p.bytes[l];
  return kUnknownQuantity;
}

} // namespace

const std::array<LaunchModel::Column, LaunchModel::kTerms>& LaunchModel::columns() {
  static constexpr std::array<Column, kTerms> kColumns{{
      {"predicted_duration_ns", "ns",
       "duration that the performance model predicts at the clock of the launch", kCounters},
      {"model_residual_ns", "ns",
       "duration minus predicted_duration: time that the performance model does not explain", kVariability},
      {"model_residual", "", "duration / predicted_duration - 1", kVariability},
      {"model_bottleneck", "", "limit of the predicted time: compute, latency, dispatch or a memory level",
       kCounters},
      {"model_mwp", "", "memory warp parallelism of the performance model", kCounters},
      {"model_cwp", "", "computation warp parallelism of the performance model", kCounters},
      {"model_warps", "", "number of resident warps of a multiprocessor in the performance model", kCounters},
      {"model_memory_latency", "cycles", "mean latency of a memory instruction in the performance model",
       kCounters},
      {"model_departure_delay", "cycles",
       "time between two memory instructions of a multiprocessor in the performance model", kCounters},
      {"model_waves", "", "number of blocks divided by the number that can be resident on the GPU",
       kCounters},
      {"model_l2_bytes", "B", "number of bytes that arrive at L2 in the performance model", kCounters},
      {"model_dram_bytes", "B", "number of bytes that arrive at DRAM in the performance model", kCounters},
  }};
  return kColumns;
}

const std::vector<std::string>& LaunchModel::bottlenecks() {
  static const std::vector<std::string> kTexts = {"compute", "latency", "L1", "L2", "L3", "DRAM", "dispatch"};
  return kTexts;
}

std::shared_ptr<const LaunchModel> LaunchModel::of(const Session& session, const LaunchColumns& columns) {
  if (session.launches() == 0) return nullptr;
  auto counters = model_columns(columns);
  if (!counters.missing.empty()) return nullptr;
  auto gpus = recorded_gpus(session);
  if (!gpus) return nullptr;
  return std::shared_ptr<const LaunchModel>(
      new LaunchModel(session, columns, std::move(counters), std::move(*gpus)));
}

LaunchModel::LaunchModel(const Session& session, const LaunchColumns& columns, ModelColumns counters,
                         std::vector<GpuSpecification> gpus)
    : session_(&session), columns_(&columns), counters_(std::move(counters)), gpus_(std::move(gpus)) {
  static std::atomic<std::uint64_t> next{1};
  id_ = next++;
}

LaunchModel::Values LaunchModel::all(const Segment& segment) const {
  Values values;
  for (auto& of : values) of.assign(static_cast<std::size_t>(segment.rows()), kUnknownQuantity);
  LeftOut left_out;
  const auto first = session_->traces()[segment.trace].first_launch + segment.first;
  (void)for_model_launches(*session_, *columns_, segment, {}, counters_, gpus_, left_out,
                           [&](ModelLaunch& launch) -> Expected<void> {
                             const auto p = model::predict_kernel(gpus_[launch.trace], launch.inputs.kernel);
                             if (!p) return {}; // remains missing
                             const auto i = static_cast<std::size_t>(launch.row - first);
                             const double predicted = 1e9 * p->seconds;
                             values[kPredicted][i] = predicted;
                             values[kResidual][i] = launch.measured_ns - predicted;
                             values[kRelative][i] = launch.measured_ns / predicted - 1;
                             const auto& texts = bottlenecks();
                             const auto at = std::find(texts.begin(), texts.end(), p->bottleneck());
                             if (at != texts.end())
                               values[kBottleneck][i] = static_cast<double>(at - texts.begin());
                             values[kMwp][i] = p->time.mwp;
                             values[kCwp][i] = p->time.cwp;
                             values[kWarps][i] = p->load.warps;
                             values[kMemoryLatency][i] = p->caches.memory_latency;
                             values[kDepartureDelay][i] = p->caches.departure_delay;
                             values[kWaves][i] = p->waves;
                             values[kL2Bytes][i] = bytes_at(*p, "L2");
                             values[kMemoryBytes][i] = bytes_at(*p, "DRAM");
                             return {};
                           });
  return values;
}

const std::vector<TermColumns::TermColumn>& LaunchModel::terms() const {
  static const auto kList = [] {
    std::vector<TermColumn> list;
    for (std::size_t term = 0; term < kTerms; ++term) {
      const auto& of = columns()[term];
      list.push_back({of.name, of.unit, of.description, of.tier, term == kResidual || term == kRelative,
                      term == kBottleneck ? &bottlenecks() : nullptr});
    }
    return list;
  }();
  return kList;
}

std::vector<double> LaunchModel::read(Term term, const Segment& segment) const {
  // Keeps the values of all terms for the last rows: callers usually read several terms of the same rows.
  struct Last {
    std::uint64_t id = 0;
    Segment segment;
    Values values;
  };
  thread_local Last last;
  const bool same = last.id == id_ && last.segment.trace == segment.trace &&
                    last.segment.first == segment.first && last.segment.last == segment.last;
  if (!same) last = {id_, segment, all(segment)};
  return last.values[term];
}

} // namespace jitterscope::analysis
