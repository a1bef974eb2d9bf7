#include "core/engine/messages/request_limits.h"

#include <algorithm>
#include <map>
#include <string>

#include <flatbuffers/minireflect.h>
#include <fmt/core.h>

namespace jitterscope::engine {
namespace {

using Limits = RequestLimits;

tl::unexpected<Error> exceeded(const std::string& what, std::int64_t limit, const std::string& place) {
  return failure(ErrorKind::BadUse, fmt::format("the request has more than {} {}", limit, what), {}, place,
                 "Use smaller numbers, or fewer axes, bins or list members.");
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

namespace {

constexpr std::pair<std::string_view, std::int64_t> kMaxNumbers[] = {
    {"bins", Limits::kBins},        {"columns", Limits::kBins},       {"rows", Limits::kBins},
    {"count", Limits::kListed},     {"most", Limits::kListed},        {"most_axes", Limits::kListed},
    {"top_count", Limits::kListed}, {"bootstrap", Limits::kResamples}};

/// Reads encoded options: their texts, the numbers outside lists by name, and the first list that is too
/// long.
class OptionsReader : public flatbuffers::IterationVisitor {
public:
  std::vector<std::string_view> texts;
  std::map<std::string_view, double> numbers;
  std::string_view long_list, many_axes;

  void Field(std::size_t, std::size_t, flatbuffers::ElementaryType, bool list, const flatbuffers::TypeTable*,
             const char* name, const std::uint8_t* value) override {
    name_ = name;
    if (!list || !value) return;
    const auto* at = value + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(value);
    const auto members = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(at);
    if (members > Limits::kList && long_list.empty()) long_list = name_;
    if (lists_ == 0 && name_ == "axes" && members > Limits::kAxes) many_axes = name_;
  }
  void StartVector() override { ++lists_; }
  void EndVector() override { --lists_; }
  void Int(std::int32_t value, const char*) override { add(value); }
  void UInt(std::uint32_t value, const char*) override { add(value); }
  void Long(std::int64_t value) override { add(static_cast<double>(value)); }
  void ULong(std::uint64_t value) override { add(static_cast<double>(value)); }
  void Double(double value) override { add(value); }
  void String(const flatbuffers::String* text) override { texts.push_back(text->string_view()); }

private:
  void add(double value) {
    if (lists_ == 0) numbers[name_] = value;
  }

  int lists_ = 0;
  std::string_view name_;
};

} // namespace

Expected<std::vector<std::string_view>> check_limits(std::span<const std::uint8_t> options,
                                                     const flatbuffers::TypeTable& fields) {
  if (options.size() > Limits::kText) return exceeded("bytes of options", Limits::kText, {});
  OptionsReader reader;
  flatbuffers::IterateFlatBuffer(options.data(), &fields, &reader);
  if (!reader.long_list.empty())
    return exceeded("members of one list", Limits::kList, std::string(reader.long_list));
  if (!reader.many_axes.empty()) return exceeded("axes", Limits::kAxes, "axes");
  for (const auto& [name, limit] : kMaxNumbers)
    if (const auto found = reader.numbers.find(name);
        found != reader.numbers.end() && found->second > static_cast<double>(limit))
      return failure(ErrorKind::BadUse,
                     fmt::format("\"{}\" of the request exceeds the limit of {}", name, limit), {},
                     std::string(name), "Use smaller numbers, or fewer axes, bins or list members.");
  const auto number = [&](std::string_view name) {
    const auto found = reader.numbers.find(name);
    return found != reader.numbers.end() ? std::max(found->second, 0.0) : 0.0;
  };
  if (number("columns") * number("rows") > static_cast<double>(Limits::kCells))
    return exceeded("cells of rows and columns", Limits::kCells, "rows");
  return std::move(reader.texts);
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
