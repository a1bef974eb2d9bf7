#include "core/import/formats/nsys/names.h"

#include <algorithm>
#include <numeric>

#include "core/base/spill_vector.h"
#include "core/import/text/text.h"

namespace jitterscope::import::nsys {

Expected<void> Names::read(sqlite::Database& database) {
  auto rows = database.select("StringIds", {"id", "value"});
  if (!rows) return forward(rows.error());
  auto done = rows->for_each([&] {
    if (!rows->is_integer(0)) return;
    const auto text = rows->is_text(1) ? rows->text(1) : std::string_view();
    ids_.push_back(rows->integer(0));
    begin_.push_back(arena_.size());
    length_.push_back(static_cast<std::uint32_t>(text.size()));
    arena_ += text;
  });
  if (!done) return done;
  sort();
  interned_.assign(ids_.size(), kNone);
  return {};
}

void Names::sort() {
  if (std::is_sorted(ids_.begin(), ids_.end())) return;
  SpillVector<std::uint32_t> order(ids_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return ids_[a] < ids_[b]; });
  const auto apply = [&](auto& column) {
    auto sorted = column;
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
    column = std::move(sorted);
  };
  apply(ids_);
  apply(begin_);
  apply(length_);
}

std::size_t Names::find(std::int64_t id) const {
  // Exports number strings from 0 or 1 without gaps: try that index before searching.
  if (id >= 0 && static_cast<std::uint64_t>(id) < ids_.size() && ids_[static_cast<std::size_t>(id)] == id)
    return static_cast<std::size_t>(id);
  const auto place = std::lower_bound(ids_.begin(), ids_.end(), id);
  return place != ids_.end() && *place == id ? static_cast<std::size_t>(place - ids_.begin()) : ids_.size();
}

std::string_view Names::bytes(std::size_t index) const {
  return std::string_view(arena_).substr(begin_[index], length_[index]);
}

std::string_view Names::text(std::int64_t id) const {
  const auto index = find(id);
  return index < ids_.size() ? bytes(index) : std::string_view();
}

std::uint32_t Names::intern(std::int64_t id, store::StringTable& strings) {
  const auto index = find(id);
  if (index >= ids_.size()) return kNone;
  if (interned_[index] == kNone) interned_[index] = strings.intern(clean_text(bytes(index))).value;
  return interned_[index];
}

} // namespace jitterscope::import::nsys
