#pragma once

#include <cstdint>
#include <string_view>

#include "core/import/json/values.h"
#include "core/import/text.h"
#include "core/import/text_table.h"
#include "core/store/trace_data.h"

namespace jitterscope::import::chrome {

/// Interns texts as they are written in the file: each is unescaped and cleaned once.
class WrittenNames {
public:
  explicit WrittenNames(store::StringTable& strings) : strings_(strings) {}

  std::uint32_t operator()(std::string_view written) {
    if (const auto* known = known_.find(written)) return *known;
    return known_.add(written, strings_.intern(clean_text(json::text_of(written))).value);
  }

private:
  store::StringTable& strings_;
  TextTable<std::uint32_t> known_;
};

} // namespace jitterscope::import::chrome
