#include "core/import/text/json/records.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "core/import/text/json/cursor.h"
#include "core/import/text/json/loose_objects.h"
#include "core/import/text/json/values.h"
#include "core/import/text/text_table.h"

namespace jitterscope::import::json {
namespace {

constexpr std::size_t kLongestValue = std::size_t{1}
                                      << 16; // maximum size of a value [B]; longer values are left out
constexpr int kDeepest = 4;                  // levels of nested objects
constexpr std::size_t kAtOnce = std::size_t{256} << 10; // approximate bytes of the table produced per step

/// Called for each member of a record, with its key and its value as written.
using Visit = std::function<void(const std::string& key, std::string_view value)>;

bool lists_objects(std::string_view value) {
  const auto first = value.find_first_not_of("[ \t\r\n");
  return first != std::string_view::npos && value[first] == '{';
}

/// Calls `visit` for the members of the record at the cursor. False where it contains a list of objects.
Expected<bool> walk(Cursor& cursor, const std::string& prefix, int depth, const Visit& visit) {
  if (auto opened = cursor.open(); !opened) return forward(opened.error());
  bool flat = true;
  for (;;) {
    const auto key = cursor.member();
    if (!key) return forward(key.error());
    if (!*key) return flat;
    const auto title = prefix + text_of('"' + **key + '"');
    const auto kind = cursor.kind();
    if (!kind) return forward(kind.error());
    if (*kind == Cursor::Kind::Object && depth < kDeepest) {
      const auto inside = walk(cursor, title + ".", depth + 1, visit);
      if (!inside) return inside;
      flat = flat && *inside;
      continue;
    }
    const auto value = cursor.value(kLongestValue);
    if (!value) return forward(value.error());
    if (!*value) continue;
    flat = flat && !(*kind == Cursor::Kind::Array && (lists_objects(**value) || **key == "children"));
    visit(title, **value);
  }
}

/// Calls `record` at each record of the array at the cursor, until it returns false. False then.
Expected<bool> each_record(Cursor& cursor, Records& records, const std::function<Expected<bool>()>& record) {
  if (auto opened = cursor.open(); !opened) return forward(opened.error());
  for (;;) {
    const auto more = cursor.element();
    if (!more) return forward(more.error());
    if (!*more) return true;
    const auto kind = cursor.kind();
    if (!kind) return forward(kind.error());
    if (*kind != Cursor::Kind::Object) {
      ++records.others;
      if (auto skipped = cursor.skip(); !skipped) return forward(skipped.error());
      continue;
    }
    const auto flat = record();
    if (!flat || !*flat) return flat;
    ++records.count;
  }
}

/// Records of an array, possibly none, and their keys; nothing where they are not flat.
Expected<std::optional<Records>> array_of(Cursor& cursor) {
  Records records;
  TextTable<std::uint32_t> known;
  const auto flat = each_record(cursor, records, [&] {
    return walk(cursor, {}, 0, [&](const std::string& key, std::string_view) {
      if (known.find(key)) return;
      if (records.columns.size() >= kMaxRecordKeys) {
        ++records.keys_left_out;
        return;
      }
      known.add(key, 0);
      records.columns.push_back(key);
    });
  });
  if (!flat) return forward(flat.error());
  records.cut_off = cursor.cut_off();
  return *flat ? std::optional(std::move(records)) : std::nullopt;
}

std::optional<Records> usable(std::optional<Records> records) {
  const bool any =
      records && records->count > 0 && !records->columns.empty() && records->others <= records->count;
  return any ? std::move(records) : std::nullopt;
}

void append_field(std::string& line, std::string_view value) {
  if (value == "null") return;
  const auto text = is_text(value) ? text_of(value) : std::string(value);
  if (text.find_first_of(",\"\r\n") == std::string::npos && text.find_first_not_of(" \t") == 0) {
    line += text;
    return;
  }
  if (text.empty()) return;
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c == '\n' || c == '\r' ? ' ' : c;
  }
  line += '"';
}

class AsCsv final : public ByteStream {
public:
  AsCsv(ByteStreamPointer text, std::string name, std::shared_ptr<const Records> records)
      : records_(std::move(records)), text_(records_->loose ? as_array(std::move(text)) : std::move(text)),
        cursor_(*text_, std::move(name)), values_(records_->columns.size()) {
    for (std::uint32_t column = 0; column < records_->columns.size(); ++column)
      columns_.add(records_->columns[column], column);
  }

  Expected<std::size_t> read(std::span<char> into) override {
    if (into.empty()) return std::size_t{0};
    while (given_ == lines_.size() && !over_)
      if (auto done = go_on(); !done) return forward(done.error());
    const auto size = std::min(into.size(), lines_.size() - given_);
    std::memcpy(into.data(), lines_.data() + given_, size);
    given_ += size;
    return size;
  }
  std::int64_t consumed() const override { return text_->consumed(); }

private:
  Expected<void> begin() {
    begun_ = true;
    for (std::size_t column = 0; column < records_->columns.size(); ++column) {
      if (column > 0) lines_ += ',';
      append_field(lines_, records_->columns[column]);
    }
    lines_ += '\n';
    if (!records_->member.empty()) {
      if (auto opened = cursor_.open(); !opened) return opened;
      for (;;) {
        const auto key = cursor_.member();
        if (!key) return forward(key.error());
        if (!*key) {
          over_ = true;
          return {};
        }
        const auto kind = cursor_.kind();
        if (!kind) return forward(kind.error());
        if (**key == records_->member && *kind == Cursor::Kind::Array) break;
        if (auto skipped = cursor_.skip(); !skipped) return skipped;
      }
    }
    return cursor_.open();
  }

  Expected<void> go_on() {
    lines_.clear();
    given_ = 0;
    if (!begun_)
      if (auto done = begin(); !done || over_) return done;
    while (lines_.size() < kAtOnce) {
      const auto more = cursor_.element();
      if (!more) return forward(more.error());
      over_ = !*more;
      if (over_) return {};
      const auto kind = cursor_.kind();
      if (!kind) return forward(kind.error());
      if (*kind != Cursor::Kind::Object) {
        if (auto skipped = cursor_.skip(); !skipped) return skipped;
        continue;
      }
      for (auto& value : values_) value.clear();
      const auto flat = walk(cursor_, {}, 0, [&](const std::string& key, std::string_view value) {
        const auto* column = columns_.find(key);
        if (!column) return;
        values_[*column].clear();
        append_field(values_[*column], value);
      });
      if (!flat) return forward(flat.error());
      // In a truncated text the part after the last whole record is not a record.
      if (cursor_.cut_off()) {
        over_ = true;
        return {};
      }
      for (std::size_t column = 0; column < values_.size(); ++column)
        lines_.append(column > 0 ? "," : "").append(values_[column]);
      lines_ += '\n';
    }
    return {};
  }

  std::shared_ptr<const Records> records_;
  ByteStreamPointer text_;
  Cursor cursor_;
  TextTable<std::uint32_t> columns_;
  std::vector<std::string> values_; ///< by column: value in the current record
  std::string lines_;
  std::size_t given_ = 0; ///< number of bytes of lines_ that were returned
  bool begun_ = false, over_ = false;
};

// The longest array of records in an object.
Expected<std::optional<Records>> in_object(Cursor& cursor) {
  std::optional<Records> best;
  if (auto opened = cursor.open(); !opened) return forward(opened.error());
  for (;;) {
    const auto key = cursor.member();
    if (!key) return forward(key.error());
    if (!*key) return best;
    const auto kind = cursor.kind();
    if (!kind) return forward(kind.error());
    if (*kind != Cursor::Kind::Array) {
      if (auto skipped = cursor.skip(); !skipped) return forward(skipped.error());
      continue;
    }
    auto found = array_of(cursor);
    if (!found || !*found) return found;
    found = usable(std::move(*found));
    if (!*found || (best && best->count >= (*found)->count)) continue;
    best = std::move(**found);
    best->member = **key;
  }
}

} // namespace

bool begins_like_json(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
}

Expected<std::optional<Records>> records_in(const OpenText& open, const std::string& name) {
  auto text = open();
  if (!text) return forward(text.error());
  Cursor cursor(**text, name);
  const auto kind = cursor.kind();
  if (!kind) return forward(kind.error());
  if (*kind != Cursor::Kind::Array && *kind != Cursor::Kind::Object) return std::optional<Records>();
  auto found = *kind == Cursor::Kind::Array ? array_of(cursor) : in_object(cursor);
  if (!found) return found;
  const auto behind = cursor.kind();
  const bool another = behind && *behind == Cursor::Kind::Object;
  if (*kind == Cursor::Kind::Array || *found || !another) {
    found = usable(std::move(*found));
    if (*found) (*found)->more_behind = !behind || *behind != Cursor::Kind::End;
    return found;
  }
  auto again = open();
  if (!again) return forward(again.error());
  const auto array = as_array(std::move(*again));
  Cursor loose(*array, name);
  auto records = array_of(loose);
  if (!records) return records;
  records = usable(std::move(*records));
  if (*records) (*records)->loose = true;
  return records;
}

ByteStreamPointer as_csv(ByteStreamPointer text, std::string name, std::shared_ptr<const Records> records) {
  return std::make_unique<AsCsv>(std::move(text), std::move(name), std::move(records));
}

} // namespace jitterscope::import::json
