#include "core/import/formats/gpu_trace/tables.h"

#include <limits>

#include <fmt/core.h>

#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::gpu_trace {
namespace {

using store::Severity;

constexpr std::int64_t kMaxDevice = 65'535;

} // namespace

std::uint32_t count_of(std::string_view text) {
  const auto value = parse_number(text);
  return value && *value >= 0 && *value <= std::numeric_limits<std::uint32_t>::max()
             ? static_cast<std::uint32_t>(*value)
             : 0;
}

Tables::Tables(Draft& target, RowIssues& row_issues)
    : draft(target), issues(row_issues), names(target),
      places(target, target.add_resource(store::ResourceKind::Host, kNone, 0, {})) {}

// "NVIDIA A100 (0)": the number in parentheses is CUDA's.
std::uint32_t Tables::device(std::int64_t process, std::string_view text) {
  const auto open = text.rfind('(');
  std::optional<std::int64_t> number;
  std::string name = clean_text(text);
  if (open != std::string_view::npos && text.back() == ')') {
    number = parse_integer(text.substr(open + 1, text.size() - open - 2));
    if (number) name = clean_text(trimmed(text.substr(0, open)));
  } else if ((number = parse_integer(text))) {
    name.clear();
  }
  if (!number || *number < 0 || *number > kMaxDevice) {
    number = devices_.try_emplace(name, static_cast<std::int64_t>(devices_.size())).first->second;
  }
  if (places.first_device(*number) == kNone) places.describe(*number, {name, {}, 0, {}});
  return places.device(places.process(process), *number);
}

// Streams of two contexts may have the same number: they are kept separate.
std::uint32_t Tables::stream(std::int64_t process, std::string_view device_text, std::int64_t context,
                             std::string_view number) {
  const auto on = device(process, device_text);
  const auto stream = parse_integer(number).value_or(0);
  const auto first = contexts_.try_emplace({on, stream}, context).first->second;
  if (first == context) return places.stream(on, stream);
  const auto apart = (context << 32) ^ stream ^ (std::int64_t{1} << 62);
  return places.stream(on, apart, fmt::format("stream {} of context {}", stream, context));
}

std::uint32_t Tables::thread(std::int64_t process, std::string_view number) {
  return places.thread(places.process(process), parse_integer(number).value_or(0));
}

std::optional<Times> Tables::times(const CsvReader& csv, const Titles& titles, std::size_t start,
                                   std::size_t duration) {
  const auto begin = parse_decimal(field(csv, start), titles.time_scale(start));
  const auto length = parse_decimal(field(csv, duration), titles.time_scale(duration));
  if (!begin || !length) {
    issues.count(Severity::Drop, "missing-time",
                 [&] { return fmt::format("{} has no usable start or duration", csv.place()); });
    return {};
  }
  if (*length < 0) {
    issues.count(Severity::Drop, "negative-duration",
                 [&] { return fmt::format("{} lasts {} ns", csv.place(), *length); });
    return {};
  }
  if (!is_measurable({*begin, *length})) {
    issues.count(Severity::Drop, "impossible-time", [&] {
      return fmt::format("{} starts at {} ns and lasts {} ns, which is out of range", csv.place(), *begin,
                         *length);
    });
    return {};
  }
  return Times{*begin, *length};
}

bool Tables::names_kernel(const CsvReader& csv, std::string_view name) {
  if (name.empty())
    issues.count(Severity::Drop, "missing-name",
                 [&] { return fmt::format("{} does not name a kernel", csv.place()); });
  return !name.empty();
}

} // namespace jitterscope::import::gpu_trace
