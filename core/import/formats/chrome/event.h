#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/formats/chrome/keys.h"
#include "core/import/text/json/elements.h"
#include "core/import/text/text_table.h"

namespace jitterscope::import::chrome {

/// One argument of an event, as written.
struct Argument {
  Argument(std::string_view k, std::string_view v, std::uint32_t n = Keys::kUnnumbered)
      : key(k), value(v), number(n) {}
  std::string_view key, value;
  std::uint32_t number; ///< of the key, by the parser of the event
};

/// A triple such as "grid":[2,4,64]; dimensions that are not there are 1.
struct Triple {
  std::int64_t x = 1, y = 1, z = 1;
};

/// What kinds of events the readers treat alike, from the category.
enum class Category : std::uint8_t {
  None, ///< none, or one that says nothing here
  Kernel,
  Copy,
  Set,
  Call,     ///< of the runtime or driver
  Range,    ///< on a thread of the host
  Python,   ///< of the interpreter: most of the events where they are recorded
  OnDevice, ///< ranges of the host projected onto streams, waits
  Ran,      ///< kernels and memory operations, told apart by their names
  Counters, ///< hardware counters of a kernel
};
/// Of "a,b" the first part that says something counts.
Category category_of(std::string_view name);
/// Kernels, memory operations and counters of kernels.
bool is_of_gpu(Category category);

/// One event of a trace in Chrome's format; texts point into the chunk that it was parsed from and are as
/// written (json/values.h), empty when absent, and kDigitPadding bytes of each may be read.
struct Event {
  char phase = 0;
  Category category = Category::None;
  std::string_view category_name, name, time, duration, pid, tid, id;
  std::vector<Argument> arguments; ///< scalars only; of ranges on threads none
  std::optional<Triple> grid, block;

  /// The last argument of this name, empty when there is none.
  std::string_view argument(Key key) const {
    const auto number = static_cast<std::size_t>(key);
    return (known >> number & 1) != 0 ? arguments[known_arguments[number]].value : std::string_view();
  }

  std::uint64_t known = 0; ///< a bit for each Key among the arguments
  std::array<std::uint8_t, static_cast<std::size_t>(Key::Count)> known_arguments; ///< where they stand
};
inline constexpr std::size_t kMostArguments = 256; ///< of an event; others are passed over

/// An event whose texts stay: those that begin something are needed where it ends. Keys have no numbers in
/// it.
class KeptEvent {
public:
  explicit KeptEvent(const Event& begin);
  KeptEvent(const KeptEvent&) = delete;
  KeptEvent& operator=(const KeptEvent&) = delete;
  /// Arguments that stand at the end only; its texts must stay, too.
  void add_arguments(const Event& end);

  Event event;

private:
  std::string text_;
};

/// Parses the events of one trace, which resemble each other.
class EventParser {
public:
  /// Fills an event that is used again and again. Elements that are no objects give an event without phase.
  simdjson::error_code parse(json::Elements::Value& value, Event& event);

private:
  simdjson::error_code parse_arguments(json::Elements::Value& value, Event& event);
  simdjson::error_code take_argument(Keys::Found key, json::Elements::Value& argument, Event& event);
  simdjson::error_code take_member(Key key, json::Elements::Value& member, Event& event);
  Category known_category(std::string_view name);

  Keys keys_;
  TextTable<Category> categories_;
};

} // namespace jitterscope::import::chrome
