#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "core/analysis/bins/bins.h"
#include "core/analysis/distributions/distribution.h"
#include "core/analysis/distributions/kernels.h"
#include "core/analysis/parallel/parallel.h"
#include "core/analysis/parallel/parallel_colours.h"
#include "core/analysis/session/threads.h"
#include "core/engine/messages/request_limits.h"
#include "core/engine/messages/statistics_answers.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/operations/configuration_text.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

template <class Options>
Expected<analysis::Selection> opened_selection(const Context& context, const Options& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  return selection_of(context, options);
}

Expected<analysis::BinOptions> bin_options(const BinsOptions& options) {
  analysis::BinOptions requested;
  requested.width_ns = options.width_ns;
  if (requested.width_ns < 0)
    return failure(ErrorKind::BadUse, "the width of a bin must be above 0", {}, "width");
  requested.metric = column_name(options.metric);
  requested.by = column_name(options.by);
  if (!options.rank_by.empty() && !analysis::parse(options.rank_by, requested.rank_by))
    return failure(ErrorKind::BadUse, "bins cannot be ranked by \"" + options.rank_by + "\"", {}, "rank-by",
                   "Use sum, variance, cv, iqr, max or mean.");
  requested.top_share = options.top_share;
  requested.top_count = options.top_count;
  requested.all = options.all;
  requested.report_partial = options.partial;
  requested.rows_per_round = std::max<std::int64_t>(options.rows_per_partial, 1);
  return requested;
}

/// Names of the groups of the column by which bins are divided.
class GroupNames {
public:
  GroupNames(const analysis::LaunchColumns& columns, const std::string& by)
      : texts_(columns.texts(by == "kernel" ? "short_name" : by)) {
    if (by == "kernel") distinguish(columns.texts("name"));
  }
  json operator()(double group) const {
    if (std::isnan(group)) return nullptr;
    const auto number = static_cast<std::int64_t>(group);
    if (texts_.empty()) return number;
    const auto place = static_cast<std::size_t>(number);
    return place < texts_.size() ? json(texts_[place]) : json();
  }
  const std::vector<std::string>& texts() const { return texts_; }

private:
  // For groups that are kernels: kernels with equal short names get their full names.
  void distinguish(const std::vector<std::string>& names) {
    std::map<std::string, int> count;
    for (const auto& text : texts_) ++count[text];
    for (std::size_t kernel = 0; kernel < std::min(texts_.size(), names.size()); ++kernel)
      if (count[texts_[kernel]] > 1) texts_[kernel] = names[kernel];
  }

  std::vector<std::string> texts_;
};

json document_of(const analysis::KeptBin& kept, const analysis::Session& session, const GroupNames* group) {
  const auto& bin = kept.bin;
  json item = {{"index", bin.index}, {"start_ns", bin.start_ns}};
  if (group) item["group"] = (*group)(bin.group);
  analysis::put(item, bin.statistics);
  item["launches"] = bin.launches;
  item["rank"] = bin.rank;
  item["last_end_ns"] = kept.last_end_ns;
  item["top_launch"] = kept.top_launch;
  item["top_kernel"] =
      kept.top_kernel == kNone ? json() : json(session.kernels()[kept.top_kernel].short_name);
  item["top_kernel_share"] = kept.top_kernel_share;
  return item;
}

// Adds one array per field of a bin.
void add_bins(Answer& answer, const std::vector<analysis::Bin>& bins) {
  const auto add = [&](const char* name, auto&& field) {
    std::vector<std::decay_t<decltype(field(bins.front()))>> values;
    values.reserve(bins.size());
    for (const auto& bin : bins) values.push_back(field(bin));
    answer.add(name, std::move(values));
  };
  add("index", [](const analysis::Bin& bin) { return bin.index; });
  add("start_ns", [](const analysis::Bin& bin) { return bin.start_ns; });
  add("launches", [](const analysis::Bin& bin) { return bin.launches; });
  add("rank", [](const analysis::Bin& bin) { return bin.rank; });
  add("kept", [](const analysis::Bin& bin) { return static_cast<std::uint8_t>(bin.kept); });
  add("n", [](const analysis::Bin& bin) { return bin.statistics.n; });
  add("group", [](const analysis::Bin& bin) { return bin.group; });
  for (const auto& [name, field] : analysis::kStatisticFields)
    add(name, [field = field](const analysis::Bin& bin) { return bin.statistics.*field; });
}

json document_of(const analysis::Bins& bins, const analysis::BinOptions& requested, const Context& context) {
  const auto& session = *context.workspace.session;
  json document = {{"schema_version", 1},
                   {"axis", session.launch_order() ? "launch-order" : "time"},
                   {"width_ns", bins.width_ns},
                   {"origin_ns", bins.origin_ns},
                   {"metric", bins.metric},
                   {"unit", bins.unit},
                   {"by", bins.by},
                   {"rank_by", analysis::to_string(requested.rank_by)},
                   {"top_share", requested.top_share},
                   {"top_count", requested.top_count},
                   {"total", bins.total},
                   {"missing", bins.missing},
                   {"bin_count", bins.count},
                   {"ranks", context.communicator.size()},
                   {"threads_per_rank", threads_of_rank()}};
  const GroupNames names(*context.workspace.columns, bins.by);
  const auto* group = bins.by.empty() ? nullptr : &names;
  json kept = json::array(), kept_groups = json::array(), kept_bins = json::array();
  for (const auto& bin : bins.kept) {
    kept.push_back(bin.bin.index);
    if (group) kept_groups.push_back((*group)(bin.bin.group));
    kept_bins.push_back(document_of(bin, session, group));
  }
  if (group) {
    document["groups"] = names.texts();
    document["kept_groups"] = std::move(kept_groups); // in addition to `kept`, which has only bins
  }
  document["kept"] = std::move(kept);
  document["kept_bins"] = std::move(kept_bins);
  return document;
}

// The bins to list: all bins or, if these are too many, the kept ones; sorted by index.
std::vector<analysis::Bin> listed_bins(const analysis::Bins& bins) {
  if (bins.listed) return bins.bins;
  std::vector<analysis::Bin> kept;
  for (const auto& bin : bins.kept) kept.push_back(bin.bin);
  std::sort(kept.begin(), kept.end(),
            [](const analysis::Bin& a, const analysis::Bin& b) { return a.index < b.index; });
  for (auto& bin : kept) bin.kept = true;
  return kept;
}

/// bins → the bins document without its list of bins, with "kept_bins" (best first) instead. With `all`:
/// arrays index, start_ns, launches, rank, kept, n, sum … (the keys of the JSON contract), one entry per
/// non-empty bin; if these are more than a million, one per kept bin, and "bins_left_out" is the number of
/// the others. With `by`, a column of categories or texts: one entry per group of each bin; the array group
/// holds the index of the group, "groups" the names, if there are any. With `partial`, partial answers are
/// sent before: the same document of the results so far, with "share" (0 to 1, of the work done) and at most
/// 20 bins in "kept_bins" and the arrays, about every "rows_per_partial" launches. Without `metric`,
/// default_column chooses it.
Expected<Answer> bins(const Context& context, const BinsOptions& options) {
  auto selection = opened_selection(context, options);
  if (!selection) return forward(selection.error());
  auto requested = bin_options(options);
  if (!requested) return forward(requested.error());
  if (requested->metric.empty())
    requested->metric =
        analysis::default_column(*context.workspace.columns, {"kernel_variability", "duration"});
  const auto report = [&](const analysis::PartialBins& so_far) {
    if (!context.partial) return;
    Answer answer;
    answer.document = document_of(so_far.bins, *requested, context);
    answer.document["share"] = so_far.share;
    if (requested->all) add_bins(answer, listed_bins(so_far.bins));
    context.partial(answer);
  };
  auto result = analysis::compute_bins(*context.workspace.session, *context.workspace.columns, *selection,
                                       *requested, context.communicator, context.job, report);
  if (!result) return forward(result.error());
  Answer answer;
  answer.document = document_of(*result, *requested, context);
  if (!requested->all) return answer;
  if (!result->listed)
    answer.document["bins_left_out"] = result->count - static_cast<std::int64_t>(result->kept.size());
  add_bins(answer, listed_bins(*result));
  return answer;
}

Expected<answers::KernelsAnswer> kernels(const Context& context, const KernelsOptions& options) {
  auto selection = opened_selection(context, options);
  if (!selection) return forward(selection.error());
  const auto& session = *context.workspace.session;
  auto rows = analysis::kernel_table(session, *context.workspace.columns, *selection, context.communicator,
                                     context.job);
  if (!rows) return forward(rows.error());
  answers::KernelsAnswer answer;
  for (const auto& row : *rows) {
    // No launch has a variability if all configurations ran once.
    const bool known = row.variability_sum > 0 || row.run_once < row.duration.n;
    answer.kernels.push_back({.kernel = row.kernel,
                              .name = session.kernels()[row.kernel].name,
                              .short_name = session.kernels()[row.kernel].short_name,
                              .launches = row.launches,
                              .n = row.duration.n,
                              .sum = row.duration.sum,
                              .mean = row.duration.mean,
                              .cv = row.duration.cv,
                              .median = row.duration.median,
                              .p75 = row.p75,
                              .p90 = row.p90,
                              .p99 = row.p99,
                              .p99_9 = row.p999,
                              .max = row.duration.max,
                              .variability_sum = known ? row.variability_sum : std::nan("")});
  }
  return answer;
}

/// How much detail of a configuration its label contains.
enum class LabelDetail { Brief, FullName, All };

std::string configuration_label(const analysis::Session& session, std::size_t code, LabelDetail how) {
  const auto& c = session.configurations().at(code);
  const auto& kernel = session.kernels()[c.kernel];
  const auto& name = how == LabelDetail::Brief ? kernel.short_name : kernel.name;
  const auto text = how == LabelDetail::All ? configuration_text(session, c) : grid_text(session, c);
  return text.empty() ? name : name + " " + text;
}

/// Sets the name of a group of launches.
void add_label(answers::GroupAnswer& group, const Context& context, const std::string& by) {
  if (std::isnan(group.code)) return;
  const auto& session = *context.workspace.session;
  const auto label =
      by == "configuration"
          ? json(configuration_label(session, static_cast<std::size_t>(group.code), LabelDetail::Brief))
          : GroupNames(*context.workspace.columns, by)(group.code);
  group.text = label.is_string();
  if (!label.is_null()) group.label = group.text ? label.get<std::string>() : label.dump();
}

/// Instances of one template have equal short names: configurations with equal labels get labels with more
/// detail.
void distinguish(const analysis::Session& session, std::vector<answers::GroupAnswer>& groups) {
  for (const auto how : {LabelDetail::FullName, LabelDetail::All}) {
    std::map<std::string, int> uses;
    for (const auto& group : groups) ++uses[group.label];
    for (auto& group : groups)
      if (!std::isnan(group.code) && group.text && uses[group.label] > 1)
        group.label = configuration_label(session, static_cast<std::size_t>(group.code), how);
  }
}

std::vector<answers::GroupAnswer> packed(std::vector<analysis::DistributionGroup>& groups,
                                         const Context& context, const std::string& by) {
  std::vector<answers::GroupAnswer> out;
  for (auto& group : groups) {
    auto& made = out.emplace_back(answers::GroupAnswer{.code = group.code,
                                                       .rest = group.rest,
                                                       .n = group.n,
                                                       .sum_ns = static_cast<double>(group.sum_ns),
                                                       .counts = std::move(group.counts)});
    add_label(made, context, by);
  }
  if (by == "configuration") distinguish(*context.workspace.session, out);
  return out;
}

answers::Statistics packed(const analysis::Statistics& s) {
  return {s.n, s.mean, s.std, s.cv, s.median, s.q1, s.q3, s.min, s.max};
}

Expected<answers::DistributionAnswer> distribution(const Context& context,
                                                   const DistributionOptions& options) {
  auto selection = opened_selection(context, options);
  if (!selection) return forward(selection.error());
  analysis::DistributionOptions requested;
  requested.column = column_name(options.column);
  if (requested.column.empty())
    requested.column = analysis::default_column(*context.workspace.columns, {"duration"});
  requested.bins = static_cast<int>(std::max<std::int64_t>(options.bins, 0));
  requested.log = options.log;
  requested.base = options.base;
  requested.time = options.time;
  requested.group_by = column_name(options.group_by);
  auto result = analysis::distribution(*context.workspace.session, *context.workspace.columns, *selection,
                                       requested, context.communicator, context.job);
  if (!result) return forward(result.error());
  answers::DistributionAnswer answer{.column = result->column,
                                     .unit = result->unit,
                                     .log = result->log,
                                     .rows = result->rows,
                                     .missing = result->missing,
                                     .outside = result->outside,
                                     .selected = packed(result->statistics),
                                     .edges = std::move(result->edges),
                                     .all_counts = std::move(result->all),
                                     .selected_counts = std::move(result->selected),
                                     .all_ns = std::move(result->all_ns),
                                     .selected_ns = std::move(result->selected_ns),
                                     .group_by = requested.group_by};
  for (std::size_t p = 0; p < result->percentiles.size(); ++p)
    answer.percentiles.emplace_back(analysis::kPercentiles[p], result->percentiles[p]);
  for (const auto& mode : result->modes)
    answer.modes.emplace_back(static_cast<std::int32_t>(mode.bin), static_cast<std::int32_t>(mode.first),
                              static_cast<std::int32_t>(mode.last), mode.n);
  if (!requested.group_by.empty()) answer.groups = packed(result->groups, context, requested.group_by);
  return answer;
}

std::vector<std::uint32_t> narrowed(const std::vector<std::int64_t>& counts) {
  std::vector<std::uint32_t> out;
  out.reserve(counts.size());
  for (const auto count : counts)
    out.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(count, kNone)));
  return out;
}

Expected<analysis::ParallelOptions> parallel_options(const Context& context, const ParallelOptions& options) {
  analysis::ParallelOptions requested;
  requested.axes = options.axes;
  requested.bins = static_cast<int>(std::max<std::int64_t>(options.bins, 0));
  requested.sample_rows = options.look_at;
  for (const auto& range : options.ranges) {
    auto& known = requested.ranges[range.column];
    known.low = range.minimum, known.high = range.maximum;
    for (const double code : range.codes) known.distinct.insert(static_cast<std::int64_t>(code));
  }
  requested.target = column_name(options.target);
  for (const auto& each : options.scales)
    if (!analysis::parse(each.scale, requested.scales[each.column]))
      return failure(ErrorKind::BadUse, "there is no scale \"" + each.scale + "\"", {}, "scales",
                     "Use automatic, linear, log, symlog, quantile or rank.");
  for (const auto& each : options.orders)
    requested.orders[each.column] = each.order == "frequency" ? analysis::CategoryOrder::frequency
                                    : each.order == "target"  ? analysis::CategoryOrder::target
                                                              : analysis::CategoryOrder::value;
  const auto& columns = *context.workspace.columns;
  if (!options.within.empty()) {
    auto kept = analysis::Selection::make(options.within, columns);
    if (!kept) return forward(kept.error());
    requested.within = std::make_shared<analysis::Selection>(std::move(*kept));
    requested.within_name = options.within;
  }
  constexpr std::size_t kMaxClasses = 8;
  for (const auto& where : options.classes) {
    if (requested.classes.size() == kMaxClasses) break;
    auto selected = analysis::Selection::make(where, columns);
    if (!selected) return forward(selected.error());
    requested.classes.push_back(std::move(*selected));
  }
  requested.classes_over_all = options.classes_over_all;
  return requested;
}

answers::ParallelAxisAnswer packed(analysis::ParallelAxis& axis, const Context& context) {
  return {.column = axis.column,
          .unit = axis.unit,
          .description = row_words(context, axis.description),
          .minimum = axis.minimum,
          .maximum = axis.maximum,
          .scale = static_cast<answers::AxisScale>(static_cast<int>(axis.scale) - 1), // no axis is automatic
          .edges = std::move(axis.edges),
          .straight_below = axis.straight_below,
          .categories = std::move(axis.categories),
          .codes = std::move(axis.codes),
          .texts = axis.texts,
          .missing = axis.missing,
          .all = std::move(axis.all),
          .selected = std::move(axis.selected)};
}

/// Appends a class for each category or value range of `column` to `requested`, to colour the selected rows.
/// Returns these categories or ranges.
Expected<std::vector<answers::ColourRangeAnswer>> classes_by(const Context& context,
                                                             const ParallelOptions& options,
                                                             const analysis::Selection& selection,
                                                             analysis::ParallelOptions& requested) {
  const auto& column = options.colour_by;
  if (!context.workspace.columns->find(column))
    return failure(ErrorKind::BadUse, "there is no column \"" + column + "\"", {}, "colour_by",
                   context.workspace.columns->instead_of(column));
  analysis::ParallelOptions question;
  question.axes = {column};
  question.scales = requested.scales;
  question.within = requested.within;
  question.within_name = requested.within_name;
  question.bins = requested.bins;
  question.sample_rows = requested.sample_rows;
  question.ranges = requested.ranges;
  auto counts =
      analysis::parallel_counts(*context.workspace.session, *context.workspace.columns, selection, question,
                                context.communicator, context.job, &context.workspace.parallel);
  if (!counts) return forward(counts.error());
  const auto& axis = counts->axes.front();
  std::vector<std::pair<double, double>> ranges;
  for (const auto& range : options.colour_ranges) ranges.emplace_back(range.low(), range.high());
  std::vector<answers::ColourRangeAnswer> parts;
  for (const auto& part : analysis::colour_parts(axis, ranges)) {
    auto selected = analysis::Selection::make(analysis::filter_of(part, axis), *context.workspace.columns);
    if (!selected) return forward(selected.error());
    requested.classes.push_back(std::move(*selected));
    auto& made = parts.emplace_back(answers::ColourRangeAnswer{.low = part.low,
                                                               .high = part.high,
                                                               .closed = part.closed,
                                                               .unit = axis.unit,
                                                               .categorical = part.category >= 0});
    if (made.categorical) made.category = axis.categories[static_cast<std::size_t>(part.category)];
  }
  return parts;
}

/// Whether rows without a class have no value of the column: the classes then cover all its numbers.
bool are_missing(const std::vector<answers::ColourRangeAnswer>& parts, const ParallelOptions& options) {
  return !parts.empty() && !parts.front().categorical && options.colour_ranges.size() < 2;
}

Expected<answers::ParallelAnswer> parallel(const Context& context, const ParallelOptions& options) {
  auto selection = opened_selection(context, options);
  if (!selection) return forward(selection.error());
  const auto& session = *context.workspace.session;
  const auto& columns = *context.workspace.columns;
  auto requested = parallel_options(context, options);
  if (!requested) return forward(requested.error());
  if (requested->axes.empty()) {
    if (auto known = context.workspace.columns->prepare_call_sites(context.job); !known)
      return forward(known.error());
    auto axes = analysis::default_axes(session, columns,
                                       static_cast<std::size_t>(std::max<std::int64_t>(options.most_axes, 0)),
                                       context.communicator, context.job, &context.workspace.parallel);
    if (!axes) return forward(axes.error());
    requested->axes = std::move(*axes);
  }
  std::vector<answers::ColourRangeAnswer> parts;
  if (!options.colour_by.empty()) {
    auto made = classes_by(context, options, *selection, *requested);
    if (!made) return forward(made.error());
    parts = std::move(*made);
  }
  const auto bins = std::clamp(requested->bins, 2, analysis::kMaxParallelBins);
  if (auto within = check_pair_cells(requested->axes.size(), bins, 2 + requested->classes.size()); !within)
    return forward(within.error());
  auto counts = analysis::parallel_counts(session, columns, *selection, *requested, context.communicator,
                                          context.job, &context.workspace.parallel);
  if (!counts) return forward(counts.error());
  if (!options.colour_by.empty() || options.rest)
    if (auto rest = analysis::rest_of(*counts); rest.rows > 0) counts->classes.push_back(std::move(rest));
  answers::ParallelAnswer answer{.rows = counts->rows,
                                 .selected_rows = counts->selected_rows,
                                 .all_rows = counts->all_rows,
                                 .examined_rows = counts->examined};
  for (auto& axis : counts->axes) answer.axes.push_back(packed(axis, context));
  for (const auto& pair : counts->pairs)
    answer.pairs.push_back({.left = pair.left,
                            .right = pair.right,
                            .left_bins = pair.left_bins,
                            .right_bins = pair.right_bins,
                            .all = narrowed(pair.all),
                            .selected = narrowed(pair.selected)});
  const bool rest_is_missing = are_missing(parts, options);
  for (std::size_t c = 0; c < counts->classes.size(); ++c) {
    auto& made = answer.classes.emplace_back();
    made.rows = counts->classes[c].rows;
    if (c < parts.size()) made.of = std::make_unique<answers::ColourRangeAnswer>(std::move(parts[c]));
    made.rest = c >= requested->classes.size();
    made.missing = made.rest && rest_is_missing;
    for (const auto& pair : counts->classes[c].pairs) made.pairs.push_back({.counts = narrowed(pair)});
  }
  return answer;
}

Expected<answers::WidestColumnsAnswer> widest_columns(const Context& context,
                                                      const WidestColumnsOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  if (auto known = context.workspace.columns->prepare_call_sites(context.job); !known)
    return forward(known.error());
  auto widest = analysis::widest_columns(*context.workspace.session, *context.workspace.columns,
                                         static_cast<std::size_t>(std::max<std::int64_t>(options.most, 0)),
                                         context.job);
  if (!widest) return forward(widest.error());
  return answers::WidestColumnsAnswer{.columns = std::move(*widest)};
}

Expected<answers::RelatedOrderAnswer> related_order(const Context& context,
                                                    const RelatedOrderOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  for (const auto& axis : options.axes)
    if (!context.workspace.columns->find(axis))
      return failure(ErrorKind::BadUse, "there is no column \"" + axis + "\"", {}, "axes",
                     context.workspace.columns->instead_of(axis));
  auto order = analysis::related_order(*context.workspace.session, *context.workspace.columns, options.axes,
                                       options.pinned, options.mutual_information, context.job);
  if (!order) return forward(order.error());
  return answers::RelatedOrderAnswer{.axes = std::move(*order)};
}

} // namespace

std::vector<Operation> statistics_operations() {
  return {{Reach::AllRanks, bins},     {Reach::AllRanks, kernels},     {Reach::AllRanks, distribution},
          {Reach::AllRanks, parallel}, {Reach::Alone, widest_columns}, {Reach::Alone, related_order}};
}

} // namespace jitterscope::engine
