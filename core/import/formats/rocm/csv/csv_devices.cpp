#include "core/import/formats/rocm/csv/csv_group.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::rocm {
namespace {

// Columns of sysinfo.csv that describe the GPU, in the spellings of Omniperf 1 and of its successors.
constexpr std::string_view kHardware =
    "gpusoc|numse|numcu|numsimd|wavesize|maxwavespercu|maxworkgroupsize|l1|l2|sclk|mclk|cursclk|curmclk|"
    "l2banks|numsqc|numpipes|hbmbw|gpumodel|gpuarch|gpul1|gpul2|cupergpu|simdpercu|sepergpu|"
    "workgroupmaxsize|maxsclk|maxmclk|totall2chan|ldsbankspercu|sqcpergpu|pipespergpu|numxcd|"
    "numhbmchannels|gpuseries|gpuchipid|computepartition|memorypartition|vbios|gpumemory|rocmversion|"
    "hostrocmver|amdgpukernelversion|name|ipblocks|version";

constexpr std::string_view kAgent =
    "cucount|simdcount|simdpercu|numxcc|wavefrontsize|ldssizeinkb|maxwavespersimd|maxwavespercu|"
    "gfxtargetversion|maxengineclkfcompute|numshaderbanks|arraycount|simdarraysperengine|cupersimdarray|"
    "gdssizeinkb|localmemsize|memclkmax|vendorname|productname|modelname|name|fwversion|cupergpu|"
    "agenttype";

std::string_view unit_of_peak(std::string_view plain) {
  if (plain.find("bw") != std::string_view::npos) return "GB/s";
  if (plain.find("flop") != std::string_view::npos) return "GFLOP/s";
  return "GOP/s";
}

} // namespace

Expected<void> read_system_info(CsvGroup& group, const Input& input) {
  auto table = CsvTable::open(input, group.meter);
  if (!table) return forward(table.error());
  const auto more = (*table)->next(group.issues);
  if (!more) return forward(more.error());
  if (!*more) return {};
  Gpu gpu = group.places.any_device();
  std::string soc, model, plain_name;
  for (std::size_t column = 0; column < (*table)->header().titles.size(); ++column) {
    const auto& title = (*table)->header().titles[column];
    const auto plain = plain_title(title);
    const auto value = clean_text(trimmed((*table)->field(column)));
    if (plain == "workloadname") group.workload = value;
    if (is_missing(value) || !is_listed(plain, kHardware)) continue;
    if (plain == "gpusoc" || plain == "gpuarch") soc = value;
    if (plain == "gpumodel") model = value;
    if (plain == "name") plain_name = value;
    if (plain == "numcu" || plain == "cupergpu")
      gpu.compute_units = std::clamp<std::int64_t>(parse_whole_number(value).value_or(0), 0, 1 << 20);
    if (plain == "rocmversion" || plain == "hostrocmver") group.source.tool = "ROCm " + value;
    if (plain == "version") {
      group.source.schema = value;
      continue;
    }
    gpu.properties[title] = value;
  }
  gpu.name = !model.empty() ? model : !plain_name.empty() ? plain_name : soc;
  group.places.describe_any(std::move(gpu));
  return {};
}

Expected<void> read_roofline(CsvGroup& group, const Input& input) {
  auto table = CsvTable::open(input, group.meter);
  if (!table) return forward(table.error());
  const auto more = (*table)->next(group.issues);
  if (!more) return forward(more.error());
  if (!*more) return {};
  Gpu gpu = group.places.any_device();
  for (std::size_t column = 0; column < (*table)->header().titles.size(); ++column) {
    const auto& title = (*table)->header().titles[column];
    const auto plain = plain_title(title);
    const auto value = parse_number((*table)->field(column));
    if (!value || plain == "device" || plain.empty()) continue;
    gpu.properties["roofline " + title] = fmt::format("{} {}", *value, unit_of_peak(plain));
  }
  group.places.describe_any(std::move(gpu));
  return {};
}

Expected<void> read_agents(CsvGroup& group, const Input& input) {
  auto table = CsvTable::open(input, group.meter);
  if (!table) return forward(table.error());
  for (int agents = 0; agents < 4096; ++agents) {
    const auto more = (*table)->next(group.issues);
    if (!more) return forward(more.error());
    if (!*more) return {};
    Gpu gpu;
    std::int64_t number = -1;
    bool is_gpu = false;
    std::map<std::string, std::string> by_plain;
    for (std::size_t column = 0; column < (*table)->header().titles.size(); ++column) {
      const auto& title = (*table)->header().titles[column];
      const auto plain = plain_title(title);
      const auto value = clean_text(trimmed((*table)->field(column)));
      if (plain == "nodeid") number = parse_whole_number(value).value_or(-1);
      if (plain == "agenttype") is_gpu = value != "CPU" && value != "1";
      if (is_missing(value) || !is_listed(plain, kAgent)) continue;
      by_plain[plain] = value;
      gpu.properties[title] = value;
    }
    if (!is_gpu || number < 0) continue;
    for (const auto* name : {"name", "modelname", "productname"})
      if (const auto known = by_plain.find(name); known != by_plain.end()) gpu.name = known->second;
    if (const auto units = by_plain.find("cucount"); units != by_plain.end())
      gpu.compute_units = std::clamp<std::int64_t>(parse_whole_number(units->second).value_or(0), 0, 1 << 20);
    group.places.describe(number, std::move(gpu));
  }
  return {};
}

} // namespace jitterscope::import::rocm
