#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/generator/generator.h"

namespace jitterscope::generator {

/// A kernel of the simulated program.
struct KernelModel {
  std::string name, short_name, mangled;
  bool memory_bound = false;
  std::int64_t base_ns = 0; ///< duration with the smallest grid
  std::int64_t block = 0, registers = 0, static_shared = 0, dynamic_shared = 0;
  std::int64_t smallest_grid = 0;
};

inline constexpr int kGridsPerKernel = 4;

struct Configuration {
  int kernel = 0;
  std::int64_t grid_x = 0;
  std::int64_t base_ns = 0;
  int scale = 1; ///< grid divided by the kernel's smallest grid
};

// Rows of the trace. Times in ns from the start of the capture.
struct LaunchRow {
  std::int64_t start = 0;
  std::int32_t duration = 0;
  std::int32_t configuration = 0;
  std::int32_t correlation = 0;
  std::int16_t device = 0, stream = 0;
};
enum class MemoryKind : std::uint8_t { HostToDevice = 1, DeviceToHost = 2, Migration = 11, Memset = 100 };
struct MemoryRow {
  std::int64_t start = 0, duration = 0, bytes = 0;
  std::int32_t correlation = 0;
  std::int16_t device = 0, stream = 0;
  MemoryKind kind = MemoryKind::HostToDevice;
};
enum class CallName : std::uint8_t { Launch, CopyAsync, SetAsync, Synchronize, Copy };
struct CallRow {
  std::int64_t start = 0;
  std::int32_t duration = 0, correlation = 0;
  std::int16_t device = 0;
  CallName name = CallName::Launch;
  bool loader_thread = false;
};
enum class RangeName : std::uint8_t { Step, Forward, Backward, Optimizer };
struct RangeRow {
  std::int64_t start = 0, duration = 0;
  std::int32_t step = 0;
  std::int16_t device = 0;
  RangeName name = RangeName::Step;
};
inline constexpr int kMetrics = 5;
struct SampleRow {
  std::int64_t time = 0;
  std::array<std::int64_t, kMetrics> values{}; ///< in the order of kMetricNames
  std::int16_t device = 0;
};
extern const std::array<const char*, kMetrics> kMetricNames;

/// Change of the duration of each launch by each cause, in ns; in the order in which the launches were
/// made.
using Contributions = std::array<std::vector<std::int32_t>, kCauses>;

struct Trace {
  std::vector<KernelModel> kernels;
  std::vector<Configuration> configurations;
  std::vector<LaunchRow> launches;
  std::vector<MemoryRow> memory;
  std::vector<CallRow> calls;
  std::vector<RangeRow> ranges;
  std::vector<SampleRow> samples;
  Contributions contributions; ///< empty columns for causes that were not planted
  std::int64_t end = 0;        ///< end of the capture
};

/// Streams of a device that run kernels have numbers from here on; copies run on the stream before them.
inline constexpr int kFirstStream = 7;
inline constexpr int kCopyStream = 6;

Trace simulate(const Options& options);

/// The planted causes of a simulated trace.
Truth truth_of(const Options& options, const Trace& trace);

Expected<void> write_database(const Options& options, Trace&& trace, const std::string& path);

/// Rows in start order, generated while they are written; each returns false at the end.
struct RowSource {
  std::function<bool(LaunchRow&)> launch;
  std::function<bool(MemoryRow&)> copy;
};
/// Writes a trace larger than memory: `rest` has everything except the launches and copies.
Expected<void> write_database(const Options& options, Trace&& rest, RowSource rows, const std::string& path);
Expected<void> write_parts(const Options& options, const Trace& trace, const std::string& path);
Expected<void> write_truth(const Options& options, const Truth& truth, const std::string& path);

} // namespace jitterscope::generator
