#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/formats/chrome/event.h"

namespace jitterscope::import::chrome {

/// Writes events of other formats in Chrome's format, so that one place decides what kernels, copies, calls
/// and ranges are. Reusable.
class EventText {
public:
  void begin(char phase, std::string_view category);
  void set_name(std::string_view name);
  void set_time(std::int64_t ns);
  void set_duration(std::int64_t ns);
  void set_lane(std::string_view pid, std::string_view tid);
  void add_number(std::string_view key, std::int64_t value);
  void add_real(std::string_view key, double value); ///< adds nothing when it is not finite
  void add_text(std::string_view key, std::string_view value);
  void set_extents(Triple grid, Triple block);

  /// The event that was written; valid until the next begin().
  const Event& event();

private:
  struct Place {
    std::size_t at = 0, size = 0;
  };
  Place plain(std::string_view text);
  Place quoted(std::string_view text);
  std::string_view text(Place place) const { return {text_.data() + place.at, place.size}; }

  std::string text_;
  Place category_, name_, time_, duration_, pid_, tid_;
  struct Written {
    Place key, value;
  };
  std::vector<Written> arguments_;
  Event event_;
};

} // namespace jitterscope::import::chrome
