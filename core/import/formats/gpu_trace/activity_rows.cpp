#include "core/import/formats/gpu_trace/activity_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/records/events.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::gpu_trace {
namespace {

using store::Severity;
using store::TransferKind;

// Exponent of a byte prefix: 1 for k, 2 for M …; nothing for units that are not sizes.
std::optional<int> prefix_power(std::string_view unit) {
  if (unit.empty() || unit == "B" || unit == "bytes" || unit == "byte") return 0;
  constexpr std::string_view kPrefixes = "KMGT";
  const char first = unit[0] >= 'a' ? static_cast<char>(unit[0] - 'a' + 'A') : unit[0];
  const auto found = kPrefixes.find(first);
  if (found != std::string_view::npos) return static_cast<int>(found) + 1;
  return unit[0] == 'B' ? std::optional(0) : std::nullopt;
}

} // namespace

std::string_view without_number(std::string_view name, std::string_view& number) {
  const auto open = name.rfind(" [");
  if (open == std::string_view::npos || name.back() != ']') return name;
  const auto inside = name.substr(open + 2, name.size() - open - 3);
  if (inside.empty() || inside.find_first_not_of("0123456789") != std::string_view::npos) return name;
  number = inside;
  return name.substr(0, open);
}

namespace {

std::optional<TransferKind> kind_of_words(std::string_view name) {
  const auto says = [&](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](auto w) { return name.find(w) != std::string_view::npos; });
  };
  if (says({"memset", "Memset"})) return TransferKind::Memset;
  if (!says({"memcpy", "Memcpy"})) return {};
  const bool migration = says({"Unified"});
  if (says({"HtoD", "HtoA", "Host-to-Device", "Host to Device", "Host-to-Array"}))
    return migration ? TransferKind::MigrationHostToDevice : TransferKind::HostToDevice;
  if (says({"DtoH", "AtoH", "Device-to-Host", "Device to Host", "Array-to-Host"}))
    return migration ? TransferKind::MigrationDeviceToHost : TransferKind::DeviceToHost;
  if (says({"DtoD", "DtoA", "AtoD", "AtoA", "Device-to-Device", "Device to Device"}))
    return migration ? TransferKind::MigrationDeviceToDevice : TransferKind::DeviceToDevice;
  if (says({"HtoH", "Host-to-Host", "Host to Host"})) return TransferKind::HostToHost;
  if (says({"PtoP", "P2P", "Peer-to-Peer", "Peer to Peer"})) return TransferKind::PeerToPeer;
  return TransferKind::Unknown;
}

} // namespace

std::optional<TransferKind> transfer_kind(std::string_view name) {
  return name.starts_with('[') ? kind_of_words(name) : std::nullopt;
}

ActivityRows::ActivityRows(Tables& tables, Titles titles, bool of_nvprof)
    : tables_(tables), titles_(std::move(titles)), of_nvprof_(of_nvprof) {
  const auto find = [&](std::initializer_list<std::string_view> names) { return titles_.find(names); };
  columns_ = {find({"start"}),
              find({"duration"}),
              find({"name"}),
              find({"device"}),
              find({"ctx", "context"}),
              find({"strm", "stream"}),
              find({"corrid", "correlationid"}),
              find({"bytes", "size"}),
              find({"throughput"}),
              find({"regtrd", "registersperthread"}),
              find({"stcsmem", "staticsmem"}),
              find({"dymsmem", "dynamicsmem"}),
              {find({"grdx", "gridx"}), find({"grdy", "gridy"}), find({"grdz", "gridz"})},
              {find({"blkx", "blockx"}), find({"blky", "blocky"}), find({"blkz", "blockz"})},
              find({"srcmemkd"}),
              find({"system"}),
              find({"unifiedmemory"})};
  if (of_nvprof_) find_metrics();
}

// Columns of nvprof --metrics, which come after the columns of every trace.
void ActivityRows::find_metrics() {
  static constexpr std::array kOfEveryTrace = {
      "start",         "duration",       "gridx",      "gridy",      "gridz",
      "blockx",        "blocky",         "blockz",     "size",       "name",
      "throughput",    "device",         "context",    "stream",     "staticsmem",
      "dynamicsmem",   "correlationid",  "srcdev",     "srcctx",     "dstdev",
      "dstctx",        "system",         "srcmemtype", "dstmemtype", "registersperthread",
      "unifiedmemory", "virtualaddress", "virtualaddr"};
  for (std::size_t i = 0; i < titles_.size(); ++i) {
    const bool known = std::any_of(kOfEveryTrace.begin(), kOfEveryTrace.end(),
                                   [&](const char* title) { return titles_.find({title}) == i; });
    if (!known && i != columns_.sample && !titles_.title(i).empty())
      metrics_.emplace_back(i, AttributeColumn(titles_.title(i), titles_.unit(i)));
  }
}

std::uint32_t ActivityRows::stream_of(const CsvReader& csv) {
  const auto device = field(csv, columns_.device), context = field(csv, columns_.context),
             stream = field(csv, columns_.stream);
  return streams_.row(tables_.process_number, {device, context, stream}, [&] {
    return tables_.stream(tables_.process_number, device, parse_integer(context).value_or(0), stream);
  });
}

Repeated ActivityRows::read(const CsvReader& csv) {
  const auto& draft = tables_.draft;
  const auto launches = draft.launches.start.size(), transfers = draft.transfers.start.size(),
             sizes = sizes_.size();
  read_row(csv);
  if (draft.launches.start.size() > launches)
    return {Repeated::Kind::Launch, 0, draft.launches.configuration.back(), 0, draft.launches.stream.back()};
  if (draft.transfers.start.size() > transfers && sizes_.size() > sizes)
    return {Repeated::Kind::Transfer, draft.transfers.kind.back(), 0, 0, draft.transfers.stream.back()};
  return {};
}

// Empty for nvprof: it writes the numbers of calls into names, has many metrics, and its tables are short.
std::optional<RecordPlan> ActivityRows::plan(char separator, bool decimal_comma) const {
  if (of_nvprof_) return {};
  RecordPlan plan(titles_, columns_.start, columns_.duration, separator, decimal_comma);
  plan.correlation = columns_.correlation;
  plan.bytes = columns_.bytes;
  plan.throughput = columns_.throughput;
  plan.compare_all_others();
  return plan;
}

void ActivityRows::repeat_launches(std::span<const ParsedRecords::Record> records,
                                   std::span<const Repeated> of_rests) {
  constexpr std::size_t kFew = 512; // rows per step: memory zeroed by resize() is still in the L1 cache
  tables_.draft.touch_launches(tables_.draft.launches.start.size() + records.size());
  for (; records.size() > kFew; records = records.subspan(kFew))
    append_launches(records.first(kFew), of_rests);
  append_launches(records, of_rests);
}

void ActivityRows::append_launches(std::span<const ParsedRecords::Record> records,
                                   std::span<const Repeated> of_rests) {
  auto& launches = tables_.draft.launches;
  const auto first = launches.start.size(), rows = first + records.size();
  launches.start.resize(rows);
  launches.duration.resize(rows);
  launches.configuration.resize(rows);
  launches.stream.resize(rows);
  launches.call.resize(rows, kNone);
  launches.correlation.resize(rows);
  launches.flags.resize(rows, 0);
  auto* const start = launches.start.data() + first;
  auto* const configuration = launches.configuration.data() + first;
  auto* const stream = launches.stream.data() + first;
  auto* const correlation = launches.correlation.data() + first;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& record = records[i];
    const auto& known = of_rests[record.rest];
    start[i] = record.times.start;
    launches.duration[first + i] = record.times.duration;
    configuration[i] = known.what;
    stream[i] = known.resource;
    correlation[i] = record.correlation;
  }
}

void ActivityRows::repeat_transfer(const ParsedRecords::Record& record, const ParsedRecords::Size& size,
                                   const Repeated& known) {
  judge_prefixes(size.bytes, static_cast<double>(record.times.duration) * 1e-9, size.throughput);
  sizes_.push_back({tables_.draft.transfers.start.size(), size.bytes});
  push_transfer(tables_.draft, record.times, store::TransferKind{known.detail}, store::kUnknownBytes,
                known.resource, record.correlation);
}

// Other profilers write "Memset" and "Memcpy HtoD (device)" without brackets: such rows have no
// grid.
std::optional<TransferKind> ActivityRows::transfer_kind_of(const CsvReader& csv,
                                                           std::string_view name) const {
  if (name.starts_with('[') || of_nvprof_) return transfer_kind(name);
  if (name.find("mem") == std::string_view::npos && !name.starts_with("Mem")) return {};
  const bool moves = !is_missing(field(csv, columns_.bytes)) || !is_missing(field(csv, columns_.memory));
  return moves && is_missing(field(csv, columns_.grid[0])) ? kind_of_words(name) : std::nullopt;
}

void ActivityRows::read_row(const CsvReader& csv) {
  const auto name = field(csv, columns_.name);
  const auto kind = transfer_kind_of(csv, name);
  if (!kind && name.starts_with('[') && of_nvprof_) return read_sample(csv, name);
  const auto times = tables_.times(csv, titles_, columns_.start, columns_.duration);
  if (!times) return;
  if (kind) return read_transfer(csv, *times, *kind);
  if (!tables_.names_kernel(csv, name)) return;
  if (is_call(csv)) return read_call(csv, *times, name);
  read_kernel(csv, *times, name);
}

// nvprof writes calls (--print-api-trace) into the same table: they have no device.
bool ActivityRows::is_call(const CsvReader& csv) const {
  return of_nvprof_ && field(csv, columns_.device).empty() && field(csv, columns_.grid[0]).empty();
}

void ActivityRows::read_call(const CsvReader& csv, const Times& times, std::string_view name) {
  push_call(tables_.draft, times, tables_.draft.strings.intern(clean_text(name)).value,
            tables_.thread(tables_.process_number, "0"), count_of(field(csv, columns_.correlation)));
}

std::uint32_t ActivityRows::shared_memory(const CsvReader& csv, std::size_t column) {
  if (column == kAbsent) return 0;
  const auto value = parse_number(field(csv, column));
  const auto power = prefix_power(titles_.unit(column));
  if (!value || !power || *value < 0) return 0;
  const bool binary = of_nvprof_ || titles_.unit(column).find('i') != std::string::npos;
  const auto bytes = *value * std::pow(binary ? 1024.0 : 1000.0, *power);
  return bytes < 4e9 ? static_cast<std::uint32_t>(std::lround(bytes)) : 0;
}

std::uint32_t ActivityRows::configuration_of(const CsvReader& csv, std::string_view name) {
  const auto text = [&](std::size_t column) { return field(csv, column); };
  const auto& grid = columns_.grid;
  const auto& block = columns_.block;
  return configurations_.row({text(grid[0]), text(grid[1]), text(grid[2]), text(block[0]), text(block[1]),
                              text(block[2]), text(columns_.registers), text(columns_.static_shared),
                              text(columns_.dynamic_shared), name},
                             [&] {
                               Configuration c;
                               c.kernel = tables_.names.of(name).kernel;
                               c.grid_x = count_of(text(grid[0]));
                               c.grid_y = count_of(text(grid[1]));
                               c.grid_z = count_of(text(grid[2]));
                               c.block_x = count_of(text(block[0]));
                               c.block_y = count_of(text(block[1]));
                               c.block_z = count_of(text(block[2]));
                               c.registers = count_of(text(columns_.registers));
                               c.static_shared_memory = shared_memory(csv, columns_.static_shared);
                               c.dynamic_shared_memory = shared_memory(csv, columns_.dynamic_shared);
                               return tables_.draft.configuration(c);
                             });
}

void ActivityRows::read_kernel(const CsvReader& csv, const Times& times, std::string_view name) {
  std::string_view number = field(csv, columns_.correlation);
  if (of_nvprof_) name = without_number(name, number);
  const auto stream = stream_of(csv);
  push_launch(tables_.draft, times, configuration_of(csv, name), stream, count_of(number));
  const auto launch = tables_.draft.launches.start.size() - 1;
  for (auto& [column, metric] : metrics_) metric.put(tables_.draft, launch, field(csv, column));
}

// Size divided by duration is throughput: where the two have different prefixes, the ratio shows whether
// prefixes are powers of 1000 or of 1024.
void ActivityRows::judge_prefixes(double size, double seconds, std::optional<double> throughput) {
  if (columns_.throughput == kAbsent || columns_.bytes == kAbsent || seconds <= 0 || size <= 0) return;
  const auto above = prefix_power(titles_.unit(columns_.throughput)),
             below = prefix_power(titles_.unit(columns_.bytes));
  if (!throughput || *throughput <= 0 || !above || !below || *above == *below) return;
  const auto factor = std::pow(size / seconds / *throughput, 1.0 / (*above - *below));
  if (factor > 995 && factor < 1005) ++tables_.decimal_units;
  if (factor > 1019 && factor < 1029) ++tables_.binary_units;
}

void ActivityRows::read_transfer(const CsvReader& csv, const Times& times, TransferKind kind) {
  const auto size = parse_number(field(csv, columns_.bytes)).value_or(-1);
  const auto migrated =
      store::is_migration(kind) ? parse_number(field(csv, columns_.migrated)).value_or(-1) : -1;
  judge_prefixes(size, static_cast<double>(times.duration) * 1e-9,
                 parse_number(field(csv, columns_.throughput)));
  if (size >= 0)
    sizes_.push_back({tables_.draft.transfers.start.size(), size});
  else if (migrated >= 0)
    migrated_.push_back({tables_.draft.transfers.start.size(), migrated});
  else
    tables_.issues.count(Severity::Doubt, "missing-bytes", [&] {
      return fmt::format("{} does not state how many bytes it moved: its size is unknown", csv.place());
    });
  const auto on = store::is_migration(kind)
                      ? tables_.device(tables_.process_number, field(csv, columns_.device))
                      : stream_of(csv);
  push_transfer(tables_.draft, times, kind, store::kUnknownBytes, on,
                count_of(field(csv, columns_.correlation)));
}

void ActivityRows::finish() {
  set_bytes(sizes_, columns_.bytes);
  set_bytes(migrated_, columns_.migrated);
}

void ActivityRows::set_bytes(SpillVector<Size>& sizes, std::size_t column) {
  if (sizes.empty()) return;
  const auto& unit = titles_.unit(column);
  const auto power = prefix_power(unit).value_or(0);
  const bool binary =
      unit.find('i') != std::string::npos || (of_nvprof_ ? tables_.binary_units >= tables_.decimal_units
                                                         : tables_.binary_units > tables_.decimal_units);
  const auto factor = std::pow(binary ? 1024.0 : 1000.0, power);
  for (const auto& [transfer, size] : sizes)
    if (const auto value = size; value * factor <= kMaxOperationBytes)
      tables_.draft.transfers.bytes[transfer] = std::llround(value * factor);
    else
      tables_.issues.count(Severity::Repair, "bad-bytes", [&] {
        return fmt::format("a copy of {} {} exceeds the limit of 1 PiB: its size is treated as unknown",
                           value, unit);
      });
  if (power > 0)
    tables_.issues.count(
        Severity::Doubt, "rounded-bytes",
        [&] {
          return fmt::format("sizes are given in {} with few digits: they are not exact to the byte", unit);
        },
        static_cast<std::int64_t>(sizes.size()));
  sizes.clear();
}

std::uint32_t ActivityRows::counter(std::uint32_t device, const std::string& name, const std::string& unit) {
  const auto [place, added] = counters_.try_emplace({device, name + '\n' + unit}, 0);
  if (added) place->second = tables_.draft.add_counter(name, unit, device);
  return place->second;
}

// "[SM/Memory Clock (MHz)]" with "135/850" gives two counters, "[Power/Limit (mW)]" as well.
void ActivityRows::read_sample(const CsvReader& csv, std::string_view name) {
  const auto time = parse_decimal(field(csv, columns_.start), titles_.time_scale(columns_.start));
  auto text = columns_.sample != kAbsent ? field(csv, columns_.sample) : std::string_view();
  for (std::size_t i = 0; i < csv.fields().size() && text.empty(); ++i)
    if (i != columns_.start && i != columns_.duration && i != columns_.device && i != columns_.context &&
        i != columns_.stream && i != columns_.name && i != columns_.correlation)
      text = field(csv, i);
  if (!time || std::abs(*time) > kMaxTime || text.empty() || name.size() > 200) {
    tables_.issues.count(Severity::Drop, "skipped-activity", [&] {
      return fmt::format("{}: {} is not a kernel, copy or sample", csv.place(),
                         clean_text(name.substr(0, 200)));
    });
    return;
  }
  name = name.substr(1, name.size() - (name.back() == ']' ? 2 : 1));
  const auto [what, spelling] = split_unit(name);
  const auto unit = normalised_unit(spelling);
  const auto device = tables_.device(tables_.process_number, field(csv, columns_.device));
  const auto slash = what.find('/');
  const auto both = what.substr(std::min(slash, what.size()) + (slash < what.size() ? 1 : 0));
  const auto last_word = both.rfind(' ');
  std::string names[2] = {clean_text(what), {}};
  if (slash != std::string_view::npos) {
    const auto first = clean_text(what.substr(0, slash)), second = clean_text(both);
    names[0] = last_word == std::string_view::npos ? first : first + clean_text(both.substr(last_word));
    names[1] = last_word == std::string_view::npos ? first + " " + second : second;
  }
  bool any = false;
  for (auto& sampled : names) {
    const auto end = std::min(text.find('/'), text.size());
    const auto value = parse_number(text.substr(0, end), unit.factor);
    if (value && !sampled.empty()) {
      push_sample(tables_.draft, *time, counter(device, sampled, unit.base), *value);
      any = true;
    }
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  if (!any)
    tables_.issues.count(Severity::Drop, "not-a-number", [&] {
      return fmt::format("{}: the value of [{}] is not a number", csv.place(), clean_text(name));
    });
}

} // namespace jitterscope::import::gpu_trace
