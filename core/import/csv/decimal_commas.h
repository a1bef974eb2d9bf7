#pragma once

#include <string_view>

namespace jitterscope::import {

/// Tells by the cells of a table whether its numbers are written as a German or French locale does,
/// "1.234,5": "5,12" is no number elsewhere, "6.219" must then be one of thousands.
class DecimalCommas {
public:
  /// False for a number that is not written so: then none is.
  bool take(std::string_view cell);
  /// Some number has a comma that can only stand before a fraction.
  bool found() const { return found_; }

private:
  bool found_ = false;
};

} // namespace jitterscope::import
