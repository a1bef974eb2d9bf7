#include "core/import/text/csv/plain_fields.h"

#include <algorithm>

#include "core/import/text/csv/field_kernels.h"

namespace jitterscope::import {

bool PlainFields::find_ends(std::string_view text, std::size_t begin, char separator, bool quotes) {
  text_ = text.data();
  FieldEnds found{begins_.data(), ends_.data(), record_ends_.data(), quotes};
  find_field_ends(text, begin, separator, kMaxFields, found);
  records_ = found.record_count;
  if (records_ == 0 || found.irregular) return false;
  const std::size_t count = record_ends_[records_ - 1];
  end_ = ends_[count - 1] + std::size_t{1};
  if (found.returns) drop_returns();
  return true;
}

// Null unless every record has `requested.size()` fields.
const std::uint8_t* PlainFields::bits_of(std::span<const std::uint8_t> requested) {
  if (requested.empty()) return nullptr;
  std::size_t others = 0;
  for (std::size_t i = 0; i < records_; ++i) others += record_ends_[i] != (i + 1) * requested.size();
  if (others > 0) return nullptr;
  if (!std::equal(requested.begin(), requested.end(), requested_.begin(), requested_.end())) {
    requested_.assign(requested.begin(), requested.end());
    requested_bits_.fill(0);
    for (std::size_t field = 0; field < kMaxFields; ++field)
      requested_bits_[field / 8] |=
          static_cast<std::uint8_t>((requested[field % requested.size()] != 0) << field % 8);
  }
  return requested_bits_.data();
}

void PlainFields::read_numbers(bool points, std::span<const std::uint8_t> requested) {
  const std::size_t count = record_ends_[records_ - 1];
  FieldNumbers fields{begins_.data(),  ends_.data(),  count,           points,
                      numbers_.data(), other_.data(), fraction_.data()};
  fields.requested = bits_of(requested);
  fields.columns = fields.requested ? requested.size() : 0;
  read_field_numbers(text_, fields);
  others_ = fields.other_count;
  fractions_ = fields.fraction_count;
}

const double* PlainFields::numbers_of(std::span<const std::uint16_t> first_fields, std::size_t column) {
  for (std::size_t i = 0; i < first_fields.size(); ++i) {
    column_begins_[i] = begins_[first_fields[i] + column];
    column_ends_[i] = ends_[first_fields[i] + column];
  }
  FieldNumbers fields{column_begins_.data(), column_ends_.data(), first_fields.size(), false,
                      numbers_.data(),       other_.data(),       fraction_.data()};
  read_field_numbers(text_, fields);
  return numbers_.data();
}

// Carriage returns before line feeds belong to no field.
void PlainFields::drop_returns() {
  for (std::size_t record = 0; record < records_; ++record) {
    const auto last = record_ends_[record] - std::size_t{1};
    auto& end = ends_[last];
    if (end > begins_[last] && text_[end] == '\n' && text_[end - 1] == '\r') --end;
  }
}

} // namespace jitterscope::import
