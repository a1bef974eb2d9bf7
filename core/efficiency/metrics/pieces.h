#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/efficiency/metrics/evaluation.h"
#include "core/efficiency/metrics/question.h"

namespace jitterscope::efficiency::metrics {

/// A range and the columns it consists of, or a part of one column.
struct Piece {
  Interval range;
  int first = 0, last = 0; ///< columns [first, last)
};

/// Start of column `c` if the range is divided into `count` columns.
std::int64_t column_begin(Interval range, int c, int count);

/// Splits columns into pieces of a few thousand records each; a column with more is itself split. The same on
/// every rank.
std::vector<Piece> pieces_of(const Bound& bound, Interval range, int count);

/// Numbers that describe one piece.
using Words = std::vector<std::int64_t>;

/// Evaluates metrics of every requested object in every piece, distributed over ranks and threads, and
/// returns the output of `fold` for each piece, in order, on every rank. Arguments of fold: piece, index of
/// the object in the question, steps of each metric, words.
Expected<std::vector<Words>>
sweep(std::span<const Bound* const> metrics, const Question& question, const std::vector<Piece>& pieces,
      const std::function<void(const Piece&, std::size_t, std::span<const Steps>, Words&)>& fold,
      Communicator& communicator, const Job& job);

/// The same for one metric.
Expected<std::vector<Words>>
sweep(const Bound& bound, const Question& question, const std::vector<Piece>& pieces,
      const std::function<void(const Piece&, std::size_t, const Steps&, Words&)>& fold,
      Communicator& communicator, const Job& job);

/// The node to evaluate: the metric, or its aggregate at a coarser level.
Expected<Node> node_at(const Definition& definition, Level level);
Expected<void> check(const Bound& bound, const Question& question);

} // namespace jitterscope::efficiency::metrics
