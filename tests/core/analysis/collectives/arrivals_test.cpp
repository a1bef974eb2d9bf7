#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include <nlohmann/json.hpp>

#include "core/analysis/collectives/arrivals.h"
#include "core/analysis/collectives/interval_parts.h"
#include "core/import/import.h"
#include "tests/generator/collectives.h"
#include "tests/support/open_session.h"
#include "tests/support/real_data.h"

using namespace jitterscope;
using namespace jitterscope::analysis;
using generator::CollectiveRun;
using generator::Delay;

namespace {

struct Ranks {
  test::OpenSession open;
  Tracks tracks;

  explicit Ranks(const CollectiveRun& run) : Ranks(generator::traces_of(run)) {}
  explicit Ranks(std::vector<store::TraceData> traces)
      : open(indexed(std::move(traces))), tracks(*open.session) {}

  Arrivals arrivals(std::optional<std::int64_t> row = {}, const Job& job = {}) const {
    auto found = analysis::arrivals(*open.session, *open.columns, tracks, row, job);
    EXPECT_TRUE(found) << (found ? "" : describe(found.error()));
    return std::move(*found);
  }
  std::string words(const Arrivals& arrivals) const {
    std::string text;
    for (const auto& sentence : sentences(*open.session, arrivals)) text += sentence + "\n";
    return text;
  }

private:
  static std::vector<store::TraceData> indexed(std::vector<store::TraceData> traces) {
    for (auto& trace : traces)
      if (!store::add_track_index(trace, {})) throw std::runtime_error("cancelled");
    return traces;
  }
};

CollectiveRun run_with(Delay delay, std::int64_t ns, int late = 2) {
  CollectiveRun run;
  run.delay = delay;
  run.delay_ns = ns;
  run.late_rank = late;
  return run;
}

const Spread& part(const Lateness& why, Part which) {
  return why.parts[static_cast<std::size_t>(which)];
}

} // namespace

// All times between the two collectives are computed by hand.
TEST(IntervalReader, DividesTimeByActivityAndLateness) {
  auto data = test::empty_trace(2);
  const auto thread = static_cast<std::uint32_t>(data.resources.size());
  data.resources.push_back({store::ResourceKind::Thread, 1, kNone, 4711, -1, "main"});
  test::add_kernel(data, "gemm", 1);
  test::add_kernel(data, "ncclDevKernel_AllReduce", 1);
  // A kernel of the other stream overlaps the end of the first collective. The device is idle from 150 to 200
  // (its next kernel is called at 180), from 260 to 300 (the copy was called long before) and from 400 to
  // 500. A kernel covers 350 to 380 of the copy from 300 to 400.
  test::add_launches(data,
                     {{0, 100, 1, 2}, {50, 100, 0, 3}, {200, 60, 0, 2}, {350, 30, 0, 3}, {500, 40, 1, 2}});
  test::add_transfers(data, {{300, 100, 8, store::TransferKind::HostToDevice, 2}});
  std::uint32_t row = 0;
  for (const auto& [start, duration, name] :
       {std::tuple{std::int64_t{-20}, std::int64_t{5}, "cudaLaunchKernel"},
        {std::int64_t{20}, std::int64_t{50}, "cudaMemcpy"},
        {std::int64_t{60}, std::int64_t{100}, "cudaStreamSynchronize"},
        {std::int64_t{180}, std::int64_t{5}, "cudaLaunchKernel"},
        {std::int64_t{430}, std::int64_t{5}, "cudaLaunchKernel"}}) {
    test::column<std::int64_t>(data, "calls", "start").push_back(start);
    test::column<std::int64_t>(data, "calls", "duration").push_back(duration);
    test::column<std::uint32_t>(data, "calls", "name").push_back(data.strings.intern(name).value);
    test::column<std::uint32_t>(data, "calls", "thread").push_back(thread);
    test::column<std::uint32_t>(data, "calls", "correlation").push_back(row++);
    test::column<std::uint32_t>(data, "calls", "result").push_back(0);
  }
  auto& calls = test::column<std::uint32_t>(data, "launches", "call");
  calls[0] = 0;
  calls[2] = 3;
  calls[4] = 4;
  test::column<std::uint32_t>(data, "transfers", "call")[0] = 1;
  std::vector<store::TraceData> traces;
  traces.push_back(std::move(data));
  const Ranks ranks(std::move(traces));
  const auto& list = ranks.tracks.list();
  const auto track = std::find_if(list.begin(), list.end(),
                                  [](const Track& one) { return one.kind == TrackKind::Collective; });
  ASSERT_NE(track, list.end());
  HostNames names;
  const auto parts = IntervalReader(*ranks.open.session, ranks.tracks, track->id, names).between(0, 4);
  EXPECT_EQ(parts.parts[static_cast<std::size_t>(Part::Kernels)], 50 + 60 + 30);
  EXPECT_EQ(parts.parts[static_cast<std::size_t>(Part::Copies)], 70);
  EXPECT_EQ(parts.parts[static_cast<std::size_t>(Part::NotLaunched)], 30 + 30);
  EXPECT_EQ(parts.parts[static_cast<std::size_t>(Part::Queued)], 20 + 40 + 70);
  EXPECT_EQ(parts.parts[static_cast<std::size_t>(Part::Unknown)], 0);
  EXPECT_EQ(parts.launches, 3);
  ASSERT_EQ(parts.kernels.size(), 1u);
  EXPECT_EQ(parts.kernels.begin()->second, (std::pair<std::int64_t, std::int64_t>(140, 3)));
  // From the call at -20 to that at 430: 450, of which waits cover 20 to 160.
  EXPECT_EQ(parts.host_waits, 140);
  EXPECT_EQ(parts.host_work, 310);
}

// At every time the innermost call counts; calls inside a waiting call are waits; the other thread counts
// where the first recorded nothing.
TEST(HostTimeReader, DividesTheTimeOfThreadsByWhatRan) {
  auto data = test::empty_trace();
  const auto first = static_cast<std::uint32_t>(data.resources.size()), second = first + 1;
  data.resources.push_back({store::ResourceKind::Thread, 1, kNone, 1, -1, "main"});
  data.resources.push_back({store::ResourceKind::Thread, 1, kNone, 2, -1, "backward"});
  const auto add = [&](const char* table, std::int64_t start, std::int64_t end, const char* name,
                       std::uint32_t thread) {
    test::column<std::int64_t>(data, table, "start").push_back(start);
    test::column<std::int64_t>(data, table, "duration").push_back(end - start);
    test::column<std::uint32_t>(data, table, "name").push_back(data.strings.intern(name).value);
    test::column<std::uint32_t>(data, table, "thread").push_back(thread);
  };
  for (const auto& [start, end, name, depth] : {std::tuple{std::int64_t{0}, std::int64_t{600}, "forward", 0},
                                                {std::int64_t{150}, std::int64_t{300}, "linear", 1}}) {
    add("ranges", start, end, name, first);
    test::column<std::uint32_t>(data, "ranges", "domain").push_back(data.strings.intern("").value);
    test::column<std::uint8_t>(data, "ranges", "depth").push_back(static_cast<std::uint8_t>(depth));
    test::column<std::uint8_t>(data, "ranges", "kind").push_back(0);
  }
  for (const auto& [start, end, name, thread] :
       {std::tuple{std::int64_t{200}, std::int64_t{220}, "cudaLaunchKernel", first},
        {std::int64_t{400}, std::int64_t{500}, "cudaDeviceSynchronize", first},
        {std::int64_t{410}, std::int64_t{490}, "poll", first},
        {std::int64_t{450}, std::int64_t{540}, "ioctl", first},
        {std::int64_t{550}, std::int64_t{700}, "cudaLaunchKernel", second}}) {
    add("calls", start, end, name, thread);
    test::column<std::uint32_t>(data, "calls", "correlation").push_back(kNone);
    test::column<std::uint32_t>(data, "calls", "result").push_back(0);
  }
  std::vector<store::TraceData> traces;
  traces.push_back(std::move(data));
  const Ranks ranks(std::move(traces));
  HostNames names;
  HostTimeReader reader(*ranks.open.session, ranks.tracks, 0, names);
  auto shares = reader.divide({first, second}, {100, 800}, {{120, 210}, {430, 460}, {690, 900}});
  const auto share = [&](const char* name) { return shares[names.number(name)]; };
  EXPECT_EQ(share("forward").time, 50 + 100 + 60)
      << "without the time in linear, in the waiting call and in ioctl";
  EXPECT_EQ(share("forward").times, 0) << "it began before the interval";
  EXPECT_EQ(share("linear").time, 150 - 20);
  EXPECT_EQ(share("linear").times, 1);
  EXPECT_EQ(share("cudaDeviceSynchronize").time, 100);
  EXPECT_EQ(share("poll").time, 0);
  EXPECT_EQ(share("ioctl").time, 40);
  EXPECT_EQ(share("cudaLaunchKernel").time, 20 + 100)
      << "of the second thread, where the first ran nothing: 600 to 700";
  EXPECT_EQ(share("cudaLaunchKernel").times, 2);
  EXPECT_EQ(share("").time, 100);
  EXPECT_EQ(share("forward").idle, 30);
  EXPECT_EQ(share("linear").idle, 50);
  EXPECT_EQ(share("cudaLaunchKernel").idle, 10 + 10);
  EXPECT_EQ(share("cudaDeviceSynchronize").idle, 30);
  EXPECT_EQ(share("").idle, 100);
  std::int64_t sum = 0;
  for (const auto& [name, one] : shares) sum += one.time;
  EXPECT_EQ(sum, 700);
}

// Each cause is found in its own part, with the planted delay; no other part contains any of it.
TEST(Arrivals, FindThePlantedCausesAndAmounts) {
  for (const auto& [delay, expected] : {std::pair{Delay::Kernels, Part::Kernels},
                                        {Delay::Copies, Part::Copies},
                                        {Delay::Host, Part::NotLaunched},
                                        {Delay::Carried, Part::NotLaunched},
                                        {Delay::OtherStream, Part::Queued},
                                        {Delay::UnknownCalls, Part::Unknown}}) {
    const Ranks ranks(run_with(delay, 200'000));
    const auto found = ranks.arrivals();
    ASSERT_TRUE(found.slowest) << to_string(expected);
    const auto& slowest = found.participants[*found.slowest];
    EXPECT_EQ(slowest.name, "rank 2");
    EXPECT_EQ(found.collectives, 40);
    EXPECT_EQ(slowest.last, 40) << to_string(expected);
    const auto& why = slowest.why;
    EXPECT_EQ(why.since_previous.n, 39);
    EXPECT_NEAR(part(why, expected).median, 200'000, 15'000) << to_string(expected);
    EXPECT_LE(part(why, expected).low, part(why, expected).median);
    EXPECT_NEAR(part(why, expected).sum / why.since_previous.sum, 1, 0.1);
    double sum = 0;
    for (int p = 0; p < kParts; ++p) {
      sum += why.parts[static_cast<std::size_t>(p)].sum;
      if (static_cast<Part>(p) != expected) {
        EXPECT_LT(std::fabs(why.parts[static_cast<std::size_t>(p)].sum), 0.1 * why.since_previous.sum)
            << to_string(static_cast<Part>(p));
      }
    }
    EXPECT_NEAR(sum, why.since_previous.sum, 1e-3) << "parts add up";
  }
}

TEST(Arrivals, DistinguishASlowHostFromOneThatWasAlreadyLate) {
  const Ranks slow(run_with(Delay::Host, 200'000));
  const auto of_slow = slow.arrivals();
  EXPECT_NEAR(of_slow.participants[*of_slow.slowest].why.host_work.median, 200'000, 15'000);
  EXPECT_NE(slow.words(of_slow).find("Its host itself works longer"), std::string::npos)
      << slow.words(of_slow);

  const Ranks behind(run_with(Delay::Carried, 200'000));
  const auto of_behind = behind.arrivals();
  const auto& why = of_behind.participants[*of_behind.slowest].why;
  EXPECT_LT(std::fabs(why.host_work.median), 15'000);
  EXPECT_LT(std::fabs(why.host_waits.median), 15'000);
  EXPECT_NE(behind.words(of_behind).find("it was already late"), std::string::npos)
      << behind.words(of_behind);
  ASSERT_TRUE(why.recording_later_ns.has_value());
  EXPECT_NEAR(*why.recording_later_ns, 200'000, 15'000);
  EXPECT_NE(behind.words(of_behind).find("for an unrecorded reason"), std::string::npos);
}

TEST(Arrivals, NameTheCallsOfASlowHost) {
  const Ranks slow(run_with(Delay::Host, 200'000));
  const auto of_slow = slow.arrivals();
  const auto& why = of_slow.participants[*of_slow.slowest].why;
  ASSERT_EQ(why.host_longer.size(), 1u);
  EXPECT_EQ(why.host_longer.front().name, "load batch");
  EXPECT_NEAR(why.host_longer.front().time_ns, why.host_work.sum, 0.05 * why.host_work.sum);
  EXPECT_NEAR(why.host_longer.front().times, 0, 1e-9);
  ASSERT_FALSE(why.host_meanwhile.empty());
  EXPECT_EQ(why.host_meanwhile.front().name, "load batch");
  EXPECT_LE(why.host_meanwhile.front().time_ns, why.host_idle.sum * 1.0001);
  EXPECT_NE(slow.words(of_slow).find("ms in load batch, excluding nested calls."), std::string::npos)
      << slow.words(of_slow);

  const Ranks behind(run_with(Delay::Carried, 200'000));
  const auto of_behind = behind.arrivals();
  EXPECT_EQ(behind.words(of_behind).find("works longer"), std::string::npos);
  EXPECT_NE(behind.words(of_behind).find("its host spent"), std::string::npos) << behind.words(of_behind);

  const Ranks unknown(run_with(Delay::UnknownCalls, 200'000));
  const auto of_unknown = unknown.arrivals();
  const auto& nothing = of_unknown.participants[*of_unknown.slowest].why;
  EXPECT_TRUE(nothing.host_longer.empty() && nothing.host_meanwhile.empty());
  EXPECT_EQ(unknown.words(of_unknown).find("load batch"), std::string::npos)
      << "without calls it is unknown what the host did before the launch";
}

TEST(Arrivals, NameTheKernelThatTakesLonger) {
  const Ranks ranks(run_with(Delay::Kernels, 200'000));
  const auto found = ranks.arrivals();
  const auto& kernels = found.participants[*found.slowest].why.kernels;
  ASSERT_FALSE(kernels.empty());
  EXPECT_EQ(ranks.open.session->kernels()[kernels.front().kernel].name, "gemm");
  EXPECT_NEAR(kernels.front().duration_ns, 39 * 200'000, 39 * 15'000);
  EXPECT_NEAR(kernels.front().launches, 0, 1e-9);
  EXPECT_NE(ranks.words(found).find("its other kernels run longer (median"), std::string::npos)
      << ranks.words(found);
  EXPECT_NE(ranks.words(found).find("mostly gemm"), std::string::npos);
}

// Neither the offsets of the files' clocks nor the order of the files changes who is late and why.
TEST(Arrivals, DoNotRestOnClocksOfFiles) {
  auto run = run_with(Delay::Host, 200'000);
  const Ranks agreed(run);
  run.clock_error_ns = 50'000'000;
  const Ranks apart(run);
  const auto a = agreed.arrivals(), b = apart.arrivals();
  EXPECT_FALSE(a.shifted);
  EXPECT_TRUE(b.shifted);
  EXPECT_GT(b.largest_shift_ns, 50'000'000);
  EXPECT_LE(b.ends_apart_ns, 2 * a.ends_apart_ns + 1'000) << "after moving the clocks";
  EXPECT_EQ(a.apart, 0);
  EXPECT_EQ(b.apart, 0);
  ASSERT_TRUE(a.slowest && b.slowest);
  EXPECT_EQ(a.participants[*a.slowest].name, b.participants[*b.slowest].name);
  EXPECT_EQ(a.participants[*a.slowest].waited_for_ns, b.participants[*b.slowest].waited_for_ns);
  EXPECT_EQ(part(a.participants[*a.slowest].why, Part::NotLaunched).sum,
            part(b.participants[*b.slowest].why, Part::NotLaunched).sum);
  EXPECT_NE(apart.words(b).find("after moving the clocks"), std::string::npos) << apart.words(b);
}

TEST(Arrivals, OfTheAskedCollectiveAndOfTheWorst) {
  const Ranks ranks(run_with(Delay::Kernels, 200'000));
  const auto all = ranks.arrivals();
  ASSERT_TRUE(all.at);
  EXPECT_EQ(all.at->last, *all.slowest);
  const auto requested = all.at->rows[0];
  const auto one = ranks.arrivals(requested);
  ASSERT_TRUE(one.at);
  EXPECT_EQ(one.at->rows, all.at->rows);
  EXPECT_EQ(one.at->number, all.at->number);
  for (std::size_t p = 0; p < one.participants.size(); ++p)
    EXPECT_EQ(ranks.arrivals(one.at->rows[p]).at->number, one.at->number);
  EXPECT_FALSE(sentences_of_one(*ranks.open.session, one).empty());
  EXPECT_FALSE(ranks.arrivals(requested > 0 ? requested - 1 : requested + 1).at)
      << "another kernel is not a collective";
  EXPECT_FALSE(
      arrivals(*ranks.open.session, *ranks.open.columns, ranks.tracks, ranks.open.session->launches(), {}));
  EXPECT_FALSE(arrivals(*ranks.open.session, *ranks.open.columns, ranks.tracks, -1, {}));
}

// In long runs a subset is analysed, and the answer states this. A requested collective is
// always analysed.
TEST(Arrivals, AnalyseSomeOfManyCollectives) {
  auto run = run_with(Delay::Host, 200'000, 1);
  run.ranks = 2;
  run.collectives = 5'000;
  const Ranks ranks(run);
  const auto found = ranks.arrivals();
  EXPECT_EQ(found.collectives, 5'000);
  EXPECT_EQ(found.examined, 4'000);
  EXPECT_EQ(found.participants[1].last, 4'000);
  EXPECT_EQ(found.accounted, 3'999) << "all collectives except the first";
  EXPECT_NEAR(part(found.participants[1].why, Part::NotLaunched).median, 200'000, 15'000);
  const auto words = ranks.words(found);
  EXPECT_NE(words.find("4,000 of the 4,000 analysed collectives of 2 devices"), std::string::npos) << words;
  EXPECT_NE(words.find("4,000 of 5,000 collectives were analysed."), std::string::npos);
  const auto odd = ranks.arrivals(3 * 1'001 + 2); // three launches per step: the collective of step 1,001
  ASSERT_TRUE(odd.at);
  EXPECT_EQ(odd.at->number, 1'001);
  EXPECT_NEAR(odd.at->late_ns, 200'000, 15'000);
}

TEST(Arrivals, StateWhatIsUndetermined) {
  auto run = run_with(Delay::None, 0);
  run.ranks = 1;
  run.late_rank = 0;
  const Ranks alone(run);
  EXPECT_NE(alone.words(alone.arrivals()).find("Only rank 0 is open"), std::string::npos);

  run.ranks = 4;
  run.jitter_ns = 0; // all arrive at the same time
  const Ranks together(run);
  const auto nobody = together.arrivals();
  EXPECT_FALSE(nobody.slowest);
  EXPECT_EQ(nobody.together, nobody.collectives);
  EXPECT_NE(together.words(nobody).find("No device is late"), std::string::npos);

  auto traces = generator::traces_of(run_with(Delay::Host, 200'000));
  traces[1] = generator::traces_of([] {
    auto longer = run_with(Delay::Host, 200'000);
    longer.collectives = 41;
    return longer;
  }())[1];
  const Ranks uneven(std::move(traces));
  const auto none = uneven.arrivals();
  EXPECT_EQ(none.collectives, 0);
  EXPECT_EQ(none.unmatched, 3 * 40 + 41);
  EXPECT_NE(uneven.words(none).find("the device that arrives last cannot be determined"), std::string::npos);

  run = run_with(Delay::Host, 200'000);
  run.collectives = 3;
  const Ranks few(run);
  EXPECT_NE(few.words(few.arrivals()).find("too few to show"), std::string::npos);

  const Ranks no_collectives(std::vector<store::TraceData>{test::empty_trace()});
  EXPECT_TRUE(no_collectives.arrivals().participants.empty());
  EXPECT_TRUE(sentences(*no_collectives.open.session, no_collectives.arrivals()).empty());
}

TEST(Arrivals, EndWhenCancelled) {
  const Ranks ranks(run_with(Delay::Host, 200'000));
  for (int calls = 0; calls < 3; ++calls) {
    Job job;
    int left = calls;
    job.cancelled = [&] { return left-- <= 0; };
    const auto found = arrivals(*ranks.open.session, *ranks.open.columns, ranks.tracks, {}, job);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().kind, ErrorKind::Cancelled);
  }
}

// 95 % by order statistics: of 6 values all of them, of 20 the 6th to the 15th (David and Nagaraja,
// table 7.1).
TEST(SpreadOf, ValuesHoldsTheirMedian) {
  std::vector<double> values;
  for (int i = 1; i <= 20; ++i) values.push_back(i);
  const auto spread = spread_of(values);
  EXPECT_EQ(spread.low, 6);
  EXPECT_EQ(spread.high, 15);
  EXPECT_EQ(spread.median, 10.5);
  EXPECT_EQ(spread.sum, 210);
  values.insert(values.end(), {21, 22, 23});
  EXPECT_EQ(spread_of(values).low, 7) << "P(Binomial(23, 1/2) < 7) = 1.7 %, < 8: 4.7 %";
  EXPECT_EQ(spread_of(values).high, 17);
  values.resize(6);
  EXPECT_EQ(spread_of(values).low, 1);
  EXPECT_EQ(spread_of(values).high, 6);
  EXPECT_EQ(spread_of({3}).median, 3);
  EXPECT_EQ(spread_of({}).n, 0);
}

// Numbers computed independently of this program, with pandas from the eight files.
TEST(Arrivals, OfEightRealRanks) {
  REQUIRE_REAL_DATA(file, "kineto/dlrm-8rank/dlrm_kineto.tar.gz");
  auto data = import::import_files({file}, {});
  ASSERT_TRUE(data) << describe(data.error());
  std::vector<store::TraceData> traces;
  traces.push_back(std::move(*data));
  const Ranks ranks(std::move(traces));
  const auto found = ranks.arrivals();
  ASSERT_EQ(found.participants.size(), 8u);
  EXPECT_EQ(found.collectives, 8);
  EXPECT_EQ(found.apart, 0);
  EXPECT_EQ(found.unmatched, 0);
  EXPECT_LE(found.ends_apart_ns, 4'000);
  ASSERT_TRUE(found.slowest);
  const auto& slowest = found.participants[*found.slowest];
  EXPECT_EQ(slowest.name, "rank 7");
  EXPECT_EQ(slowest.last, 5);
  EXPECT_NEAR(slowest.waited_for_ns, 5'077'571, 1);
  EXPECT_NEAR(*slowest.why.first_late_ns, 3'776'571, 1);
  EXPECT_NEAR(*slowest.why.recording_later_ns, 3'828'000, 1);
  EXPECT_EQ(slowest.why.since_previous.n, 4);
  EXPECT_GT(part(slowest.why, Part::NotLaunched).sum, 0.85 * slowest.why.since_previous.sum);
  EXPECT_NEAR(slowest.why.host_work.high, 7'714, 1) << "136 us against 128.3 before the fourth";
  EXPECT_LT(std::fabs(slowest.why.host_work.sum), 100'000);
  const auto words = ranks.words(found);
  EXPECT_EQ(words.find("Rank 7 arrives last at 5 of the 8 collectives of 8 devices; the others wait 5.1 ms "
                       "for it in total"),
            0u)
      << words;
  EXPECT_NE(words.find("the host has not launched the next work yet"), std::string::npos);
  EXPECT_NE(words.find("it was already late"), std::string::npos);
  EXPECT_NE(words.find("its host spent 339 µs in DistributedDataParallel.forward, excluding nested calls."),
            std::string::npos)
      << words;
  EXPECT_NE(words.find("its recording begins 3.8 ms after"), std::string::npos);
}
