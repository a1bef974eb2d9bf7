#include "core/base/similar_names.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace jitterscope {
namespace {

constexpr std::size_t kMaxNames = 3, kLongest = 64;

std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, kLongest)) {
    const auto letter = static_cast<unsigned char>(c);
    text += c == '-' || c == ' ' ? '_' : static_cast<char>(std::tolower(letter));
  }
  return text;
}

// Optimal string alignment: letters inserted, deleted, replaced or swapped with their neighbour.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t k = 0; k <= b.size(); ++k) above[k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      row[k] = std::min({above[k] + 1, row[k - 1] + 1, above[k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1)});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        row[k] = std::min(row[k], before[k - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

// Smaller is more similar; nothing for names that have little in common.
std::optional<std::size_t> difference(const std::string& given, const std::string& name) {
  constexpr std::size_t kWorthHolding = 3;
  const auto letters = distance(given, name);
  const std::size_t allowed = std::max<std::size_t>(1, std::min(given.size(), name.size()) / 3);
  if (letters <= allowed) return letters;
  const bool holds = (given.size() >= kWorthHolding && name.find(given) != std::string::npos) ||
                     (name.size() >= kWorthHolding && given.find(name) != std::string::npos);
  return holds ? std::optional(letters) : std::nullopt;
}

} // namespace

std::vector<std::string> similar_names(std::string_view given, const std::vector<std::string>& names) {
  struct Candidate {
    std::size_t difference;
    const std::string* name;
  };
  const auto requested = plain(given);
  std::vector<Candidate> candidates;
  for (const auto& name : names)
    if (const auto d = difference(requested, plain(name)); d && !requested.empty() && name != given)
      candidates.push_back({*d, &name});
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.difference < b.difference; });
  std::vector<std::string> found;
  for (const auto& candidate : candidates)
    if (found.size() < kMaxNames && std::find(found.begin(), found.end(), *candidate.name) == found.end())
      found.push_back(*candidate.name);
  return found;
}

std::string did_you_mean(std::string_view given, const std::vector<std::string>& names,
                         std::string otherwise) {
  const auto similar = similar_names(given, names);
  if (similar.empty()) return otherwise;
  std::string text = "Did you mean ";
  for (std::size_t i = 0; i < similar.size(); ++i) {
    if (i > 0) text += i + 1 == similar.size() ? " or " : ", ";
    text += '"' + similar[i] + '"';
  }
  return text + '?';
}

} // namespace jitterscope
