#include "core/import/formats/rocm/database/databases.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>

#include <fmt/core.h>

#include "core/import/formats/rocm/database/sqlite_session.h"

namespace jitterscope::import::rocm {
namespace {

using sqlite::Rows;
using store::Severity;

// The statistic used as a metric's value, the best first.
constexpr std::array kValueNames = {"Avg", "Mean", "Value", "Median"};

constexpr std::array kValueTables = {"compute_kernel_metric_value", "compute_metric_value", "compute_value"};

struct Kernel {
  std::int64_t workload = 0;
  std::string name;
  std::vector<std::size_t> launches;
};
struct Metric {
  std::string name, id, description, unit;
  std::size_t column = 0;
  bool column_made = false;
};
struct Chosen {
  std::size_t rank = kValueNames.size();
  double value = 0;
};

class ComputeDatabase {
public:
  ComputeDatabase(SqliteSession& session, Draft& draft) : session_(session), draft_(draft) {}

  Expected<void> read(store::Source& source) {
    using Step = Expected<void> (ComputeDatabase::*)();
    auto done = session_.for_each("compute_metadata", {"compute_version", "version", "schema_version"},
                                  [&](const Rows& rows) {
                                    source.tool = text_or_empty(rows, 0);
                                    if (source.tool.empty()) source.tool = text_or_empty(rows, 1);
                                    source.schema = text_or_empty(rows, 2);
                                  });
    if (!done) return done;
    for (const Step step :
         {&ComputeDatabase::read_workloads, &ComputeDatabase::read_kernels, &ComputeDatabase::read_dispatches,
          &ComputeDatabase::read_metrics, &ComputeDatabase::read_values})
      if (auto read = (this->*step)(); !read) return read;
    return {};
  }

private:
  Expected<void> read_workloads() {
    return session_.for_each("compute_workload", {"workload_id", "name", "sub_name"}, [&](const Rows& rows) {
      const auto id = integer(rows, 0);
      if (!id) return;
      const auto name = text_or_empty(rows, 1), sub = text_or_empty(rows, 2);
      workloads_[*id] = sub.empty() ? name : name + " " + sub;
    });
  }

  Expected<void> read_kernels() {
    return session_.for_each("compute_kernel", {"kernel_uuid", "workload_id", "kernel_name"},
                             [&](const Rows& rows) {
                               const auto id = integer(rows, 0);
                               if (!id) return;
                               auto& kernel = kernels_[*id];
                               kernel.workload = integer(rows, 1).value_or(0);
                               kernel.name = text_or_empty(rows, 2);
                             });
  }

  // Each workload was a separate run with its own clock, and gets its own host.
  Places& places(std::int64_t workload) {
    auto& places = places_[workload];
    if (!places) places = std::make_unique<Places>(draft_);
    return *places;
  }

  Expected<void> read_dispatches() {
    const std::string table = "compute_dispatch";
    return session_.for_each(
        table, {"kernel_uuid", "gpu_id", "start_timestamp", "end_timestamp", "pid"}, [&](const Rows& rows) {
          const auto id = integer(rows, 0);
          const auto kernel = id ? kernels_.find(*id) : kernels_.end();
          if (kernel == kernels_.end()) {
            session_.issues.count(Severity::Drop, "dangling-name", [&] {
              return fmt::format("{} belongs to a kernel that the file does not contain",
                                 place_of(rows, table));
            });
            return;
          }
          const auto times = session_.times(rows, 2, 3, table);
          if (!times) return;
          auto& at = places(kernel->second.workload);
          const auto name = workloads_.find(kernel->second.workload);
          const auto process = at.process(integer(rows, 4).value_or(-1),
                                          name == workloads_.end() ? std::string() : name->second);
          Configuration configuration;
          configuration.kernel = session_.kernels.of(kernel->second.name).kernel;
          kernel->second.launches.push_back(draft_.launches.start.size());
          push_launch(draft_, *times, draft_.configuration(configuration),
                      at.stream(at.device(process, integer(rows, 1).value_or(0)), 0), 0);
        });
  }

  Expected<void> read_metrics() {
    const std::string table =
        session_.db.has_table("compute_metric_definition") ? "compute_metric_definition" : "compute_metric";
    auto done = session_.for_each(
        table, {"metric_uuid", "name", "metric_id", "description", "unit", "table_name", "sub_table_name"},
        [&](const Rows& rows) {
          const auto id = integer(rows, 0);
          if (!id) return;
          Metric metric;
          metric.name = text_or_empty(rows, 1);
          metric.id = text_or_empty(rows, 2);
          metric.unit = text_or_empty(rows, 4);
          metric.description = fmt::format("{} ({}): {}; over all launches of the kernel", metric.name,
                                           metric.id, text_or_empty(rows, 3));
          metrics_[*id] = std::move(metric);
        });
    if (!done) return done;
    std::map<std::string, std::string> id_of_name;
    for (auto& [id, metric] : metrics_) {
      const auto [place, added] = id_of_name.try_emplace(metric.name, metric.id);
      if (!added && place->second != metric.id) ambiguous_.insert(metric.name);
    }
    return {};
  }

  void set(std::int64_t metric_id, std::int64_t kernel_id, double value) {
    auto& metric = metrics_[metric_id];
    if (!metric.column_made) {
      const auto title =
          ambiguous_.contains(metric.name) ? fmt::format("{} {}", metric.name, metric.id) : metric.name;
      metric.column = draft_.attributes.number(title, metric.unit, metric.description);
      metric.column_made = true;
    }
    for (const auto launch : kernels_[kernel_id].launches)
      draft_.attributes.set(metric.column, launch, value);
  }

  Expected<void> read_values() {
    std::map<std::pair<std::int64_t, std::int64_t>, Chosen> chosen; // (metric, kernel)
    for (const std::string table : kValueTables) {
      auto done = session_.for_each(
          table, {"metric_uuid", "kernel_uuid", "value_name", "value"}, [&](const Rows& rows) {
            const auto metric = integer(rows, 0), kernel = integer(rows, 1);
            if (!metric || !kernel || !metrics_.contains(*metric) || !kernels_.contains(*kernel)) {
              session_.issues.count(Severity::Drop, "dangling-counter", [&] {
                return fmt::format("{} belongs to a metric or kernel that the file does not contain",
                                   place_of(rows, table));
              });
              return;
            }
            const auto name = text_or_empty(rows, 2);
            const auto rank = static_cast<std::size_t>(
                std::find(kValueNames.begin(), kValueNames.end(), name) - kValueNames.begin());
            if (rank == kValueNames.size()) {
              session_.issues.count(Severity::Info, "other-statistics", [&] {
                return fmt::format(
                    "the mean or the value of each metric is read; {} and other statistics are left out",
                    name);
              });
              return;
            }
            if (!rows.is_number(3)) return; // not available
            auto& best = chosen[{*metric, *kernel}];
            if (rank < best.rank) best = {rank, rows.number(3)};
          });
      if (!done) return done;
    }
    for (const auto& [key, value] : chosen) set(key.first, key.second, value.value);
    return {};
  }

  SqliteSession& session_;
  Draft& draft_;
  ById<std::string> workloads_;
  ById<Kernel> kernels_;
  std::map<std::int64_t, Metric> metrics_;
  std::set<std::string> ambiguous_; // names shared by several metrics
  std::map<std::int64_t, std::unique_ptr<Places>> places_;
};

} // namespace

bool recognises_compute_db(const sqlite::Database& database) {
  return database.has_table("compute_dispatch") && database.has_table("compute_kernel");
}

Expected<void> read_compute_db(sqlite::Database& database, const Input&, Draft& draft, store::Source& source,
                               const Progress& progress) {
  SqliteSession session(database, draft, progress);
  session.expect({"compute_dispatch", "compute_metric_definition", "compute_kernel_metric_value"});
  ComputeDatabase reader(session, draft);
  if (auto done = reader.read(source); !done) return done;
  return session.finish("an analysis database of rocprof-compute",
                        "Create it again: rocprof-compute analyze --path WORKLOAD --output-format db");
}

} // namespace jitterscope::import::rocm
