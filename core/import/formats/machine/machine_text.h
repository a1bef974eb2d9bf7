#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/records/reader.h"

namespace jitterscope::import::machine {

/// The whole text of an input. Errors: BadInput beyond 64 MiB, Cancelled, those of the stream.
Expected<std::string> text_of(const Input& input, const Progress& progress);

/// Calls `use` for every line, without its line break. Stops when it returns false.
template <class Use>
void for_each_line(std::string_view text, Use&& use) {
  while (!text.empty()) {
    const auto end = text.find_first_of("\r\n");
    if (!use(text.substr(0, end))) return;
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  }
}

std::string_view trimmed(std::string_view text);
/// Parts separated by blanks.
std::vector<std::string_view> words_of(std::string_view line);
/// The whole text as a finite number; nothing otherwise.
std::optional<double> number_of(std::string_view text);
/// Factor from a unit as MT4G writes it ("KiB", "kHz", "GiB/s", "cycles") to bytes, hertz, bytes per second
/// or cycles; nothing if it is unknown.
std::optional<double> factor_of_unit(std::string_view unit);
bool contains(std::string_view text, std::string_view part);

} // namespace jitterscope::import::machine
