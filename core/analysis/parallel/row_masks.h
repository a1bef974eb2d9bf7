#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/columns/launch_reader.h"
#include "core/analysis/filter/selection.h"
#include "core/analysis/filter/value_set.h"
#include "core/analysis/parallel/column_steps.h"
#include "core/analysis/session/row_sample.h"

namespace jitterscope::analysis {

struct ParallelCache;

/// A bit for each row of this rank's share of a RowSample, kWordsOfBlock words per block; bits after the last
/// row of a block are 0.
using RowBits = std::vector<std::uint64_t>;
inline constexpr std::size_t kWordsOfBlock = RowSample::kBlock / 64;

/// Rows that selections select, as bits. A selection is decomposed into conditions on single columns, times
/// and streams; the bits of each are cached, so that moving a brush on one axis reads only that column. The
/// steps of that column are cached too, so that further moves read few values.
class RowMasks {
public:
  /// `cache` may be null.
  RowMasks(const Session& session, const LaunchColumns& columns, const RowSample& sample,
           ParallelCache* cache)
      : session_(session), columns_(columns), sample_(sample), cache_(cache) {}

  /// Adds a mask of the rows that every one of the selections selects. Returns its index.
  std::size_t add(const std::vector<const Selection*>& all_of);
  /// Computes the bits of all masks. Collective. Errors: Cancelled.
  Expected<void> make(Communicator& communicator, const Job& job);
  /// Null: all rows.
  const std::shared_ptr<const RowBits>& bits(std::size_t mask) const { return masks_[mask].bits; }

private:
  /// A condition whose bits are cached separately.
  struct Part {
    std::string key;
    std::string column;                   ///< column of the condition, if it is on one column
    std::shared_ptr<LaunchReader> reader; ///< reader of `column`
    ValueSet values;
    std::vector<std::vector<std::uint8_t>>
        accepted;    ///< per trace, if the reader has a table: whether each id passes
    Selection whole; ///< condition that is not on one column
    std::shared_ptr<RowBits> bits;
    bool known = false;
    std::shared_ptr<ColumnSteps>
        steps;            ///< steps of the column: from the cache, or filled while the values are read
    bool stepped = false; ///< the steps decide for all rows except rows in the edges of `cut`
    ColumnSteps::Cut cut;
  };
  /// Buffers of one thread for a block.
  struct Buffers {
    std::vector<double> values;
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint16_t> places;
    std::vector<std::uint64_t> words;
    std::vector<std::map<std::uint16_t, ValueSet::Range>>
        seen; ///< by part: range of the values in the edge steps that were read
  };
  struct Tree {
    enum class Kind { Part, And, Or, Not } kind = Kind::Part;
    std::size_t part = 0;
    std::vector<Tree> children;
  };
  struct Mask {
    std::vector<Tree> all_of;
    std::shared_ptr<const RowBits> bits;
    std::shared_ptr<RowBits> made; ///< bits computed for this mask; null if the mask has the bits of one part
  };

  Tree tree_of(const std::shared_ptr<const FilterNode>& node);
  Tree part(Part made);
  Expected<std::vector<Buffers>> find_bits(std::size_t words, const Job& job);
  void find_steps(Part& part);
  void keep_steps(const std::vector<Buffers>& threads);
  std::string steps_key(const Part& part) const;
  std::string bits_key(const Part& part) const;
  void read(std::size_t number, const std::vector<Segment>& segments, std::size_t block, Buffers& own) const;
  void read_values(const Part& part, const Segment& segment, std::size_t place, Buffers& own,
                   std::uint8_t* out) const;
  void read_steps(const Part& part, const Segment& segment, std::size_t place, Buffers& own,
                  std::map<std::uint16_t, ValueSet::Range>& seen, std::uint8_t* out) const;
  void join(const Tree& tree, std::size_t block, std::size_t rows, std::uint64_t* words) const;

  const Session& session_;
  const LaunchColumns& columns_;
  const RowSample& sample_;
  ParallelCache* cache_;
  std::vector<Part> parts_;
  std::vector<Mask> masks_;
};

} // namespace jitterscope::analysis
