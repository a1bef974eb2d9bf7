#include "core/efficiency/columns/metric_column.h"

#include <array>
#include <limits>
#include <set>

#include <fmt/core.h>

#include "core/analysis/session/row_blocks.h"
#include "core/efficiency/metrics/sweep.h"

namespace jitterscope::efficiency {
namespace {

using metrics::Level;

/// The object whose value applies to the launches of a resource.
struct Owner {
  Level level = Level::Application;
  std::uint32_t object = kNone;
};

Owner owner_of(const metrics::Bound& bound, std::size_t trace, std::uint32_t resource) {
  const auto& objects = bound.data().objects();
  const auto level = bound.definition().level;
  if (const auto thread = objects.of_resource(Level::Thread, trace, resource); thread != kNone) {
    const auto at = covers(level, Level::Thread) ? level : Level::Process;
    return {at, objects.above(Level::Thread, thread, at)};
  }
  const auto stream = objects.of_resource(Level::Stream, trace, resource);
  const auto at = covers(level, Level::Stream) ? level : Level::Process;
  if (stream == kNone) return {at, kNone};
  return {at, objects.above(Level::Stream, stream, at)};
}

class Maker {
public:
  Maker(const analysis::Session& session, const metrics::Bound& bound, Halt& halt)
      : session_(session), bound_(bound), halt_(halt) {
    for (std::size_t t = 0; t < session.traces().size(); ++t) {
      auto& owners = owners_.emplace_back();
      const auto& store = session.traces()[t].store;
      owners.resize(store.resources().size());
      for (const auto stream : *store.table("launches").find("stream")->distinct) {
        owners[stream] = owner_of(bound, t, stream);
        levels_.insert(owners[stream].level);
      }
    }
  }

  /// Fills in the values of a segment's rows.
  void fill(const analysis::Segment& segment, double* out) const {
    const auto& trace = session_.traces()[segment.trace];
    const auto starts = trace.starts();
    const auto durations = trace.durations();
    const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
    std::vector<Interval> intervals;
    std::vector<std::uint32_t> objects;
    for (const auto level : levels_) {
      intervals.clear(), objects.clear();
      for (auto row = segment.first; row < segment.last; ++row) {
        const auto at = static_cast<std::size_t>(row);
        const auto begin = starts[at] + trace.shift_ns;
        const auto& owner = owners_[segment.trace][streams[at]];
        const bool known = durations[at] != store::kMissingDuration && owner.level == level;
        intervals.push_back({{begin}, {begin + (known ? durations[at] : 0)}});
        objects.push_back(known ? owner.object : kNone);
      }
      const auto values = averages(bound_, level, intervals, objects, halt_);
      for (std::size_t i = 0; values && i < objects.size(); ++i)
        if (objects[i] != kNone) out[i] = (*values)[i];
    }
  }

private:
  const analysis::Session& session_;
  const metrics::Bound& bound_;
  Halt& halt_;
  std::vector<std::vector<Owner>> owners_; ///< owner of each resource: [trace][resource]
  std::set<Level> levels_;                 ///< levels of the owners
};

} // namespace

Expected<KeptColumn> metric_column(const analysis::Session& session, const metrics::Bound& bound,
                                   std::string name, Communicator& communicator, const Job& job) {
  Halt halt(job);
  const Maker maker(session, bound, halt);
  const analysis::RowBlocks blocks(session, communicator);
  const auto first = blocks.first() * analysis::RowBlocks::kRows;
  const auto rows =
      std::clamp<std::int64_t>(session.launches() - first, 0, blocks.mine() * analysis::RowBlocks::kRows);
  std::vector<double> mine(static_cast<std::size_t>(rows), std::numeric_limits<double>::quiet_NaN());
  auto done = blocks.for_each(job, "metric " + name, [&](std::size_t, std::size_t, const auto& segments) {
    for (const auto& segment : segments) {
      const auto row = session.traces()[segment.trace].first_launch + segment.first - first;
      maker.fill(segment, mine.data() + row);
    }
  });
  if (done && halt.requested()) done = Job::cancelled_error();
  if (!done) return forward(done.error());
  auto all = communicator.all_gather(std::span<const double>(mine));
  if (!all) return forward(all.error());
  const auto& definition = bound.definition();
  return KeptColumn{std::move(name), definition.unit,
                    fmt::format("metric{}{}, mean over the launch{}{}", definition.title.empty() ? "" : " ",
                                definition.title, definition.help.empty() ? "" : ": ", definition.help),
                    bound.tier(), std::move(*all)};
}

} // namespace jitterscope::efficiency
