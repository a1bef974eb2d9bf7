#include "core/import/formats/nsys/devices.h"

#include <algorithm>
#include <array>

#include "core/import/text/text.h"

namespace jitterscope::import::nsys {
namespace {

using sqlite::Database;
using sqlite::Rows;

// Maximum number of GPUs: no machine has more, but a damaged or malicious file may state more.
constexpr std::size_t kMaxGpus = 4096;

constexpr std::array kProperties = {"busLocation",   "chipName",       "totalMemory",       "memoryBandwidth",
                                    "clockRate",     "l2CacheSize",    "computeMajor",      "computeMinor",
                                    "maxWarpsPerSm", "maxBlocksPerSm", "maxRegistersPerSm", "maxShmemPerSm"};

std::int64_t integer_or(const Rows& rows, int column, std::int64_t otherwise) {
  return rows.is_integer(column) ? rows.integer(column) : otherwise;
}

std::string text_or_empty(const Rows& rows, int column) {
  return rows.is_text(column) ? clean_text(rows.text(column)) : std::string();
}

// Older tools write an all-zero id for unknown ones.
std::string uuid_or_empty(const Rows& rows, int column) {
  auto uuid = text_or_empty(rows, column);
  return uuid.find_first_not_of("0-") == std::string::npos ? std::string() : uuid;
}

template <class EachRow>
Expected<void> for_rows(Database& database, const std::string& table, const std::vector<std::string>& columns,
                        EachRow&& each) {
  if (!database.has_table(table)) return {};
  auto rows = database.select(table, columns);
  if (!rows) return forward(rows.error());
  return rows->for_each([&] { each(*rows); });
}

} // namespace

Expected<void> Devices::read(Database& database) {
  if (auto done = read_gpus(database); !done) return done;
  if (auto done = read_cuda_gpus(database); !done) return done;
  return read_cuda_devices(database);
}

Expected<void> Devices::read_gpus(Database& database) {
  std::vector<std::string> columns = {"id", "cuDevice", "deviceId", "name", "uuid", "smCount"};
  const auto first_property = static_cast<int>(columns.size());
  columns.insert(columns.end(), kProperties.begin(), kProperties.end());
  return for_rows(database, "TARGET_INFO_GPU", columns, [&](const Rows& rows) {
    if (gpus_.size() >= kMaxGpus) return;
    Gpu gpu;
    const auto old_number = integer_or(rows, 2, -1);
    gpu.id = integer_or(rows, 0, old_number);
    gpu.cuda_device = integer_or(rows, 1, old_number);
    gpu.name = text_or_empty(rows, 3);
    gpu.uuid = uuid_or_empty(rows, 4);
    gpu.multiprocessors = std::clamp<std::int64_t>(integer_or(rows, 5, 0), 0, 1 << 20);
    for (std::size_t i = 0; i < kProperties.size(); ++i) {
      const int column = first_property + static_cast<int>(i);
      if (rows.is_integer(column)) gpu.properties[kProperties[i]] = std::to_string(rows.integer(column));
      if (rows.is_text(column)) gpu.properties[kProperties[i]] = text_or_empty(rows, column);
    }
    gpus_.push_back(std::move(gpu));
  });
}

Expected<void> Devices::read_cuda_gpus(Database& database) {
  return for_rows(database, "TARGET_INFO_CUDA_GPU", {"deviceId", "id", "name", "uuid", "numMultiprocessors"},
                  [&](const Rows& rows) {
                    const auto number = integer_or(rows, 0, integer_or(rows, 1, -1));
                    const auto found = std::find_if(gpus_.begin(), gpus_.end(), [&](const Gpu& gpu) {
                      return gpu.cuda_device == number;
                    });
                    if (found == gpus_.end() && gpus_.size() >= kMaxGpus) return;
                    Gpu& gpu = found == gpus_.end() ? gpus_.emplace_back() : *found;
                    gpu.cuda_device = number;
                    if (gpu.id < 0) gpu.id = number;
                    if (gpu.name.empty()) gpu.name = text_or_empty(rows, 2);
                    if (gpu.uuid.empty()) gpu.uuid = uuid_or_empty(rows, 3);
                    if (gpu.multiprocessors == 0)
                      gpu.multiprocessors = std::clamp<std::int64_t>(integer_or(rows, 4, 0), 0, 1 << 20);
                  });
}

Expected<void> Devices::read_cuda_devices(Database& database) {
  return for_rows(
      database, "TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid", "uuid", "numMultiprocessors"},
      [&](const Rows& rows) {
        if (!rows.is_integer(1) || !rows.is_integer(2) || of_process_.size() >= 16 * kMaxGpus) return;
        const auto id = integer_or(rows, 0, -1);
        const auto uuid = uuid_or_empty(rows, 3);
        auto found = std::find_if(gpus_.begin(), gpus_.end(),
                                  [&](const Gpu& gpu) { return !uuid.empty() && gpu.uuid == uuid; });
        if (found == gpus_.end())
          found = std::find_if(gpus_.begin(), gpus_.end(),
                               [&](const Gpu& gpu) { return id >= 0 && gpu.id == id; });
        // An instance of a partitioned GPU (MIG) shares nothing with the others.
        const bool instance = found != gpus_.end() && uuid.starts_with("MIG-") && found->uuid != uuid;
        if ((found == gpus_.end() || instance) && gpus_.size() >= kMaxGpus) return;
        if (instance) {
          auto copy = *found;
          copy.uuid = uuid;
          copy.multiprocessors = 0;
          gpus_.push_back(std::move(copy));
        }
        Gpu& gpu = instance ? gpus_.back() : found == gpus_.end() ? gpus_.emplace_back() : *found;
        if (gpu.id < 0) gpu.id = id;
        if (gpu.uuid.empty()) gpu.uuid = uuid;
        if (gpu.multiprocessors == 0)
          gpu.multiprocessors = std::clamp<std::int64_t>(integer_or(rows, 4, 0), 0, 1 << 20);
        of_process_[{rows.integer(2), rows.integer(1)}] = static_cast<std::size_t>(&gpu - gpus_.data());
      });
}

const Gpu* Devices::of_process(std::int64_t pid, std::int64_t cuda_device) const {
  const auto mapped = of_process_.find({pid, cuda_device});
  if (mapped != of_process_.end()) return &gpus_[mapped->second];
  const auto found = std::find_if(gpus_.begin(), gpus_.end(),
                                  [&](const Gpu& gpu) { return gpu.cuda_device == cuda_device; });
  return found == gpus_.end() || cuda_device < 0 ? nullptr : &*found;
}

const Gpu* Devices::with_id(std::int64_t id) const {
  const auto found = std::find_if(gpus_.begin(), gpus_.end(), [&](const Gpu& gpu) { return gpu.id == id; });
  return found == gpus_.end() ? nullptr : &*found;
}

std::vector<std::string> Devices::uuids() const {
  std::vector<std::string> uuids;
  for (const auto& gpu : gpus_)
    if (!gpu.uuid.empty()) uuids.push_back(gpu.uuid);
  return uuids;
}

} // namespace jitterscope::import::nsys
