#include "core/analysis/columns/columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/similar_names.h"
#include "core/causal/groups/column_roles.h"
#include "core/columns/column_spec.h"

namespace jitterscope::analysis {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
using enum ColumnKind;

LaunchColumn column_of(const ColumnSpec& spec) {
  return {std::string(spec.name), std::string(spec.unit), std::string(spec.description), spec.kind,
          spec.tier};
}

constexpr std::string_view kCopyKind = "copy_kind"; // stored as kLinkedKind

std::vector<std::string> copy_kinds() {
  std::vector<std::string> texts = {"none"};
  for (int kind = 0; kind < store::kTransferKinds; ++kind)
    texts.emplace_back(to_string(static_cast<store::TransferKind>(kind)));
  return texts;
}

// Columns of the table that are not listed under their own name: references to other tables, bit flags.
bool internal(std::string_view name) {
  static constexpr std::string_view kInternal[] = {"start",       "duration", "configuration",
                                                   "stream",      "call",     "range",
                                                   "correlation", "flags",    store::kLinkedKind};
  return std::find(std::begin(kInternal), std::end(kInternal), name) != std::end(kInternal);
}

/// The place of each name in a list.
using NamePlaces = std::map<std::string, double>;

/// Place of a name in a list, to which it is appended if it is new.
double place_of(const std::string& name, NamePlaces& places, std::vector<std::string>& names) {
  const auto [place, added] = places.try_emplace(name, static_cast<double>(names.size()));
  if (added) names.push_back(name);
  return place->second;
}

} // namespace

void LaunchColumns::add(LaunchColumn column) {
  place_.emplace(column.name, list_.size());
  list_.push_back(std::move(column));
}

void LaunchColumns::add_derived() {
  const auto& session = *session_;
  // Variability requires a configuration that ran twice.
  const bool pairs = std::any_of(session.configurations().begin(), session.configurations().end(),
                                 [](const Configuration& c) { return c.measured > 1; });
  const auto add_marked = [&](LaunchColumn column) {
    column.constant =
        !pairs && (column.name == "kernel_variability" || column.name == "relative_variability");
    if (column.name == kCopyKind) column.constant = true; // until a store has other values
    if (column.name == "trace") column.constant = session.traces().size() < 2;
    add(std::move(column));
  };
  if (!session.launch_order()) {
    for (const auto& spec : derived_columns()) add_marked(column_of(spec));
    return;
  }
  const auto any = [&](auto&& part) {
    return std::any_of(session.configurations().begin(), session.configurations().end(),
                       [&](const Configuration& c) { return part(c) > 0; });
  };
  std::set<std::string_view> absent;
  if (!any([](const auto& c) { return c.grid[0]; })) absent.insert({"grid_x", "grid_y", "grid_z", "blocks"});
  if (!any([](const auto& c) { return c.block[0]; }))
    absent.insert({"block_x", "block_y", "block_z", "threads_per_block"});
  if (!any([](const auto& c) { return c.static_shared_memory; })) absent.insert("static_shared_memory");
  if (!any([](const auto& c) { return c.dynamic_shared_memory; })) absent.insert("dynamic_shared_memory");
  if (!any([](const auto& c) { return c.registers; })) absent.insert("registers");
  for (const auto& spec : derived_columns()) {
    const bool without_durations = spec.needs == ColumnNeeds::durations && !session.has_durations();
    if (spec.needs == ColumnNeeds::times || without_durations || absent.contains(spec.name)) continue;
    auto column = column_of(spec);
    if (column.name == "start")
      column.unit.clear(), column.description = "position of the launch in the table, from 0";
    if (column.name == "duration") column.description = "duration stated in the table";
    add_marked(column);
  }
}

void LaunchColumns::add_excess() {
  const auto add_fitted = [&](std::string_view name) {
    auto column = column_of(column_spec(name));
    column.fitted = true;
    add(std::move(column));
  };
  add_fitted(ExcessColumns::kTotal);
  for (const auto name : ExcessColumns::kColumns) add_fitted(name);
  if (call_sites_) add_fitted(ExcessColumns::kWork);
}

void LaunchColumns::add_terms(std::shared_ptr<const TermColumns> terms) {
  if (!terms) return;
  terms_ = std::move(terms);
  add_terms_of(*terms_, false);
}

void LaunchColumns::choose(std::vector<std::shared_ptr<const TermColumns>> chosen) {
  while (!list_.empty() && list_.back().chosen) {
    const auto& name = list_.back().name;
    place_.erase(name);
    ranges_.erase(name);
    term_places_.erase(name);
    list_.pop_back();
  }
  chosen_ = std::move(chosen);
  for (const auto& terms : chosen_) add_terms_of(*terms, true);
}

void LaunchColumns::add_terms_of(const TermColumns& terms, bool chosen) {
  for (std::size_t i = 0; i < terms.terms().size(); ++i) {
    const auto& term = terms.terms()[i];
    if (term.of_durations && !session_->has_durations()) continue;
    LaunchColumn column{std::string(term.name), std::string(term.unit), std::string(term.description),
                        term.texts ? Text : Number, term.tier};
    if (place_.contains(column.name)) continue;
    column.constant = term.constant;
    column.chosen = chosen;
    term_places_[column.name] = {&terms, i};
    add(std::move(column));
  }
}

const LaunchColumns::TermPlace* LaunchColumns::term_named(std::string_view name) const {
  const auto found = term_places_.find(name);
  return found == term_places_.end() ? nullptr : &found->second;
}

void LaunchColumns::read_texts(const std::string& name, const store::ColumnView& column, std::size_t trace) {
  const auto& store = session_->traces()[trace].store;
  auto& text = texts_[name];
  text.of_string.resize(session_->traces().size());
  auto& of_string = text.of_string[trace];
  of_string.assign(store.strings(), kNone);
  std::unordered_map<std::string_view, std::uint32_t> known;
  for (std::uint32_t i = 0; i < text.texts.size(); ++i) known.emplace(text.texts[i], i);
  for (const auto value : *column.distinct) {
    const auto [place, added] =
        known.emplace(store.string({value}), static_cast<std::uint32_t>(text.texts.size()));
    if (added) text.texts.emplace_back(place->first);
    of_string[value] = place->second;
  }
}

void LaunchColumns::add_stored(const store::Store& store, std::size_t trace) {
  const auto& constant = store.manifest().constant_columns;
  const std::set<std::string_view> constants(constant.begin(), constant.end());
  const auto& parameters = store.manifest().parameter_columns;
  bool recorded = true; // columns computed at import follow the columns that the source recorded
  for (const auto& view : store.table("launches").columns) {
    if (const auto kind = place_.find(std::string(kCopyKind));
        view.name == store::kLinkedKind && kind != place_.end()) {
      views_[trace].emplace(kCopyKind, &view);
      if (!constants.contains(view.name)) list_[kind->second].constant = false;
    }
    if (internal(view.name)) continue;
    if (view.name == "gap_ns") recorded = false;
    const bool text = view.unit == store::kTextUnit;
    const auto known = place_.find(view.name);
    if (known != place_.end() && !list_[known->second].stored) continue;
    if (known == place_.end()) {
      LaunchColumn column{view.name, text ? std::string() : view.unit, view.description, text ? Text : Number,
                          2};
      column.stored = true;
      column.recorded = recorded;
      column.parameter = std::find(parameters.begin(), parameters.end(), view.name) != parameters.end();
      column.constant = true;
      add(std::move(column));
    }
    auto& column = list_[place_.at(view.name)];
    if ((column.kind == Text) != text) continue; // stores disagree on the type: the first store decides
    column.constant = column.constant && constants.contains(view.name);
    views_[trace].emplace(view.name, &view);
    if (text) read_texts(view.name, view, trace);
  }
}

LaunchColumns::LaunchColumns(const Session& session) : session_(&session), views_(session.traces().size()) {
  std::unordered_map<std::string_view, std::uint32_t> first_of_name;
  for (std::uint32_t kernel = 0; kernel < session.kernels().size(); ++kernel)
    first_of_short_name_.push_back(
        first_of_name.emplace(session.kernels()[kernel].short_name, kernel).first->second);
  add_derived();
  std::map<std::string, std::uint32_t> range_index;
  NamePlaces devices, nodes;
  for (std::size_t t = 0; t < session.traces().size(); ++t) {
    const auto& store = session.traces()[t].store;
    add_stored(store, t);
    const auto& resources = store.resources();
    std::vector<StreamFacts> facts(resources.size(),
                                   {kMissing, kMissing, kMissing, kMissing, kMissing, kMissing});
    std::vector<double> name_of(resources.size(), kMissing); // of devices and hosts
    for (const auto& device : store.manifest().devices)
      if (!device.name.empty() && device.resource < resources.size())
        name_of[device.resource] = place_of(device.name, devices, device_names_);
    for (std::size_t r = 0; r < resources.size(); ++r)
      if (resources[r].kind == store::ResourceKind::Host && !resources[r].name.empty())
        name_of[r] = place_of(resources[r].name, nodes, node_names_);
    for (std::size_t r = 0; r < resources.size(); ++r) {
      for (std::uint32_t at = static_cast<std::uint32_t>(r); at != kNone; at = resources[at].parent) {
        const auto number = static_cast<double>(resources[at].number);
        if (resources[at].kind == store::ResourceKind::Stream ||
            resources[at].kind == store::ResourceKind::Thread)
          facts[r].stream = number;
        if (resources[at].kind == store::ResourceKind::Device) {
          facts[r].device = static_cast<double>(resources[resources[at].physical].number);
          facts[r].device_name = name_of[resources[at].physical];
        }
        if (resources[at].kind == store::ResourceKind::Process) {
          facts[r].process = number;
          facts[r].rank = resources[at].rank >= 0 ? resources[at].rank : kMissing;
        }
        if (resources[at].kind == store::ResourceKind::Host) facts[r].node_name = name_of[at];
      }
    }
    facts_.push_back(std::move(facts));
    std::vector<std::uint32_t> of_string(store.strings(), kNone);
    for (const auto name : *store.table("ranges").find("name")->distinct) {
      if (of_string[name] != kNone) continue;
      const auto [place, added] = range_index.emplace(std::string(store.string({name})),
                                                      static_cast<std::uint32_t>(range_names_.size()));
      if (added) range_names_.push_back(place->first);
      of_string[name] = place->second;
    }
    range_of_string_.push_back(std::move(of_string));
  }
  if (CollectiveWaits::possible(session)) {
    collective_waits_ = std::make_shared<const CollectiveWaits>(session);
    add(column_of(column_spec(kCollectiveWait)));
  }
  if (CallSites::possible(session)) {
    call_sites_ = std::make_shared<const CallSites>(session, collective_waits_);
    add(column_of(column_spec(kCallSite)));
  }
  if (session.has_durations()) add_excess();
  // Launches of one configuration differ between GPU models, which device numbers do not identify.
  if (device_names_.size() > 1) add(column_of(column_spec("device_name")));
  if (node_names_.size() > 1) add(column_of(column_spec("node_name")));
  mark_constant_parts();
}

Expected<void> LaunchColumns::prepare_call_sites(const Job& job) const {
  if (collective_waits_)
    if (auto known = collective_waits_->prepare(job); !known) return known;
  return call_sites_ ? call_sites_->prepare(job) : Expected<void>();
}

namespace {

double product(const std::uint32_t (&sides)[3]) {
  return static_cast<double>(sides[0]) * sides[1] * sides[2];
}

/// Columns determined by a configuration and its index in the session; null for others.
using OfConfiguration = double (*)(const Configuration&, std::uint32_t number);
OfConfiguration of_configuration(std::string_view name) {
  using C = const Configuration&;
  static const std::map<std::string_view, OfConfiguration> kColumns = {
      {"kernel", [](C c, std::uint32_t) -> double { return c.kernel; }},
      {"name", [](C c, std::uint32_t) -> double { return c.kernel; }},
      {"short_name", [](C c, std::uint32_t) -> double { return c.kernel; }},
      {"configuration", [](C, std::uint32_t number) -> double { return number; }},
      {"grid_x", [](C c, std::uint32_t) -> double { return c.grid[0]; }},
      {"grid_y", [](C c, std::uint32_t) -> double { return c.grid[1]; }},
      {"grid_z", [](C c, std::uint32_t) -> double { return c.grid[2]; }},
      {"block_x", [](C c, std::uint32_t) -> double { return c.block[0]; }},
      {"block_y", [](C c, std::uint32_t) -> double { return c.block[1]; }},
      {"block_z", [](C c, std::uint32_t) -> double { return c.block[2]; }},
      {"blocks", [](C c, std::uint32_t) { return product(c.grid); }},
      {"threads_per_block", [](C c, std::uint32_t) { return product(c.block); }},
      {"static_shared_memory", [](C c, std::uint32_t) -> double { return c.static_shared_memory; }},
      {"dynamic_shared_memory", [](C c, std::uint32_t) -> double { return c.dynamic_shared_memory; }},
      {"registers", [](C c, std::uint32_t) -> double { return c.registers; }}};
  const auto found = kColumns.find(name);
  return found == kColumns.end() ? nullptr : found->second;
}

} // namespace

// Marks the constant columns of configurations and of resources (device, stream). Names of kernels never
// count as constant.
void LaunchColumns::mark_constant_parts() {
  for (auto& column : list_) {
    if (column.stored || column.name == "kernel" || column.name == "name" || column.name == "short_name")
      continue;
    std::set<double> values; // over the launches
    if (const auto value = of_configuration(column.name)) {
      const auto& all = session_->configurations();
      for (std::uint32_t number = 0; number < all.size() && values.size() < 2; ++number)
        if (all[number].launches > 0) values.insert(value(all[number], number));
    } else if (const auto of_place = of_stream(column.name)) {
      for (std::size_t t = 0; t < facts_.size(); ++t)
        for (const auto stream : *session_->traces()[t].store.table("launches").find("stream")->distinct)
          if (const auto place = of_place(facts_[t][stream]); !std::isnan(place)) values.insert(place);
    } else {
      continue;
    }
    column.constant = values.size() < 2;
  }
}

const LaunchColumn* LaunchColumns::find(std::string_view name) const {
  auto found = place_.find(std::string(name));
  if (found == place_.end()) found = place_.find(std::string(name) + "_ns");
  return found == place_.end() ? nullptr : &list_[found->second];
}

std::string LaunchColumns::instead_of(std::string_view name, std::string otherwise) const {
  std::vector<std::string> names;
  for (const auto& column : list_) names.push_back(column.name);
  return did_you_mean(name, names, std::move(otherwise));
}

const store::ColumnView* LaunchColumns::stored_view(std::string_view name, std::size_t trace) const {
  const auto found = views_[trace].find(std::string(name));
  return found == views_[trace].end() ? nullptr : found->second;
}

LaunchColumns::OfStream LaunchColumns::of_stream(std::string_view name) {
  if (name == "stream") return [](const StreamFacts& facts) { return facts.stream; };
  if (name == "device") return [](const StreamFacts& facts) { return facts.device; };
  if (name == "device_name") return [](const StreamFacts& facts) { return facts.device_name; };
  if (name == "rank") return [](const StreamFacts& facts) { return facts.rank; };
  if (name == "process") return [](const StreamFacts& facts) { return facts.process; };
  if (name == "node_name") return [](const StreamFacts& facts) { return facts.node_name; };
  return nullptr;
}

bool LaunchColumns::depends_on_configuration(std::string_view name) {
  return of_configuration(name) != nullptr;
}

std::vector<double> LaunchColumns::of_configurations(std::string_view name, std::size_t trace) const {
  const auto value = of_configuration(name);
  std::vector<double> values;
  for (const auto number : session_->traces()[trace].configuration)
    values.push_back(value ? value(session_->configurations()[number], number) : kMissing);
  if (name == "short_name")
    for (auto& kernel : values) kernel = first_of_short_name_[static_cast<std::size_t>(kernel)];
  return values;
}

const LaunchColumns::Range* LaunchColumns::known_range(const std::string& name) const {
  const auto found = ranges_.find(name);
  return found == ranges_.end() ? nullptr : &found->second;
}

std::vector<double> LaunchColumns::of_resources(std::string_view name, std::size_t trace) const {
  const auto value = of_stream(name);
  std::vector<double> values;
  for (const auto& facts : facts_[trace]) values.push_back(value ? value(facts) : kMissing);
  return values;
}

std::vector<double> LaunchColumns::read(std::string_view name, const Segment& segment) const {
  std::vector<double> out(static_cast<std::size_t>(segment.rows()), kMissing);
  const auto* column = find(name);
  if (!column) return out;
  if (!column->stored) {
    read_derived(column->name, segment, out);
    return out;
  }
  const auto stored = views_[segment.trace].find(column->name);
  if (stored == views_[segment.trace].end())
    return out; // this trace lacks the column, another trace of the session has it
  const auto& view = *stored->second;
  const auto first = static_cast<std::size_t>(segment.first);
  view.read(first, first + out.size(), out.data());
  if (column->kind == Text) {
    const auto& of_string = texts_.at(column->name).of_string[segment.trace];
    for (auto& value : out) value = value == kNone ? kMissing : of_string[static_cast<std::size_t>(value)];
  }
  return out;
}

void LaunchColumns::read_derived(std::string_view name, const Segment& segment,
                                 std::vector<double>& out) const {
  const Trace& trace = session_->traces()[segment.trace];
  const auto& store = trace.store;
  const auto starts = trace.starts();
  const auto durations = trace.durations();
  const auto local = trace.configurations();
  const auto streams = store.column<std::uint32_t>("launches", "stream");
  const auto flags = store.column<std::uint8_t>("launches", "flags");
  const auto& facts = facts_[segment.trace];
  const auto& configurations = session_->configurations();
  const auto first = static_cast<std::size_t>(segment.first);
  const auto fill = [&](auto&& value) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(value(first + i));
  };
  const auto configuration = [&](std::size_t row) -> const Configuration& {
    return configurations[trace.configuration[local[row]]];
  };
  const auto deviation = [&](std::size_t row) {
    const auto& c = configuration(row);
    return c.measured > 1 && durations[row] != store::kMissingDuration
               ? std::abs(static_cast<double>(durations[row]) - c.mean_ns())
               : kMissing;
  };
  if (name == "start") return fill([&](std::size_t r) { return starts[r] + trace.shift_ns; });
  if (name == "duration")
    return fill([&](std::size_t r) {
      return durations[r] == store::kMissingDuration ? kMissing : static_cast<double>(durations[r]);
    });
  if (name == "row")
    return fill([&](std::size_t r) { return trace.first_launch + static_cast<std::int64_t>(r); });
  if (name == "short_name")
    return fill([&](std::size_t r) { return first_of_short_name_[configuration(r).kernel]; });
  if (name == kCopyKind) {
    if (const auto* kinds = stored_view(name, segment.trace))
      kinds->read(first, first + out.size(), out.data());
    return;
  }
  if (name == "end") return fill([&](std::size_t r) { return starts[r] + durations[r] + trace.shift_ns; });
  if (const auto value = of_configuration(name))
    return fill([&](std::size_t r) { return value(configuration(r), trace.configuration[local[r]]); });
  if (const auto value = of_stream(name))
    return fill([&](std::size_t r) { return value(facts[streams[r]]); });
  if (find(name)->fitted) {
    if (excess_) out = excess_->read(name, segment);
    return;
  }
  if (const auto* term = term_named(name)) return void(out = term->columns->read_term(term->term, segment));
  if (name == kCallSite && call_sites_) {
    const auto places = call_sites_->read(segment);
    return std::copy(places.begin(), places.end(), out.begin()), void();
  }
  if (name == kCollectiveWait && collective_waits_) return collective_waits_->read(segment, out.data());
  if (name == "trace") return fill([&](std::size_t) { return segment.trace; });
  if (name == "first_launch")
    return fill([&](std::size_t r) { return (flags[r] & store::kLaunchFirst) != 0; });
  if (name == "graph_launch")
    return fill([&](std::size_t r) { return (flags[r] & store::kLaunchGraph) != 0; });
  if (name == "kernel_variability") return fill(deviation);
  if (name == "relative_variability")
    return fill([&](std::size_t r) { return deviation(r) / configuration(r).mean_ns(); });
  if (name == "range") {
    const auto ranges = store.column<std::uint32_t>("launches", "range");
    const auto names = store.column<std::uint32_t>("ranges", "name");
    return fill([&](std::size_t r) {
      return ranges[r] == kNone ? kMissing : range_of_string_[segment.trace][names[ranges[r]]];
    });
  }
  if (name == "memory_stall") {
    const auto* linked = store.table("launches").find("linked_transfer_ns");
    const auto* count = store.table("launches").find("linked_transfer_count");
    if (!linked || !count) return;
    return fill([&](std::size_t r) {
      return count->at(r) > 0 ? std::abs(static_cast<double>(durations[r]) - linked->at(r)) : kMissing;
    });
  }
}

std::vector<std::string> LaunchColumns::texts(std::string_view name) const {
  if (name == "range") return range_names_;
  if (name == "device_name") return device_names_;
  if (name == "node_name") return node_names_;
  if (const auto stored = texts_.find(std::string(name)); stored != texts_.end()) return stored->second.texts;
  if (name == kCopyKind) return copy_kinds();
  if (const auto* term = term_named(name); term && term->get().texts) return *term->get().texts;
  std::vector<std::string> out;
  if (name == kCallSite && call_sites_)
    for (const auto& site : call_sites_->all()) out.push_back(site.text);
  if (name == "name" || name == "short_name")
    for (const auto& kernel : session_->kernels())
      out.push_back(name == "name" ? kernel.name : kernel.short_name);
  return out;
}

std::string LaunchColumns::text(std::string_view name, double value) const {
  if (!(value >= 0)) return {};
  const auto index = static_cast<std::size_t>(value);
  if (name == "range") return index < range_names_.size() ? range_names_[index] : std::string();
  if (name == "device_name") return index < device_names_.size() ? device_names_[index] : std::string();
  if (name == "node_name") return index < node_names_.size() ? node_names_[index] : std::string();
  if (const auto stored = texts_.find(std::string(name)); stored != texts_.end())
    return index < stored->second.texts.size() ? stored->second.texts[index] : std::string();
  if (const auto* term = term_named(name); term && term->get().texts)
    return index < term->get().texts->size() ? (*term->get().texts)[index] : std::string();
  if (name == kCopyKind) {
    static const auto kTexts = copy_kinds();
    return index < kTexts.size() ? kTexts[index] : std::string();
  }
  if (name == kCallSite && call_sites_)
    return index < call_sites_->all().size() ? call_sites_->all()[index].text : std::string();
  if (index >= session_->kernels().size()) return {};
  return name == "name" ? session_->kernels()[index].name : session_->kernels()[index].short_name;
}

std::string default_column(const LaunchColumns& columns, std::initializer_list<const char*> requested) {
  for (const char* name : requested)
    if (const auto* column = columns.find(name); column && !column->constant) return name;
  std::vector<std::string> numbers;
  for (const auto& column : columns.list())
    if (column.recorded && !column.constant && column.kind == Number) numbers.push_back(column.name);
  return numbers.empty() ? "start" : causal::guess_first_column(numbers);
}

} // namespace jitterscope::analysis
