#include "core/engine/messages/request_limits.h"

#include <algorithm>
#include <string>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace jitterscope::engine {
namespace {

using Limits = RequestLimits;
using nlohmann::json;

tl::unexpected<Error> exceeded(const std::string& what, std::int64_t limit, const std::string& place) {
  return failure(ErrorKind::BadUse, fmt::format("the request has more than {} {}", limit, what), {}, place,
                 "Use smaller numbers, or fewer axes, bins or list members.");
}

/// Checks every list inside the value; the recursion is at most kNesting deep.
Expected<void> check_lists(const json& value, const std::string& name) {
  if (!value.is_structured()) return {};
  if (value.size() > Limits::kList) return exceeded("members of one list", Limits::kList, name);
  for (const auto& member : value)
    if (auto done = check_lists(member, name); !done) return done;
  return {};
}

Expected<void> check_numbers(const json& options, std::initializer_list<const char*> names,
                             std::int64_t limit) {
  for (const char* name : names)
    if (const auto found = options.find(name);
        found != options.end() && found->is_number() && found->get<double>() > static_cast<double>(limit))
      return failure(ErrorKind::BadUse,
                     fmt::format("\"{}\" of the request exceeds the limit of {}", name, limit), {}, name,
                     "Use smaller numbers, or fewer axes, bins or list members.");
  return {};
}

} // namespace

Expected<void> check_text(std::string_view text) {
  if (text.size() > Limits::kText) return exceeded("bytes of options", Limits::kText, {});
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (quoted && letter == '\\')
      ++i;
    else if (letter == '"')
      quoted = !quoted;
    else if (!quoted && (letter == '[' || letter == '{') && ++depth > Limits::kNesting)
      return exceeded("levels of nested lists and objects", Limits::kNesting, {});
    else if (!quoted && (letter == ']' || letter == '}'))
      --depth;
  }
  return {};
}

Expected<void> check_limits(const json& options) {
  for (const auto& [name, value] : options.items())
    if (auto done = check_lists(value, name); !done) return done;
  if (const auto axes = options.find("axes");
      axes != options.end() && axes->is_array() && axes->size() > Limits::kAxes)
    return exceeded("axes", Limits::kAxes, "axes");
  if (auto done = check_numbers(options, {"bins", "columns", "rows"}, Limits::kBins); !done) return done;
  if (auto done = check_numbers(options, {"count", "most", "most_axes", "top_count"}, Limits::kListed); !done)
    return done;
  if (auto done = check_numbers(options, {"bootstrap"}, Limits::kResamples); !done) return done;
  const auto number = [&](const char* name) {
    const auto found = options.find(name);
    return found != options.end() && found->is_number() ? std::max(found->get<double>(), 0.0) : 0.0;
  };
  if (number("columns") * number("rows") > static_cast<double>(Limits::kCells))
    return exceeded("cells of rows and columns", Limits::kCells, "rows");
  return {};
}

Expected<void> check_pair_cells(std::size_t axes, std::int64_t bins, std::size_t sets) {
  const auto cells =
      static_cast<double>(axes) * static_cast<double>((bins + 1) * (bins + 1)) * static_cast<double>(sets);
  if (axes > Limits::kAxes) return exceeded("axes", Limits::kAxes, "axes");
  if (cells > static_cast<double>(Limits::kPairCells))
    return exceeded("histogram cells over all pairs of adjacent axes", Limits::kPairCells, "bins");
  return {};
}

} // namespace jitterscope::engine
