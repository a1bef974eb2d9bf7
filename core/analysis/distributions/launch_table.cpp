#include "core/analysis/distributions/launch_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/analysis/columns/launch_reader.h"
#include "core/analysis/session/row_blocks.h"
#include "core/base/ordered_double.h"

namespace jitterscope::analysis {
namespace {

constexpr std::uint64_t kMissingKey = std::numeric_limits<std::uint64_t>::max();
constexpr int kDigitBits = 16;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
/// Up to this many rows beyond the requested ones are collected rather than counted in another pass.
constexpr std::int64_t kFew = 4'096;

/// Maps values of a column to keys in the requested order.
class SortKey {
public:
  SortKey(const LaunchColumns& columns, const LaunchColumn& column, bool descending)
      : descending_(descending) {
    if (column.kind != ColumnKind::Text) return;
    const auto texts = columns.texts(column.name);
    std::vector<std::size_t> order(texts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return texts[a] < texts[b]; });
    place_.resize(texts.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool same = i > 0 && texts[order[i]] == texts[order[i - 1]];
      place_[order[i]] = same ? place_[order[i - 1]] : static_cast<double>(i);
    }
    text_ = true;
  }
  std::uint64_t operator()(double value) const {
    if (text_ && !std::isnan(value)) {
      const auto code = static_cast<std::size_t>(value);
      value = code < place_.size() ? place_[code] : std::numeric_limits<double>::quiet_NaN();
    }
    if (std::isnan(value)) return kMissingKey;
    const auto key = ordered_key(value);
    return descending_ ? kMissingKey - 1 - key : key;
  }

private:
  bool descending_ = false, text_ = false;
  std::vector<double> place_; ///< by text: its alphabetical position
};

/// The keys of the selected rows, block by block on all threads.
class KeyRows {
public:
  KeyRows(const Session& session, const LaunchColumns& columns, const Selection& selection,
          const LaunchColumn& column, bool descending, Communicator& communicator, const Job& job)
      : session_(session), columns_(columns), selection_(selection), key_(columns, column, descending),
        reader_(session, columns, column.name), blocks_(session, communicator), job_(job),
        values_(threads_of_rank()) {}

  std::size_t threads() const { return values_.size(); }
  std::size_t blocks() const { return static_cast<std::size_t>(blocks_.mine()); }
  std::uint64_t key_of(std::int64_t row) const {
    const auto segment = session_.segments(row, row + 1).front();
    double value = 0;
    reader_.read(segment, &value);
    return key_(value);
  }
  bool selected(std::int64_t row) const {
    return selection_.everything() ||
           selection_.select(session_, columns_, session_.segments(row, row + 1).front()).front() != 0;
  }

  /// Calls `use(thread, block, row, key)`; the rows of a block come in order.
  template <class Use>
  Expected<void> for_each(const char* what, Use&& use) {
    return blocks_.for_each(job_, what, [&](std::size_t thread, std::size_t block, const auto& segments) {
      auto& values = values_[thread];
      for (const auto& segment : segments) {
        values.resize(static_cast<std::size_t>(segment.rows()));
        reader_.read(segment, values.data());
        std::vector<std::uint8_t> mask;
        if (!selection_.everything()) mask = selection_.select(session_, columns_, segment);
        const auto row = session_.traces()[segment.trace].first_launch + segment.first;
        for (std::size_t i = 0; i < values.size(); ++i)
          if (mask.empty() || mask[i])
            use(thread, block, row + static_cast<std::int64_t>(i), key_(values[i]));
      }
    });
  }

private:
  const Session& session_;
  const LaunchColumns& columns_;
  const Selection& selection_;
  SortKey key_;
  LaunchReader reader_;
  RowBlocks blocks_;
  const Job& job_;
  std::vector<std::vector<double>> values_; ///< per thread: buffer of values
};

/// Interval [first, last] of keys that contains the row at a position of the sorted table.
struct Stretch {
  std::uint64_t first = 0, last = kMissingKey;
  std::int64_t before = 0; ///< number of selected rows with smaller keys
  std::int64_t count = 0;  ///< number of selected rows with keys in the interval
  std::int64_t place = 0;  ///< position of the row in the sorted table, from 0

  bool single() const { return first == last; }
  bool narrow() const { return single() || count <= kFew; }
};

struct Item {
  std::uint64_t key = 0;
  std::int64_t row = 0;
};

/// Finds the requested part of the table.
class TableSearch {
public:
  TableSearch(KeyRows& rows, Communicator& communicator) : rows_(rows), communicator_(communicator) {}

  /// Counts all rows and narrows the key intervals of both ends of [first, first + count); clamps `first` and
  /// `count` to the existing rows.
  Expected<std::int64_t> find(std::int64_t& first, std::int64_t& count) {
    auto total = pass(64 - kDigitBits, true);
    if (!total) return total;
    first = std::clamp<std::int64_t>(first, 0, *total);
    count = std::min(count, *total - first);
    if (count == 0) return total;
    ends_[0].place = first;
    ends_[1].place = first + count - 1;
    for (auto& end : ends_) narrow(end, 64 - kDigitBits);
    for (int shift = 64 - 2 * kDigitBits; shift >= 0 && !(ends_[0].narrow() && ends_[1].narrow());
         shift -= kDigitBits) {
      if (auto done = pass(shift, false); !done) return done;
      for (auto& end : ends_)
        if (!end.narrow()) narrow(end, shift);
    }
    return total;
  }

  /// The rows in sorted order, on rank 0.
  Expected<std::vector<std::int64_t>> collect(std::int64_t count) {
    // If very many keys are equal, their rows are counted first and only the requested rows are collected.
    const auto requested = [&](const Stretch& end) -> std::pair<std::int64_t, std::int64_t> {
      if (end.count <= kFew) return {0, end.count};
      const bool begins = &end == &ends_[0] || ends_[0].first == end.first;
      const auto from = begins ? ends_[0].place - end.before : 0;
      const auto to = ends_[1].first == end.first ? ends_[1].place - end.before + 1 : end.count;
      return {from, to};
    };
    std::array<std::vector<std::int64_t>, 2> ties_before;
    std::array<std::pair<std::int64_t, std::int64_t>, 2> range{requested(ends_[0]), requested(ends_[1])};
    if (ends_[0].count > kFew || ends_[1].count > kFew) {
      auto counted = count_ties();
      if (!counted) return forward(counted.error());
      ties_before = std::move(*counted);
    }
    std::vector<std::vector<Item>> items(rows_.blocks());
    std::vector<std::array<std::int64_t, 2>> seen(rows_.blocks());
    const bool same = ends_[0].first == ends_[1].first;
    auto walked = rows_.for_each(
        "rows of the table", [&](std::size_t, std::size_t block, std::int64_t row, std::uint64_t key) {
          if (key < ends_[0].first || key > ends_[1].last) return;
          for (std::size_t e = 0; e < (same ? 1u : 2u); ++e) {
            if (key < ends_[e].first || key > ends_[e].last || ties_before[e].empty()) continue;
            if (ends_[e].count <= kFew) continue;
            const auto number = ties_before[e][block] + seen[block][e]++;
            if (number < range[e].first || number >= range[e].second) return;
          }
          items[block].push_back({key, row});
        });
    if (!walked) return forward(walked.error());
    std::vector<Item> mine;
    for (const auto& block : items) mine.insert(mine.end(), block.begin(), block.end());
    auto all = communicator_.gather<Item>(mine);
    if (!all) return forward(all.error());
    std::sort(all->begin(), all->end(),
              [](const Item& a, const Item& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; });
    const auto skip = ends_[0].place - ends_[0].before - range[0].first;
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = skip; i < skip + count && i < static_cast<std::int64_t>(all->size()); ++i)
      numbers.push_back((*all)[static_cast<std::size_t>(i)].row);
    return numbers;
  }

private:
  /// Counts rows by the digit of their key at `shift`: all rows, or the rows in the interval of either end.
  Expected<std::int64_t> pass(int shift, bool whole) {
    std::vector<std::vector<std::int64_t>> threads(rows_.threads(), std::vector<std::int64_t>(2 * kDigits));
    auto walked = rows_.for_each("rows of the table",
                                 [&](std::size_t thread, std::size_t, std::int64_t, std::uint64_t key) {
                                   auto* counts = threads[thread].data();
                                   const auto digit = (key >> shift) & (kDigits - 1);
                                   if (whole || (key >= ends_[0].first && key <= ends_[0].last))
                                     ++counts[digit];
                                   if (!whole && key >= ends_[1].first && key <= ends_[1].last)
                                     ++counts[kDigits + digit];
                                 });
    if (!walked) return forward(walked.error());
    counts_.assign(2 * kDigits, 0);
    for (const auto& thread : threads)
      for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += thread[i];
    if (auto done = communicator_.sum(counts_); !done) return forward(done.error());
    if (whole) std::copy_n(counts_.begin(), kDigits, counts_.begin() + kDigits);
    return std::accumulate(counts_.begin(), counts_.begin() + kDigits, std::int64_t{0});
  }

  void narrow(Stretch& end, int shift) const {
    const auto* counts = counts_.data() + (&end == &ends_[0] ? 0 : kDigits);
    std::int64_t before = end.before;
    std::size_t digit = 0;
    while (digit + 1 < kDigits && before + counts[digit] <= end.place) before += counts[digit++];
    const std::uint64_t below = shift == 0 ? 0 : (std::uint64_t{1} << shift) - 1;
    const std::uint64_t above =
        shift == 64 - kDigitBits ? 0 : end.first >> (shift + kDigitBits) << (shift + kDigitBits);
    end.first = above | static_cast<std::uint64_t>(digit) << shift;
    end.last = end.first | below;
    end.before = before;
    end.count = counts[digit];
  }

  /// For each end of the requested part: number of rows in the end's interval before each block of this rank.
  Expected<std::array<std::vector<std::int64_t>, 2>> count_ties() {
    std::array<std::vector<std::int64_t>, 2> before;
    for (auto& each : before) each.assign(rows_.blocks(), 0);
    auto walked = rows_.for_each("rows of the table",
                                 [&](std::size_t, std::size_t block, std::int64_t, std::uint64_t key) {
                                   for (std::size_t e = 0; e < 2; ++e)
                                     before[e][block] += key >= ends_[e].first && key <= ends_[e].last;
                                 });
    if (!walked) return forward(walked.error());
    for (auto& each : before) {
      const std::int64_t mine[1] = {std::accumulate(each.begin(), each.end(), std::int64_t{0})};
      auto all = communicator_.all_gather<std::int64_t>(mine);
      if (!all) return forward(all.error());
      auto sum = std::accumulate(all->begin(), all->begin() + communicator_.rank(), std::int64_t{0});
      for (auto& value : each) sum += std::exchange(value, sum);
    }
    return before;
  }

  KeyRows& rows_;
  Communicator& communicator_;
  std::array<Stretch, 2> ends_;
  std::vector<std::int64_t> counts_;
};

Expected<std::optional<std::int64_t>> locate(KeyRows& rows, std::int64_t requested, std::int64_t launches,
                                             Communicator& communicator) {
  if (requested < 0 || requested >= launches || !rows.selected(requested))
    return std::optional<std::int64_t>();
  const auto key = rows.key_of(requested);
  std::vector<std::int64_t> before(rows.threads());
  auto walked = rows.for_each("rows of the table",
                              [&](std::size_t thread, std::size_t, std::int64_t row, std::uint64_t other) {
                                before[thread] += other < key || (other == key && row < requested);
                              });
  if (!walked) return forward(walked.error());
  std::int64_t sum[1] = {std::accumulate(before.begin(), before.end(), std::int64_t{0})};
  if (auto done = communicator.sum(sum); !done) return forward(done.error());
  return std::optional<std::int64_t>(sum[0]);
}

std::vector<double> values_of(const Session& session, const LaunchColumns& columns, const std::string& name,
                              const std::vector<std::int64_t>& rows) {
  const LaunchReader reader(session, columns, name);
  std::vector<double> values(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    reader.read(session.segments(rows[i], rows[i] + 1).front(), &values[i]);
  return values;
}

} // namespace

Expected<LaunchTable> launch_table(const Session& session, const LaunchColumns& columns,
                                   const Selection& selection, const LaunchTableOptions& options,
                                   Communicator& communicator, const Job& job) {
  std::vector<std::string> names = options.columns;
  names.push_back(options.sort);
  for (const auto& name : names)
    if (!columns.find(name))
      return failure(ErrorKind::BadUse, "there is no column \"" + name + "\"", {}, "columns",
                     columns.instead_of(name));
  if (options.first < 0 || options.count < 0 || options.count > kMaxTableRows)
    return failure(ErrorKind::BadUse, "at most 10,000 rows of a table can be requested at once", {}, "count");
  KeyRows rows(session, columns, selection, *columns.find(options.sort), options.descending, communicator,
               job);
  TableSearch search(rows, communicator);
  LaunchTable table;
  table.first = options.first;
  std::int64_t count = options.count;
  auto total = search.find(table.first, count);
  if (!total) return forward(total.error());
  table.rows = *total;
  if (count > 0) {
    auto numbers = search.collect(count);
    if (!numbers) return forward(numbers.error());
    table.numbers = std::move(*numbers);
  }
  if (options.locate) {
    auto place = locate(rows, *options.locate, session.launches(), communicator);
    if (!place) return forward(place.error());
    table.located = *place;
  }
  for (const auto& name : options.columns)
    table.values.push_back(values_of(session, columns, name, table.numbers));
  return table;
}

} // namespace jitterscope::analysis
