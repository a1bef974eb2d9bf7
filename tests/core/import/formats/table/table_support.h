#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "core/store/format/store.h"
#include "tests/core/import/import_support.h"
#include "tests/core/import/temporary_files.h"

namespace jitterscope::import {

/// Fixture for tests that write a table to a file and import it.
class TableTest : public testing::Test {
protected:
  Expected<store::TraceData> import_text(const std::string& text, const std::string& name = "table.csv",
                                         const ImportOptions& options = {}) {
    write_bytes(folder_.path(name), text);
    return import_files({folder_.path(name)}, Job{}, options);
  }

  store::TraceData import_good_text(const std::string& text, const std::string& name = "table.csv",
                                    const ImportOptions& options = {}) {
    auto data = import_text(text, name, options);
    if (!data) ADD_FAILURE() << describe(data.error());
    return data ? std::move(*data) : store::TraceData{};
  }

  Error error_of(const std::string& text, const std::string& name = "table.csv") {
    const auto data = import_text(text, name);
    EXPECT_FALSE(data.has_value()) << text.substr(0, 200);
    return data ? Error{} : data.error();
  }

  /// Expects that any bytes yield a trace that can be stored, or an error with a message.
  void expect_trace_or_error(const std::string& bytes, const std::string& name = "damaged.csv") {
    const auto data = import_text(bytes, name);
    if (!data) {
      EXPECT_FALSE(data.error().message.empty());
      EXPECT_NE(data.error().kind, ErrorKind::Internal) << describe(data.error());
      return;
    }
    const auto written = store::write_store(*data, folder_.path("damaged.jts"));
    EXPECT_TRUE(written.has_value()) << describe(written.error());
  }

  /// Tries every truncation and some bit flips of a text.
  void expect_damage_is_survived(const std::string& text, std::size_t step = 1) {
    for (std::size_t size = 0; size < text.size(); size += step) {
      SCOPED_TRACE(size);
      expect_trace_or_error(text.substr(0, size));
    }
    for (std::size_t at = 0; at < text.size(); at += 7 * step)
      for (const char damage : {'"', '\n', '\0', '\xFF', ',', '-', '9'}) {
        auto bytes = text;
        bytes[at] = damage;
        expect_trace_or_error(bytes);
      }
  }

  TemporaryFolder folder_;
};

inline std::size_t launches_of(const store::TraceData& data) {
  return data.find("launches") ? data.find("launches")->rows() : 0;
}

inline const SpillVector<double>& numbers(const store::TraceData& data, std::string_view name) {
  static const SpillVector<double> none(1'000'000);
  const auto* table = data.find("launches");
  const auto* found = table ? table->find(name) : nullptr;
  if (!found || !std::holds_alternative<SpillVector<double>>(found->values)) {
    ADD_FAILURE() << "no column of numbers " << name;
    return none;
  }
  return std::get<SpillVector<double>>(found->values);
}

inline std::string unit_of(const store::TraceData& data, std::string_view name) {
  const auto* found = data.find("launches")->find(name);
  return found ? found->unit : "no such column";
}

inline std::string text_at(const store::TraceData& data, std::string_view name, std::size_t row) {
  const auto* found = data.find("launches")->find(name);
  if (!found || found->unit != store::kTextUnit) return "no such column of texts";
  const auto string = std::get<SpillVector<std::uint32_t>>(found->values)[row];
  return string == kNone ? "missing" : data.strings[StringId{string}];
}

/// Number of attributes of the launches in addition to the eight common columns.
inline std::size_t attributes_of(const store::TraceData& data) {
  return data.find("launches") ? data.find("launches")->columns.size() - 8 : 0;
}

inline std::map<std::string, int> launches_by_kernel(const store::TraceData& data,
                                                     const char* name = "short_name") {
  std::map<std::string, int> counts;
  for (const auto configuration : column<std::uint32_t>(data, "launches", "configuration")) {
    const auto kernel = column<std::uint32_t>(data, "configurations", "kernel")[configuration];
    ++counts[data.strings[StringId{column<std::uint32_t>(data, "kernels", name)[kernel]}]];
  }
  return counts;
}

inline std::uint32_t configuration_value(const store::TraceData& data, const char* name, std::size_t launch) {
  return column<std::uint32_t>(data, "configurations",
                               name)[column<std::uint32_t>(data, "launches", "configuration")[launch]];
}

} // namespace jitterscope::import
