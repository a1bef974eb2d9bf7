#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/core.h>

#include "core/efficiency/talp/talp.h"

namespace jitterscope::efficiency {
namespace {

using nlohmann::json;

constexpr int kOldestMajor = 3, kOldestMinor = 5;

/// Numbers of a region by key; the first value that is not a number is recorded as the problem.
class Numbers {
public:
  explicit Numbers(const json& region) : region_(region) {}
  double number(const char* key, bool required = false) {
    const auto found = region_.find(key);
    if (found == region_.end()) {
      if (required && problem_.empty()) problem_ = fmt::format("{} is missing", key);
      return 0;
    }
    if (!found->is_number()) {
      if (problem_.empty()) problem_ = fmt::format("{} is not a number", key);
      return 0;
    }
    return found->get<double>();
  }
  std::int64_t count(const char* key, bool required = false) {
    const double value = number(key, required);
    if (!(std::abs(value) < 1e18)) { // sums of several do not overflow
      if (problem_.empty()) problem_ = fmt::format("{} is out of range", key);
      return 0;
    }
    // Integers are not read as double: they may have more than 53 bits.
    const auto found = region_.find(key);
    return found != region_.end() && found->is_number_integer() ? found->get<std::int64_t>()
                                                                : std::llround(value);
  }
  /// A time or a number of objects: not negative.
  std::int64_t amount(const char* key, bool required = false) {
    const auto value = count(key, required);
    if (value < 0 && problem_.empty()) problem_ = fmt::format("{} is negative", key);
    return value;
  }
  bool has(const char* key) const { return region_.contains(key); }
  const std::string& problem() const { return problem_; }

private:
  const json& region_;
  std::string problem_;
};

Expected<TalpRegion> read_region(const std::string& name, const json& of, const std::string& file) {
  const auto place = fmt::format("region {}", name);
  if (!of.is_object()) return failure(ErrorKind::BadInput, "a region is not an object", file, place);
  Numbers numbers(of);
  TalpRegion region;
  region.name = name;
  region.cpus = numbers.amount("numCpus", true);
  region.ranks = numbers.amount("numMpiRanks");
  region.nodes = numbers.amount("numNodes");
  region.gpus = numbers.amount("numGpus");
  region.instructions = std::max<std::int64_t>(numbers.count("instructions"), 0);
  region.cycles = std::max<std::int64_t>(numbers.count("cycles"), 0);
  region.elapsed = numbers.amount("elapsedTime", true);
  region.useful = numbers.amount("usefulTime", true);
  region.mpi = numbers.amount("mpiTime", true);
  region.openmp = numbers.amount("ompLoadImbalanceTime") + numbers.amount("ompSchedulingTime") +
                  numbers.amount("ompSerializationTime");
  region.gpu_runtime = numbers.amount("gpuRuntimeTime");
  region.gpu_useful = numbers.amount("gpuUsefulTime");
  region.gpu_communication = numbers.amount("gpuCommunicationTime");
  region.max_gpu_useful = numbers.amount("maxGpuUsefulTime");
  region.max_gpu_active = numbers.amount("maxGpuActiveTime");
  if (numbers.has("minMpiNormdProc")) region.min_mpi_of_process = numbers.number("minMpiNormdProc");
  for (const auto& [key, value] : of.items())
    if (value.is_number() && (key.ends_with("Efficiency") || key.find("LoadBalance") != std::string::npos) &&
        !key.ends_with("Time"))
      region.stated[key] = value.get<double>();
  if (!numbers.problem().empty()) return failure(ErrorKind::BadInput, numbers.problem(), file, place);
  if (region.elapsed <= 0 || (region.cpus <= 0 && region.gpus <= 0))
    return failure(ErrorKind::BadInput, "the region has no elapsed time, or neither CPUs nor GPUs", file,
                   place);
  return region;
}

bool too_old(const std::string& version) {
  char* end = nullptr;
  const long major = std::strtol(version.c_str(), &end, 10);
  const long minor = *end == '.' ? std::strtol(end + 1, &end, 10) : 0;
  return major < kOldestMajor || (major == kOldestMajor && minor < kOldestMinor);
}

} // namespace

bool looks_like_talp(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' &&
         text.find("\"dlbVersion\"") != std::string_view::npos;
}

Expected<TalpFile> read_talp(const std::string& text, const std::string& file) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error& problem) {
    return failure(ErrorKind::BadInput, "this file is not valid JSON", file,
                   fmt::format("byte {}", problem.byte), "Record it again with DLB, or copy it again.");
  }
  if (!document.is_object() || !document.contains("dlbVersion") || !document.at("dlbVersion").is_string())
    return failure(ErrorKind::BadInput, "this is not TALP output: the DLB version is missing", file, {},
                   "Name a JSON file that TALP of DLB 3.5 or later wrote.");
  TalpFile talp;
  talp.version = document.at("dlbVersion");
  if (talp.version.find_first_not_of("0123456789.") == 0)
    return failure(ErrorKind::BadInput, fmt::format("\"{}\" is not a version of DLB", talp.version), file,
                   "dlbVersion", "Name a JSON file that TALP of DLB 3.5 or later wrote.");
  if (too_old(talp.version))
    return failure(ErrorKind::BadInput, fmt::format("TALP output of DLB {} is not supported", talp.version),
                   file, "dlbVersion", "Use DLB 3.5 or later.");
  if (document.contains("timestamp") && document.at("timestamp").is_string())
    talp.timestamp = document.at("timestamp");
  const auto regions = document.find("Application");
  if (regions == document.end() || !regions->is_object() || regions->empty())
    return failure(ErrorKind::BadInput, "the file contains no region", file, "Application");
  for (const auto& [name, of] : regions->items()) {
    auto region = read_region(name, of, file);
    if (!region) return forward(region.error());
    talp.regions.push_back(std::move(*region));
  }
  return talp;
}

Expected<const TalpRegion*> TalpFile::region(const std::string& name) const {
  const auto find = [&](const std::string& requested) -> const TalpRegion* {
    const auto found = std::ranges::find(regions, requested, &TalpRegion::name);
    return found == regions.end() ? nullptr : &*found;
  };
  if (!name.empty()) {
    if (const auto* found = find(name)) return found;
    std::string names;
    for (std::size_t r = 0; r < std::min<std::size_t>(regions.size(), 10); ++r)
      names += (r > 0 ? ", " : "") + regions[r].name;
    return failure(ErrorKind::BadUse, fmt::format("the TALP file has no region \"{}\"", name), {}, {},
                   "Its regions are " + names + (regions.size() > 10 ? " …" : "."));
  }
  for (const char* known_region : {"Global", "Application"})
    if (const auto* found = find(known_region)) return found;
  return &regions.front();
}

} // namespace jitterscope::efficiency
