#include "core/analysis/columns/launch_context.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>

namespace jitterscope::analysis {
namespace {

std::uint64_t mixed(std::uint64_t x) { // finalizer of splitmix64 (Steele, Lea, Flood 2014)
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t joined(std::uint64_t hash, std::uint64_t next) {
  return mixed(hash + 0x9e3779b97f4a7c15ULL + next);
}

/// "layer 12" and "layer 3" get the same name: they are iterations of one loop.
std::string without_numbers(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (!std::isdigit(static_cast<unsigned char>(c)))
      text += c;
    else if (text.empty() || text.back() != '#')
      text += '#';
  return text;
}

std::int64_t reach_in(const Trace& trace) {
  constexpr std::int64_t kNeighbours = 2 * LaunchContext::kBeforeLengths.back();
  return reach_of(trace, kNeighbours, LaunchContext::kReach, LaunchContext::kMaxReach);
}

} // namespace

std::int64_t reach_of(const Trace& trace, std::int64_t count, std::int64_t least, std::int64_t most) {
  return std::clamp(count * std::ssize(*trace.store.table("launches").find("stream")->distinct), least, most);
}

LaunchContext::LaunchContext(const Session& session, Stop& stop) : session_(&session) {
  std::unordered_map<std::string, std::uint32_t> name_numbers;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers; // by (parent path, name)
  for (const auto& trace : session.traces()) {
    const auto& store = trace.store;
    const auto names = store.column<std::uint32_t>("ranges", "name");
    const auto threads = store.column<std::uint32_t>("ranges", "thread");
    const auto depths = store.column<std::uint8_t>("ranges", "depth");
    std::vector<std::vector<std::uint32_t>> open(
        store.resources().size()); // by thread: the path at each depth
    std::unordered_map<std::uint32_t, std::uint32_t> name_of_string;
    auto& paths = path_of_range_.emplace_back(names.size());
    for (std::size_t row = 0; row < paths.size(); ++row) { // sorted by start in each thread
      if (stop.at(row)) return;
      auto& stack = open[threads[row]];
      stack.resize(std::min<std::size_t>(depths[row], stack.size()));
      const auto [name, fresh] = name_of_string.try_emplace(names[row]);
      if (fresh) {
        const auto [place, added] = name_numbers.try_emplace(without_numbers(store.string({names[row]})),
                                                             static_cast<std::uint32_t>(names_.size()));
        if (added) names_.push_back(place->first);
        name->second = place->second;
      }
      const auto above = stack.empty() ? 0 : stack.back();
      const auto [path, added] =
          numbers.try_emplace({above, name->second}, static_cast<std::uint32_t>(paths_.size()));
      if (added) paths_.push_back({above, name->second});
      stack.push_back(path->second);
      paths[row] = path->second;
    }
  }
}

std::string LaunchContext::path_text(std::uint64_t path) const {
  constexpr std::size_t kShown = 3; // maximum number of ranges in the text, the innermost ones
  std::string text;
  std::size_t shown = 0;
  for (; path != 0 && shown < kShown; path = paths_[path].above, ++shown)
    text = names_[paths_[path].name] + (text.empty() ? "" : "/") + text;
  return path != 0 ? "…/" + text : text;
}

std::uint32_t LaunchContext::before(std::size_t trace, std::int64_t row) const {
  const Trace& of = session_->traces()[trace];
  const auto streams = of.store.column<std::uint32_t>("launches", "stream");
  const auto stream = streams[static_cast<std::size_t>(row)];
  for (auto other = row - 1; other >= std::max<std::int64_t>(0, row - reach_in(of)); --other)
    if (streams[static_cast<std::size_t>(other)] == stream)
      return of.configuration[of.configurations()[static_cast<std::size_t>(other)]];
  return kNone;
}

std::vector<LaunchContext::Keys> LaunchContext::read(const Segment& segment) const {
  const Trace& trace = session_->traces()[segment.trace];
  const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
  const auto local = trace.configurations();
  const auto ranges = trace.store.column<std::uint32_t>("launches", "range");
  const std::int64_t reach = reach_in(trace), begin = std::max<std::int64_t>(0, segment.first - reach),
                     end = std::min(trace.launches(), segment.last + reach);
  struct Neighbour {
    std::int64_t row;
    std::uint32_t configuration;
  };
  std::unordered_map<std::uint32_t, std::vector<Neighbour>> by_stream;
  for (auto row = begin; row < end; ++row) {
    const auto at = static_cast<std::size_t>(row);
    by_stream[streams[at]].push_back({row, trace.configuration[local[at]]});
  }
  std::vector<Keys> all(static_cast<std::size_t>(segment.rows()));
  for (const auto& [stream, launches] : by_stream) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const auto row = launches[i].row;
      if (row < segment.first || row >= segment.last) continue;
      Keys& keys = all[static_cast<std::size_t>(row - segment.first)];
      const auto range = ranges[static_cast<std::size_t>(row)];
      keys[kPath] = range == kNone ? 0 : path_of_range_[segment.trace][range];
      // Without neighbours there are none, or they are out of reach.
      const bool first_is_near = row < reach, last_is_near = row + reach >= trace.launches();
      std::uint64_t hash = 0;
      std::size_t length = 0;
      bool known = true;
      for (std::size_t k = 0; k < kBeforeLengths.size(); ++k) {
        for (; length < kBeforeLengths[k]; ++length) {
          const bool there = i > length && row - launches[i - length - 1].row <= reach;
          known = known && (there || first_is_near);
          hash = joined(hash, there ? launches[i - length - 1].configuration : kNone);
        }
        keys[kBefore + k] = known ? hash : kUnknown;
      }
      hash = 1, length = 0, known = true;
      for (std::size_t k = 0; k < kAfterLengths.size(); ++k) {
        for (; length < kAfterLengths[k]; ++length) {
          const bool there = i + length + 1 < launches.size() && launches[i + length + 1].row - row <= reach;
          known = known && (there || last_is_near);
          hash = joined(hash, there ? launches[i + length + 1].configuration : kNone);
        }
        keys[kAfter + k] = known ? hash : kUnknown;
      }
      const auto before = keys[kBefore + 3], after = keys[kAfter + 2];
      keys[kBoth] = before == kUnknown || after == kUnknown ? kUnknown : joined(before, after);
    }
  }
  return all;
}

} // namespace jitterscope::analysis
