#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/records/draft.h"
#include "core/import/records/places.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import::caliper {

/// Properties of an attribute in Caliper.
struct Attribute {
  std::string name, unit;
  bool text = false;
  bool nested = false; ///< the values of the attribute are nested regions
};

/// One record: numbers and texts by attribute, and the regions around it, outermost first.
struct Record {
  std::vector<std::pair<std::uint32_t, double>> numbers;
  std::vector<std::pair<std::uint32_t, std::string_view>> texts;
  std::vector<std::string_view> regions;
};

/// The records of a profile as rows without a timestamp.
class Profile {
public:
  Profile(Draft& draft, RowIssues& issues, const std::string& name);

  std::uint32_t add(Attribute attribute); ///< returns the number of the attribute
  const Attribute& at(std::uint32_t attribute) const { return attributes_[attribute]; }
  Attribute& at(std::uint32_t attribute) { return attributes_[attribute]; }
  void add_record(const Record& record);
  /// Determines which numbers are durations.
  void finish();
  std::int64_t rows() const { return rows_; }

private:
  struct Column {
    std::optional<std::size_t> column;
    bool integers = true; ///< all values of the attribute are integers
  };
  std::uint32_t kernel_of(const Record& record);
  std::uint32_t stream_of(const Record& record);

  Draft& draft_;
  RowIssues& issues_;
  std::string name_;
  Places places_;
  std::map<std::int32_t, std::uint32_t> streams_; ///< by rank; −1: records that state no rank
  std::size_t first_ = 0;
  std::int64_t rows_ = 0;
  std::vector<Attribute> attributes_;
  std::optional<std::uint32_t> rank_;       ///< number of the attribute mpi.rank
  std::map<std::uint32_t, Column> columns_; ///< by number of the attribute
  std::optional<std::size_t> path_;
  std::map<std::string, std::uint32_t, std::less<>> configurations_;
};

} // namespace jitterscope::import::caliper
