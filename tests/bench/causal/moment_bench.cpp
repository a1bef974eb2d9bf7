// Causal answers of a long run, warm and cold, each compared with a plain scan of the same columns in the
// same run.
//
// jitterscope_causal_moments [STORE.jts | LAUNCHES]: a store, or the number of launches of a generated trace
// in which all causes act.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/operations/operations.h"
#include "core/engine/ranks/mpi_communicator.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/bench/measure.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::bench;
using nlohmann::json;

namespace {

constexpr int kTop = 20, kScans = 5;

/// A session whose operations run in this process: on one rank or, under mpirun, on one of several.
class Asking {
public:
  Asking(Communicator& communicator, const std::string& store) : communicator_(communicator) {
    if (!find(engine::OpenOptions{.stores = {store}})) std::exit(3);
  }
  Expected<engine::Answer> find(const engine::Request& request) {
    return engine::run_operation({workspace_, communicator_, job_}, request);
  }
  json ask(const engine::Request& request) {
    auto answer = find(request);
    if (!answer)
      std::fprintf(stderr, "%s: %s\n", request.operation.c_str(), answer.error().message.c_str()),
          std::exit(3);
    return std::move(answer->document);
  }
  const engine::Workspace& workspace() const { return workspace_; }

private:
  Communicator& communicator_;
  engine::Workspace workspace_;
  Job job_;
};

void row(const char* question, double launches, Cost ours, Cost scan) {
  std::printf("%-52s %10.0f %8.3f %8.3f %12.4f %8.0f x\n", question, launches, ours.wall_s, ours.cpu_s,
              scan.cpu_s, ours.cpu_s / scan.cpu_s);
  std::fflush(stdout);
}

/// Sums the columns that a causal question reads over rows [first, last): the plain scan that answers are
/// compared with.
Cost scan_of(const Asking& asking, std::int64_t first, std::int64_t last) {
  const auto& session = *asking.workspace().session;
  const auto& columns = *asking.workspace().columns;
  double sum = 0;
  const Cost cost = median_of(kScans, [&] {
    for (const auto& segment : session.segments(first, last)) {
      for (const auto& column : columns.list())
        if (column.stored && column.kind == analysis::ColumnKind::Number)
          for (const double value : columns.read(column.name, segment)) sum += std::isnan(value) ? 0 : value;
      const auto durations = session.traces()[segment.trace].durations();
      for (auto i = segment.first; i < segment.last; ++i)
        sum += static_cast<double>(durations[static_cast<std::size_t>(i)]);
    }
  });
  if (sum == 0.5) std::printf(" "); // so that the compiler keeps the sum
  return cost;
}

std::string store_of(const std::string& argument, const std::string& folder) {
  if (argument.ends_with(".jts")) return argument;
  generator::Options options;
  options.launches = argument.empty() ? 1'000'000 : std::atoll(argument.c_str());
  options.causes = generator::all_causes();
  const auto trace = folder + "/trace.sqlite", store = folder + "/trace.jts";
  if (!generator::generate(options, trace, {})) std::exit(3);
  const auto data = import::import_files({trace}, Job());
  if (!data || !store::write_store(*data, store)) std::exit(3);
  return store;
}

} // namespace

int main(int argc, char** argv) {
  const auto alone = local_communicator();
  std::optional<engine::MpiCommunicator> mpi;
  if (std::getenv("OMPI_COMM_WORLD_SIZE")) mpi.emplace(&argc, &argv);
  auto& communicator = mpi ? static_cast<Communicator&>(*mpi) : *alone;
  if (communicator.rank() != 0 && !std::freopen("/dev/null", "w", stdout)) return 3;
  const test::TemporaryFolder folder;
  const auto store = store_of(argc > 1 ? argv[1] : "", folder.path().string());
  Asking asking(communicator, store);
  const auto launches = asking.workspace().session->launches();
  const Cost whole = scan_of(asking, 0, launches);
  std::printf("%-52s %10s %8s %8s %12s %8s\n", "question", "launches", "s", "CPU s", "scan, CPU s", "ratio");
  const auto once = [&](const char* words, const engine::Request& request) {
    json answer;
    const Cost cost = cost_of([&] { answer = asking.ask(request); });
    row(words, static_cast<double>(launches), cost, whole);
    return answer;
  };
  once("whole run, first provisional answer", engine::CausalOptions{.provisional = true});
  once("whole run, sample of the default", engine::CausalOptions());
  once("whole run, all launches", engine::CausalOptions{.most_rows = 0});
  json bins = asking.ask(engine::BinsOptions{.top_count = kTop});
  if (mpi) bins = json::parse(mpi->broadcast(bins.dump())); // only rank 0 has the answer
  const auto width = bins.at("width_ns").get<std::int64_t>();
  std::vector<Interval> moments;
  for (const auto& kept : bins.at("kept_bins")) {
    const auto begin = kept.at("start_ns").get<std::int64_t>();
    moments.push_back({{begin}, {begin + width}});
  }
  const auto why = [&](std::size_t moment, bool provisional = false) {
    return engine::ContrastOptions{.intervals = {moments[moment]}, .provisional = provisional};
  };
  once("a bin, first provisional answer of the session", why(0, true));
  once("another bin, provisional answer", why(1, true));
  once("a bin, first question of the session", why(0));
  std::vector<Cost> costs;
  double of_bin = 0;
  for (std::size_t m = 0; m < moments.size(); ++m)
    costs.push_back(cost_of([&] {
      const auto answer = asking.find(why(m)).and_then(engine::table_of<engine::answers::ContrastAnswer>);
      if (answer) of_bin += static_cast<double>(answer->n);
    }));
  std::sort(costs.begin(), costs.end(), [](const Cost& a, const Cost& b) { return a.cpu_s < b.cpu_s; });
  of_bin /= static_cast<double>(moments.size());
  const Cost few = scan_of(asking, 0, static_cast<std::int64_t>(of_bin));
  row("a bin, warm, median of the top 20", of_bin, costs[costs.size() / 2], few);
  row("a bin, warm, slowest of the top 20", of_bin, costs.back(), few);
  once("reasons of the top 20 bins, warm", engine::ReasonsOptions{.moments = moments});
  return 0;
}
