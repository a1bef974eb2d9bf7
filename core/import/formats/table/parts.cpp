#include "core/import/formats/table/parts.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/formats/table/quantity.h"
#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::table {
namespace {

constexpr std::int64_t kMaxRecords = 65'536;
constexpr std::size_t kLongestPartTitle = 500;

using Fields = std::vector<std::string_view>; ///< fields, valid until the next record is read

std::vector<std::string> copy_of(const Fields& record) {
  return {record.begin(), record.end()};
}

bool is_plain_number(std::string_view field) {
  return parse_number(field) || quantity(field);
}

/// Statistics of the table that the last records belong to.
class PartWalk {
public:
  explicit PartWalk(Part part) : part_(std::move(part)), numbers_(part_.titles.size()), texts_(numbers_) {}

  const Part& part() const { return part_; }

  void add(const Fields& record, std::int64_t last_line) {
    for (std::size_t i = 0; i < std::min(record.size(), numbers_.size()); ++i)
      if (!is_missing(record[i])) ++(is_plain_number(record[i]) ? numbers_ : texts_)[i];
    ++part_.rows;
    part_.last_line = last_line;
  }

  // `apart`: something other than a row precedes the record.
  bool ends_before(const Fields& record, bool apart) const {
    if (record.size() < 2 ||
        std::equal(record.begin(), record.end(), part_.titles.begin(), part_.titles.end()))
      return false;
    std::set<std::string_view> different;
    for (const auto& field : record)
      if (is_missing(field) || is_plain_number(field) || field.size() > kLongestPartTitle ||
          !different.insert(field).second)
        return false;
    std::size_t turned = 0;
    for (std::size_t i = 0; i < std::min(record.size(), numbers_.size()); ++i)
      turned += numbers_[i] > 0 && texts_[i] == 0;
    return turned >= (apart || record.size() != part_.titles.size() ? 1 : 2);
  }

private:
  Part part_;
  SpillVector<std::int64_t> numbers_, texts_; ///< by column: number of cells with numbers, with other texts
};

bool is_row_below(const Fields& row, std::size_t columns) {
  return row.size() > 1 && row.size() <= columns &&
         std::any_of(row.begin(), row.end(), [](const auto& field) { return is_plain_number(field); });
}

class Walk {
public:
  Walk(CsvReader& csv) : csv_(csv) {}

  Expected<std::vector<Part>> parts() {
    if (auto done = advance(); !done) return forward(done.error());
    if (!record_) return std::vector<Part>();
    PartWalk walk({line_, line_, 0, copy_of(*record_)});
    for (std::int64_t count = 0; count < kMaxRecords; ++count) {
      if (auto done = advance(); !done) return forward(done.error());
      if (!record_) break;
      if (record_->size() < 2 && walk.part().titles.size() > 1) { // a caption
        apart_ = true;
        continue;
      }
      const auto line = line_, last_line = csv_.next_line();
      if (!walk.ends_before(*record_, std::exchange(apart_, false))) {
        walk.add(*record_, last_line);
        continue;
      }
      auto titles = copy_of(*record_);
      if (auto done = advance(); !done) return forward(done.error());
      if (record_ && is_row_below(*record_, titles.size())) {
        parts_.push_back(walk.part());
        walk = PartWalk({line, last_line, 0, std::move(titles)});
      } else {
        walk.add(Fields(titles.begin(), titles.end()), last_line);
      }
      if (record_ && record_->size() > 1) walk.add(*record_, csv_.next_line());
      apart_ = false;
    }
    parts_.push_back(walk.part());
    return std::move(parts_);
  }

private:
  // Moves to the next record that is not a comment ('#').
  Expected<void> advance() {
    for (;;) {
      const auto before = csv_.next_line();
      const auto more = csv_.next();
      if (!more) return forward(more.error());
      if (!*more) {
        record_.reset();
        return {};
      }
      line_ = csv_.line();
      apart_ = apart_ || line_ > before + 1;
      const auto fields = csv_.fields();
      if (fields.size() == 1 && fields[0].starts_with('#')) continue;
      if (!record_) record_.emplace();
      auto& record = *record_;
      record.clear();
      for (const auto field : fields) record.push_back(trimmed(field));
      while (record.size() > 1 && record.back().empty()) record.pop_back();
      return {};
    }
  }

  CsvReader& csv_;
  std::optional<Fields> record_;
  std::int64_t line_ = 0;
  bool apart_ = false;
  std::vector<Part> parts_;
};

class FirstLines : public ByteStream {
public:
  FirstLines(ByteStreamPointer stream, std::int64_t lines) : stream_(std::move(stream)), lines_(lines) {}

  Expected<std::size_t> read(std::span<char> into) override {
    if (lines_ <= 0) return 0;
    const auto got = stream_->read(into);
    if (!got) return got;
    for (std::size_t i = 0; i < *got; ++i) {
      const bool second_half = into[i] == '\n' && after_return_;
      after_return_ = into[i] == '\r';
      if ((into[i] != '\n' && into[i] != '\r') || second_half) continue;
      if (--lines_ == 0) return i + 1;
    }
    return got;
  }
  std::int64_t consumed() const override { return stream_->consumed(); }

private:
  ByteStreamPointer stream_;
  std::int64_t lines_;
  bool after_return_ = false;
};

} // namespace

Expected<std::vector<Part>> parts_of(const Input& input, const Shape& shape) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  CsvReader csv(**stream, input.name(), shape.separator);
  const auto found = csv.skip_to([&](std::string_view) { return csv.line() > shape.lines_before; });
  if (!found) return forward(found.error());
  return *found ? Walk(csv).parts() : std::vector<Part>();
}

Expected<bool> choose_part(const Input& input, Shape& shape, RowIssues& issues) {
  const auto parts = parts_of(input, shape);
  if (!parts) return forward(parts.error());
  if (parts->size() < 2) return false;
  const auto chosen = std::max_element(parts->begin(), parts->end(),
                                       [](const Part& a, const Part& b) { return a.rows < b.rows; });
  for (auto part = parts->begin(); part != parts->end(); ++part) {
    if (part == chosen) continue;
    issues.count(
        store::Severity::Drop, "other-tables",
        [&] {
          return fmt::format("lines {} to {} contain another table (\"{}\", \"{}\" …) than lines {} to {}: "
                             "it was left out; write it to its own file",
                             part->first_line, part->last_line, clean_text(part->titles[0].substr(0, 40)),
                             clean_text(part->titles.back().substr(0, 40)), chosen->first_line,
                             chosen->last_line);
        },
        part->rows);
  }
  if (chosen != parts->begin()) shape.other_lines = shape.lines_before = chosen->first_line - 1;
  if (chosen + 1 != parts->end()) shape.last_line = chosen->last_line;
  return true;
}

ByteStreamPointer first_lines(ByteStreamPointer stream, std::int64_t lines) {
  return std::make_unique<FirstLines>(std::move(stream), lines);
}

} // namespace jitterscope::import::table
