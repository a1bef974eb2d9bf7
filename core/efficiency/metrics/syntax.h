#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::efficiency::metrics {

/// Levels of the tree application → node → process → {device → stream, thread}. A rank is a
/// process.
enum class Level : std::uint8_t { Application, Node, Process, Device, Stream, Thread };
inline constexpr int kLevels = 6;
std::string_view to_string(Level level);

/// Whether every object of level `below` is inside one object of level `above`; also true for equal levels.
bool covers(Level above, Level below);

/// Sources of timelines: time intervals with attributes, each on one object.
enum class Source : std::uint8_t {
  Kernels,    ///< launches, on streams
  Queued,     ///< from the start of a launch's call until it runs, on streams
  Copies,     ///< memory operations except migrations, on devices
  Migrations, ///< migrations of unified memory, on devices
  Calls,      ///< calls of a GPU's runtime and other libraries, on threads
  Mpi,        ///< calls of MPI, on threads
  Sends,      ///< messages in transit, on the thread that sent them
  Ranges,     ///< named by the program, on threads
  States      ///< states of threads
};
inline constexpr int kSources = 9;
std::string_view to_string(Source source);
Level level_of(Source source);

/// Line and column of a character, from 1. Columns count characters, not bytes.
struct Place {
  int line = 1, column = 1;
};
std::string to_string(Place place); ///< "line 3, column 7"

/// Function that combines values of child objects into one.
enum class Aggregator : std::uint8_t { Sum, Mean, Minimum, Maximum, Any, All, Count };
inline constexpr int kAggregators = 7;
std::string_view to_string(Aggregator aggregator);

enum class Op : std::uint8_t {
  // For timelines and record attributes alike; children are operands.
  Number,
  Negate,
  Not,
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Or,
  Sign,
  Abs,
  Floor,
  Round,
  Sqrt,
  If,
  Within,
  Smallest,
  Largest,
  // Timelines.
  Let, ///< the let `index`
  Counter,
  NextCounter,
  CounterToNext,
  CounterInterval, ///< this and the three above: of the counters that `text` selects
  Count,
  Active,
  Value,
  Total,
  Rate,
  Recorded,       ///< of `records`; Value, Total and Rate have an attribute as child
  BorderInterval, ///< of `records`
  Starts,
  Frequency, ///< of `records`, in windows of `window`
  WindowAverage,
  WindowMaximum,
  WindowMinimum, ///< of the child, in windows of `window`
  Across,        ///< of the child, by `aggregator`, to `level`
  // Attributes of records.
  Field, ///< `text`
  TextEqual,
  TextMatch, ///< field `text` against `operand`; false if it is missing
  MeanOver,
  MaximumOver,
  MinimumOver, ///< of the child, a timeline
  GroupMean,   ///< of the child, over records with the same name or configuration
  Deviation    ///< |child − GroupMean of it|
};

struct Node;

/// Records of one source that meet a condition.
struct Records {
  Source source = Source::Kernels;
  std::shared_ptr<const Node> condition; ///< condition on a record; null: all records
  Place place;
};

/// An expression with checked levels.
struct Node {
  Op op = Op::Number;
  std::uint32_t id = 0;             ///< unique within the definition, < kMaxNodes
  Level level = Level::Application; ///< level of a timeline
  Place place;
  std::vector<Node> children{};
  double number = 0;
  std::int64_t window = 0; ///< length of the windows [ns], > 0
  std::size_t index = 0;
  bool pattern = false;  ///< `text` or `operand` is an RE2 regular expression
  bool inverted = false; ///< of TextEqual and TextMatch: whether the field differs from `operand`
  Aggregator aggregator = Aggregator::Sum;
  std::string text{}, operand{}; ///< operand of Field: name that it is compared with, for errors
  Place operand_place{};         ///< of Field
  std::shared_ptr<const Records> records{};
};

/// Names of the causal tiers, in their order; the last one means that no tier is given.
inline constexpr std::array<std::string_view, 7> kTierNames = {
    "environment", "configuration", "context", "counters", "duration", "variability", "unknown"};
inline constexpr int kDurationTier = 4, kUnknownTier = 6;

/// A parsed metric.
struct Definition {
  std::string title, unit, help;
  Level level = Level::Application;    ///< default level in views
  Aggregator across = Aggregator::Sum; ///< aggregates from the level of the metric to coarser ones
  int tier = kUnknownTier;             ///< tier of its column in causal answers (causal::Tier)
  std::vector<std::string> names;      ///< names of the lets
  std::vector<Node> lets;              ///< each uses earlier ones only
  Node metric;
  std::int64_t longest_window = 0; ///< [ns], 0 if there are no windows

  /// Levels at which the metric has values: its own and coarser ones.
  std::vector<Level> levels() const;
};

inline constexpr std::size_t kMaxText = 65'536; ///< bytes of a definition
inline constexpr int kMaxDepth = 64;            ///< maximum depth of nested expressions
inline constexpr std::size_t kMaxNodes = 4'096;

/// Parses a definition; resources/help/metrics.md has the grammar. Errors: BadUse with the place in the text,
/// what was found and what is expected there. Safe for any input bytes.
Expected<Definition> parse(std::string_view text);

/// A word of the language, for completion.
struct Word {
  std::string text;   ///< "count"
  std::string syntax; ///< "count(records)"
  std::string help;   ///< one sentence
};
const std::vector<Word>& words();

} // namespace jitterscope::efficiency::metrics
