#include "core/import/formats/kernel_tuner/kernel_tuner_reader.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/import/formats/kernel_tuner/entry.h"
#include "core/import/records/row_issues.h"
#include "core/import/records/units.h"
#include "core/import/text/json/cursor.h"
#include "core/import/text/json/values.h"
#include "core/import/text/text.h"

namespace jitterscope::import::kernel_tuner {
namespace {

using json::Cursor;
using store::Severity;

constexpr std::size_t kMaxName = std::size_t{1} << 16;
constexpr std::size_t kMaxHeader = std::size_t{4} << 20;
constexpr std::size_t kMaxFailures =
    32; // maximum number of words for failures with the same code that are listed
constexpr std::size_t kMaxParameters = 4096;

/// Properties of all entries of a file.
struct Header {
  std::string device, kernel;
  Stated stated;
  bool grid_in_blocks = true; ///< true: grids count blocks; false: threads (KTT's GlobalSizeType "OpenCL")
};

bool is_entries(std::string_view key) {
  return key == "cache" || key == "results" || key == "Results";
}

Expected<std::string> text(Cursor& cursor) {
  const auto value = cursor.value(kMaxName);
  if (!value) return forward(value.error());
  return *value && json::is_text(**value) ? clean_text(json::text_of(**value)) : std::string();
}

// "metadata" of the T4 format written by KTT, "Metadata" of KTT's own.
void read_metadata(std::string_view value, Header& header) {
  simdjson::dom::parser parser;
  simdjson::dom::object metadata;
  if (parser.parse(value.data(), value.size(), true).get_object().get(metadata)) return;
  for (auto [name, one] : metadata) {
    std::string_view written;
    if (one.get_string().get(written)) continue;
    if (name == "device" || name == "Device") header.device = clean_text(written.substr(0, 256));
    if (name == "timeunit" || name == "TimeUnit")
      header.stated.time_ns = nanoseconds_in(written).value_or(header.stated.time_ns);
    if (name == "GlobalSizeType") header.grid_in_blocks = written != "OpenCL";
  }
}

Expected<Header> read_header(const Input& input) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  Cursor cursor(**stream, input.name());
  Header header;
  const auto kind = cursor.kind();
  if (!kind) return forward(kind.error());
  if (*kind == Cursor::Kind::Array) return header;
  if (auto opened = cursor.open(); !opened) return forward(opened.error());
  for (;;) {
    const auto key = cursor.member();
    if (!key) return forward(key.error());
    if (!*key) return header;
    if (**key == "metadata" || **key == "Metadata") {
      const auto value = cursor.value(kMaxHeader);
      if (!value) return forward(value.error());
      if (*value) read_metadata(**value, header);
      continue;
    }
    if (**key == "device_name" || **key == "kernel_name") {
      auto name = text(cursor);
      if (!name) return forward(name.error());
      (**key == "device_name" ? header.device : header.kernel) = std::move(*name);
    } else if (**key == "tune_params_keys") {
      const auto value = cursor.value(kMaxHeader);
      if (!value) return forward(value.error());
      simdjson::dom::parser parser;
      simdjson::dom::array names;
      if (*value && !parser.parse((*value)->data(), (*value)->size(), true).get_array().get(names))
        for (auto name : names)
          if (std::string_view one; !name.get_string().get(one)) header.stated.parameters.emplace_back(one);
    } else if (auto skipped = cursor.skip(); !skipped) {
      return forward(skipped.error());
    }
  }
}

class Cache {
public:
  Cache(const Input& input, Draft& draft, RowIssues& issues, const Progress& progress)
      : input_(input), draft_(draft), issues_(issues), progress_(progress) {}

  Expected<void> read() {
    auto header = read_header(input_);
    if (!header) return forward(header.error());
    header_ = std::move(*header);
    if (header_.kernel.empty()) header_.kernel = clean_text(input_.file_name());
    stream_ = draft_.add_table_stream(header_.kernel, header_.device);
    if (auto done = read_entries(); !done) return done;
    for (const auto& [code, failures] : failures_)
      draft_.report.add(Severity::Drop, std::string(code),
                        fmt::format("configuration {} of {} failed ({}): it is left out", failures.example,
                                    header_.kernel, fmt::join(failures.words, ", ")),
                        failures.count);
    if (launches_ == 0)
      return failure(
          ErrorKind::BadInput, "no configuration in the file has a time", input_.name(), {},
          "All configurations failed, or the tuning was stopped before the first configuration finished. "
          "Run the tuning again.");
    return {};
  }

private:
  Expected<void> read_entries() {
    auto stream = input_.open();
    if (!stream) return forward(stream.error());
    Cursor cursor(**stream, input_.name());
    const auto root = cursor.kind();
    if (!root) return forward(root.error());
    auto done = *root == Cursor::Kind::Array ? read_array(cursor, **stream) : read_members(cursor, **stream);
    if (!done) return done;
    if (cursor.cut_off())
      issues_.count(Severity::Doubt, "cut-off", [&] {
        return fmt::format("{} is truncated, for example because the tuning was stopped or is still running: "
                           "the last record may be missing",
                           input_.name());
      });
    return {};
  }

  Expected<void> read_members(Cursor& cursor, const ByteStream& stream) {
    return json::each_member(cursor, [&](const std::string& key) -> Expected<void> {
      const auto kind = cursor.kind();
      if (!kind) return forward(kind.error());
      if (is_entries(key) && *kind == Cursor::Kind::Object) return read_object(cursor, stream);
      if (is_entries(key) && *kind == Cursor::Kind::Array) return read_array(cursor, stream);
      return cursor.skip();
    });
  }

  Expected<void> read_object(Cursor& cursor, const ByteStream& stream) {
    return json::each_member(
        cursor, [&](const std::string& key) { return read_entry(cursor, stream, clean_text(key)); });
  }

  Expected<void> read_array(Cursor& cursor, const ByteStream& stream) {
    return json::each_element(cursor, [&] { return read_entry(cursor, stream, {}); });
  }

  Expected<void> read_entry(Cursor& cursor, const ByteStream& stream, std::string key) {
    if (++entries_ % 256 == 0 && !progress_.report(stream.consumed(), input_.disk_bytes, "configurations"))
      return Job::cancelled_error();
    const auto value = cursor.value(json::kMaxElement);
    if (!value) return forward(value.error());
    if (!*value || !parser_.parse(**value, header_.stated, entry_)) {
      issues_.count(Severity::Drop, "not-a-configuration", [&] {
        return fmt::format("{}: configuration {} cannot be read", input_.name(),
                           key.empty() ? fmt::format("{}", entries_) : key);
      });
      return {};
    }
    if (key.empty()) key = key_of(entry_);
    if (!entry_.failure.empty()) {
      fail(entry_.failure, key);
      count_lost_times(key);
      return {};
    }
    add_launches(key);
    return {};
  }

  static std::string key_of(const Entry& entry) {
    std::string key;
    for (const auto& parameter : entry.parameters) {
      if (!key.empty()) key += ',';
      if (const auto* number = std::get_if<double>(&parameter.value))
        key += fmt::format("{}", *number);
      else
        key += std::get<std::string>(parameter.value);
    }
    return key;
  }

  void fail(const std::string& words, const std::string& key) {
    auto& failures = failures_[failure_code(words)];
    if (failures.count++ == 0) failures.example = key;
    const auto known = std::find(failures.words.begin(), failures.words.end(), words);
    if (known == failures.words.end() && failures.words.size() < kMaxFailures)
      failures.words.push_back(words);
  }

  // A configuration may fail (because of a wrong result, for example) after it was timed.
  void count_lost_times(const std::string& key) {
    const auto lost = std::count_if(entry_.times.begin(), entry_.times.end(),
                                    [](const auto& time) { return time.has_value(); });
    if (lost > 0)
      issues_.count(
          Severity::Drop, "times-of-failed-configurations",
          [&] {
            return fmt::format("configuration {} failed but has {} times: they are left out", key, lost);
          },
          lost);
  }

  std::uint32_t kernel_of(const std::string& name) {
    const auto string = draft_.strings.intern(name).value;
    return draft_.kernel({string, string});
  }

  void read_extents(Configuration& configuration) const {
    auto grid = entry_.grid;
    for (std::size_t axis = 0; axis < grid.size() && !header_.grid_in_blocks; ++axis)
      grid[axis] = entry_.block[axis] > 0 ? grid[axis] / entry_.block[axis] : 0;
    configuration.grid_x = grid[0], configuration.grid_y = grid[1], configuration.grid_z = grid[2];
    configuration.block_x = entry_.block[0], configuration.block_y = entry_.block[1],
    configuration.block_z = entry_.block[2];
  }

  void add_launches(const std::string& key) {
    Configuration configuration;
    configuration.kernel = kernel_of(entry_.kernel.empty() ? header_.kernel : entry_.kernel);
    read_extents(configuration);
    configuration.variant = draft_.strings.intern(key).value;
    for (const auto& parameter : entry_.parameters) {
      const auto* number = std::get_if<double>(&parameter.value);
      if (!number || *number < 1 || *number > 1024) continue;
      const auto extent = static_cast<std::uint32_t>(*number);
      if (parameter.name == "block_size_x") configuration.block_x = extent;
      if (parameter.name == "block_size_y") configuration.block_y = extent;
      if (parameter.name == "block_size_z") configuration.block_z = extent;
    }
    report_left_out();
    const auto row = draft_.configuration(configuration);
    for (std::size_t repetition = 0; repetition < entry_.times.size(); ++repetition) {
      if (!entry_.times[repetition]) {
        issues_.count(Severity::Drop, "missing-time", [&] {
          return fmt::format("repetition {} of configuration {} has no usable time", repetition, key);
        });
        continue;
      }
      const auto launch = draft_.add_untimed_launch(row, stream_, *entry_.times[repetition]);
      ++launches_;
      put_parameters(launch);
      put_observations(launch, repetition);
      draft_.attributes.set(
          draft_.attributes.number("repetition", "", "Position among the repetitions, from 0"), launch,
          static_cast<double>(repetition));
    }
  }

  void put_parameters(std::uint32_t launch) {
    for (const auto& parameter : entry_.parameters) {
      if (columns_.size() >= kMaxParameters && !columns_.contains(parameter.name)) continue;
      auto& column = columns_[parameter.name];
      if (const auto* number = std::get_if<double>(&parameter.value)) {
        if (!column.number) {
          column.number = draft_.attributes.number(parameter.name, "", "Tuning parameter " + parameter.name);
          draft_.attributes.mark_parameter(*column.number);
        }
        draft_.attributes.set(*column.number, launch, *number);
      } else {
        if (!column.text) {
          column.text = draft_.attributes.text(parameter.name, "Tuning parameter " + parameter.name);
          draft_.attributes.mark_parameter(*column.text);
        }
        draft_.attributes.set_text(*column.text, launch,
                                   draft_.strings.intern(std::get<std::string>(parameter.value)).value);
      }
    }
  }

  void put_observations(std::uint32_t launch, std::size_t repetition) {
    for (const auto& observation : entry_.observations) {
      if (columns_.size() >= kMaxParameters && !columns_.contains(observation.name)) continue;
      auto& column = columns_[observation.name];
      const auto about = "Observed during the run: " + observation.name;
      if (observation.values.empty()) {
        if (!column.text) column.text = draft_.attributes.text(observation.name, about);
        draft_.attributes.set_text(*column.text, launch, draft_.strings.intern(observation.text).value);
        continue;
      }
      if (!column.number) column.number = draft_.attributes.number(observation.name, observation.unit, about);
      const auto value = observation.values[observation.values.size() == 1 ? 0 : repetition];
      if (value == value) draft_.attributes.set(*column.number, launch, value);
    }
  }

  void report_left_out() {
    for (const auto& name : entry_.derived)
      issues_.count(Severity::Info, "derived-results", [&] {
        return fmt::format("{} is derived from the mean time of a configuration and is not read", name);
      });
    for (const auto& name : entry_.unread)
      issues_.count(Severity::Doubt, "other-results", [&] {
        return fmt::format(
            "{} is neither a number, a text nor a list of one number for each repetition: it is not read",
            name);
      });
  }

  struct Failures {
    std::int64_t count = 0;
    std::string example;
    std::vector<std::string> words; ///< all different words, those of the example first
  };
  struct Column {
    std::optional<std::size_t> number, text;
  };

  const Input& input_;
  Draft& draft_;
  RowIssues& issues_;
  const Progress& progress_;
  Header header_;
  EntryParser parser_;
  Entry entry_;
  std::map<std::string_view, Failures> failures_; ///< by code
  std::map<std::string, Column> columns_;
  std::uint32_t stream_ = 0;
  std::int64_t entries_ = 0, launches_ = 0;
};

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool recognises(const Input& input) {
  std::string_view head = input.head;
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const auto first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  if (head[first] == '[') { // the result of tune_kernel()
    const auto one = head.substr(first + 1, head.find('}', first) - first);
    const auto object = one.find_first_not_of(" \t\r\n");
    return object != std::string_view::npos && one[object] == '{' && has(one, "\"time\"") &&
           (has(one, "\"times\"") || has(one, "\"benchmark_time\"") || has(one, "\"verification_time\""));
  }
  if (head[first] != '{') return false;
  if (has(head, "\"KttVersion\"") && has(head, "\"Results\"")) return true;
  if (has(head, "\"kernel_family\"") && has(head, "\"results\"") && has(head, "\"parameters\"")) return true;
  const bool cache =
      has(head, "\"tune_params_keys\"") || (has(head, "\"cache\"") && has(head, "\"tune_params\""));
  const bool t4 = has(head, "\"results\"") && has(head, "\"configuration\"") &&
                  (has(head, "\"invalidity\"") || has(head, "\"runtimes\"") || has(head, "\"measurements\""));
  return cache || t4;
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  source.timeless = true;
  for (const auto& input : inputs) {
    RowIssues issues;
    if (auto done = Cache(input, draft, issues, progress).read(); !done) return done;
    issues.move_to(draft.report);
  }
  return {};
}

} // namespace

const Reader kReader = {"Kernel Tuner cache", recognises, read};

} // namespace jitterscope::import::kernel_tuner
