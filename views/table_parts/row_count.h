#pragma once

#include <QString>
#include <cstdint>

#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::views {

/// "n = 1 launch", "n = 1,234 launches".
inline QString launchCount(std::uint64_t n) {
  return n == 1 ? Text::tr("n = 1 launch") : Text::tr("n = %1 launches").arg(formatCount(n));
}

} // namespace jitterscope::views
