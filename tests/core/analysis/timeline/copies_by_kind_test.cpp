#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/analysis/timeline/area.h"
#include "core/analysis/timeline/flow.h"
#include "tests/core/analysis/lanes/tracked.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using store::TransferKind;
using test::events_of;
using test::Tracked;

namespace {

/// Tracks of single kinds below a track of copies, by label.
std::map<std::string, const Track*> kinds_below(const Tracks& tracks, const Track& copies) {
  std::map<std::string, const Track*> kinds;
  for (const auto& track : tracks.list())
    if (track.parent == static_cast<std::int32_t>(copies.id)) kinds[track.label] = &track;
  return kinds;
}

store::TraceData with_transfers(const std::vector<test::TransferRow>& rows) {
  auto data = test::empty_trace(1);
  test::add_kernel(data, "a", 1);
  test::add_launches(data, {{0, 100, 0, 2}, {400, 50, 0, 2}});
  test::add_transfers(data, rows);
  return data;
}

} // namespace

TEST(CopiesByKind, AreATrackEachBelowAllCopies) {
  const Tracked session(with_transfers({{50, 20, 10, TransferKind::HostToDevice},
                                        {150, 30, 10, TransferKind::Memset},
                                        {200, 30, 10, TransferKind::MigrationHostToDevice},
                                        {250, 30, 10, TransferKind::HostToDevice},
                                        {300, 40, 10, TransferKind::PeerToPeer}}));
  const auto& copies = session.track(TrackKind::Copies);
  EXPECT_EQ(copies.label, "copies");
  EXPECT_EQ(copies.events, 4);
  const auto kinds = kinds_below(session.tracks, copies);
  ASSERT_EQ(kinds.size(), 3u) << "a migration is not a copy";
  const std::map<std::string, std::vector<std::int64_t>> expected = {
      {"host-to-device", {50, 250}}, {"peer-to-peer", {300}}, {"memset", {150}}};
  TimelineRequest request;
  request.window = {{0}, {1'000}};
  for (const auto& [label, begins] : expected) {
    ASSERT_TRUE(kinds.contains(label)) << label;
    std::vector<std::int64_t> found;
    for (const auto& bar : session.content(kinds.at(label)->id, request).bars) found.push_back(bar.begin);
    EXPECT_EQ(found, begins) << label;
    EXPECT_EQ(kinds.at(label)->kind, TrackKind::Copies);
    EXPECT_EQ(kinds.at(label)->depth, copies.depth + 1);
  }
  // Tracks of kinds directly follow the track of all copies, in the order of the kinds.
  EXPECT_EQ(kinds.at("host-to-device")->id, copies.id + 1);
  EXPECT_EQ(kinds.at("memset")->id, copies.id + 3);
}

TEST(CopiesByKind, OneKindNeedsNoRowOfItsOwn) {
  const Tracked session(with_transfers({{50, 20, 10, TransferKind::HostToDevice},
                                        {150, 30, 10, TransferKind::HostToDevice},
                                        {200, 30, 10, TransferKind::MigrationDeviceToHost}}));
  EXPECT_TRUE(kinds_below(session.tracks, session.track(TrackKind::Copies)).empty());
}

TEST(CopiesByKind, ShareOutTheCopiesOfADevice) {
  const Tracked session(test::busy_trace(31));
  const auto& copies = session.track(TrackKind::Copies);
  std::map<std::int64_t, int> events, all;
  std::int64_t busy = 0;
  for (const auto& [label, track] : kinds_below(session.tracks, copies)) {
    for (const auto& event : events_of(*session.tracks.levels(track->id).front())) ++events[event.begin];
    busy += track->busy_ns;
  }
  for (const auto& event : events_of(*session.tracks.levels(copies.id).front())) ++all[event.begin];
  EXPECT_GT(all.size(), 100u);
  EXPECT_EQ(events, all);
  EXPECT_EQ(busy, copies.busy_ns);
}

TEST(CopiesByKind, EachDeviceHasItsOwn) {
  auto data =
      with_transfers({{50, 20, 10, TransferKind::HostToDevice}, {150, 30, 10, TransferKind::DeviceToHost}});
  const auto add_device = [&](int number) {
    const auto device = static_cast<std::uint32_t>(data.resources.size());
    data.resources.push_back({store::ResourceKind::Device, 1, device, number, -1, "GPU"});
    data.resources.push_back({store::ResourceKind::Stream, device, kNone, 7, -1, ""});
    return device; // as for test::add_transfers, the device precedes its stream
  };
  const auto one_kind = add_device(1), two_kinds = add_device(2);
  test::add_transfers(data, {{160, 10, 10, TransferKind::Memset, one_kind},
                             {170, 10, 10, TransferKind::Memset, two_kinds},
                             {180, 10, 10, TransferKind::HostToDevice, two_kinds}});
  const Tracked session(std::move(data));
  std::vector<std::vector<std::pair<std::string, std::int64_t>>> found;
  for (const auto& copies : session.tracks.list()) {
    if (copies.label != "copies") continue;
    found.emplace_back();
    for (const auto& [label, track] : kinds_below(session.tracks, copies))
      found.back().emplace_back(label, session.tracks.levels(track->id).front()->begin);
  }
  const decltype(found) expected = {
      {{"device-to-host", 150}, {"host-to-device", 50}}, {}, {{"host-to-device", 180}, {"memset", 170}}};
  EXPECT_EQ(found, expected);
}

TEST(CopiesByKind, AreFoldedByTheirOwnTiles) {
  const Tracked session(test::busy_trace(32));
  const auto& copies = session.track(TrackKind::Copies);
  const auto kinds = kinds_below(session.tracks, copies);
  ASSERT_GT(kinds.size(), 1u);
  TimelineRequest request;
  request.window = session.open.session->span();
  request.columns = 50;
  request.max_bars = 0;
  for (const auto& [label, track] : kinds) {
    const auto& series = *session.tracks.levels(track->id).front();
    EXPECT_FALSE(series.levels.empty()) << label;
    std::uint64_t count = 0;
    for (const auto& cell : session.content(track->id, request).cells) {
      count += cell.count;
      if (cell.count > 0) {
        EXPECT_EQ(session.names.names()[cell.name], label);
      }
    }
    EXPECT_GE(count, series.events()) << label << ": every copy is counted";
  }
}

TEST(CopiesByKind, ShowTheirArrowsAndTheirAreas) {
  const Tracked session(
      with_transfers({{50, 20, 10, TransferKind::HostToDevice}, {350, 60, 10, TransferKind::DeviceToHost}}));
  const auto kinds = kinds_below(session.tracks, session.track(TrackKind::Copies));
  const auto back = kinds.at("device-to-host")->id;
  const auto arrows = event_flow(*session.open.session, session.tracks, back, 1, 10);
  ASSERT_TRUE(arrows);
  ASSERT_EQ(arrows->size(), 1u) << "one arrow, to the launch that the copy overlaps";
  EXPECT_EQ(arrows->front().from_track, back);
  const auto area = area_of(*session.open.session, session.tracks, {back}, {{0}, {1'000}});
  ASSERT_EQ(area.tracks.size(), 1u);
  EXPECT_EQ(area.tracks.front().events, 1u);
  EXPECT_EQ(area.tracks.front().busy, 60u);
}

// Stores of earlier versions have no series of kinds: they open, with all copies in one row.
TEST(CopiesByKind, AnOlderIndexHasNone) {
  auto data =
      with_transfers({{50, 20, 10, TransferKind::HostToDevice}, {350, 60, 10, TransferKind::DeviceToHost}});
  ASSERT_TRUE(store::add_track_index(data, {}));
  auto& series = *data.find("series");
  const auto& kinds = series.get<std::uint8_t>("kind");
  const auto older =
      static_cast<std::size_t>(std::count_if(kinds.begin(), kinds.end(), [](std::uint8_t kind) {
        return kind != static_cast<std::uint8_t>(store::SeriesKind::CopiesOfKind);
      }));
  ASSERT_EQ(older + 2, kinds.size());
  for (std::size_t row = older; row < kinds.size(); ++row)
    ASSERT_EQ(kinds[row], static_cast<std::uint8_t>(store::SeriesKind::CopiesOfKind));
  for (auto& column : series.columns) std::visit([&](auto& values) { values.resize(older); }, column.values);
  const test::OpenSession open({data});
  const Tracks tracks(*open.session);
  EXPECT_FALSE(tracks.index_rebuilt());
  int rows = 0;
  for (const auto& track : tracks.list()) rows += track.kind == TrackKind::Copies;
  EXPECT_EQ(rows, 1);
}
