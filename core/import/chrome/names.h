#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/import/json/values.h"
#include "core/import/text.h"
#include "core/store/trace_data.h"

namespace jitterscope::import::chrome {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <class Value>
using ByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

/// Interns texts as they are written in the file: each is unescaped and cleaned once.
class WrittenNames {
public:
  explicit WrittenNames(store::StringTable& strings) : strings_(strings) {}

  std::uint32_t operator()(std::string_view written) {
    if (const auto found = known_.find(written); found != known_.end()) return found->second;
    const auto id = strings_.intern(clean_text(json::text_of(written))).value;
    known_.emplace(std::string(written), id);
    return id;
  }

private:
  store::StringTable& strings_;
  ByText<std::uint32_t> known_;
};

} // namespace jitterscope::import::chrome
