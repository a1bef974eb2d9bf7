#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/import/formats/machine/machine_text.h"
#include "core/import/formats/machine/parsers.h"
#include "core/import/text/text.h"

namespace jitterscope::import::machine {
namespace {

using nlohmann::json;
using store::Severity;

constexpr double kMinConfidence = 0.5;
constexpr double kMaxCount = 1e9; // maximum count of multiprocessors, warps or bytes of shared memory

/// A member of an object, also if its name contains a dot ("l1.5"); null where there is none.
const json& member(const json& of, const char* name) {
  static const json kNull;
  if (!of.is_object()) return kNull;
  const auto found = of.find(name);
  return found == of.end() ? kNull : *found;
}

class Mt4gReading {
public:
  Mt4gReading(const json& root, store::ImportReport& report) : root_(root), report_(report) {}

  Expected<GpuSpecification> read() {
    const auto& general = member(root_, "general");
    gpu_.name = text(member(general, "name"));
    gpu_.vendor = text(member(general, "vendor"));
    gpu_.source = "MT4G";
    gpu_.clock_hz = quantity(member(general, "clockRate"), "general.clockRate", "kHz");
    read_compute();
    if (gpu_.name.empty() || gpu_.multiprocessors <= 0 || gpu_.warp_size <= 0)
      return failure(ErrorKind::BadInput,
                     "the MT4G result lacks the name, number of multiprocessors or warp size of the GPU", {},
                     {}, "Run mt4g again.");
    read_levels();
    read_shared();
    return std::move(gpu_);
  }

private:
  bool amd() const { return gpu_.vendor == "AMD"; }

  static std::string text(const json& value) {
    return value.is_string() ? clean_text(value.get_ref<const std::string&>()) : std::string();
  }

  static std::int64_t count(const json& value) {
    if (!value.is_number()) return 0;
    const auto number = value.get<double>();
    return number >= 0 && number <= kMaxCount ? static_cast<std::int64_t>(number) : 0;
  }

  /// In the base unit: {value, unit} for values from the driver, {size, unit, confidence} for measured ones.
  /// `usual`: unit of a value without one.
  double quantity(const json& value, const char* name, const char* usual = "bytes") {
    const auto& unit = member(value, "unit");
    const auto factor = factor_of_unit(unit.is_string() ? unit.get_ref<const std::string&>() : usual);
    if (!factor) {
      report_.add(
          Severity::Drop, "unknown-unit",
          fmt::format("{} of {} has the unknown unit {}: it is left out", name, gpu_.name, text(unit)));
      return kUnknownQuantity;
    }
    if (value.is_number()) return value.get<double>() * *factor;
    const auto& confidence = member(value, "confidence");
    if (confidence.is_number() && confidence.get<double>() < kMinConfidence) {
      report_.add(Severity::Drop, "low-confidence",
                  fmt::format("{} of {} has a confidence of only {:.2f}: it is left out", name, gpu_.name,
                              confidence.get<double>()));
      return kUnknownQuantity;
    }
    for (const char* key : {"value", "size"})
      if (const auto& number = member(value, key); number.is_number()) {
        const auto found = number.get<double>();
        return found >= 0 && std::isfinite(found) ? found * *factor : kUnknownQuantity;
      }
    return kUnknownQuantity;
  }

  double latency(const json& level) {
    const auto& mean = member(member(level, "latency"), "mean");
    return mean.is_number() && mean.get<double>() > 0 ? mean.get<double>() : kUnknownQuantity;
  }

  double bandwidth(const json& level, const char* name) {
    const double bandwidth = quantity(member(level, "readBandwidth"), name, "GiB/s");
    return bandwidth > 0 ? bandwidth : kUnknownQuantity;
  }

  void read_compute() {
    const auto& compute = member(root_, "compute");
    gpu_.multiprocessors = count(member(compute, "multiProcessorCount"));
    gpu_.warp_size = count(member(compute, "warpSize"));
    gpu_.lanes = count(member(compute, "numberOfCoresPerMultiProcessor"));
    gpu_.max_threads_per_block = count(member(compute, "maxThreadsPerBlock"));
    gpu_.registers = count(member(compute, "regsPerMultiProcessor"));
    gpu_.max_blocks = count(member(compute, "maxBlocksPerMultiProcessor"));
    if (gpu_.warp_size > 0)
      gpu_.max_warps = count(member(compute, "maxThreadsPerMultiProcessor")) / gpu_.warp_size;
    dies_ = std::max<std::int64_t>(1, count(member(compute, "numXCDs")));
    if (!amd()) return;
    // HIP reports 2 for every compute unit.
    if (gpu_.max_blocks > 0) repaired("maxBlocksPerMultiProcessor");
    gpu_.max_blocks = 0;
  }

  void repaired(const char* name) {
    report_.add(Severity::Repair, "hip-artefact",
                fmt::format("{} of {} is an artefact of HIP and is not used", name, gpu_.name));
  }

  /// Minimum transaction of L1: a sector of 32 B, on AMD its line.
  double transaction() {
    if (!amd()) return 32;
    const double line = quantity(member(member(member(root_, "memory"), "l1"), "lineSize"), "l1.lineSize");
    return line >= 32 && line <= 256 ? line : 64;
  }

  void read_levels() {
    const auto& memory = member(root_, "memory");
    const auto all = static_cast<double>(gpu_.multiprocessors);
    const double q = transaction();
    const auto& l1 = member(memory, "l1");
    gpu_.levels.push_back(
        {"L1", latency(l1), kUnknownQuantity, q, all * quantity(member(l1, "size"), "l1.size")});
    const auto& l2 = member(memory, "l2");
    double l2_size = quantity(member(l2, "size"), "l2.size");
    if (amd() && dies_ > 1) { // the value is of one die
      l2_size *= static_cast<double>(dies_);
      report_.add(
          Severity::Repair, "one-die",
          fmt::format("l2.size of {} is the size of one of its {} dies: the sum over all dies is used",
                      gpu_.name, dies_));
    }
    gpu_.levels.push_back({"L2", latency(l2), bandwidth(l2, "l2.readBandwidth"), q, l2_size});
    if (const auto& l3 = member(memory, "l3"); l3.is_object())
      gpu_.levels.push_back(
          {"L3", latency(l3), bandwidth(l3, "l3.readBandwidth"), q, quantity(member(l3, "size"), "l3.size")});
    const auto& main = member(memory, "main");
    gpu_.levels.push_back({"DRAM", latency(main), bandwidth(main, "main.readBandwidth"), q,
                           quantity(member(main, "totalGlobalMem"), "main.totalGlobalMem")});
  }

  void read_shared() {
    const auto& shared = member(member(root_, "memory"), "shared");
    const double bytes =
        quantity(member(shared, "sharedMemPerMultiProcessor"), "shared.sharedMemPerMultiProcessor");
    constexpr std::int64_t kLds = 64 * 1024; // per compute unit; HIP reports the sum of all
    if (amd()) {
      if (bytes > static_cast<double>(kLds)) repaired("sharedMemPerMultiProcessor");
      gpu_.shared_memory = kLds;
    } else if (bytes > 0 && bytes <= kMaxCount) {
      gpu_.shared_memory = static_cast<std::int64_t>(bytes);
    }
  }

  const json& root_;
  store::ImportReport& report_;
  GpuSpecification gpu_;
  std::int64_t dies_ = 1;
};

} // namespace

Expected<GpuSpecification> mt4g_of_json(std::string_view text, store::ImportReport& report) {
  const auto root = json::parse(text, nullptr, false);
  if (root.is_discarded() || !root.is_object())
    return failure(ErrorKind::BadInput, "the result of MT4G is not a valid JSON object", {}, {},
                   "It may have been truncated: run mt4g again.");
  return Mt4gReading(root, report).read();
}

} // namespace jitterscope::import::machine
