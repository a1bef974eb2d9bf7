#include "core/import/formats/machine/machine_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace jitterscope::import::machine {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20; // outputs are some kB, logs with them some MB

struct Unit {
  std::string_view name;
  double factor;
};
constexpr double kKi = 1024, kMi = kKi * kKi, kGi = kMi * kKi, kTi = kGi * kKi;
constexpr std::array<Unit, 26> kUnits{
    {{"B", 1},       {"bytes", 1},   {"KiB", kKi},  {"MiB", kMi},  {"GiB", kGi},   {"kB", 1e3},
     {"KB", 1e3},    {"MB", 1e6},    {"GB", 1e9},   {"B/s", 1},    {"KiB/s", kKi}, {"MiB/s", kMi},
     {"GiB/s", kGi}, {"TiB/s", kTi}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9},  {"TB/s", 1e12},
     {"Hz", 1},      {"kHz", 1e3},   {"KHz", 1e3},  {"MHz", 1e6},  {"GHz", 1e9},   {"cycles", 1},
     {"cycle", 1},   {"bit", 1}}};

} // namespace

Expected<std::string> text_of(const Input& input, const Progress& progress) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  std::string text;
  std::vector<char> piece(std::size_t{1} << 20);
  for (;;) {
    const auto got = (*stream)->read(piece);
    if (!got) return forward(got.error());
    if (*got == 0) break;
    if (text.size() + *got > kMaxBytes)
      return failure(ErrorKind::BadInput, "the file is too long for the output of a benchmark", input.name(),
                     {}, "Keep only the lines of the benchmark: at most 64 MiB are read.");
    text.append(piece.data(), *got);
    if (!progress.report((*stream)->consumed(), input.disk_bytes, "benchmark results"))
      return Job::cancelled_error();
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (;;) {
    line = trimmed(line);
    if (line.empty()) return words;
    const auto end = line.find_first_of(" \t");
    words.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return words;
    line.remove_prefix(end);
  }
}

std::optional<double> number_of(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::optional<double> factor_of_unit(std::string_view unit) {
  const auto known = std::ranges::find(kUnits, unit, &Unit::name);
  return known == kUnits.end() ? std::nullopt : std::optional(known->factor);
}

} // namespace jitterscope::import::machine
