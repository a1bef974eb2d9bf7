#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/efficiency/metrics/evaluation.h"
#include "core/efficiency/metrics/question.h"

namespace jitterscope::efficiency::metrics {

/// A range and the columns it consists of, or part of one column.
struct Piece {
  Interval range;
  int first = 0, last = 0; ///< columns
};

/// Where column c of `count` begins.
std::int64_t column_begin(Interval range, int c, int count);

/// Splits columns into pieces with some thousand records each; a column with more is split itself. The same
/// on every rank.
std::vector<Piece> pieces_of(const Bound& bound, Interval range, int count);

/// Numbers that describe one piece, and how those of all pieces come together.
using Words = std::vector<std::int64_t>;

/// Evaluates the metric of every asked object in every piece, spread over ranks and threads, and returns what
/// `fold` made of each piece, in order, on every rank. fold(piece, number of the object in the question,
/// steps, words).
Expected<std::vector<Words>>
sweep(const Bound& bound, const Question& question, const std::vector<Piece>& pieces,
      const std::function<void(const Piece&, std::size_t, const Steps&, Words&)>& fold,
      Communicator& communicator, const Job& job);

/// The node whose values are asked for: the metric, or its aggregate at a coarser level.
Expected<Node> node_at(const Definition& definition, Level level);
Expected<void> check(const Bound& bound, const Question& question);

} // namespace jitterscope::efficiency::metrics
