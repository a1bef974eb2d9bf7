#include "core/import/formats/tau/profile_file.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/core.h>

#include "core/import/formats/paraver/lines.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::tau {
namespace {

using store::Severity;

constexpr std::string_view kTitle = " templated_functions", kMulti = "_MULTI_", kGroup = " GROUP=\"";
constexpr std::size_t kMaxMetadata = 4'096; // maximum number of entries

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t digits(std::string_view text) {
  return static_cast<std::size_t>(
      std::find_if_not(text.begin(), text.end(), [](char c) { return is_digit(c); }) - text.begin());
}

// "23 templated_functions_MULTI_TIME": the number and the metric, which old versions leave out.
struct Title {
  std::int64_t functions = 0;
  std::string metric;
};
std::optional<Title> title_of(std::string_view line) {
  const auto number = digits(line);
  if (number == 0 || !line.substr(number).starts_with(kTitle)) return {};
  auto metric = trimmed(line.substr(number + kTitle.size()));
  if (metric.starts_with(kMulti))
    metric.remove_prefix(kMulti.size());
  else if (metric.starts_with('_'))
    metric.remove_prefix(1);
  else if (!metric.empty())
    return {};
  return Title{parse_integer(line.substr(0, number)).value_or(0),
               metric.empty() ? std::string("TIME") : clean_text(metric)};
}

// "2 userevents", "0 aggregates".
std::optional<std::int64_t> number_before(std::string_view line, std::string_view word) {
  const auto number = digits(line);
  if (number == 0 || trimmed(line.substr(number)) != word) return {};
  return parse_integer(line.substr(0, number));
}

std::string without_entities(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kEntities = {
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  std::string out;
  while (!text.empty()) {
    const auto entity = std::find_if(kEntities.begin(), kEntities.end(),
                                     [&](const auto& each) { return text.starts_with(each.first); });
    out += entity != kEntities.end() ? entity->second : text.front();
    text.remove_prefix(entity != kEntities.end() ? entity->first.size() : 1);
  }
  return clean_text(out);
}

// "<attribute><name>Hostname</name><value>nid01045</value></attribute>…"
void read_metadata(std::string_view line, ProfileFile& file) {
  constexpr std::string_view kName = "<name>", kBetween = "</name><value>", kEnd = "</value>";
  for (auto at = line.find(kName); at != std::string_view::npos && file.metadata.size() < kMaxMetadata;
       at = line.find(kName, at)) {
    at += kName.size();
    const auto between = line.find(kBetween, at);
    if (between == std::string_view::npos) return;
    const auto value = between + kBetween.size(), end = line.find(kEnd, value);
    if (end == std::string_view::npos) return;
    file.metadata.emplace(without_entities(line.substr(at, between - at)),
                          without_entities(line.substr(value, end - value)));
    at = end;
  }
}

// A name in quotation marks and numbers after it.
struct Row {
  std::string_view name;
  std::array<double, 5> numbers{};
};
std::optional<Row> row_of(std::string_view text) {
  const auto end = text.rfind('"');
  if (text.empty() || text.front() != '"' || end == 0 || end == std::string_view::npos) return {};
  Row row;
  row.name = trimmed(text.substr(1, end - 1));
  auto rest = trimmed(text.substr(end + 1));
  for (auto& number : row.numbers) {
    const auto size = std::min(rest.find_first_of(" \t"), rest.size());
    const auto value = parse_number(rest.substr(0, size));
    if (!value) return {};
    number = *value;
    rest = trimmed(rest.substr(size));
  }
  return row.name.empty() ? std::nullopt : std::optional(row);
}

class Lines {
public:
  Lines(ProfileFile& file, std::int64_t announced, RowIssues& issues, const std::string& name)
      : file_(file), issues_(issues), name_(name), announced_(announced) {}

  void read(std::string_view line, std::int64_t number) {
    if (trimmed(line).empty()) return;
    if (line.front() == '#') {
      if (part_ == Part::functions && file_.functions.empty()) read_metadata(line, file_);
      return;
    }
    if (const auto count = number_before(line, "aggregates")) {
      part_ = Part::aggregates;
      aggregates_ = *count;
    } else if (const auto events = number_before(line, "userevents")) {
      part_ = Part::events;
      announced_events_ = *events;
    } else if (part_ == Part::aggregates && aggregates_ > 0) {
      --aggregates_;
    } else if (!(part_ == Part::events ? read_event(line) : read_function(line))) {
      issues_.count(Severity::Drop, "broken-lines", [&] {
        return fmt::format("{}: line {} is neither a function nor an event of a TAU profile", name_, number);
      });
    } else {
      ++(part_ == Part::events ? events_ : functions_);
    }
  }

  bool too_many() const {
    return file_.functions.size() + file_.events.size() > kMaxRows || names_ > kMaxNames;
  }

  void end() {
    const auto missing = std::max<std::int64_t>(announced_ - functions_, 0) +
                         std::max<std::int64_t>(announced_events_ - events_, 0);
    if (missing <= 0) return;
    issues_.count(
        Severity::Drop, "missing-lines",
        [&] {
          return fmt::format("{} states {} functions and {} events, but has {} and {}: it is truncated",
                             name_, announced_, announced_events_, functions_, events_);
        },
        missing);
  }

private:
  enum class Part { functions, aggregates, events };

  bool read_function(std::string_view line) {
    Function out;
    if (const auto group = line.rfind(kGroup); group != std::string_view::npos) {
      const auto begin = group + kGroup.size();
      out.group = clean_text(line.substr(begin, line.find('"', begin) - begin));
      line = line.substr(0, group);
    }
    const auto row = row_of(line);
    if (!row || row->numbers[0] < 0 || row->numbers[1] < 0) return false;
    out.name = clean_text(row->name);
    names_ += out.name.size() + out.group.size();
    out.calls = row->numbers[0], out.subroutines = row->numbers[1];
    out.exclusive = std::max(row->numbers[2], 0.0), out.inclusive = std::max(row->numbers[3], 0.0);
    if (row->numbers[2] < 0 || row->numbers[3] < 0)
      issues_.count(Severity::Repair, "negative-sums", [&] {
        return fmt::format("{}: the sum of {} is negative (compensation of overhead): it is set to 0", name_,
                           out.name);
      });
    file_.functions.push_back(std::move(out));
    return true;
  }

  bool read_event(std::string_view line) {
    const auto row = row_of(line);
    if (!row || row->numbers[0] < 0) return false;
    const auto& n = row->numbers;
    names_ += row->name.size();
    if (n[0] > 0) file_.events.push_back({clean_text(row->name), n[0], n[1], n[2], n[3], n[4]});
    return true;
  }

  ProfileFile& file_;
  RowIssues& issues_;
  const std::string& name_;
  Part part_ = Part::functions;
  std::size_t names_ = 0; ///< total length of the names read so far [B]
  std::int64_t announced_ = 0, announced_events_ = 0, functions_ = 0, events_ = 0, aggregates_ = 0;
};

} // namespace

const std::string* ProfileFile::property(std::string_view name) const {
  const auto found = metadata.find(name);
  return found == metadata.end() || found->second.empty() ? nullptr : &found->second;
}

bool is_profile(std::string_view head) {
  return title_of(head.substr(0, line_end(head))).has_value();
}

Expected<ProfileFile> read_profile(const Input& input, RowIssues& issues, const Progress& progress) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  paraver::Lines lines(**stream);
  const auto of_file = [&](Error error) {
    if (error.file.empty()) error.file = input.name();
    return forward(std::move(error));
  };
  auto line = lines.next();
  if (!line) return of_file(line.error());
  auto title = *line ? title_of(**line) : std::nullopt;
  if (!title)
    return failure(ErrorKind::BadInput, "the first line is not that of a TAU profile", input.name(), {},
                   "Expected: NUMBER templated_functions_MULTI_METRIC.");
  ProfileFile out;
  out.metric = std::move(title->metric);
  const auto name = input.file_name();
  Lines rows(out, title->functions, issues, name);
  for (;;) {
    line = lines.next();
    if (!line) return of_file(line.error());
    if (!*line) break;
    if (lines.number() % 4096 == 0 && !progress.report((*stream)->consumed(), input.disk_bytes, "functions"))
      return Job::cancelled_error();
    rows.read(**line, lines.number());
    if (rows.too_many())
      return failure(ErrorKind::BadInput,
                     "the profile of one thread has more than 400,000 functions and events, or names of more "
                     "than 64 MiB",
                     input.name(), {}, "Record fewer call paths: TAU_CALLPATH_DEPTH=2.");
  }
  rows.end();
  return out;
}

} // namespace jitterscope::import::tau
