#pragma once

#include <string>
#include <unordered_map>
#include <vector>

namespace jitterscope::generator {

/// Table StringIds while it grows: ids from 0, each text once.
class Strings {
public:
  long long id(const std::string& text) {
    const auto [place, added] = ids_.try_emplace(text, static_cast<long long>(texts_.size()));
    if (added) texts_.push_back(text);
    return place->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

private:
  std::unordered_map<std::string, long long> ids_;
  std::vector<std::string> texts_;
};

} // namespace jitterscope::generator
