#include "tests/generator/tau_run.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "tests/generator/random.h"

namespace jitterscope::generator {
namespace {

constexpr const char* kTop = ".TAU application";
constexpr double kCountsPerMicrosecond = 1'000;

struct ProfiledFunction {
  std::string name, group;
  double calls = 0, exclusive_us = 0;
};

struct ProfiledEvent {
  std::string name;
  double count = 0, value = 0;
};

struct ProfiledThread {
  std::vector<ProfiledFunction> functions; ///< called from the top level
  std::vector<ProfiledEvent> events;
  std::string metadata;
  double top_us = 0; ///< exclusive time of the top level
};

std::string attribute(const std::string& name, const std::string& value) {
  return fmt::format("<attribute><name>{}</name><value>{}</value></attribute>", name, value);
}

ProfiledThread host_thread(const TauOptions& o, int rank, Random& random) {
  const auto steps = static_cast<double>(o.steps);
  const double p = o.ranks, message = o.alpha_us + o.message_bytes / o.bytes_per_us;
  const double reduce = o.ranks > 1 ? 2 * (p - 1) * (o.alpha_us + o.reduce_bytes / p / o.bytes_per_us) : 0;
  ProfiledThread out;
  out.metadata = attribute("Hostname", fmt::format("host{}", rank / o.ranks_per_host)) +
                 attribute("TAU Version", "2.33") + attribute("Command Line", "./ring &lt;n&gt;");
  out.top_us = 100;
  out.functions = {{"MPI_Init()  ", "MPI", 1, 20'000},
                   {"void compute(int) C [{ring.c} {5,1}-{11,1}]  ", "TAU_USER", steps,
                    steps * o.compute_us * (1 + 0.1 * random.uniform())},
                   {"MPI_Isend()  ", "MPI", steps, steps * message},
                   {"MPI_Recv()  ", "MPI", steps, steps * message},
                   {"MPI_Wait()  ", "MPI", steps, steps},
                   {"MPI_Allreduce()  ", "MPI", steps, steps * reduce},
                   {"MPI_Finalize()  ", "MPI", 1, 1'000}};
  out.events = {{"Message size sent to all nodes", steps, o.message_bytes},
                {"Message size received from all nodes", steps, o.message_bytes},
                {"Message size for all-reduce", steps, o.reduce_bytes}};
  if (o.receivers)
    out.events.push_back(
        {fmt::format("Message size sent to node {}", (rank + 1) % o.ranks), steps, o.message_bytes});
  return out;
}

ProfiledThread gpu_thread(const TauOptions& o, int rank) {
  ProfiledThread out;
  out.metadata = attribute("Hostname", fmt::format("host{}", rank / o.ranks_per_host)) +
                 attribute("CUDA Device", std::to_string(rank % o.ranks_per_host)) +
                 attribute("CUDA Stream", "7");
  const auto steps = static_cast<double>(o.steps);
  out.top_us = steps * o.compute_us * 0.2;
  out.functions = {{"_Z4axpyPff", "TAU_GPU_KERNEL", steps, steps * o.compute_us * 0.7},
                   {"Memory copy Host to Device", "TAU_GPU_MEMORY_COPY", steps, steps * o.compute_us * 0.1}};
  return out;
}

class ProfileText {
public:
  ProfileText(const TauOptions& options, const ProfiledThread& thread, const std::string& metric)
      : options_(options), thread_(thread), metric_(metric) {}

  std::string text() const {
    const auto functions = thread_.functions.size() * (options_.call_paths ? 2 : 1) + 1;
    auto out = fmt::format("{} templated_functions_MULTI_{}\n# Name Calls Subrs Excl Incl ProfileCalls # "
                           "<metadata>{}{}</metadata>\n",
                           functions, metric_, attribute("Metric Name", metric_), thread_.metadata);
    double all = thread_.top_us, calls = 0;
    for (const auto& f : thread_.functions) all += f.exclusive_us, calls += f.calls;
    out += line(kTop, "TAU_DEFAULT", 1, calls, thread_.top_us, all);
    for (const auto& f : thread_.functions) {
      out += line(f.name, f.group, f.calls, 0, f.exclusive_us, f.exclusive_us);
      if (options_.call_paths)
        out += line(fmt::format("{} => {}", kTop, f.name), "TAU_CALLPATH|" + f.group, f.calls, 0,
                    f.exclusive_us, f.exclusive_us);
    }
    out += fmt::format("0 aggregates\n{} userevents\n# eventname numevents max min mean sumsqr\n",
                       thread_.events.size());
    for (const auto& e : thread_.events)
      out += fmt::format("\"{}\" {:.16g} {:.16g} {:.16g} {:.16g} {:.16g}\n", e.name, e.count, e.value,
                         e.value, e.value, e.count * e.value * e.value);
    return out;
  }

private:
  std::string line(const std::string& name, const std::string& group, double calls, double subroutines,
                   double exclusive, double inclusive) const {
    const double factor = metric_.find("TIME") != std::string::npos ? 1 : kCountsPerMicrosecond;
    return fmt::format("\"{}\" {:.16g} {:.16g} {:.16g} {:.16g} 0 GROUP=\"{}\" \n", name, calls, subroutines,
                       factor * exclusive, factor * inclusive, group);
  }

  const TauOptions& options_;
  const ProfiledThread& thread_;
  const std::string& metric_;
};

Expected<void> write_profile(const std::filesystem::path& path, const std::string& text) {
  std::error_code problem;
  std::filesystem::create_directories(path.parent_path(), problem);
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) return failure(ErrorKind::Io, "the file cannot be written", path.string());
  return {};
}

} // namespace

Expected<std::int64_t> write_tau(const TauOptions& options, const std::string& folder) {
  if (options.ranks < 1 || options.ranks_per_host < 1 || options.steps < 1 || options.metrics.empty() ||
      !(options.bytes_per_us > 0))
    return failure(ErrorKind::BadUse,
                   "a run has at least one rank, one rank per host, one step and one metric");
  Random random(options.seed);
  std::int64_t files = 0;
  for (int rank = 0; rank < options.ranks; ++rank) {
    std::vector<ProfiledThread> threads = {host_thread(options, rank, random)};
    if (options.gpu) threads.push_back(gpu_thread(options, rank));
    for (std::size_t thread = 0; thread < threads.size(); ++thread)
      for (const auto& metric : options.metrics) {
        auto path = std::filesystem::path(folder);
        if (options.metrics.size() > 1) path /= "MULTI__" + metric;
        path /= fmt::format("profile.{}.0.{}", rank, thread);
        if (auto done = write_profile(path, ProfileText(options, threads[thread], metric).text()); !done)
          return forward(done.error());
        ++files;
      }
  }
  return files;
}

} // namespace jitterscope::generator
