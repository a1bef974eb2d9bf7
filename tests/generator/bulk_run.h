#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/generator/bulk.h"
#include "tests/generator/model.h"
#include "tests/generator/random.h"

namespace jitterscope::generator {

inline constexpr int kBulkKernels = 74;
inline constexpr int kBulkConfigurations = 1'707;
/// Up to this many streams, a launch takes the stream that is free first; more streams take turns.
inline constexpr int kBulkStreams = 4;
inline constexpr std::int64_t kTick = 32; ///< ns

/// Distribution of the launches of a bulk run: Walker's alias method, one random number for each choice.
struct BulkProgram {
  struct Shape {
    double median_ns = 0.0, sigma = 0.0;
    double second_mode = 1.0;  ///< factor of the slower mode
    double second_share = 0.0; ///< share of the launches in the slower mode
  };
  std::vector<KernelModel> kernels;
  std::vector<Configuration> configurations;
  std::vector<Shape> shapes; ///< shape of each configuration
  std::vector<double> keep;  ///< alias table: probability of the entry itself …
  std::vector<int> alias;    ///< … otherwise this configuration

  BulkProgram();
  int choose(Random& random) const;
};

/// The launches of a run in start order, generated one at a time; none is stored.
class BulkLaunches {
public:
  BulkLaunches(const BulkOptions& options, const BulkProgram& program);
  /// Generates the next launch; false at the end of the run.
  bool next(LaunchRow& row);
  /// True if the last launch starts before an earlier one of its stream ends.
  bool overlaps() const { return overlaps_; }

private:
  void advance();
  void next_phase();
  void next_contention();
  std::int64_t duration_of(int configuration);
  int free_stream() const;

  const BulkProgram& program_;
  Random random_;
  std::int64_t left_ = 0, made_ = 0, time_ = 0;
  double ticks_between_ = 0.0; // twice the mean number of ticks between starts, minus one
  int phase_ = -1;
  double step_rate_ = 1.0;
  std::int64_t phase_end_ = 0;
  std::int64_t contention_begin_ = 0, contention_end_ = 0;
  double contention_factor_ = 1.0;
  std::vector<std::int64_t> stream_end_;
  bool overlaps_ = false;
};

/// Copies of a run, evenly spread, in start order.
class BulkCopies {
public:
  explicit BulkCopies(const BulkOptions& options);
  bool next(MemoryRow& row);

private:
  Random random_;
  std::int64_t left_ = 0, time_ = 0, between_ = 0;
  std::int32_t correlation_ = 0;
};

/// Error BadUse if options are out of range.
Expected<void> check(const BulkOptions& options);

} // namespace jitterscope::generator
