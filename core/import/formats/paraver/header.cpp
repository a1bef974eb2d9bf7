#include "core/import/formats/paraver/header.h"

#include <charconv>

namespace jitterscope::import::paraver {
namespace {

constexpr std::int64_t kMaxApplications = 100'000;

/// Removes numbers and punctuation from the front of a text.
class Tokens {
public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  bool skip(char c) {
    blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool skip(std::string_view word) {
    blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::int64_t> number() {
    blanks();
    std::int64_t value = 0;
    const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (result.ec != std::errc()) return {};
    rest_.remove_prefix(static_cast<std::size_t>(result.ptr - rest_.data()));
    return value;
  }
  std::string_view rest() const { return rest_; }

private:
  void blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

// "(1:1,1:2,)": threads and node of each task; a tool of 0.6 writes a colon before the parenthesis.
void parse_tasks(Tokens& tokens, std::int64_t application, Header& header) {
  tokens.skip(':');
  if (!tokens.skip('(')) return;
  std::int64_t number = 0;
  while (!tokens.skip(')') && !tokens.rest().empty()) {
    if (tokens.skip(',')) continue;
    const auto threads = tokens.number();
    if (!threads) return;
    Task task{application, ++number, *threads < 0 ? 0 : *threads, 0, 0};
    if (tokens.skip(':')) task.node = tokens.number().value_or(0);
    if (!header.tasks.empty()) {
      const auto& before = header.tasks.back();
      task.first_thread = before.first_thread + before.threads;
      if (task.first_thread < 0 || task.first_thread > (std::int64_t{1} << 40)) return;
    }
    if (task.threads > (std::int64_t{1} << 30)) return;
    header.tasks.push_back(task);
  }
}

// An application may be followed by a comma and its number of communicators; a comma also ends applications.
void skip_communicators(Tokens& tokens) {
  auto ahead = tokens;
  if (!ahead.skip(',') || !ahead.number()) return;
  ahead.skip(':');
  if (!ahead.skip('(')) {
    tokens.skip(',');
    tokens.number();
  }
}

} // namespace

bool is_header(std::string_view line) {
  return line.starts_with("#Paraver") || line.starts_with("#PARAVER");
}

std::optional<Header> parse_header(std::string_view line) {
  if (!is_header(line)) return {};
  const auto date = line.find("):");
  Tokens tokens(date == std::string_view::npos ? line.substr(std::min(line.find(':'), line.size() - 1) + 1)
                                               : line.substr(date + 2));
  Header header;
  const auto duration = tokens.number();
  if (!duration) return {};
  header.duration = *duration;
  if (tokens.skip('.')) tokens.number(); // a fraction is ignored
  if (tokens.skip("_ns") || tokens.skip("_NS"))
    header.tick_ns = 1;
  else if (tokens.skip("_ms"))
    header.tick_ns = 1'000'000;
  else
    tokens.skip("_us");
  tokens.skip(':');
  header.nodes = tokens.number().value_or(0);
  if (tokens.skip('('))
    while (!tokens.skip(')') && (tokens.number() || tokens.skip(','))) continue;
  tokens.skip(':');
  header.applications = tokens.number().value_or(0);
  for (std::int64_t application = 1; application <= header.applications && application <= kMaxApplications;
       ++application) {
    if (!tokens.skip(':')) tokens.skip(',');
    if (!tokens.number()) break;
    parse_tasks(tokens, application, header);
    skip_communicators(tokens);
  }
  return header;
}

} // namespace jitterscope::import::paraver
