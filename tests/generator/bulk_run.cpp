#include "tests/generator/bulk_run.h"

#include <algorithm>
#include <cmath>

#include "tests/generator/program.h"

namespace jitterscope::generator {
namespace {

constexpr std::uint64_t kProgramSeed = 74;
constexpr std::uint64_t kCopySeed = 0xC0B1'E500'0000'0000;
constexpr double kZipf = 1.1;
constexpr double kMeanGapNs = 688e9 / 93e6;
constexpr std::int64_t kFirstStart = 1'000'000; // ns, a multiple of the tick

struct Phase {
  double rate = 1.0;       // launch rate relative to the mean rate of the run
  std::int64_t length = 0; // ns
};
// Forward, backward, optimiser, data loading: 0.25 s per step, mean rate 1.
constexpr std::array kPhases = {Phase{1.13, 150'000'000}, Phase{1.0, 62'500'000}, Phase{0.6, 25'000'000},
                                Phase{0.2, 12'500'000}};

// Rounded, so that every platform's pow gives the same table.
double zipf_weight(int rank) {
  return std::round(std::pow(rank + 1.0, -kZipf) * 0x1.0p30) * 0x1.0p-30;
}

int configurations_of(int kernel) {
  return kBulkConfigurations / kBulkKernels + (kernel < kBulkConfigurations % kBulkKernels);
}

// Rank in Zipf's law of the configuration with this size. Neighbouring sizes get distant ranks, so that small
// grids are not the most frequent ones (5 is coprime to 23 and 24).
int rank_of_size(int size, int sizes) {
  return (5 * size + 3) % sizes;
}

// Walker's alias method: each entry below the mean is filled up by one above it.
void fill_alias_table(std::vector<double> weights, BulkProgram& program) {
  double sum = 0.0;
  for (const double weight : weights) sum += weight;
  const auto n = weights.size();
  std::vector<std::size_t> small, large;
  for (std::size_t i = 0; i < n; ++i) {
    weights[i] *= static_cast<double>(n) / sum;
    (weights[i] < 1.0 ? small : large).push_back(i);
  }
  program.keep.assign(n, 1.0);
  program.alias.resize(n);
  for (std::size_t i = 0; i < n; ++i) program.alias[i] = static_cast<int>(i);
  while (!small.empty() && !large.empty()) {
    const auto poor = small.back(), rich = large.back();
    small.pop_back();
    program.keep[poor] = weights[poor];
    program.alias[poor] = static_cast<int>(rich);
    weights[rich] -= 1.0 - weights[poor];
    if (weights[rich] >= 1.0) continue;
    large.pop_back();
    small.push_back(rich);
  }
}

} // namespace

BulkProgram::BulkProgram() {
  Random random(kProgramSeed);
  kernels = make_kernels(kBulkKernels, random);
  std::vector<double> weights;
  for (int kernel = 0; kernel < kBulkKernels; ++kernel) {
    const auto& model = kernels[static_cast<std::size_t>(kernel)];
    const int sizes = configurations_of(kernel);
    const bool two_modes = random.chance(0.3);
    const double factor = two_modes ? 1.3 + 0.9 * random.uniform() : 1.0;
    const double share = two_modes ? 0.1 + 0.3 * random.uniform() : 0.0;
    double in_kernel = 0.0;
    for (int size = 0; size < sizes; ++size) in_kernel += zipf_weight(size);
    for (int size = 0; size < sizes; ++size) {
      const auto base = model.base_ns * (2 + size) / 6;
      configurations.push_back({kernel, model.smallest_grid * (1 + size), base, 1 + size});
      shapes.push_back({static_cast<double>(base), 0.03 + 0.25 * random.uniform(), factor, share});
      weights.push_back(zipf_weight(kernel) * zipf_weight(rank_of_size(size, sizes)) / in_kernel);
    }
  }
  fill_alias_table(std::move(weights), *this);
}

int BulkProgram::choose(Random& random) const {
  const double place = random.uniform() * static_cast<double>(keep.size());
  const auto index = static_cast<std::size_t>(place);
  return place - static_cast<double>(index) < keep[index] ? static_cast<int>(index) : alias[index];
}

BulkLaunches::BulkLaunches(const BulkOptions& options, const BulkProgram& program)
    : program_(program), random_(options.seed), left_(options.launches), time_(kFirstStart),
      phase_end_(kFirstStart), stream_end_(static_cast<std::size_t>(options.streams)) {
  next_contention();
}

bool BulkLaunches::next(LaunchRow& row) {
  if (left_ == 0) return false;
  --left_;
  advance();
  const int configuration = program_.choose(random_);
  const int stream = free_stream();
  auto& stream_end = stream_end_[static_cast<std::size_t>(stream)];
  const auto duration = duration_of(configuration);
  overlaps_ = time_ < stream_end;
  stream_end = std::max(stream_end, time_ + duration);
  row = {time_, static_cast<std::int32_t>(duration), configuration, static_cast<std::int32_t>(++made_),
         0,     static_cast<std::int16_t>(stream)};
  return true;
}

// At least one tick passes: starts differ, so the order of launches is unique.
void BulkLaunches::advance() {
  if (time_ >= phase_end_) next_phase();
  if (time_ >= contention_end_) next_contention();
  time_ += kTick * (1 + static_cast<std::int64_t>(random_.uniform() * ticks_between_));
}

void BulkLaunches::next_phase() {
  phase_ = (phase_ + 1) % static_cast<int>(kPhases.size());
  if (phase_ == 0) step_rate_ = 0.7 + 0.6 * random_.uniform();
  const auto& phase = kPhases[static_cast<std::size_t>(phase_)];
  phase_end_ += phase.length;
  ticks_between_ = 2.0 * kMeanGapNs / static_cast<double>(kTick) / (phase.rate * step_rate_) - 1.0;
}

void BulkLaunches::next_contention() {
  contention_begin_ = std::max(contention_end_, kFirstStart) + random_.below(16'000'000'000);
  contention_end_ = contention_begin_ + 10'000'000 + random_.below(80'000'000);
  contention_factor_ = 1.5 + 2.5 * random_.uniform();
}

std::int64_t BulkLaunches::duration_of(int configuration) {
  const auto& shape = program_.shapes[static_cast<std::size_t>(configuration)];
  double ns = random_.log_normal(shape.median_ns, shape.sigma);
  if (shape.second_share > 0.0 && random_.chance(shape.second_share)) ns *= shape.second_mode;
  if (time_ >= contention_begin_ && time_ < contention_end_) ns *= contention_factor_;
  if (random_.chance(1e-5)) ns *= 50.0 + 400.0 * random_.uniform();
  return kTick * std::max<std::int64_t>(static_cast<std::int64_t>(ns / static_cast<double>(kTick) + 0.5), 1);
}

int BulkLaunches::free_stream() const {
  if (stream_end_.size() > kBulkStreams)
    return static_cast<int>(made_ % static_cast<std::int64_t>(stream_end_.size()));
  return static_cast<int>(std::min_element(stream_end_.begin(), stream_end_.end()) - stream_end_.begin());
}

BulkCopies::BulkCopies(const BulkOptions& options)
    : random_(options.seed ^ kCopySeed), time_(kFirstStart),
      correlation_(static_cast<std::int32_t>(options.launches)) {
  if (options.launches_per_copy == 0) return;
  left_ = options.launches / options.launches_per_copy;
  between_ = static_cast<std::int64_t>(kMeanGapNs * static_cast<double>(options.launches_per_copy));
}

bool BulkCopies::next(MemoryRow& row) {
  if (left_ == 0) return false;
  --left_;
  time_ += kTick * (1 + random_.below(2 * between_ / kTick));
  const auto kilobytes = std::int64_t{4} << random_.below(9);
  row = {time_,
         kTick * (40 + kilobytes * 1'280 / 1'000), // 25 GB/s after 1.3 µs
         kilobytes * 1'024,
         ++correlation_,
         0,
         kCopyStream,
         random_.chance(0.7) ? MemoryKind::HostToDevice : MemoryKind::DeviceToHost};
  return true;
}

Expected<void> check(const BulkOptions& options) {
  if (options.launches < 1 || options.launches > 1'000'000'000)
    return failure(ErrorKind::BadUse, "the number of launches must be 1 to 1,000,000,000");
  if (options.streams < 1 || options.streams > 10'000 || options.devices < 1 ||
      options.devices > options.streams)
    return failure(ErrorKind::BadUse, "there are 1 to 10,000 streams, and not more devices than these");
  if (options.launches_per_copy < 0)
    return failure(ErrorKind::BadUse, "the number of launches for each copy must not be negative");
  return {};
}

} // namespace jitterscope::generator
