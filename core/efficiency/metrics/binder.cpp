#include "core/efficiency/metrics/bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/core.h>

#include "core/base/similar_names.h"
#include "core/base/text_pattern.h"
#include "core/efficiency/activity.h"
#include "core/efficiency/metrics/evaluation.h"
#include "core/efficiency/metrics/tokens.h"
#include "core/paraver/event_types.h"
#include "core/store/trace/collective_kernels.h"

namespace jitterscope::efficiency::metrics {
namespace {

/// Calls visit(node, source or null) for every node, operands first.
template <class Visit>
void visit_all(const Node& node, const Source* source, std::vector<bool>& seen, Visit&& visit) {
  if (node.id < seen.size() && seen[node.id]) return;
  if (node.records && node.records->condition)
    visit_all(*node.records->condition, &node.records->source, seen, visit);
  const bool over = node.op == Op::MeanOver || node.op == Op::MaximumOver || node.op == Op::MinimumOver;
  const bool of_records = node.op == Op::Value || node.op == Op::Total || node.op == Op::Rate;
  for (const auto& child : node.children)
    visit_all(child, over ? nullptr : of_records ? &node.records->source : source, seen, visit);
  if (node.id >= seen.size()) seen.resize(node.id + 1);
  seen[node.id] = true;
  visit(node, source);
}

template <class Visit>
void visit_all(const Definition& definition, Visit&& visit) {
  std::vector<bool> seen(kMaxNodes);
  for (const auto& let : definition.lets) visit_all(let, nullptr, seen, visit);
  visit_all(definition.metric, nullptr, seen, visit);
}

bool names_kernels(Source source) {
  return source == Source::Kernels || source == Source::Queued;
}
bool names_copies(Source source) {
  return source == Source::Copies || source == Source::Migrations;
}

/// Number of distinct values of Record::name.
std::size_t names_of(const store::Store& store, Source source) {
  return names_kernels(source)  ? store.table("kernels").rows
         : names_copies(source) ? std::size_t{store::kTransferKinds}
                                : store.strings();
}
std::string_view name_of(const store::Store& store, Source source, std::size_t number,
                         const char* kernel_column = "name") {
  if (names_kernels(source))
    return store.string({store.column<std::uint32_t>("kernels", kernel_column)[number]});
  if (names_copies(source)) return store::to_string(static_cast<store::TransferKind>(number));
  return store.string({static_cast<std::uint32_t>(number)});
}

/// Test whether a text equals or matches the operand.
class TextTest {
public:
  explicit TextTest(const Node& node) : text_(node.operand), inverted_(node.inverted) {
    if (!node.pattern) return;
    if (auto pattern = TextPattern::of(text_))
      pattern_ = std::move(*pattern); // the parser refuses invalid ones
  }
  explicit TextTest(const std::string& text, bool pattern) : TextTest(node_of(text, pattern)) {}
  bool operator()(std::string_view text) const {
    return (pattern_ ? pattern_->found_in(text) : text == text_) != inverted_;
  }

private:
  static Node node_of(const std::string& text, bool pattern) {
    Node node;
    node.operand = text;
    node.pattern = pattern;
    return node;
  }
  std::string text_;
  bool inverted_ = false;
  std::optional<TextPattern> pattern_;
};

} // namespace

bool needs_calls(const Definition& definition) {
  bool needed = false;
  visit_all(definition, [&](const Node& node, const Source*) {
    needed = needed || (node.records && node.records->source == Source::Queued) ||
             (node.op == Op::Field && node.text == "launching");
  });
  return needed;
}

class Bound::Binder {
public:
  Binder(Bound& bound, const Job& job) : bound_(bound), job_(job) {}

  Expected<void> run() {
    bound_.tables_.resize(kMaxNodes);
    for (const auto& trace : traces()) bound_.configurations_.push_back(trace.configurations());
    Expected<void> all;
    visit_all(bound_.definition(), [&](const Node& node, const Source* source) {
      if (node.records && std::ranges::find(bound_.sources_, node.records->source) == bound_.sources_.end())
        bound_.sources_.push_back(node.records->source);
      if (all) all = bind(node, source);
    });
    return all;
  }

private:
  const std::vector<analysis::Trace>& traces() const { return bound_.data().session().traces(); }
  const store::Store& store(std::size_t trace) const { return traces()[trace].store; }
  Table& table(const Node& node) { return bound_.tables_[node.id]; }

  Expected<void> bind(const Node& node, const Source* source) {
    switch (node.op) {
    case Op::Field:
      return field(node, *source);
    case Op::TextEqual:
    case Op::TextMatch:
      return text(node, *source);
    case Op::Counter:
    case Op::NextCounter:
    case Op::CounterToNext:
    case Op::CounterInterval:
      return counter(node);
    case Op::Recorded:
      return recorded(node);
    case Op::GroupMean:
    case Op::Deviation:
      return group_means(node);
    default:
      return {};
    }
  }

  std::vector<std::string> columns_of(Source source) const {
    std::vector<std::string> names = {"name", "duration", "begin", "end"};
    if (names_kernels(source)) names.insert(names.end(), {"short_name", "collective"});
    if (source == Source::States) names.insert(names.end(), {"running", "number"});
    if (source == Source::Calls) names.insert(names.end(), {"offload", "launching"});
    for (std::size_t trace = 0; trace < traces().size(); ++trace)
      for (const char* name : {table_of(source), names_kernels(source) ? "configurations" : ""})
        for (const auto& column : store(trace).table(name).columns)
          if (column.name != "start" && column.name != "name") names.push_back(column.name);
    if (bound_.data().columns() && names_kernels(source))
      for (const auto& column : bound_.data().columns()->list())
        if (is_derived(column)) names.push_back(column.name);
    return names;
  }

  /// Columns that are computed from others, except those that the user chose: they are metrics themselves.
  static bool is_derived(const analysis::LaunchColumn& column) { return !column.stored && !column.chosen; }

  const analysis::LaunchColumn* derived(const Node& node, Source source) const {
    const auto* columns = bound_.data().columns();
    const auto* column = columns && names_kernels(source) ? columns->find(node.text) : nullptr;
    return column && is_derived(*column) ? column : nullptr;
  }

  Expected<void> bind_derived(const Node& node, const analysis::LaunchColumn& column) {
    if (column.fitted)
      return wrong_at(
          node.place,
          fmt::format("metrics cannot use \"{}\": it comes from the fitted model of durations", node.text),
          "Use it as a column of bins or launches, or in a filter.");
    auto& bound = table(node);
    bound.kind = Kind::Derived, bound.derived = column.name;
    uses_outcome(column.tier);
    return bound_.data().columns()->prepare_call_sites(job_);
  }

  void uses_outcome(int tier) {
    if (tier < kDurationTier || tier == kUnknownTier) return;
    auto& known = bound_.tier_of_outcome_;
    known = known == kUnknownTier ? tier : std::max(known, tier);
  }

  /// The values of an attribute are texts, but are used as numbers.
  static tl::unexpected<Error> not_a_number(const Node& node, Source source) {
    if (node.operand.empty())
      return wrong_at(
          node.place, fmt::format("\"{}\" has text values, but a number is needed", node.text),
          fmt::format("A text can only be compared: {0}[{1} == \"TEXT\"] or {0}[{1} ~ /PATTERN/]. "
                      "A numeric attribute is for example duration.",
                      to_string(source), node.text));
    return wrong_at(
        node.operand_place,
        fmt::format("\"{}\" has text values, but {} is not a text in double quotes", node.text, node.operand),
        fmt::format("Write {0} {1}= \"{3}\", or {0} {2} /{3}/ for texts that contain it.", node.text,
                    node.inverted ? "!" : "=", node.inverted ? "!~" : "~", node.operand));
  }

  /// Whether the values of a stored column are numbers of texts.
  static bool is_text(const store::ColumnView& column, Source source) {
    return column.unit == store::kTextUnit || (source == Source::Ranges && column.name == "domain");
  }

  tl::unexpected<Error> no_such(const Node& node, Source source) const {
    return wrong_at(node.place, fmt::format("{} have no attribute \"{}\"", to_string(source), node.text),
                    did_you_mean(node.text, columns_of(source),
                                 "\"jitterscope info FILES --columns\" lists the columns of launches."));
  }

  Expected<void> field(const Node& node, Source source) {
    auto& bound = table(node);
    bound.traces.resize(traces().size());
    const std::string_view name = node.text;
    if (name == "name" || name == "short_name") return not_a_number(node, source);
    if (name == "duration" || name == "begin" || name == "start" || name == "end") {
      bound.kind = name == "duration" ? Kind::Duration : name == "end" ? Kind::End : Kind::Begin;
      if (source == Source::Kernels && bound.kind != Kind::Begin) uses_outcome(kDurationTier);
      return {};
    }
    if (name == "launching" && source == Source::Calls) {
      bound.kind = Kind::Launching;
      return {};
    }
    if (name == "collective" && names_kernels(source)) return collective_kernels(node, source);
    if (name == "running" && source == Source::States) return by_name(node, source, &is_running_state);
    if (name == "number" && source == Source::States) return state_numbers(node);
    if (name == "offload" && source == Source::Calls) return by_name(node, source, &is_offload_call);
    return column(node, source);
  }

  template <class Test>
  Expected<void> by_name(const Node& node, Source source, Test&& test, const char* kernel_column = "name") {
    return by_name_and_trace(
        node, source, [&](std::size_t) { return std::cref(test); }, kernel_column);
  }

  /// `test_of(trace)`: the test of the names in a trace.
  template <class TestOf>
  Expected<void> by_name_and_trace(const Node& node, Source source, TestOf&& test_of,
                                   const char* kernel_column = "name") {
    auto& bound = table(node);
    bound.kind = Kind::OfName;
    bound.traces.resize(traces().size());
    for (std::size_t trace = 0; trace < traces().size(); ++trace) {
      const auto test = test_of(trace);
      for (std::size_t number = 0; number < names_of(store(trace), source); ++number) {
        if (number % 1'024 == 0 && job_.cancelled()) return Job::cancelled_error();
        bound.traces[trace].by_name.push_back(test(name_of(store(trace), source, number, kernel_column)) ? 1
                                                                                                         : 0);
      }
    }
    return {};
  }

  Expected<void> collective_kernels(const Node& node, Source source) {
    return by_name_and_trace(node, source, [&](std::size_t trace) {
      return store::CollectiveKernels(store(trace).manifest().collective_kernels);
    });
  }

  /// Numbers of states in their Paraver trace, else those that Paraver gives to states of these names;
  /// missing for others.
  Expected<void> state_numbers(const Node& node) {
    auto& bound = table(node);
    bound.kind = Kind::OfName;
    bound.traces.resize(traces().size());
    for (std::size_t trace = 0; trace < traces().size(); ++trace) {
      if (job_.cancelled()) return Job::cancelled_error();
      std::map<std::string_view, std::int64_t> numbers;
      for (const auto& [number, state] : store(trace).manifest().paraver.states)
        numbers.emplace(state, number);
      std::int64_t standard = 0;
      const bool of_paraver = !numbers.empty();
      if (!of_paraver)
        for (const auto state : prv::state_names()) numbers.emplace(state, standard++);
      for (std::size_t name = 0; name < names_of(store(trace), Source::States); ++name) {
        const auto state = name_of(store(trace), Source::States, name, "name");
        const auto found = numbers.find(state);
        auto& number = bound.traces[trace].by_name.emplace_back(std::numeric_limits<float>::quiet_NaN());
        if (found != numbers.end())
          number = static_cast<float>(found->second);
        else if (!of_paraver && is_running_state(state))
          number = static_cast<float>(prv::kRunning);
      }
    }
    return {};
  }

  Expected<void> column(const Node& node, Source source) {
    auto& bound = table(node);
    bool any = false, texts = false;
    // Stored columns of the same name are references to other tables: streams, ranges.
    const auto* of_launches = derived(node, source);
    for (std::size_t trace = 0; trace < traces().size(); ++trace) {
      auto& of = bound.traces[trace];
      if (!of_launches) of.column = store(trace).table(table_of(source)).find(node.text);
      if (!of.column && names_kernels(source)) {
        of.column = store(trace).table("configurations").find(node.text);
        if (of.column) of.through = traces()[trace].configurations();
      }
      if (!of.column) continue;
      any = true;
      texts = texts || is_text(*of.column, source);
      if (of.column->type == store::ElementType::UInt32) bound.has_missing = true, bound.missing = kNone;
    }
    if (texts || (!any && of_launches && of_launches->kind == ColumnKind::Text))
      return not_a_number(node, source);
    if (!any && of_launches) return bind_derived(node, *of_launches);
    if (!any) return no_such(node, source);
    if (node.text == "bytes") bound.has_missing = true, bound.missing = store::kUnknownBytes;
    return {};
  }

  Expected<void> text(const Node& node, Source source) {
    const TextTest test(node);
    if (node.text == "name") return by_name(node, source, test);
    if (node.text == "short_name" && names_kernels(source)) return by_name(node, source, test, "short_name");
    auto& bound = table(node);
    bound.kind = Kind::OfName;
    bound.traces.resize(traces().size());
    bool any = false;
    for (std::size_t trace = 0; trace < traces().size(); ++trace) {
      auto& of = bound.traces[trace];
      const auto* column = store(trace).table(table_of(source)).find(node.text);
      if (!column || !is_text(*column, source) || column->type != store::ElementType::UInt32) continue;
      any = true;
      of.column = column;
      for (std::size_t number = 0; number < store(trace).strings(); ++number) {
        if (number % 1'024 == 0 && job_.cancelled()) return Job::cancelled_error();
        of.by_name.push_back(test(store(trace).string({static_cast<std::uint32_t>(number)})) ? 1 : 0);
      }
    }
    if (any) return {};
    if (const auto* of_launches = derived(node, source);
        of_launches && of_launches->kind == ColumnKind::Text) {
      for (const auto& each : bound_.data().columns()->texts(of_launches->name))
        bound.by_text.push_back(test(each) ? 1 : 0);
      return bind_derived(node, *of_launches);
    }
    if (auto known = columns_of(source); std::ranges::find(known, node.text) != known.end())
      return wrong_at(node.place, fmt::format("\"{}\" is a number", node.text), "Compare it with a number.");
    return no_such(node, source);
  }

  // Exactly one counter per object: joining several matches would be ambiguous.
  Expected<void> counter(const Node& node) {
    auto& bound = table(node);
    bound_.counters_.push_back(node.id);
    const auto objects = bound_.data().objects().at(node.level);
    bound.samples.resize(objects.size());
    std::vector<std::string_view> chosen(objects.size());
    const TextTest test(node.text, node.pattern);
    std::vector<std::string> known;
    bool any = false;
    for (std::uint32_t trace = 0; trace < traces().size(); ++trace) {
      const auto names = store(trace).column<std::uint32_t>("counters", "name");
      const auto owners = store(trace).column<std::uint32_t>("counters", "device");
      const auto counters = bound_.data().index(trace).counters();
      for (std::size_t c = 0; c < std::min(counters.size(), names.size()); ++c) {
        if (owners[c] >= store(trace).resources().size() || counters[c].times.empty()) continue;
        const auto object = bound_.data().objects().of_resource(node.level, trace, owners[c]);
        if (object == kNone) continue;
        const auto name = store(trace).string({names[c]});
        if (std::ranges::find(known, name) == known.end()) known.emplace_back(name);
        if (!test(name)) continue;
        if (bound.samples[object].series && chosen[object] != name)
          return wrong_at(node.place,
                          fmt::format("several counters of {} {} match: \"{}\" and \"{}\"",
                                      to_string(node.level), objects[object].name, chosen[object], name),
                          "Name one counter, or add counter(…) + counter(…).");
        any = true;
        if (bound.samples[object].series) continue; // another resource of the same device
        bound.samples[object] = {trace, &counters[c]};
        chosen[object] = name;
      }
    }
    if (any) return {};
    if (known.empty())
      return wrong_at(node.place, fmt::format("there are no counters of a {}", to_string(node.level)),
                      "For a counter of another level, state the level: counter(\"name\", process).");
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(known.size(), 8); ++i)
      list += fmt::format("{}\"{}\"", i ? ", " : "", known[i]);
    return wrong_at(
        node.place,
        fmt::format("no counter of a {} has the name {}", to_string(node.level),
                    node.pattern ? "/" + node.text + "/" : "\"" + node.text + "\""),
        did_you_mean(node.text, known,
                     fmt::format("Available counters: {}{}.", list,
                                 known.size() > 8 ? fmt::format(" and {} more", known.size() - 8) : "")));
  }

  Expected<void> recorded(const Node& node) {
    auto& bound = table(node);
    const auto& set = *node.records;
    const auto objects = static_cast<std::uint32_t>(bound_.data().objects().at(node.level).size());
    bound.recorded.resize(objects);
    Halt halt(job_);
    for (std::uint32_t object = 0; object < objects; ++object) {
      if (!set.condition && set.source != Source::Queued) {
        bound.recorded[object] = bound_.data().parts(set.source, object).empty() ? 0 : 1;
        if (object % 1'024 == 0 && job_.cancelled()) return Job::cancelled_error();
        continue;
      }
      Expected<void> read = each_block(
          set, object,
          [&](const std::vector<Record>& records, const std::vector<double>&) {
            bound.recorded[object] = records.empty() ? 0 : 1;
            return records.empty();
          },
          nullptr);
      if (!read) return read;
    }
    return {};
  }

  /// Calls visit(records, their attribute) for all records of an object that begin in the session's extent,
  /// block by block, until it returns false.
  template <class Visit>
  Expected<void> each_block(const Records& set, std::uint32_t object, Visit&& visit, const Node* attribute) {
    Halt halt(job_);
    Evaluation evaluation(bound_, halt);
    const auto extent = bound_.data().extent();
    for (const auto& interval : blocks_of(set.source, object)) {
      if (interval.begin >= extent.end && interval.begin > extent.begin) break;
      auto records = evaluation.records(set, object, interval.begin.count, interval.end.count);
      std::erase_if(records, [&](const Record& r) { return r.begin < interval.begin.count; });
      const auto values =
          attribute ? evaluation.attribute(*attribute, set.source, object, records) : std::vector<double>();
      if (halt.requested() || job_.cancelled()) return Job::cancelled_error();
      if (!visit(records, values)) return {};
      evaluation.forget();
    }
    return {};
  }

  /// Times that split the records of an object into blocks of a few thousand.
  std::vector<Interval> blocks_of(Source source, std::uint32_t object) const {
    constexpr std::size_t kRecords = 16'384;
    std::vector<std::int64_t> borders;
    for (const auto& part : bound_.data().parts(source, object))
      for (std::size_t position = 0; position < part.series->events(); position += kRecords)
        borders.push_back(part.series->begin_at(position) + traces()[part.trace].shift_ns);
    std::ranges::sort(borders);
    if (borders.empty()) return {};
    borders.front() = std::min(borders.front(), bound_.data().extent().begin.count) -
                      (source == Source::Queued ? std::int64_t{1} << 60 : 0);
    borders.push_back(bound_.data().extent().end.count + 1);
    std::vector<Interval> blocks;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i)
      if (borders[i] < borders[i + 1]) blocks.push_back({{borders[i]}, {borders[i + 1]}});
    return blocks;
  }

  Expected<void> group_means(const Node& node) {
    auto& bound = table(node);
    const auto& set = *node.records;
    const auto groups = number_groups(node, set.source);
    std::vector<double> sums(groups);
    std::vector<std::int64_t> counts(groups);
    const auto objects = static_cast<std::uint32_t>(bound_.data().objects().at(level_of(set.source)).size());
    for (std::uint32_t object = 0; object < objects; ++object) {
      auto read = each_block(
          set, object,
          [&](const std::vector<Record>& records, const std::vector<double>& values) {
            for (std::size_t i = 0; i < records.size(); ++i) {
              const auto group = bound_.group_of(node, records[i]);
              if (group == kNone || !std::isfinite(values[i])) continue;
              sums[group] += values[i];
              ++counts[group];
            }
            return true;
          },
          &node.children.front());
      if (!read) return read;
    }
    // What occurs once does not deviate from other records: its deviation is missing, not 0.
    const std::int64_t needed = node.op == Op::Deviation ? 2 : 1;
    for (std::size_t g = 0; g < groups; ++g)
      bound.means.push_back(counts[g] >= needed ? sums[g] / static_cast<double>(counts[g])
                                                : std::numeric_limits<double>::quiet_NaN());
    return {};
  }

  /// Numbers the groups: records with the same name, launches of the same configuration of the session.
  /// Returns the number of groups.
  std::size_t number_groups(const Node& node, Source source) {
    auto& bound = table(node);
    bound.traces.resize(traces().size());
    if (names_kernels(source)) {
      for (std::size_t trace = 0; trace < traces().size(); ++trace)
        bound.traces[trace].group = traces()[trace].configuration;
      return bound_.data().session().configurations().size();
    }
    std::map<std::string, std::uint32_t, std::less<>> numbers;
    for (std::size_t trace = 0; trace < traces().size(); ++trace)
      for (std::size_t name = 0; name < names_of(store(trace), source); ++name)
        bound.traces[trace].group.push_back(
            numbers.emplace(name_of(store(trace), source, name), static_cast<std::uint32_t>(numbers.size()))
                .first->second);
    return numbers.size();
  }

  Bound& bound_;
  const Job& job_;
};

Expected<Bound> Bound::make(std::shared_ptr<const Definition> definition, const Data& data,
                            const LaunchCalls* calls, const Job& job) {
  Bound bound;
  bound.definition_ = std::move(definition);
  bound.data_ = &data;
  bound.calls_ = calls;
  if (auto read = Binder(bound, job).run(); !read) return forward(read.error());
  return bound;
}

double Bound::work(Interval range) const {
  double sum = 1;
  for (const auto source : sources_) sum += data_->about(source, range.begin.count, range.end.count);
  constexpr std::size_t kMaxObjects = 256; // maximum objects examined
  for (const auto counter : counters_) {
    const auto& all = tables_[counter].samples;
    const auto step = std::max<std::size_t>((all.size() + kMaxObjects - 1) / kMaxObjects, 1);
    for (std::size_t object = 0; object < all.size(); object += step) {
      if (!all[object].series) continue;
      const auto shift = data_->session().traces()[all[object].trace].shift_ns;
      const auto& times = all[object].series->times;
      const auto before = [&](std::int64_t time) {
        return std::ranges::lower_bound(times, time - shift) - times.begin();
      };
      sum += static_cast<double>(before(range.end.count) - before(range.begin.count)) *
             static_cast<double>(step);
    }
  }
  return sum;
}

std::uint32_t Bound::group_of(const Node& node, const Record& record) const {
  const auto& group = tables_[node.id].traces[record.trace].group;
  const auto number =
      names_kernels(node.records->source) ? configurations_[record.trace][record.row] : record.name;
  return number < group.size() ? group[number] : kNone;
}

double Bound::group_mean(const Node& node, const Record& record) const {
  const auto group = group_of(node, record);
  const auto& means = tables_[node.id].means;
  return group < means.size() ? means[group] : std::numeric_limits<double>::quiet_NaN();
}

// Rows of a stream are read together where they are near each other in the table of all streams.
void Bound::read_derived(const Table& table, std::span<const Record> records, double* out) const {
  constexpr std::uint32_t kNear = 32; // maximum distance of rows that are read together
  std::vector<std::size_t> order(records.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(records[i].trace, records[i].row); });
  for (std::size_t first = 0; first < order.size();) {
    const auto& begin = records[order[first]];
    std::size_t last = first + 1;
    for (; last < order.size(); ++last) {
      const auto &before = records[order[last - 1]], &record = records[order[last]];
      if (record.trace != begin.trace || record.row > before.row + kNear) break;
    }
    const auto values = data_->columns()->read(
        table.derived, {begin.trace, begin.row, std::int64_t{records[order[last - 1]].row} + 1});
    for (; first < last; ++first) {
      const double value = values[records[order[first]].row - begin.row];
      auto& of = out[order[first]] = value;
      if (table.by_text.empty()) continue;
      const auto text = std::isnan(value) ? table.by_text.size() : static_cast<std::size_t>(value);
      of = text < table.by_text.size() ? table.by_text[text] : 0;
    }
  }
}

void Bound::read(const Node& node, std::span<const Record> records, double* out) const {
  const auto& table = tables_[node.id];
  if (table.kind == Kind::Derived) return read_derived(table, records, out);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& record = records[i];
    const auto& of = table.traces.empty() ? OfTrace() : table.traces[record.trace];
    switch (table.kind) {
    case Kind::Duration:
      out[i] = static_cast<double>(record.end - record.begin);
      break;
    case Kind::Begin:
      out[i] = static_cast<double>(record.begin);
      break;
    case Kind::End:
      out[i] = static_cast<double>(record.end);
      break;
    case Kind::Derived: // above
      break;
    case Kind::Launching:
      out[i] = calls_->launches(record.trace, record.row) ? 1 : 0;
      break;
    case Kind::OfName: {
      const auto number = of.column ? static_cast<std::size_t>(of.column->at(record.row)) : record.name;
      out[i] = number < of.by_name.size() ? of.by_name[number] : 0;
      break;
    }
    case Kind::Column: {
      std::size_t row = record.row;
      if (!of.through.empty()) row = of.through[row];
      out[i] =
          of.column && row < of.column->rows ? of.column->at(row) : std::numeric_limits<double>::quiet_NaN();
      if (table.has_missing && out[i] == static_cast<double>(table.missing))
        out[i] = std::numeric_limits<double>::quiet_NaN();
      break;
    }
    }
  }
}

} // namespace jitterscope::efficiency::metrics
