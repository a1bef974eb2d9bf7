#pragma once

#include <cstdint>
#include <string_view>

#include "core/import/text/json/values.h"
#include "core/import/text/text.h"
#include "core/import/text/text_table.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import::chrome {

/// PaddlePaddle writes "gemm[0.020 ms]": the duration of an event is not part of its name.
inline std::string_view without_duration(std::string_view name) {
  constexpr std::string_view kUnit = " ms]";
  if (!name.ends_with(kUnit)) return name;
  const auto open = name.rfind('[');
  const auto number = name.substr(open + 1, name.size() - kUnit.size() - open - 1);
  const bool milliseconds = !number.empty() && number.find('.') != std::string_view::npos &&
                            number.find_first_not_of("0123456789.") == std::string_view::npos;
  return milliseconds && open > 0 ? name.substr(0, open) : name;
}

/// Interns texts as written in the file: each is unescaped and cleaned once.
class WrittenNames {
public:
  explicit WrittenNames(store::StringTable& strings) : strings_(strings) {}

  std::uint32_t operator()(std::string_view written) {
    if (const auto* known = known_.find(written)) return *known;
    return known_.add(written, strings_.intern(clean_text(without_duration(json::text_of(written)))).value);
  }

private:
  store::StringTable& strings_;
  TextTable<std::uint32_t> known_;
};

} // namespace jitterscope::import::chrome
