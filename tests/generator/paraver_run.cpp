#include "tests/generator/paraver_run.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/generator/random.h"

namespace jitterscope::generator {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

constexpr int kRegion = 60'000'019, kCounter = 42'000'059;

constexpr const char* kLabels = R"(DEFAULT_OPTIONS

LEVEL               THREAD
UNITS               NANOSEC

STATES
0    Idle
1    Running
13    Group Communication

EVENT_TYPE
9    50000002    MPI Collective Comm
VALUES
10   MPI_Allreduce
0   End
)";

/// A thread by its process and its number in that process.
struct Place {
  int process = 0, thread = 0;
};

class Writer {
public:
  Writer(const ParaverOptions& options, std::FILE* file)
      : options_(options), file_(file), random_(options.seed) {}

  std::int64_t write() {
    header();
    std::vector<std::pair<std::int64_t, int>> arrivals;
    for (int step = 0; step < options_.steps; ++step) {
      const auto begin = step * options_.step_ns, end = begin + options_.step_ns;
      arrivals.clear();
      for (int i = 0; i < options_.processes * options_.threads; ++i)
        arrivals.emplace_back(begin + computing(place(i), step), i);
      for (const auto& [arrival, i] : arrivals) {
        computes(place(i), begin, true, 0);
        state(place(i), begin, arrival, 1);
      }
      std::sort(arrivals.begin(), arrivals.end());
      for (const auto& [arrival, i] : arrivals) {
        computes(place(i), arrival, false, (arrival - begin) / 1'000);
        state(place(i), arrival, end, 13);
        if (place(i).thread == 0) call(place(i), arrival, 10);
      }
      for (int process = 0; process < options_.processes; ++process) call({process, 0}, end, 0);
      flush();
    }
    return records_;
  }

private:
  Place place(int i) const { return {i / options_.threads, i % options_.threads}; }
  int cpu(Place of) const { return of.process * options_.threads + of.thread + 1; }

  // 45 % of the step, 20 % more in the last process than in the first, up to 10 % at random; late: 95 %.
  std::int64_t computing(Place of, int step) {
    const double share = 0.45 + 0.2 * of.process / options_.processes + 0.1 * random_.uniform();
    const bool middle = step >= options_.steps / 3 && step < options_.steps * 2 / 3;
    const bool late = middle && of.process >= options_.processes / 2 &&
                      of.process < options_.processes / 2 + options_.late_processes;
    return static_cast<std::int64_t>((late ? 0.95 : share) * static_cast<double>(options_.step_ns));
  }

  void header() {
    text_ += fmt::format("#Paraver (26/11/26 at 12:00):{}_ns:1({}):1:{}(", options_.steps * options_.step_ns,
                         options_.processes * options_.threads, options_.processes);
    for (int process = 0; process < options_.processes; ++process)
      text_ += fmt::format("{}{}:1", process > 0 ? "," : "", options_.threads);
    text_ += ")\n";
  }
  void state(Place of, std::int64_t begin, std::int64_t end, int number) {
    fmt::format_to(std::back_inserter(text_), "1:{}:1:{}:{}:{}:{}:{}\n", cpu(of), of.process + 1,
                   of.thread + 1, begin, end, number);
    ++records_;
  }
  void event(Place of, std::int64_t time, int type, std::int64_t value) {
    fmt::format_to(std::back_inserter(text_), "2:{}:1:{}:{}:{}:{}:{}\n", cpu(of), of.process + 1,
                   of.thread + 1, time, type, value);
    ++records_;
  }
  void call(Place of, std::int64_t time, int value) { event(of, time, 50'000'002, value); }
  void computes(Place of, std::int64_t time, bool begins, std::int64_t count) {
    if (!options_.region.empty()) event(of, time, kRegion, begins);
    if (!options_.counter.empty()) event(of, time, kCounter, count);
  }
  void flush() {
    std::fwrite(text_.data(), 1, text_.size(), file_);
    text_.clear();
  }

  const ParaverOptions& options_;
  std::FILE* file_;
  Random random_;
  std::string text_;
  std::int64_t records_ = 0;
};

std::string labels_of(const ParaverOptions& options) {
  std::string text = kLabels;
  if (!options.region.empty())
    text += fmt::format("\nEVENT_TYPE\n9    {}    User function\nVALUES\n1   {}\n0   End\n", kRegion,
                        options.region);
  if (!options.counter.empty())
    text += fmt::format("\nEVENT_TYPE\n7    {}    {}\n", kCounter, options.counter);
  return text;
}

std::string rows_of(const ParaverOptions& options) {
  std::string text = fmt::format("LEVEL THREAD SIZE {}\n", options.processes * options.threads);
  for (int process = 0; process < options.processes; ++process)
    for (int thread = 0; thread < options.threads; ++thread)
      fmt::format_to(std::back_inserter(text), "THREAD 1.{}.{}\n", process + 1, thread + 1);
  return text;
}

Expected<void> finish(File& file, const std::string& path) {
  const bool good = std::ferror(file.get()) == 0;
  if (std::fclose(file.release()) != 0 || !good)
    return failure(ErrorKind::Io, "the file cannot be written", path);
  return {};
}

Expected<void> write_text(const std::string& text, const std::string& path) {
  File file(std::fopen(path.c_str(), "w"), &std::fclose);
  if (!file) return failure(ErrorKind::Io, "the file cannot be written", path);
  std::fwrite(text.data(), 1, text.size(), file.get());
  return finish(file, path);
}

} // namespace

Expected<std::int64_t> write_paraver(const ParaverOptions& options, const std::string& path) {
  constexpr std::int64_t kMaxThreads = 10'000'000;
  if (options.processes < 1 || options.threads < 1 || options.steps < 1 || options.step_ns < 1'000 ||
      std::int64_t{options.processes} * options.threads > kMaxThreads)
    return failure(ErrorKind::BadUse,
                   "processes, threads and steps are at least 1, and at most 10 million threads");
  const auto path_next_to = [&](const char* ending) {
    return std::filesystem::path(path).replace_extension(ending).string();
  };
  if (auto done = write_text(labels_of(options), path_next_to(".pcf")); !done) return forward(done.error());
  if (auto done = write_text(rows_of(options), path_next_to(".row")); !done) return forward(done.error());
  File file(std::fopen(path.c_str(), "w"), &std::fclose);
  if (!file) return failure(ErrorKind::Io, "the file cannot be written", path);
  const auto records = Writer(options, file.get()).write();
  if (auto done = finish(file, path); !done) return forward(done.error());
  return records;
}

} // namespace jitterscope::generator
