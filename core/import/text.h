#pragma once

#include <string>
#include <string_view>

namespace jitterscope::import {

/// Valid UTF-8 without NUL: every byte that cannot stand there becomes U+FFFD. Names go into JSON, HDF5 and
/// onto the screen, all of which refuse or mangle anything else.
std::string clean_text(std::string_view bytes);

/// True when clean_text would return the same bytes.
bool is_clean_text(std::string_view bytes);

/// A name as a column of the filter language can have it: lower case letters, digits, single '_' in place of
/// everything else, none at either end. "GPC Clock Frequency" → "gpc_clock_frequency"; never empty.
std::string slug(std::string_view text);

} // namespace jitterscope::import
