#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/generator/model.h"
#include "tests/generator/program.h"
#include "tests/generator/random.h"
#include "tests/generator/schedule.h"

namespace jitterscope::generator {

const std::array<const char*, kMetrics> kMetricNames = {"GPC Clock Frequency", "SYS Clock Frequency",
                                                        "SM Active", "DRAM Read Throughput",
                                                        "DRAM Write Throughput"};

namespace {

constexpr std::int64_t kTick = 32; // ns: GPU timestamps are multiples of this
constexpr int kLaunchesPerStep = 96;
constexpr double kFullClock = 1.41e9;           // Hz
constexpr std::int64_t kSamplingStep = 100'000; // ns

constexpr Schedule::Shape kCopies{60'000.0, 18'000.0, 0.5, 0.8, 1.0};
constexpr Schedule::Shape kMigrations{400'000.0, 14'000.0, 0.5, 1.0, 1.0};
constexpr Schedule::Shape kSlowClocks{9'000'000.0, 4'000'000.0, 0.4, 0.25,
                                      0.5}; // strength: lost share of the clock

std::int64_t ticks(double ns) {
  return std::max<std::int64_t>(kTick, static_cast<std::int64_t>(ns / kTick + 0.5) * kTick);
}

bool planted(const Options& options, Cause cause) {
  return std::find(options.causes.begin(), options.causes.end(), cause) != options.causes.end();
}

// Each cause acts in one turn. In one more turn, after those of all causes, none acts.
Turns turns_of(const Options& options, Cause cause) {
  const auto own = std::find(options.causes.begin(), options.causes.end(), cause) - options.causes.begin();
  return {options.turn_ns, static_cast<int>(own), static_cast<int>(options.causes.size()) + 1};
}

/// One device with the process that uses it.
class DeviceSimulation {
public:
  DeviceSimulation(const Options& options, int device, Trace& trace)
      : options_(options), trace_(trace), device_(static_cast<std::int16_t>(device)),
        random_(options.seed * 1'000'003 + static_cast<std::uint64_t>(device) * 7 + 1),
        copies_(kCopies, random_.next(), turns_of(options, Cause::Copy)),
        migrations_(kMigrations, random_.next(), turns_of(options, Cause::Migration)),
        slow_clocks_(kSlowClocks, random_.next(), turns_of(options, Cause::Clock)),
        stream_free_(static_cast<std::size_t>(options.streams), 0),
        launched_(trace.configurations.size(), false), host_(400'000 + random_.below(50'000)) {
    for (int c = 0; c < kCauses; ++c)
      active_[static_cast<std::size_t>(c)] = planted(options, static_cast<Cause>(c));
    shuffle_program();
  }

  void run(std::int64_t launches) {
    const auto first_start = host_;
    for (std::int32_t step = 0; launches > 0; ++step) {
      const auto in_step = std::min<std::int64_t>(launches, kLaunchesPerStep);
      run_step(step, static_cast<int>(in_step));
      launches -= in_step;
    }
    add_background(first_start);
    trace_.end = std::max(trace_.end, host_ + 1'000'000);
  }

private:
  struct Slot {
    std::int32_t configuration = 0;
    std::int16_t stream = 0;
  };

  // The program repeats all configurations in a fixed order.
  void shuffle_program() {
    program_.resize(trace_.configurations.size());
    std::iota(program_.begin(), program_.end(), 0);
    for (auto i = static_cast<std::int64_t>(program_.size()) - 1; i > 0; --i)
      std::swap(program_[static_cast<std::size_t>(i)],
                program_[static_cast<std::size_t>(random_.below(i + 1))]);
  }

  // Any configuration on any stream: the two are independent.
  Slot next_slot() {
    const auto configuration = program_[next_++ % program_.size()];
    return {configuration, static_cast<std::int16_t>(random_.below(options_.streams))};
  }

  void run_step(std::int32_t step, int launches) {
    const auto begin = host_;
    host_ += 1'500;
    zero_gradients();
    copy(MemoryKind::HostToDevice, 65'536 + 4'096 * random_.below(16));
    int launched = 0;
    for (const auto& [name, share] :
         {std::pair{RangeName::Forward, 0.35}, {RangeName::Backward, 0.9}, {RangeName::Optimizer, 1.0}}) {
      const auto phase = host_;
      host_ += 400;
      for (; launched < static_cast<int>(share * launches + 0.5); ++launched) launch(next_slot());
      host_ += 400;
      trace_.ranges.push_back({phase, host_ - phase, step, device_, name});
    }
    synchronize();
    copy(MemoryKind::DeviceToHost, 64);
    host_ += 500;
    trace_.ranges.push_back({begin, host_ - begin, step, device_, RangeName::Step});
    host_ += 2'000 + random_.below(8'000);
  }

  void call(CallName name, std::int64_t duration, std::int32_t correlation) {
    trace_.calls.push_back({host_, static_cast<std::int32_t>(duration), correlation, device_, name, false});
    host_ += duration;
  }

  void zero_gradients() {
    const auto correlation = ++correlation_;
    call(CallName::SetAsync, 2'500 + random_.below(1'000), correlation);
    const auto start = round_up(std::max(host_ + 1'500, stream_free_[0] + 800));
    const auto duration = ticks(2'200.0 + 100.0 * random_.normal());
    trace_.memory.push_back(
        {start, duration, 4 << 20, correlation, device_, kFirstStream, MemoryKind::Memset});
    stream_free_[0] = start + duration;
  }

  // The batch is copied before the launches of a step, the loss after them. The program waits for both
  // copies, so no launch runs at the same time.
  void copy(MemoryKind kind, std::int64_t bytes) {
    const auto correlation = ++correlation_;
    const auto start = round_up(host_ + 3'500);
    const auto duration = ticks(1'100.0 + static_cast<double>(bytes) / 24.0);
    trace_.memory.push_back({start, duration, bytes, correlation, device_, kCopyStream, kind});
    call(CallName::Copy, start + duration + 1'000 - host_, correlation);
  }

  void launch(const Slot& slot) {
    const auto correlation = ++correlation_;
    call(CallName::Launch, 2'600 + static_cast<std::int64_t>(random_.log_normal(900.0, 0.4)), correlation);
    host_ += 200 + random_.below(300);
    auto& free = stream_free_[static_cast<std::size_t>(slot.stream)];
    const auto gap = static_cast<std::int64_t>(random_.log_normal(1'100.0, 0.35));
    const auto start = round_up(std::max(host_ + 1'200, free + gap));
    const bool first = !launched_[static_cast<std::size_t>(slot.configuration)];
    const auto duration = duration_of(slot, start, first);
    trace_.launches.push_back({start, static_cast<std::int32_t>(duration), slot.configuration, correlation,
                               device_, static_cast<std::int16_t>(kFirstStream + slot.stream)});
    free = start + duration;
    // Code is loaded on first use: the program continues after that.
    if (first && active(Cause::Warmup)) host_ = std::max(host_, free);
    launched_[static_cast<std::size_t>(slot.configuration)] = true;
  }

  void synchronize() {
    auto done = host_;
    for (const auto free : stream_free_) done = std::max(done, free);
    call(CallName::Synchronize, done + 3'000 + random_.below(1'000) - host_, ++correlation_);
  }

  // Noise has one distribution for all configurations: without a planted cause no column is associated with
  // it. Every cause adds its part, which is stored. All random numbers are drawn even if they are not used,
  // so that traces with different causes have the same noise.
  std::int64_t duration_of(const Slot& slot, std::int64_t start, bool first) {
    const auto& configuration = trace_.configurations[static_cast<std::size_t>(slot.configuration)];
    const double noise = random_.log_normal(500.0, 0.3) - 523.0;
    const double spread = random_.normal();
    const double erratic = random_.uniform(), how_erratic = random_.uniform(), loading = random_.uniform();
    const auto base = static_cast<double>(configuration.base_ns);
    std::array<double, kCauses> parts{};
    const auto part = [&](Cause cause) -> double& { return parts[static_cast<std::size_t>(cause)]; };
    if (acts(Cause::Configuration, start) && configuration.kernel == 0)
      part(Cause::Configuration) = std::clamp(spread, -4.0, 4.0) * 600.0 * (configuration.scale - 1);
    if (acts(Cause::Stream, start) && slot.stream == options_.streams - 1 && erratic < 0.15)
      part(Cause::Stream) = base * (1.0 + 3.0 * how_erratic);
    if (active(Cause::Warmup) && first) part(Cause::Warmup) = 1.5e6 + 1.5e6 * loading;
    double work = base + noise;
    for (const double p : parts) work += p;
    return disturbed(std::max(work, 500.0), start, configuration, parts);
  }

  // A launch runs until its work is done: disturbances take time from it, and a longer launch overlaps more
  // of them.
  std::int64_t disturbed(double work, std::int64_t start, const Configuration& configuration,
                         std::array<double, kCauses>& parts) {
    const bool memory_bound = trace_.kernels[static_cast<std::size_t>(configuration.kernel)].memory_bound;
    double copy = 0.0, migration = 0.0, clock = 0.0;
    for (int round = 0; round < 40; ++round) {
      const auto end = start + ticks(work + copy + migration + clock);
      const double before = copy + migration + clock;
      if (active(Cause::Copy) && memory_bound) copy = 0.75 * static_cast<double>(copies_.covered(start, end));
      if (active(Cause::Migration)) migration = static_cast<double>(migrations_.covered(start, end));
      if (active(Cause::Clock)) clock = slow_clocks_.strength_within(start, end);
      if (copy + migration + clock - before < 1.0) break;
    }
    parts[static_cast<std::size_t>(Cause::Copy)] = copy;
    parts[static_cast<std::size_t>(Cause::Migration)] = migration;
    parts[static_cast<std::size_t>(Cause::Clock)] = clock;
    for (std::size_t cause = 0; cause < parts.size(); ++cause)
      if (active_[cause]) trace_.contributions[cause].push_back(static_cast<std::int32_t>(parts[cause]));
    return ticks(work + copy + migration + clock);
  }

  void add_background(std::int64_t first_start) {
    if (active(Cause::Copy) || options_.harmless_copies)
      for (const auto& interval : copies_.until(host_))
        if (interval.begin >= first_start) add_copy(interval);
    if (active(Cause::Migration))
      for (const auto& migration : migrations_.until(host_))
        if (migration.begin >= first_start) add_migration(migration);
    for (auto time = kSamplingStep + random_.below(kSamplingStep); time < host_;
         time += kSamplingStep + random_.below(5))
      add_sample(time);
  }

  void add_copy(const Schedule::Interval& interval) {
    const auto correlation = ++correlation_;
    const auto length = interval.end - interval.begin;
    trace_.memory.push_back({interval.begin, length,
                             static_cast<std::int64_t>(static_cast<double>(length) * 24.0), correlation,
                             device_, kCopyStream, MemoryKind::HostToDevice});
    trace_.calls.push_back({interval.begin - 6'000, 3'000, correlation, device_, CallName::CopyAsync, true});
  }

  // One burst of page faults: rows of 4 KiB to 2 MiB, back to back.
  void add_migration(const Schedule::Interval& burst) {
    for (auto begin = burst.begin; begin < burst.end;) {
      const auto end = std::min(burst.end, begin + 1'500 + random_.below(4'000));
      const auto pages = std::max<std::int64_t>(1, (end - begin) * 12 / 4096);
      trace_.memory.push_back({begin, end - begin, pages * 4096, 0, device_, 0, MemoryKind::Migration});
      begin = end;
    }
  }

  void add_sample(std::int64_t time) {
    SampleRow sample;
    sample.time = time;
    sample.device = device_;
    const double lost = active(Cause::Clock) ? slow_clocks_.strength_within(time - kSamplingStep, time) /
                                                   static_cast<double>(kSamplingStep)
                                             : 0.0;
    sample.values[0] = static_cast<std::int64_t>(kFullClock * (1.0 - lost) + 1e5 * random_.normal());
    sample.values[1] = static_cast<std::int64_t>(1.2e9 + 1e5 * random_.normal());
    for (std::size_t metric = 2; metric < kMetrics; ++metric)
      sample.values[metric] =
          std::clamp<std::int64_t>(60 + static_cast<std::int64_t>(8.0 * random_.normal()), 0, 100);
    trace_.samples.push_back(sample);
  }

  static std::int64_t round_up(std::int64_t time) { return (time + kTick - 1) / kTick * kTick; }
  bool acts(Cause cause, std::int64_t time) const {
    return active(cause) && turns_of(options_, cause).act_at(time);
  }
  bool active(Cause cause) const { return active_[static_cast<std::size_t>(cause)]; }

  const Options& options_;
  Trace& trace_;
  std::int16_t device_;
  Random random_;
  Schedule copies_, migrations_, slow_clocks_;
  std::vector<std::int64_t> stream_free_;
  std::vector<bool> launched_;
  std::array<bool, kCauses> active_{};
  std::vector<std::int32_t> program_; // configurations
  std::size_t next_ = 0;
  std::int64_t host_;
  std::int32_t correlation_ = 0;
};

} // namespace

Trace simulate(const Options& options) {
  Trace trace;
  Random random(options.seed);
  trace.kernels = make_kernels(options.kernels, random);
  trace.configurations = make_configurations(trace.kernels);
  trace.launches.reserve(static_cast<std::size_t>(options.launches));
  for (int device = 0; device < options.devices; ++device) {
    const auto share =
        options.launches / options.devices + (device < options.launches % options.devices ? 1 : 0);
    DeviceSimulation(options, device, trace).run(share);
  }
  return trace;
}

} // namespace jitterscope::generator
