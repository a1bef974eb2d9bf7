#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/filter/selection.h"
#include "core/reasons/rows/typical_windows.h"

namespace jitterscope::analysis {

/// Maximum number of rows used; 0: all.
struct SampleSize {
  std::int64_t rows = 0;
  /// The sample is doubled, up to this many rows, until its mean variability is within 5 % of that of all
  /// selected launches: a few long launches close together are then neither missed nor overweighted.
  std::int64_t limit = rows;
};

/// The selected launches of a session, or a sample of them, in session row order: one bit per launch.
class SampledLaunches {
public:
  /// Maximum number of consecutive launches of a sample.
  static constexpr std::int64_t kSampled = 1'024;

  /// Collective: each rank evaluates the filter on its share, then every rank gets the whole selection.
  static Expected<SampledLaunches> make(const Session& session, const LaunchColumns& columns,
                                        const Selection& selection, Communicator& communicator,
                                        const Job& job);

  /// With more than `requested.rows` selected launches (0: no limit) keeps those among runs of kSampled
  /// launches from all parts of the session (shorter runs if there were fewer than 64). Collective.
  Expected<void> sample(const Session& session, const TypicalWindows& typical, const SampleSize& requested,
                        Communicator& communicator, const Job& job);

  std::int64_t rows() const { return rows_; }
  std::int64_t selected() const { return selected_; } ///< more than rows() after sampling
  std::int64_t stretch() const { return stretch_; }   ///< launches per run of the sample
  /// Whether a launch of the session is among the rows.
  bool contains(std::int64_t session_row) const {
    return ((bits_[static_cast<std::size_t>(session_row) / 64] >> (session_row % 64)) & 1) != 0;
  }
  /// Session rows of rows [first, first + count).
  std::vector<std::int64_t> session_rows(std::int64_t first, std::int64_t count) const;

private:
  /// Consecutive launches of the session, some of them selected.
  struct Stretch {
    std::size_t first_word = 0, last_word = 0; ///< words of the selection's bits
    std::int64_t rows = 0;
    double variability = 0; ///< Σ |duration − typical duration|, ns
  };
  void number_rows();
  std::vector<Stretch> stretches() const;
  Expected<void> add_variability(const Session& session, const TypicalWindows& typical,
                                 std::vector<Stretch>& stretches, Communicator& communicator,
                                 const Job& job) const;

  std::vector<std::uint64_t> bits_;           ///< a bit per session row
  std::vector<std::int64_t> selected_before_; ///< number of selected rows before each word of bits_
  std::int64_t rows_ = 0, selected_ = 0;
  std::int64_t stretch_ = kSampled;
};

} // namespace jitterscope::analysis
