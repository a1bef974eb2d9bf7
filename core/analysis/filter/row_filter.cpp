#include "core/analysis/filter/row_filter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "core/analysis/columns/launch_reader.h"
#include "core/analysis/filter/condition_values.h"

namespace jitterscope::analysis {

struct RowFilter::Test {
  enum class Kind { And, Or, Not, Id, Values, Texts, Columns } kind = Kind::And;
  std::vector<std::shared_ptr<const Test>> children;
  /// Id: per trace, the configuration or stream of each row, and whether each configuration or stream passes.
  std::vector<store::Values<std::uint32_t>> ids;
  std::vector<std::vector<std::uint8_t>> accepted;
  /// Of the kinds Values, Texts and Columns: readers of the column and, for Columns, of the second column.
  std::shared_ptr<const LaunchReader> reader, other;
  ValueSet values;
  std::vector<std::uint8_t> texts; ///< whether each text passes; the last entry is for a missing text
  std::string comparison;
};

namespace {

using Node = FilterNode;
using Test = RowFilter::Test;
using TestPointer = std::shared_ptr<const Test>;
constexpr std::size_t kPiece = 1'024;

bool compare(const std::string& comparison, double a, double b) {
  if (comparison == "=") return a == b;
  if (comparison == "!=") return !std::isnan(a) && !std::isnan(b) && a != b;
  if (comparison == "<") return a < b;
  if (comparison == "<=") return a <= b;
  if (comparison == ">") return a > b;
  return a >= b;
}

/// Values of columns by a trace's configurations or resources, by column name.
using Tables = std::map<std::string, std::vector<double>>;

bool holds(const Node& node, const Tables& tables, std::size_t id) {
  const auto child_holds = [&](const auto& child) { return holds(*child, tables, id); };
  switch (node.kind) {
  case Node::Kind::And:
    return std::all_of(node.children.begin(), node.children.end(), child_holds);
  case Node::Kind::Or:
    return std::any_of(node.children.begin(), node.children.end(), child_holds);
  case Node::Kind::Not:
    return !child_holds(node.children.front());
  case Node::Kind::CompareColumns:
    return compare(node.comparison, tables.at(node.column)[id], tables.at(node.other)[id]);
  case Node::Kind::Compare:
    return compare(node.comparison, tables.at(node.column)[id], node.number);
  case Node::Kind::Missing:
    return std::isnan(tables.at(node.column)[id]);
  case Node::Kind::In:
    break;
  }
  const double value = tables.at(node.column)[id];
  return !std::isnan(value) && std::binary_search(node.members.begin(), node.members.end(), value);
}

template <class Use>
void each_column(const Node& node, Use&& use) {
  for (const auto& child : node.children) each_column(*child, use);
  if (!node.column.empty()) use(node.column);
  if (!node.other.empty()) use(node.other);
}

/// Compiles conditions into tests.
class Compiler {
public:
  Compiler(const Session& session, const LaunchColumns& columns) : session_(session), columns_(columns) {}

  TestPointer test_of(const Node& node) const {
    if (all_columns(node, LaunchColumns::depends_on_configuration)) return by_id(node, true);
    if (all_columns(node, LaunchColumns::depends_on_stream)) return by_id(node, false);
    if (const auto column = only_column(node); !column.empty()) return on_column(node, column);
    Test test;
    if (node.kind == Node::Kind::CompareColumns) {
      test.kind = Test::Kind::Columns;
      test.reader = std::make_shared<LaunchReader>(session_, columns_, node.column);
      test.other = std::make_shared<LaunchReader>(session_, columns_, node.other);
      test.comparison = node.comparison;
      return std::make_shared<const Test>(std::move(test));
    }
    test.kind = node.kind == Node::Kind::And  ? Test::Kind::And
                : node.kind == Node::Kind::Or ? Test::Kind::Or
                                              : Test::Kind::Not;
    for (const auto& child : node.children) test.children.push_back(test_of(*child));
    std::stable_sort(test.children.begin(), test.children.end(),
                     [](const auto& a, const auto& b) { return cost(*a) < cost(*b); });
    return std::make_shared<const Test>(std::move(test));
  }

  TestPointer on_streams(const std::vector<std::vector<std::uint32_t>>& requested) const {
    Test test;
    test.kind = Test::Kind::Id;
    for (std::size_t t = 0; t < session_.traces().size(); ++t) {
      const auto& store = session_.traces()[t].store;
      auto& accepted = test.accepted.emplace_back(store.resources().size(), std::uint8_t{0});
      if (t < requested.size())
        for (const auto stream : requested[t])
          if (stream < accepted.size()) accepted[stream] = 1;
      test.ids.push_back(store.column<std::uint32_t>("launches", "stream"));
    }
    return std::make_shared<const Test>(std::move(test));
  }

private:
  static int cost(const Test& test) {
    return test.kind == Test::Kind::Id ? 0 : test.children.empty() ? 1 : 2;
  }

  template <class Which>
  static bool all_columns(const Node& node, Which&& which) {
    bool all = true;
    each_column(node, [&](const std::string& column) { all = all && which(column); });
    return all;
  }

  TestPointer by_id(const Node& node, bool configurations) const {
    Test test;
    test.kind = Test::Kind::Id;
    for (std::size_t t = 0; t < session_.traces().size(); ++t) {
      const auto& trace = session_.traces()[t];
      Tables tables;
      std::size_t count = 0;
      each_column(node, [&](const std::string& column) {
        auto& table = tables[column];
        if (table.empty())
          table = configurations ? columns_.of_configurations(column, t) : columns_.of_resources(column, t);
        count = table.size();
      });
      auto& accepted = test.accepted.emplace_back(count);
      for (std::size_t id = 0; id < count; ++id) accepted[id] = holds(node, tables, id);
      test.ids.push_back(configurations ? trace.configurations()
                                        : trace.store.column<std::uint32_t>("launches", "stream"));
    }
    return std::make_shared<const Test>(std::move(test));
  }

  TestPointer on_column(const Node& node, const std::string& column) const {
    Test test;
    test.kind = Test::Kind::Values;
    test.reader = std::make_shared<LaunchReader>(session_, columns_, column);
    test.values = accepted_values(node);
    if (columns_.find(column)->kind == ColumnKind::Text) {
      test.kind = Test::Kind::Texts;
      const auto texts = columns_.texts(column).size();
      for (std::size_t text = 0; text < texts; ++text)
        test.texts.push_back(test.values.contains(static_cast<double>(text)));
      test.texts.push_back(test.values.has_missing());
    }
    return std::make_shared<const Test>(std::move(test));
  }

  const Session& session_;
  const LaunchColumns& columns_;
};

void test_ids(const store::Values<std::uint32_t>& ids, const std::vector<std::uint8_t>& accepted,
              const Segment& segment, std::uint8_t* out) {
  std::uint32_t piece[kPiece];
  const auto last = static_cast<std::size_t>(segment.last);
  for (auto row = static_cast<std::size_t>(segment.first); row < last; row += kPiece) {
    const auto count = std::min(kPiece, last - row);
    ids.read(row, row + count, piece);
    for (std::size_t i = 0; i < count; ++i) *out++ = accepted[piece[i]];
  }
}

bool any(const std::uint8_t* mask, std::size_t rows) {
  return rows > 0 && std::memchr(mask, 1, rows) != nullptr;
}

} // namespace

RowFilter::RowFilter(const Session& session, const LaunchColumns& columns, const Selection& selection)
    : session_(&session), selection_(&selection) {
  const Compiler compiler(session, columns);
  Test both;
  if (!selection.streams.empty()) both.children.push_back(compiler.on_streams(selection.streams));
  if (!selection.filter.everything()) both.children.push_back(compiler.test_of(*selection.filter.root()));
  if (both.children.size() == 1)
    root_ = both.children.front();
  else if (!both.children.empty())
    root_ = std::make_shared<const Test>(std::move(both));
}

bool RowFilter::may_meet(const Segment& segment) const {
  const auto& intervals = selection_->intervals;
  if (intervals.empty() || segment.rows() == 0) return true;
  const Trace& trace = session_->traces()[segment.trace];
  const auto starts = trace.starts();
  const Nanoseconds first{starts[static_cast<std::size_t>(segment.first)] + trace.shift_ns};
  const Nanoseconds last{starts[static_cast<std::size_t>(segment.last) - 1] + trace.shift_ns};
  const auto at =
      std::upper_bound(intervals.begin(), intervals.end(), first,
                       [](Nanoseconds time, const Interval& interval) { return time < interval.end; });
  return at != intervals.end() && at->begin <= last;
}

bool RowFilter::select(const Segment& segment, std::uint8_t* out, Buffers& buffers) const {
  const auto rows = static_cast<std::size_t>(segment.rows());
  bool some = may_meet(segment);
  if (some && root_)
    some = run(*root_, segment, out, buffers, 0);
  else
    std::fill(out, out + rows, static_cast<std::uint8_t>(some));
  if (!some || selection_->intervals.empty()) return some;
  keep_times(segment, out);
  return any(out, rows);
}

// Starts are sorted, so the rows between two intervals are consecutive.
void RowFilter::keep_times(const Segment& segment, std::uint8_t* out) const {
  const auto& intervals = selection_->intervals;
  const Trace& trace = session_->traces()[segment.trace];
  const auto starts = trace.starts().subspan(static_cast<std::size_t>(segment.first),
                                             static_cast<std::size_t>(segment.rows()));
  const auto row_of = [&](Nanoseconds time) {
    return std::lower_bound(starts.begin(), starts.end(), time.count - trace.shift_ns) - starts.begin();
  };
  if (starts.empty()) return;
  auto at = std::upper_bound(intervals.begin(), intervals.end(), Nanoseconds{starts.front() + trace.shift_ns},
                             [](Nanoseconds time, const Interval& interval) { return time < interval.end; });
  std::ptrdiff_t from = 0; // the rows before `from` are done
  const auto rows = static_cast<std::ptrdiff_t>(starts.size());
  for (; at != intervals.end() && from < rows; ++at) {
    const auto begin = std::max(row_of(at->begin), from);
    std::fill(out + from, out + begin, std::uint8_t{0});
    from = std::max(row_of(at->end), begin);
  }
  std::fill(out + from, out + rows, std::uint8_t{0});
}

bool RowFilter::run(const Test& test, const Segment& segment, std::uint8_t* out, Buffers& buffers,
                    std::size_t depth) const {
  const auto rows = static_cast<std::size_t>(segment.rows());
  switch (test.kind) {
  case Test::Kind::And:
  case Test::Kind::Or: {
    const bool both = test.kind == Test::Kind::And;
    bool some = run(*test.children.front(), segment, out, buffers, depth + 1);
    for (std::size_t c = 1; c < test.children.size(); ++c) {
      if (both && !some) return false;
      if (buffers.masks.size() <= depth) buffers.masks.resize(depth + 1);
      if (buffers.masks[depth].size() < rows) buffers.masks[depth].resize(rows);
      run(*test.children[c], segment, buffers.masks[depth].data(), buffers, depth + 1);
      const auto* next = buffers.masks[depth].data();
      if (both)
        for (std::size_t i = 0; i < rows; ++i) out[i] &= next[i];
      else
        for (std::size_t i = 0; i < rows; ++i) out[i] |= next[i];
      some = any(out, rows);
    }
    return some;
  }
  case Test::Kind::Not:
    run(*test.children.front(), segment, out, buffers, depth + 1);
    for (std::size_t i = 0; i < rows; ++i) out[i] ^= 1;
    break;
  case Test::Kind::Id:
    test_ids(test.ids[segment.trace], test.accepted[segment.trace], segment, out);
    break;
  case Test::Kind::Values:
  case Test::Kind::Texts: {
    if (buffers.left.size() < rows) buffers.left.resize(rows);
    const auto* values = buffers.left.data();
    test.reader->read(segment, buffers.left.data());
    if (test.kind == Test::Kind::Values)
      test.values.test(values, rows, out);
    else
      for (std::size_t i = 0; i < rows; ++i)
        out[i] = values[i] >= 0 ? test.texts[static_cast<std::size_t>(values[i])] : test.texts.back();
    break;
  }
  case Test::Kind::Columns:
    if (buffers.left.size() < rows) buffers.left.resize(rows);
    if (buffers.right.size() < rows) buffers.right.resize(rows);
    test.reader->read(segment, buffers.left.data());
    test.other->read(segment, buffers.right.data());
    for (std::size_t i = 0; i < rows; ++i)
      out[i] = compare(test.comparison, buffers.left[i], buffers.right[i]);
    break;
  }
  return any(out, rows);
}

} // namespace jitterscope::analysis
