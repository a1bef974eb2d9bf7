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
  std::uint32_t number; ///< number of the key, assigned by the parser of the event
};

/// A triple such as "grid":[2,4,64]; absent dimensions are 1.
struct Triple {
  std::int64_t x = 1, y = 1, z = 1;
};

/// Kinds of events that the readers distinguish, by the category of the event.
enum class Category : std::uint8_t {
  None, ///< no category, or one that the readers do not use
  Kernel,
  Copy,
  Set,
  Call,     ///< call of the runtime or driver API
  Range,    ///< range on a thread of the host
  Python,   ///< functions of the interpreter: the majority of the events where they are recorded
  OnDevice, ///< ranges of the host projected onto streams, and waits of streams
  State,    ///< state of a thread of the host
  Ran,      ///< kernel or memory operation; its name states which
  Counters, ///< hardware counters of a kernel
};
/// The first known part of a category "a,b" decides.
Category category_of(std::string_view name);
/// True for kernels, memory operations and counters of kernels.
bool is_of_gpu(Category category);

/// One event of a trace in Chrome's format; texts point into the chunk that it was parsed from and are as
/// written (json/values.h), empty when absent, and kDigitPadding bytes of each may be read.
struct Event {
  char phase = 0;
  Category category = Category::None;
  std::string_view category_name, name, time, duration, pid, tid, id;
  std::vector<Argument> arguments; ///< arguments with scalar values; empty for ranges on threads
  std::optional<Triple> grid, block;

  /// The last argument of this name, empty when absent.
  std::string_view argument(Key key) const {
    const auto number = static_cast<std::size_t>(key);
    return (known >> number & 1) != 0 ? arguments[known_arguments[number]].value : std::string_view();
  }

  std::uint64_t known = 0; ///< bit k is set if Key k is among the arguments
  std::array<std::uint8_t, static_cast<std::size_t>(Key::Count)>
      known_arguments; ///< by Key: index in `arguments`
};
inline constexpr std::size_t kMaxArguments = 256; ///< maximum per event; further arguments are skipped

/// An event that owns its texts: those of a begin event are needed at its end event. Its keys have no
/// numbers.
class KeptEvent {
public:
  explicit KeptEvent(const Event& begin);
  KeptEvent(const KeptEvent&) = delete;
  KeptEvent& operator=(const KeptEvent&) = delete;
  /// Adds arguments that only the end event has; the texts of `end` must remain valid, too.
  void add_arguments(const Event& end);

  Event event;

private:
  std::string text_;
};

/// Parses the events of one trace; the keys of an event predict those of the next event (keys.h).
class EventParser {
public:
  /// Fills an event, which is reused. Elements that are not objects give an event without phase.
  simdjson::error_code parse(json::Elements::Value& value, Event& event);

private:
  simdjson::error_code parse_arguments(json::Elements::Value& value, Event& event);
  simdjson::error_code read_argument(Keys::Found key, json::Elements::Value& argument, Event& event);
  simdjson::error_code read_member(Key key, json::Elements::Value& member, Event& event);
  Category known_category(std::string_view name);

  Keys keys_;
  TextTable<Category> categories_;
};

} // namespace jitterscope::import::chrome
