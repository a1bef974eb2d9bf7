#include "core/analysis/events/event_details.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/core/analysis/lanes/tracked.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using test::busy_trace;
using test::column;
using test::small_trace;
using test::Tracked;

namespace {

const EventField* field(const EventDetails& details, std::string_view name) {
  const auto found = std::find_if(details.fields.begin(), details.fields.end(),
                                  [&](const EventField& each) { return each.name == name; });
  return found == details.fields.end() ? nullptr : &*found;
}

// A copy made by a call, 64 B in 20 ns, and a counter of three samples.
store::TraceData described_trace() {
  auto data = small_trace();
  const auto thread = static_cast<std::uint32_t>(data.resources.size());
  data.resources.push_back({store::ResourceKind::Thread, 1, kNone, 11, -1, "main"});
  column<std::int64_t>(data, "calls", "start").push_back(480);
  column<std::int64_t>(data, "calls", "duration").push_back(15);
  column<std::uint32_t>(data, "calls", "name").push_back(data.strings.intern("cudaMemcpyAsync").value);
  column<std::uint32_t>(data, "calls", "thread").push_back(thread);
  column<std::uint32_t>(data, "calls", "correlation").push_back(5);
  column<std::uint32_t>(data, "calls", "result").push_back(0);
  column<std::uint32_t>(data, "transfers", "call")[1] = 0;
  column<std::int64_t>(data, "transfers", "bytes")[1] = 64;
  column<std::int64_t>(data, "transfers", "bytes")[2] = store::kUnknownBytes;
  column<std::uint32_t>(data, "counters", "name").push_back(data.strings.intern("clock").value);
  column<std::uint32_t>(data, "counters", "unit").push_back(data.strings.intern("Hz").value);
  column<std::uint32_t>(data, "counters", "device").push_back(2);
  for (const auto& [time, value] : {std::pair{100, 5.0}, {300, 7.0}, {600, std::nan("")}}) {
    column<std::int64_t>(data, "samples", "time").push_back(time);
    column<std::uint32_t>(data, "samples", "counter").push_back(0);
    column<double>(data, "samples", "value").push_back(value);
  }
  return data;
}

TEST(EventDetails, ACopyHasItsAttributesItsRateAndItsCall) {
  const Tracked session(described_trace());
  const auto copies = session.track(TrackKind::Copies).id;
  const auto details = event_details(*session.open.session, session.tracks, copies, 1);
  ASSERT_TRUE(details.has_value());
  EXPECT_EQ(details->name, "device-to-host");
  EXPECT_EQ(details->begin, 500);
  EXPECT_EQ(details->end, 520);
  ASSERT_TRUE(field(*details, "bytes"));
  EXPECT_EQ(field(*details, "bytes")->value, 64);
  ASSERT_TRUE(field(*details, "rate"));
  EXPECT_DOUBLE_EQ(field(*details, "rate")->value, 64 / 20e-9);
  EXPECT_EQ(field(*details, "stream")->text, "stream 7 of device 0 · GPU");
  EXPECT_FALSE(field(*details, "migration_cause")) << "none";
  ASSERT_EQ(details->links.size(), 2u);
  EXPECT_EQ(details->links[0].kind, EventLinkKind::Call);
  EXPECT_EQ(details->links[0].name, "cudaMemcpyAsync");
  EXPECT_EQ(details->links[0].begin, 480);
  EXPECT_EQ(details->links[1].kind, EventLinkKind::Launch);
  EXPECT_EQ(details->links[1].row, 3) << "its feeding window contains the copy";
  EXPECT_EQ(details->links[1].begin, 600);
}

TEST(EventDetails, AnUnknownSizeIsLeftOut) {
  const Tracked session(described_trace());
  const auto details =
      event_details(*session.open.session, session.tracks, session.track(TrackKind::Copies).id, 2);
  ASSERT_TRUE(details.has_value());
  EXPECT_FALSE(field(*details, "bytes"));
  EXPECT_FALSE(field(*details, "rate"));
}

TEST(EventDetails, ACallListsWhatItMade) {
  const Tracked session(described_trace());
  const auto details =
      event_details(*session.open.session, session.tracks, session.track(TrackKind::Calls).id, 0);
  ASSERT_TRUE(details.has_value());
  EXPECT_EQ(details->name, "cudaMemcpyAsync");
  EXPECT_EQ(field(*details, "thread")->text, "thread 11 · main");
  ASSERT_EQ(details->links.size(), 1u);
  EXPECT_EQ(details->links[0].kind, EventLinkKind::Transfer);
  EXPECT_EQ(details->links[0].bytes, 64);
  EXPECT_EQ(details->links[0].row, 1);
}

TEST(EventDetails, ASampleIsTheLastBeforeTheTime) {
  const Tracked session(described_trace());
  const auto& counter = session.track(TrackKind::Counter);
  const auto value_at = [&](std::int64_t time) {
    const auto details = sample_details(*session.open.session, session.tracks, counter.id, time);
    return details && field(*details, "value") ? field(*details, "value")->value : -1;
  };
  EXPECT_EQ(value_at(299), 5);
  EXPECT_EQ(value_at(300), 7);
  EXPECT_EQ(value_at(599), 7);
  EXPECT_EQ(value_at(0), 5) << "before the first sample: its value";
  EXPECT_EQ(value_at(700), -1) << "a sample without a value";
  const auto details = sample_details(*session.open.session, session.tracks, counter.id, 350);
  EXPECT_EQ(details->begin, 300);
  EXPECT_EQ(details->end, 600);
  EXPECT_EQ(field(*details, "maximum")->value, 7);
}

TEST(EventDetails, ALaunchHasItsCopiesAndItsPartners) {
  const Tracked session(described_trace());
  const auto links = launch_links(*session.open.session, *session.open.columns, session.tracks, 3);
  ASSERT_TRUE(links.has_value());
  EXPECT_EQ(links->transfers, 1);
  ASSERT_EQ(links->links.size(), 1u) << "no partner, because there is one device";
  EXPECT_EQ(links->links[0].bytes, 64);
  const Tracked two(busy_trace(8));
  std::size_t partners = 0;
  for (std::int64_t row = 0; row < 20; ++row) {
    const auto found = launch_links(*two.open.session, *two.open.columns, two.tracks, row);
    ASSERT_TRUE(found.has_value());
    for (const auto& link : found->links) partners += link.kind == EventLinkKind::Partner && link.row != row;
  }
  EXPECT_GT(partners, 0u);
}

TEST(EventDetails, OfNothingAreRefused) {
  const Tracked session(described_trace());
  const auto& open = *session.open.session;
  const auto copies = session.track(TrackKind::Copies).id;
  for (const std::int64_t row : {std::int64_t{-1}, std::int64_t{3}, std::int64_t{1} << 60})
    EXPECT_FALSE(event_details(open, session.tracks, copies, row).has_value()) << row;
  EXPECT_FALSE(event_details(open, session.tracks, 4'000'000, 0).has_value());
  EXPECT_FALSE(event_details(open, session.tracks, session.track(TrackKind::Device).id, 0).has_value());
  EXPECT_FALSE(sample_details(open, session.tracks, copies, 0).has_value());
  EXPECT_FALSE(sample_details(open, session.tracks, 4'000'000, 0).has_value());
  EXPECT_FALSE(launch_links(open, *session.open.columns, session.tracks, 4).has_value());
}

} // namespace
