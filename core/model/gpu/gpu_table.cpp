#include "core/model/gpu/gpu_table.h"

#include <cctype>

#include <fmt/format.h>

namespace jitterscope::model {
namespace {

constexpr double kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

constexpr const char* kMeasured =
    "latencies and L2 bandwidth: MT4G sample results (2025); the rest: data sheet";
// DRAM: reading 0.5 GB repeatedly (tests/generator/gpu); the data sheet states 3,350 GB/s.
constexpr const char* kMeasuredOwn =
    "latencies and L2 bandwidth: MT4G sample results (2025); DRAM bandwidth: measured; the rest: data sheet";
constexpr const char* kSheet = "data sheet";

/// A row of the table. Latencies in cycles; bandwidths of L2 in GiB/s, of DRAM in GB/s.
struct Row {
  const char* name;
  const char* vendor;
  const char* source;
  double mhz;
  int multiprocessors, warp, lanes, max_warps, max_blocks;
  double l1_kib, shared_kib, l2_mib, dram_gb;
  double l1_bytes_per_clock; ///< L1 bandwidth of a multiprocessor
  double transaction;        ///< bytes of one memory transaction
  double l1_latency, l2_latency, dram_latency;
  double l2_gib, dram_gbps;
  const char* assumed; ///< assumed values, in words, separated by "; "
};

// Data sheets of the vendors; architecture white papers for lanes, warps, blocks and bytes per clock.
constexpr Row kRows[] = {
    {"V100-PCIE-16GB",
     "NVIDIA",
     kMeasured,
     1380,
     80,
     32,
     64,
     64,
     32,
     128,
     96,
     6,
     16,
     128,
     32,
     30.1,
     214.5,
     407.9,
     958,
     900,
     ""},
    {"T4", "NVIDIA", kSheet, 1590,  40,  32,  64,
     32,   16,       96,     64,    4,   16,  64,
     32,   30.1,     214.5,  407.9, 552, 320, "latencies of V100; its L2 bandwidth per SM and clock"},
    {"A100-PCIE-40GB",
     "NVIDIA",
     kMeasured,
     1410,
     108,
     32,
     64,
     64,
     32,
     192,
     164,
     40,
     40,
     128,
     32,
     68.0,
     221.0,
     640.1,
     2374,
     1555,
     ""},
    {"A100-SXM4-40GB",
     "NVIDIA",
     kSheet,
     1410,
     108,
     32,
     64,
     64,
     32,
     192,
     164,
     40,
     40,
     128,
     32,
     68.0,
     221.0,
     640.1,
     2374,
     1555,
     "latencies and L2 bandwidth of A100-PCIE-40GB"},
    {"A100-SXM4-80GB",
     "NVIDIA",
     kSheet,
     1410,
     108,
     32,
     64,
     64,
     32,
     192,
     164,
     40,
     80,
     128,
     32,
     68.0,
     221.0,
     640.1,
     2374,
     2039,
     "latencies and L2 bandwidth of A100-PCIE-40GB"},
    {"A100-PCIE-80GB",
     "NVIDIA",
     kSheet,
     1410,
     108,
     32,
     64,
     64,
     32,
     192,
     164,
     40,
     80,
     128,
     32,
     68.0,
     221.0,
     640.1,
     2374,
     1935,
     "latencies and L2 bandwidth of A100-PCIE-40GB"},
    {"RTX-3090",
     "NVIDIA",
     kSheet,
     1695,
     82,
     32,
     128,
     48,
     16,
     128,
     100,
     6,
     24,
     128,
     32,
     38.0,
     219.3,
     640.1,
     2167,
     936,
     "latencies of L1 and L2 of H100, of DRAM of A100; L2 bandwidth of A100 per SM and clock"},
    {"L40S", "NVIDIA", kSheet, 2520,  142,  32,  128,
     48,     24,       128,    100,   96,   48,  128,
     32,     38.0,     219.3,  834.5, 5579, 864, "latencies of H100; L2 bandwidth of A100 per SM and clock"},
    {"H100-80GB-HBM3",
     "NVIDIA",
     kMeasuredOwn,
     1980,
     132,
     32,
     128,
     64,
     32,
     256,
     228,
     50,
     80,
     128,
     32,
     38.0,
     219.3,
     834.5,
     4529,
     3100,
     ""},
    {"H100-PCIe", "NVIDIA", kSheet,
     1755,        114,      32,
     128,         64,       32,
     256,         228,      50,
     80,          128,      32,
     38.0,        219.3,    834.5,
     3467,        2039,     "latencies of H100 SXM; its L2 bandwidth per SM and clock"},
    {"H100-NVL", "NVIDIA", kMeasured, 1785, 132,  32,    128,   64,   32,   256, 228,
     60,         94,       128,       32,   38.0, 237.8, 803.0, 4307, 3900, ""},
    {"H200", "NVIDIA", kSheet, 1980,  132,  32,   128,
     64,     32,       256,    228,   57.2, 141,  128,
     32,     38.0,     219.3,  834.5, 4529, 4800, "latencies and L2 bandwidth of H100 SXM"},
    {"MI100", "AMD", kMeasured, 1502, 120,   64,    64,    40,   0,    16, 64,
     8,       32,    64,        64,   136.0, 343.7, 703.2, 2485, 1229, ""},
    {"MI210", "AMD", kMeasured, 1700, 104,   64,    64,    32,   0,    16, 64,
     8,       64,    64,        64,   124.0, 302.1, 740.9, 4014, 1638, ""},
    {"MI250", "AMD", kSheet,
     1700,    104,   64,
     64,      32,    0,
     16,      64,    8,
     64,      64,    64,
     124.0,   302.1, 740.9,
     4014,    1638,  "one of two dies; latencies and L2 bandwidth of MI210 (the same die)"},
    {"MI250X",
     "AMD",
     kSheet,
     1700,
     110,
     64,
     64,
     32,
     0,
     16,
     64,
     8,
     64,
     64,
     64,
     124.0,
     302.1,
     740.9,
     4246,
     1638,
     "one of two dies; latencies of MI210 (the same die), its L2 bandwidth per compute unit"},
    {"MI300X",
     "AMD",
     kMeasured,
     2100,
     304,
     64,
     64,
     32,
     0,
     32,
     64,
     32,
     192,
     64,
     128,
     116.0,
     287.5,
     899.7,
     14365,
     5300,
     "L1 bytes per clock from MI200; the Infinity Cache is left out because its latency was not measured"},
};

GpuSpecification specification(const Row& row) {
  GpuSpecification gpu;
  gpu.name = row.name;
  gpu.vendor = row.vendor;
  gpu.source = row.source;
  gpu.clock_hz = row.mhz * 1e6;
  gpu.multiprocessors = row.multiprocessors;
  gpu.warp_size = row.warp;
  gpu.lanes = row.lanes;
  gpu.max_warps = row.max_warps;
  gpu.max_blocks = row.max_blocks;
  gpu.max_threads_per_block = 1024;
  const bool amd = gpu.vendor == "AMD";
  // Vector registers of four SIMDs: 512 of 64 lanes each since CDNA 2; 256 before, not counting accumulation
  // registers.
  gpu.registers = amd && gpu.name != "MI100" ? 131'072 : 65'536;
  gpu.shared_memory = static_cast<std::int64_t>(row.shared_kib * kKiB);
  const double all = row.multiprocessors;
  gpu.levels = {{"L1", row.l1_latency, row.l1_bytes_per_clock * gpu.clock_hz * all, row.transaction,
                 row.l1_kib * kKiB * all},
                {"L2", row.l2_latency, row.l2_gib * kGiB, row.transaction, row.l2_mib * kMiB},
                {"DRAM", row.dram_latency, row.dram_gbps * 1e9, row.transaction, row.dram_gb * 1e9}};
  for (std::string_view rest = row.assumed; !rest.empty();) {
    const auto end = rest.find("; ");
    gpu.assumed.emplace_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 2);
  }
  return gpu;
}

/// Letters and digits only, in lower case.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Other names of the GPUs, longest first if one contains another.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {{"h100sxm", "H100-80GB-HBM3"},
                                                                      {"h100pcie", "H100-PCIe"},
                                                                      {"h100nvl", "H100-NVL"},
                                                                      {"h10080gbhbm3", "H100-80GB-HBM3"},
                                                                      {"h100", "H100-80GB-HBM3"},
                                                                      {"h200", "H200"},
                                                                      {"a100pcie40gb", "A100-PCIE-40GB"},
                                                                      {"a100pcie80gb", "A100-PCIE-80GB"},
                                                                      {"a10080gbpcie", "A100-PCIE-80GB"},
                                                                      {"a100sxm440gb", "A100-SXM4-40GB"},
                                                                      {"a100sxm480gb", "A100-SXM4-80GB"},
                                                                      {"a100sxm80gb", "A100-SXM4-80GB"},
                                                                      {"a10080", "A100-SXM4-80GB"},
                                                                      {"a100", "A100-SXM4-40GB"},
                                                                      {"v100", "V100-PCIE-16GB"},
                                                                      {"rtx3090", "RTX-3090"},
                                                                      {"l40s", "L40S"},
                                                                      {"mi250x", "MI250X"},
                                                                      {"mi250", "MI250"},
                                                                      {"mi210", "MI210"},
                                                                      {"mi200", "MI210"},
                                                                      {"mi100", "MI100"},
                                                                      {"mi300x", "MI300X"},
                                                                      {"teslat4", "T4"}};

const GpuSpecification* named(std::string_view name) {
  for (const auto& gpu : known_gpus())
    if (gpu.name == name) return &gpu;
  return nullptr;
}

} // namespace

const std::vector<GpuSpecification>& known_gpus() {
  static const std::vector<GpuSpecification> kAll = [] {
    std::vector<GpuSpecification> all;
    for (const auto& row : kRows) all.push_back(specification(row));
    return all;
  }();
  return kAll;
}

const GpuSpecification* known_gpu(std::string_view name) {
  const auto requested = plain(name);
  for (const auto& gpu : known_gpus())
    if (plain(gpu.name) == requested) return &gpu;
  std::string_view best, target;
  for (const auto& [alias, gpu] : kAliases)
    if (alias.size() > best.size() && requested.find(alias) != std::string::npos) best = alias, target = gpu;
  return best.empty() ? nullptr : named(target);
}

Expected<GpuSpecification> find_gpu(std::string_view name) {
  if (const auto* gpu = known_gpu(name)) return *gpu;
  std::string names;
  for (const auto& gpu : known_gpus()) names += (names.empty() ? "" : ", ") + gpu.name;
  return failure(ErrorKind::BadUse, fmt::format("the GPU \"{}\" is unknown", name), {}, "--gpu",
                 fmt::format("Use one of {}, or name a result of MT4G (a JSON file).", names));
}

GpuSpecification completed(GpuSpecification gpu) {
  const auto* table = known_gpu(gpu.name);
  const bool amd = gpu.vendor == "AMD";
  const auto fill = [&](auto& value, auto from, bool missing, const std::string& what) {
    if (!missing) return;
    value = from;
    gpu.assumed.push_back(fmt::format("{}{}", what, table ? " of " + table->name : ""));
  };
  fill(gpu.clock_hz, table ? table->clock_hz : kUnknownQuantity, table && !(gpu.clock_hz > 0), "clock");
  fill(gpu.lanes, table ? table->lanes : 64, gpu.lanes <= 0, "lanes");
  fill(gpu.max_warps, table ? table->max_warps : amd ? 32 : 64, gpu.max_warps <= 0, "resident warps");
  for (auto& level : gpu.levels) {
    const auto* known = table ? table->level(level.name) : nullptr;
    if (known) {
      fill(level.bandwidth, known->bandwidth, !(level.bandwidth > 0), "bandwidth of " + level.name);
      fill(level.latency, known->latency, !(level.latency > 0), "latency of " + level.name);
    } else if (level.name == "L1" && gpu.clock_hz > 0 && !(level.bandwidth > 0)) {
      const double bytes = amd ? 64 : 128; // per clock
      level.bandwidth = bytes * gpu.clock_hz * static_cast<double>(gpu.multiprocessors);
      gpu.assumed.push_back(fmt::format("L1 moves {} B per clock", bytes));
    }
  }
  return gpu;
}

GpuSpecification with_dram_bandwidth(GpuSpecification gpu, double bytes_per_second,
                                     const std::string& source) {
  if (gpu.levels.empty() || !(bytes_per_second > 0)) return gpu;
  gpu.levels.back().bandwidth = bytes_per_second;
  gpu.source += fmt::format("; DRAM bandwidth: {}", source);
  return gpu;
}

} // namespace jitterscope::model
