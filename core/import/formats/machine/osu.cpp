#include "core/import/formats/machine/parsers.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/import/formats/machine/machine_text.h"
#include "core/import/text/text.h"

namespace jitterscope::import::machine {
namespace {

using store::Severity;

constexpr std::string_view kTitle = "# OSU ";

/// The two letters after the program in a command line: "osu_latency -m 1024 D D".
BufferMemory memory_of_command(std::string_view line) {
  if (!contains(line, "osu_")) return BufferMemory::unknown;
  const auto words = words_of(line);
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "D" && words[i - 1] == "D") return BufferMemory::device;
    if (words[i] == "H" && words[i - 1] == "H") return BufferMemory::host;
  }
  return BufferMemory::unknown;
}

/// "# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)".
BufferMemory memory_of_header(std::string_view line) {
  if (!contains(line, "Send Buffer on")) return BufferMemory::unknown;
  const bool device = contains(line, "DEVICE"), host = contains(line, "HOST");
  if (device == host) return BufferMemory::unknown;
  return device ? BufferMemory::device : BufferMemory::host;
}

/// Parts of a file's name between separators.
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts(1);
  for (const char c : lower(name))
    if (c == '_' || c == '-' || c == '.' || c == ' ' || c == '/')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

bool has(const std::vector<std::string>& parts, std::initializer_list<std::string_view> any) {
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
    return std::find(any.begin(), any.end(), part) != any.end();
  });
}

BufferMemory memory_of_name(const std::vector<std::string>& parts) {
  bool d = has(parts, {"dd", "device", "d2d"}), h = has(parts, {"hh", "host", "h2h"});
  for (std::size_t i = 1; i < parts.size(); ++i) {
    d = d || (parts[i] == "d" && parts[i - 1] == "d");
    h = h || (parts[i] == "h" && parts[i - 1] == "h");
  }
  return d == h ? BufferMemory::unknown : d ? BufferMemory::device : BufferMemory::host;
}

Distance distance_of_name(const std::vector<std::string>& parts) {
  if (has(parts, {"internode", "nodes"})) return Distance::inter_node;
  if (has(parts, {"intersocket", "sockets"})) return Distance::inter_socket;
  if (has(parts, {"intrasocket", "cores", "socket"})) return Distance::intra_socket;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i - 1] == "inter" && parts[i] == "node") return Distance::inter_node;
    if (parts[i - 1] == "inter" && parts[i] == "socket") return Distance::inter_socket;
    if (parts[i - 1] == "intra" && parts[i] == "socket") return Distance::intra_socket;
  }
  return Distance::unknown;
}

/// "OSU MPI-CUDA Latency Test", for single messages; not "OSU MPI Allreduce Latency Test", "MPI_Put", nor
/// "OSU MPI Bi-Directional Bandwidth Test", in which messages of both directions share the link.
bool of_single_messages(const std::string& name) {
  if (contains(name, "MPI_") || contains(name, "Bi-Directional")) return false;
  const auto words = words_of(name);
  const auto at =
      std::find_if(words.begin(), words.end(), [](auto w) { return w == "Latency" || w == "Bandwidth"; });
  if (at == words.end() || at == words.begin()) return contains(name, "Bandwidth / Message Rate");
  const std::string_view before = *(at - 1);
  return before.starts_with("MPI") || before == "Multi" || before == "Multi-threaded" ||
         before == "Multi-process" || before == "Multiple";
}

/// "# [ pairs: 4 ] [ window size: 64 ]".
std::optional<double> pairs_of(std::string_view line) {
  const auto at = line.find("pairs:");
  if (at == std::string_view::npos) return {};
  const auto words = words_of(line.substr(at + 6));
  const auto value = words.empty() ? std::nullopt : number_of(words.front());
  return value && *value >= 1 ? value : std::nullopt;
}

class OsuReading {
public:
  OsuReading(std::string_view file_name, store::ImportReport& report)
      : parts_(parts_of(file_name)), report_(report) {}

  void line(std::string_view text) {
    const auto plain = trimmed(text);
    if (const auto at = plain.find(kTitle); at == 0)
      begin(plain.substr(2));
    else if (plain.starts_with('#'))
      header(plain);
    else if (!plain.empty() && plain.front() >= '0' && plain.front() <= '9')
      row(plain);
    else if (const auto memory = memory_of_command(plain); memory != BufferMemory::unknown)
      command_ = memory;
  }

  std::vector<NetworkMeasurement> end() {
    finish();
    return std::move(out_);
  }

private:
  // "OSU MPI-CUDA Latency Test v5.6.3"
  void begin(std::string_view title) {
    finish();
    auto words = words_of(title);
    NetworkMeasurement m;
    if (words.back().size() > 1 && words.back().front() == 'v' && words.back()[1] >= '0' &&
        words.back()[1] <= '9') {
      m.tool = clean_text(words.back());
      words.pop_back();
    }
    for (const auto word : words) m.name += (m.name.empty() ? "" : " ") + clean_text(word);
    m.point_to_point = of_single_messages(m.name);
    m.memory = command_;
    current_ = std::move(m);
    column_ = 0;
  }

  void header(std::string_view text) {
    if (!current_) return;
    if (const auto memory = memory_of_header(text); memory != BufferMemory::unknown)
      current_->memory = memory;
    if (const auto pairs = pairs_of(text)) current_->pairs = *pairs;
    const auto words = words_of(text.substr(1));
    if (words.empty() || words.front() != "Size") return;
    // For non-blocking collectives the overall time includes a computation added by the benchmark.
    column_ = contains(text, "Pure Comm") ? 3 : 1;
    current_->quantity = contains(text, "MB/s") ? NetworkQuantity::bandwidth : NetworkQuantity::latency;
  }

  void row(std::string_view text) {
    const auto words = words_of(text);
    const auto bytes = number_of(words.front());
    const auto value =
        current_ && column_ > 0 && words.size() > column_ ? number_of(words[column_]) : std::nullopt;
    if (!value || !bytes || words.front().find_first_not_of("0123456789") != std::string_view::npos ||
        *value < 0) {
      noise_ += current_.has_value() && column_ > 0;
      return;
    }
    if (words.back() == "Fail") {
      report_.add(
          Severity::Drop, "validation-failed",
          fmt::format("{}: messages of {} B failed the data validation", current_->name, words.front()));
      return;
    }
    current_->points.push_back({*bytes, *value});
  }

  void finish() {
    if (!current_) return;
    if (current_->memory == BufferMemory::unknown) current_->memory = memory_of_name(parts_);
    current_->distance = distance_of_name(parts_);
    if (current_->points.empty())
      report_.add(Severity::Drop, "failed-run",
                  fmt::format("{} has no rows: the run may have failed", current_->name));
    else
      out_.push_back(std::move(*current_));
    current_.reset();
    if (noise_ > 0)
      report_.add(Severity::Info, "noise", "lines between the rows of a benchmark are left out", noise_);
    noise_ = 0;
  }

  std::vector<std::string> parts_;
  store::ImportReport& report_;
  std::optional<NetworkMeasurement> current_;
  std::size_t column_ = 0; ///< column of the value, 0 before the header
  std::int64_t noise_ = 0;
  BufferMemory command_ = BufferMemory::unknown;
  std::vector<NetworkMeasurement> out_;
};

} // namespace

Expected<std::vector<NetworkMeasurement>> osu_of(std::string_view text, std::string_view file_name,
                                                 store::ImportReport& report) {
  OsuReading reading(file_name, report);
  for_each_line(text, [&](std::string_view line) {
    reading.line(line);
    return true;
  });
  auto found = reading.end();
  if (found.empty())
    return failure(ErrorKind::BadInput, "the OSU micro-benchmark wrote no rows: the run may have failed", {},
                   {}, "Run it again; the MPI messages in the same output may state why the run ended.");
  return found;
}

} // namespace jitterscope::import::machine
