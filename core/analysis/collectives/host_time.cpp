#include "core/analysis/collectives/host_time.h"

#include <algorithm>

namespace jitterscope::analysis {

std::uint32_t HostNames::number(std::string_view name) {
  const auto [found, fresh] =
      numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
  if (fresh) {
    names_.push_back(&found->first);
    waits_.push_back(waits_for_device(name));
  }
  return found->second;
}

bool waits_for_device(std::string_view call) {
  return call.find("Synchronize") != std::string_view::npos || call.find("Memcpy") != std::string_view::npos;
}

HostTimeReader::HostTimeReader(const Session& session, const Tracks& tracks, std::size_t trace,
                               HostNames& names)
    : trace_(session.traces()[trace]), names_(names) {
  for (const auto& track : tracks.list()) {
    if (track.trace != trace || (track.kind != TrackKind::Ranges && track.kind != TrackKind::Calls &&
                                 track.kind != TrackKind::MpiCalls))
      continue;
    for (const auto* series : tracks.levels(track.id))
      if (series && series->kind != store::SeriesKind::States) series_[series->resource].push_back(series);
  }
}

std::uint32_t HostTimeReader::name_of(std::uint32_t in_store) {
  const auto [found, fresh] = known_.try_emplace(in_store, 0);
  if (fresh && in_store < trace_.store.strings())
    found->second = names_.number(trace_.store.string({in_store}));
  return found->second;
}

std::vector<HostTimeReader::Piece> HostTimeReader::events(std::uint32_t thread, Span of,
                                                          std::map<std::uint32_t, HostShare>& shares) {
  std::vector<Piece> found;
  const auto of_thread = series_.find(thread);
  if (of_thread == series_.end()) return found;
  for (const auto* series : of_thread->second) {
    const auto add = [&](std::size_t, const store::Event& event) {
      ++read_;
      found.push_back({{event.begin, event.end}, name_of(event.name)});
      if (event.begin >= of.begin) ++shares[found.back().name].times;
      return true;
    };
    const auto first = series->position_of(of.begin), last = series->position_of(of.end);
    series->reaching(0, first, of.begin, add);
    for (auto position = first; position < last; ++position) add(position, series->at(position));
  }
  std::stable_sort(found.begin(), found.end(), [](const Piece& a, const Piece& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  return found;
}

// Each moment counts for the open event that began last. Events inside a waiting event count for the waiting
// event.
std::vector<HostTimeReader::Piece> HostTimeReader::innermost(const std::vector<Piece>& events,
                                                             Span of) const {
  std::vector<Piece> pieces, open;
  auto reached = of.begin;
  const auto advance = [&](std::int64_t until) {
    while (reached < until) {
      while (!open.empty() && open.back().end <= reached) open.pop_back();
      const auto end = open.empty() ? until : std::min(until, open.back().end);
      pieces.push_back({{reached, end}, open.empty() ? 0 : open.back().name});
      reached = end;
    }
  };
  for (const auto& event : events) {
    advance(std::min(event.begin, of.end));
    const bool waiting = !open.empty() && open.back().end > event.begin && names_.waits(open.back().name);
    open.insert(open.end() - (waiting ? 1 : 0), event);
  }
  advance(of.end);
  return pieces;
}

// Fills the gaps in `pieces` with the corresponding parts of `others`; both divide the same time.
std::vector<HostTimeReader::Piece> HostTimeReader::filled(const std::vector<Piece>& pieces,
                                                          const std::vector<Piece>& others) {
  std::vector<Piece> result;
  auto other = others.begin();
  for (const auto& piece : pieces) {
    while (other != others.end() && other->end <= piece.begin) ++other;
    if (piece.name != 0) {
      result.push_back(piece);
      continue;
    }
    for (auto one = other; one != others.end() && one->begin < piece.end; ++one)
      result.push_back({{std::max(one->begin, piece.begin), std::min(one->end, piece.end)}, one->name});
  }
  return result;
}

std::map<std::uint32_t, HostShare> HostTimeReader::divide(const std::vector<std::uint32_t>& threads, Span of,
                                                          const std::vector<Span>& idle) {
  std::map<std::uint32_t, HostShare> shares;
  std::vector<Piece> pieces{{of, 0}};
  for (const auto thread : threads) pieces = filled(pieces, innermost(events(thread, of, shares), of));
  auto at = idle.begin();
  for (const auto& piece : pieces) {
    auto& share = shares[piece.name];
    share.time += piece.end - piece.begin;
    while (at != idle.end() && at->end <= piece.begin) ++at;
    for (auto one = at; one != idle.end() && one->begin < piece.end; ++one)
      share.idle +=
          std::max<std::int64_t>(std::min(one->end, piece.end) - std::max(one->begin, piece.begin), 0);
  }
  return shares;
}

} // namespace jitterscope::analysis
