#include <vector>

#include "core/import/formats/machine/machine_text.h"
#include "core/import/formats/machine/parsers.h"
#include "core/import/text/text.h"

namespace jitterscope::import::machine {
namespace {

using Fields = std::vector<std::string_view>;

/// Fields of a line, without blanks and quotes.
Fields fields_of(std::string_view line) {
  Fields fields;
  for (;;) {
    const auto end = line.find(';');
    auto field = trimmed(line.substr(0, end));
    if (field.size() > 1 && field.starts_with('"') && field.ends_with('"'))
      field = field.substr(1, field.size() - 2);
    fields.push_back(trimmed(field));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

/// The value after a key in its base unit. A latency occurs twice: the one in cycles is used.
double value_of(const Fields& fields, std::string_view key, std::string_view expected_unit = {}) {
  for (std::size_t i = 1; i + 1 < fields.size(); ++i) {
    if (fields[i] != key) continue;
    const auto value = number_of(fields[i + 1]);
    const auto unit = i + 2 < fields.size() ? fields[i + 2] : std::string_view();
    if (!value || *value < 0 || (!expected_unit.empty() && unit != expected_unit)) continue;
    return *value * factor_of_unit(unit).value_or(1);
  }
  return kUnknownQuantity;
}

std::string_view text_of(const Fields& fields, std::string_view key) {
  for (std::size_t i = 1; i + 1 < fields.size(); ++i)
    if (fields[i] == key) return fields[i + 1];
  return {};
}

std::int64_t count_of(const Fields& fields, std::string_view key) {
  const double value = value_of(fields, key);
  return value > 0 && value < 1e9 ? static_cast<std::int64_t>(value) : 0;
}

class Table {
public:
  explicit Table(std::string_view text) {
    for_each_line(text, [&](std::string_view line) {
      lines_.push_back(fields_of(line));
      return true;
    });
  }
  const Fields& section(std::string_view name) const {
    static const Fields kNone;
    for (const auto& fields : lines_)
      if (fields.front() == name) return fields;
    return kNone;
  }

private:
  std::vector<Fields> lines_;
};

MemoryLevel level_of(const Table& table, const char* section, const char* name, double instances) {
  const auto& fields = table.section(section);
  return {name, value_of(fields, "Load_Latency", "cycles"), kUnknownQuantity, 32,
          instances * value_of(fields, "Size")};
}

} // namespace

Expected<GpuSpecification> mt4g_of_2022(std::string_view text, store::ImportReport& report) {
  const Table table(text);
  const auto& compute = table.section("COMPUTE_RESOURCE_INFORMATION");
  GpuSpecification gpu;
  gpu.name = clean_text(text_of(table.section("GPU_INFORMATION"), "GPU_name"));
  gpu.vendor = clean_text(text_of(table.section("GPU_INFORMATION"), "GPU_vendor"));
  if (lower(gpu.vendor) == "nvidia") gpu.vendor = "NVIDIA";
  const bool amd = gpu.vendor == "AMD";
  gpu.source = "MT4G 2022";
  gpu.multiprocessors = count_of(compute, amd ? "Number_of_CU" : "Number_of_streaming_multiprocessors");
  if (gpu.multiprocessors == 0) gpu.multiprocessors = count_of(compute, "Number_of_SM");
  gpu.lanes = count_of(compute, amd ? "Number_of_cores_per_CU" : "Number_of_cores_per_SM");
  gpu.registers =
      count_of(table.section("REGISTER_INFORMATION"), amd ? "Registers_per_CU" : "Registers_per_SM");
  gpu.clock_hz = value_of(table.section("ADDITIONAL_INFORMATION"), "GPU_Clock_Rate");
  gpu.warp_size = amd ? 64 : 32;
  if (gpu.name.empty() || gpu.multiprocessors == 0)
    return failure(ErrorKind::BadInput,
                   "the MT4G table lacks the name of the GPU or its number of multiprocessors", {}, {},
                   "Run mt4g again.");
  const auto all = static_cast<double>(gpu.multiprocessors);
  gpu.levels = {level_of(table, "L1_DATA_CACHE", "L1", all), level_of(table, "L2_DATA_CACHE", "L2", 1),
                level_of(table, "MAIN_MEMORY", "DRAM", 1)};
  report.add(store::Severity::Info, "no-bandwidths",
             "MT4G tables of 2022 have no bandwidths: the bandwidths of the built-in table are used if it "
             "contains the GPU");
  return gpu;
}

} // namespace jitterscope::import::machine
