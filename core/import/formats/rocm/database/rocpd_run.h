#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/formats/rocm/database/sqlite_session.h"

namespace jitterscope::import::rocm {

/// Hosts of all runs of a file: several runs of one node share a host.
using Nodes = std::map<std::string, std::unique_ptr<Places>>;

/// The tables of one run ("rocpd_string" and so on with the run's suffix). Early versions store times,
/// processes, threads and queues in separate tables (rocpd_timestamp, rocpd_track), later ones in the rows
/// themselves.
class RocpdRun {
public:
  RocpdRun(SqliteSession& session, Nodes& nodes, std::string suffix)
      : session_(session), nodes_(nodes), suffix_(std::move(suffix)) {}

  Expected<void> read(store::Source& source);

private:
  struct Place {
    std::int64_t node = 0, process = 0;
    std::optional<std::int64_t> thread, agent, queue;
  };
  struct Agent {
    std::int64_t number = 0;
    bool gpu = false;
    std::string name;
  };
  struct Symbol {
    std::string name;
    std::optional<std::int64_t> vgpr, accum_vgpr, sgpr, lds, scratch;
  };
  struct Event {
    std::int64_t id = 0;
    std::uint32_t correlation = 0;
    std::uint32_t category = kNone; ///< row of Draft::strings
  };
  struct Pmc {
    std::size_t column = 0; ///< index of the counter's column in Draft::attributes
    std::uint32_t counter = kNone;
    std::string name, unit;
    std::optional<std::int64_t> agent;
    std::int64_t node = 0, process = 0;
    bool column_made = false;
  };
  struct EventRow {
    std::int64_t event = 0;
    std::int64_t row = 0; ///< launch row, or time of a sample
    bool operator<(const EventRow& other) const { return event < other.event; }
  };

  std::string table(const char* name) const { return std::string(name) + suffix_; }
  Places& places(std::int64_t node);

  Expected<void> read_metadata(store::Source& source);
  Expected<void> read_strings();
  Expected<void> read_nodes();
  Expected<void> read_processes();
  Expected<void> read_agents();
  Expected<void> read_symbols();
  Expected<void> read_tracks();
  Expected<void> read_events();
  Expected<void> read_pmcs();
  Expected<void> read_kernels();
  Expected<void> read_copies();
  Expected<void> read_regions();
  Expected<void> read_allocations();
  Expected<void> read_samples();
  Expected<void> read_pmc_events();

  // The first columns of every query of events, for all versions of the schema.
  static const std::vector<std::string> kCommon;
  static std::vector<std::string> common_and(std::initializer_list<const char*> own);
  Place place_of_row(const sqlite::Rows& rows) const;
  std::optional<Times> times_of_row(const sqlite::Rows& rows, const std::string& table);
  std::optional<std::int64_t> timestamp(const sqlite::Rows& rows, int direct, int by_id) const;

  std::uint32_t process_of(const Place& place);
  std::uint32_t thread_of(const Place& place);
  /// The stream of a queue on an agent; if the file does not describe the agent, on a device with its number
  /// (0 without agent), and this is reported.
  std::uint32_t stream_of(const Place& place, std::optional<std::int64_t> agent, const std::string& table);
  const Event* event(std::optional<std::int64_t> id) const;
  std::string string(std::optional<std::int64_t> id) const;
  void set_counter(Pmc& pmc, std::size_t launch, double value);
  void add_sample(Pmc& pmc, std::int64_t time, double value);

  SqliteSession& session_;
  Nodes& nodes_;
  std::string suffix_;
  ById<std::string> strings_, node_keys_, process_names_, thread_names_, queue_names_, marker_texts_;
  ById<std::int64_t> pids_, tids_;
  ById<Agent> agents_;
  ById<Symbol> symbols_;
  ById<Place> tracks_;
  ById<std::int64_t> track_names_, timestamps_;
  ById<Pmc> pmcs_;
  SpillVector<Event> events_;
  SpillVector<EventRow> launch_of_event_, time_of_event_;
};

/// True when regions of this category and name are API calls, false for ranges that the program
/// marked.
bool is_api_call(std::string_view category, std::string_view name);

} // namespace jitterscope::import::rocm
