#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace jitterscope::views {

/// A number of a prediction and the formula from which it is computed, or a heading.
struct ModelTerm {
  QString name, value;  ///< the value with its unit
  QString formula;      ///< formula with its numbers inserted; of an input: its source
  QString before;       ///< value without the what-if change; empty if the change does not affect it
  bool heading = false; ///< begins a group; only the name is shown
};

/// Limiting factors of a kernel's time; the order is that of their colours.
enum class ModelBound : std::uint8_t { Compute, Latency, L1, L2, Memory, Dispatch };
inline constexpr int kModelBounds = 6;

/// Name of a kernel without its result type and parameters, which do not distinguish it: template arguments
/// remain.
QString briefName(const QString& name);

/// Launches of one configuration. Times are means over its launches [ns]; NaN where unknown.
struct ModelKernel {
  QString name, configuration; ///< "grid 128 × 1 × 1, block 256"
  std::uint32_t kernel = 0;    ///< id in the session
  std::uint32_t number = 0;    ///< number of the configuration in the session
  std::size_t device = 0;      ///< index into ModelData::devices
  std::int64_t launches = 0;
  double measured = NAN, analytical = NAN, predicted = NAN;
  double before = NAN; ///< analytical time without the what-if change; NaN if no change is requested
  ModelBound bound = ModelBound::Compute;
  QString bottleneck; ///< "compute", "latency", "L2" …
  double mwp = NAN, cwp = NAN, warps = NAN;
  bool extrapolated = false;
  std::vector<double> bytes; ///< bytes that arrive at each level of the device [B]
  double instructions = NAN; ///< warp instructions, in total
  double flops = NAN;        ///< floating-point operations
  std::vector<ModelTerm> terms;

  double error() const { return predicted / measured - 1; }
  /// Prediction to compare with the measured time: without what-if.
  double asRecorded() const { return std::isnan(before) ? predicted : before; }
};

/// Ceilings of a device's rooflines.
struct ModelDevice {
  QString name, source;
  QStringList assumed;
  QStringList levels;             ///< memory levels, nearest first
  std::vector<double> bandwidths; ///< bandwidth of each level [B/s]; NaN if unknown
  double instructionRate = NAN;   ///< warp instructions of all multiprocessors [1/s]
  double flopRate = NAN;          ///< fused FP32 operations [1/s]
};

/// Messages of one class, operation and size.
struct ModelMessage {
  QString operation, distance;
  std::int64_t count = 0;
  double bytes = NAN, concurrency = NAN;
  double measured = NAN, analytical = NAN, predicted = NAN; ///< mean times of a message [ns]
  bool extrapolated = false;
  std::vector<ModelTerm> terms;
  double error() const { return predicted / measured - 1; }
};

inline constexpr std::size_t kRunParts = 6;
/// Kind of a part of a run.
struct RunPart {
  QString name, tip;
  int colour; ///< index of categoryColour(); −1: muted
};
const RunPart& runPart(std::size_t part);

/// Time of the run in one scenario, as consecutive parts.
struct ModelRun {
  QString title;
  std::array<double, kRunParts> parts{}; ///< in the order of runPart() [ns]
  std::vector<ModelTerm> terms;
  double total() const { return std::accumulate(parts.begin(), parts.end(), 0.0); }
};

struct ModelData {
  std::vector<ModelKernel> kernels;
  std::vector<ModelDevice> devices;
  std::vector<ModelMessage> messages;
  std::vector<ModelRun> runs; ///< the measured one first
  QString validation;         ///< the error and how it was found, one sentence
  QString messageValidation;  ///< the error of message predictions and how it was found
  QStringList missing;        ///< counters missing from the launches
  QString command;            ///< command that records the missing counters
  QString commandNote;        ///< GPUs that have these counters; empty: all GPUs of the tool
  QString asked;              ///< the what-if question in words; empty if there is none
  QStringList notes, messageNotes, runNotes;

  bool empty() const { return kernels.empty() && messages.empty() && runs.empty(); }
  /// The parts that occur in these runs.
  std::vector<std::size_t> shownRunParts() const;
};

} // namespace jitterscope::views
