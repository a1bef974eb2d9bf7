#include "tests/generator/collectives.h"

#include <algorithm>

#include "tests/generator/random.h"
#include "tests/support/small_trace.h"

namespace jitterscope::generator {
namespace {

constexpr std::int64_t kCopy = 20'000, kGemm = 100'000, kRelu = 30'000,
                       kCollective = 40'000; ///< durations on the device [ns]
constexpr std::int64_t kHostWork = 600'000;  ///< of the host per step [ns], if slower than its device
constexpr std::int64_t kHostAhead = 20'000;  ///< of the host per step [ns], if ahead of its device
constexpr std::int64_t kCall = 4'000, kLatency = 5'000;
enum KernelRow : std::uint32_t { kGemmRow, kReluRow, kCollectiveRow };

struct Call {
  std::int64_t start = 0, duration = 0;
  const char* name = "";
};

class Rank {
public:
  Rank(const CollectiveRun& run, int number)
      : run_(run), number_(number), late_(number == run.late_rank),
        random_(static_cast<std::uint64_t>(number) + 1),
        host_(late_ && run.delay == Delay::Carried ? run.delay_ns : 0) {}

  /// Runs up to the collective and returns its start.
  std::int64_t step() {
    const auto delay = [&](Delay kind) { return late_ && run_.delay == kind ? run_.delay_ns : 0; };
    const auto jitter =
        run_.jitter_ns > 0
            ? static_cast<std::int64_t>(random_.uniform() * static_cast<double>(run_.jitter_ns))
            : 0;
    const auto begin = host_;
    host_ +=
        (host_bound() ? kHostWork + jitter : kHostAhead) + delay(Delay::Host) + delay(Delay::UnknownCalls);
    ranges_.push_back({begin, 0, "step"});
    ranges_.push_back({begin + 500, host_ - begin - 500, "load batch"});
    const auto copy = run_on_device(call("cudaMemcpyAsync"), kCopy + delay(Delay::Copies));
    transfers_.push_back({copy.first, copy.second, 1 << 20, store::TransferKind::HostToDevice, 2});
    transfer_calls_.push_back(calls_.size() - 1);
    launch(kGemmRow, kGemm + (host_bound() ? 0 : jitter) + delay(Delay::Kernels));
    device_ += delay(Delay::OtherStream);
    launch(kReluRow, kRelu);
    const auto start = launch(kCollectiveRow, 0);
    ranges_[ranges_.size() - 2].duration = host_ - begin;
    return start;
  }
  void end_collective(std::int64_t end) {
    device_ = end + 300 * number_; // ranks do not end at the same time
    launches_.back().duration = device_ - launches_.back().start;
    if (run_.delay != Delay::Host && run_.delay != Delay::UnknownCalls && run_.delay != Delay::None) return;
    calls_.push_back({host_, std::max<std::int64_t>(device_ - host_, 1'000), "cudaStreamSynchronize"});
    host_ = calls_.back().start + calls_.back().duration;
  }

  store::TraceData trace() const {
    auto data = test::empty_trace();
    data.resources[1].rank = number_;
    const auto thread = static_cast<std::uint32_t>(data.resources.size());
    data.resources.push_back({store::ResourceKind::Thread, 1, kNone, 4711, -1, "main"});
    test::add_kernel(data, "gemm", 1);
    test::add_kernel(data, "relu", 1);
    test::add_kernel(data, "ncclDevKernel_AllReduce", 1);
    const auto clock = number_ * run_.clock_error_ns;
    auto launches = launches_;
    auto transfers = transfers_;
    for (auto& row : launches) row.start += clock;
    for (auto& row : transfers) row.start += clock;
    test::add_launches(data, launches);
    test::add_transfers(data, transfers);
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      test::column<std::int64_t>(data, "calls", "start").push_back(calls_[i].start + clock);
      test::column<std::int64_t>(data, "calls", "duration").push_back(calls_[i].duration);
      test::column<std::uint32_t>(data, "calls", "name").push_back(data.strings.intern(calls_[i].name).value);
      test::column<std::uint32_t>(data, "calls", "thread").push_back(thread);
      test::column<std::uint32_t>(data, "calls", "correlation").push_back(static_cast<std::uint32_t>(i));
      test::column<std::uint32_t>(data, "calls", "result").push_back(0);
    }
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      test::column<std::int64_t>(data, "ranges", "start").push_back(ranges_[i].start + clock);
      test::column<std::int64_t>(data, "ranges", "duration").push_back(ranges_[i].duration);
      test::column<std::uint32_t>(data, "ranges", "name")
          .push_back(data.strings.intern(ranges_[i].name).value);
      test::column<std::uint32_t>(data, "ranges", "domain").push_back(data.strings.intern("").value);
      test::column<std::uint32_t>(data, "ranges", "thread").push_back(thread);
      test::column<std::uint8_t>(data, "ranges", "depth").push_back(static_cast<std::uint8_t>(i % 2));
      test::column<std::uint8_t>(data, "ranges", "kind").push_back(0);
    }
    if (run_.delay == Delay::UnknownCalls) return data;
    auto& of_launches = test::column<std::uint32_t>(data, "launches", "call");
    for (std::size_t i = 0; i < of_launches.size(); ++i)
      of_launches[i] = static_cast<std::uint32_t>(launch_calls_[i]);
    auto& of_transfers = test::column<std::uint32_t>(data, "transfers", "call");
    for (std::size_t i = 0; i < of_transfers.size(); ++i)
      of_transfers[i] = static_cast<std::uint32_t>(transfer_calls_[i]);
    return data;
  }

private:
  bool host_bound() const {
    return run_.delay != Delay::Kernels && run_.delay != Delay::Copies && run_.delay != Delay::OtherStream;
  }

  /// Adds a call of the host and returns its start.
  std::int64_t call(const char* name) {
    calls_.push_back({host_, kCall, name});
    host_ += kCall + 1'000;
    return calls_.back().start;
  }
  std::pair<std::int64_t, std::int64_t> run_on_device(std::int64_t called, std::int64_t duration) {
    const auto start = std::max(device_, called + kLatency);
    device_ = start + duration;
    return {start, duration};
  }
  std::int64_t launch(KernelRow kernel, std::int64_t duration) {
    const auto place = run_on_device(call("cudaLaunchKernel"), duration);
    launches_.push_back({place.first, place.second, kernel, 2});
    launch_calls_.push_back(calls_.size() - 1);
    return place.first;
  }

  const CollectiveRun& run_;
  int number_;
  bool late_;
  Random random_;
  std::int64_t host_ = 0, device_ = 0; ///< times at which host and device are free again
  std::vector<Call> calls_, ranges_;   ///< of the host; every second range is inside the range before it
  std::vector<test::LaunchRow> launches_;
  std::vector<test::TransferRow> transfers_;
  std::vector<std::size_t> launch_calls_, transfer_calls_;
};

} // namespace

std::vector<store::TraceData> traces_of(const CollectiveRun& run) {
  std::vector<Rank> ranks;
  for (int number = 0; number < run.ranks; ++number) ranks.emplace_back(run, number);
  for (int step = 0; step < run.collectives; ++step) {
    std::int64_t last = 0;
    for (auto& rank : ranks) last = std::max(last, rank.step());
    for (auto& rank : ranks) rank.end_collective(last + kCollective);
  }
  std::vector<store::TraceData> traces;
  for (const auto& rank : ranks) traces.push_back(rank.trace());
  return traces;
}

} // namespace jitterscope::generator
