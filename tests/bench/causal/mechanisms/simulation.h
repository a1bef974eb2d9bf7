#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/causal/base/random.h"
#include "core/causal/base/row_source.h"
#include "tests/support/launch_table.h"

namespace jitterscope::mechanisms {

using Column = std::vector<double>;

/// One run of a mechanism. Every draw has its own random stream, numbered in the order of the calls, so that
/// a run without the cause has the same random numbers everywhere else.
class Simulation {
public:
  Simulation(std::uint64_t seed, std::size_t rows, bool without, std::optional<double> held_at)
      : n(rows), without_(without), held_at_(held_at), seed_(seed) {}

  const std::size_t n;

  // Columns of n draws.
  Column normal();
  Column uniform();
  Column exponential(double mean);
  Column lognormal(double median, double sigma);
  Column coin(double probability);                         ///< 0 or 1
  Column whole(std::size_t bound);                         ///< 0 … bound − 1
  Column autoregressive(double correlation_of_neighbours); ///< standard normal margins
  Column poisson(const Column& mean);
  /// Stays at one of the levels for an exponentially distributed number of rows.
  Column phases(const std::vector<double>& levels, double mean_rows);

  /// True if the cause is absent: for effects without a column of their own.
  bool off() const { return without_; }
  /// The cause as an event: without it no event happens.
  Column event(Column happened);
  /// The cause as a numeric factor: without it all rows have `held_at` (the reference stated in the answer),
  /// or the median by default.
  Column amount(Column values);

  /// A random configuration for each row, each of its own kernel; returns the durations in ns.
  Column launches(int configurations = 3, double shortest_ns = 20e3);
  /// Configuration of each row, after `launches`.
  const std::vector<std::uint32_t>& configuration() const { return table.group; }

  void column(const std::string& name, const std::string& unit, const Column& values);
  void text(const std::string& name, const Column& codes, const std::vector<std::string>& labels);
  /// To be called last: durations() for a table of launches, target() for a plain table.
  void durations(const Column& ns);
  void target(const std::string& name, const std::string& unit, const Column& values);
  /// Adds columns that profilers record with every launch, without an effect here: stream, queue, copies,
  /// clocks, temperature.
  void bystanders(bool clocks = true);
  /// Treats columns as those of a plain table: only their names indicate their meaning.
  void plain() { plain_ = true; }

  causal::LaunchTable table;
  const Column& outcome() const { return outcome_; }

private:
  causal::Random stream() { return causal::Random(seed_, ++streams_); }

  bool without_, plain_ = false;
  std::optional<double> held_at_;
  std::uint64_t seed_, streams_ = 0;
  Column outcome_;
};

/// The correct kinds of answer.
enum class Label {
  identifiable, ///< the direction is identifiable: the cause must be named first, as a cause
  associated,   ///< the direction is not identifiable: the right column first, not as a cause
  nothing,      ///< no recorded column acts: no cause may be named, even if columns are associated
};

struct Mechanism {
  std::string name, area;
  Label label = Label::identifiable;
  std::vector<std::string> first; ///< prefixes of the names that may be named first
  std::vector<std::string> real;  ///< prefixes of the names of other columns with an effect
  std::function<void(Simulation&)> run;
  std::size_t rows = 4'000;
  bool event_reference = false; ///< the true share is without the event or effect, for any reference value
                                ///< that the answer states
};

/// Every mechanism, in a fixed order.
std::vector<Mechanism> all_mechanisms();

void add_clocks(std::vector<Mechanism>& to);
void add_contention(std::vector<Mechanism>& to);
void add_work(std::vector<Mechanism>& to);
void add_phases_and_queues(std::vector<Mechanism>& to);
void add_places(std::vector<Mechanism>& to);
void add_directions(std::vector<Mechanism>& to);
void add_events(std::vector<Mechanism>& to);
void add_graphs(std::vector<Mechanism>& to);
void add_tables(std::vector<Mechanism>& to);
void add_mixtures(std::vector<Mechanism>& to);
void add_orders(std::vector<Mechanism>& to);

/// True for half of the mechanisms, by a hash of the name (FNV-1a). Rules are developed on this half; the
/// other half is for reports.
bool is_for_development(const std::string& name);

} // namespace jitterscope::mechanisms
