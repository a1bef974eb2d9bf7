#include "core/efficiency/metrics/cfg/cfg_file.h"

#include <charconv>
#include <cmath>

#include <fmt/core.h>

namespace jitterscope::efficiency::metrics {
namespace {

constexpr std::size_t kMaxNumbers = 100'000; ///< maximum numbers in one line

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const auto first = text.find_first_not_of(kBlank);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Removes the first word and returns it.
std::string_view consume_word(std::string_view& text) {
  text = trimmed(text);
  const auto end = std::min(text.find_first_of(" \t"), text.size());
  const auto word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

bool read_number(std::string_view word, double& number) {
  const auto result = std::from_chars(word.data(), word.data() + word.size(), number);
  return result.ec == std::errc() && result.ptr == word.data() + word.size() && std::isfinite(number);
}

/// Whether every brace is closed.
bool is_balanced(std::string_view text) {
  std::int64_t open = 0;
  for (const char c : text) {
    open += (c == '{') - (c == '}');
    if (open < 0) return false;
  }
  return open == 0;
}

class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) {}

  Expected<CfgFile> run() {
    if (text_.size() > kMaxCfg)
      return failure(ErrorKind::BadInput, fmt::format("the file is longer than {} bytes", kMaxCfg), {}, {},
                     "Name a Paraver configuration file (.cfg).");
    while (!text_.empty()) {
      ++line_;
      const auto end = std::min(text_.find('\n'), text_.size());
      const auto line = trimmed(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (auto read = line_of(line); !read) return forward(read.error());
    }
    if (file_.windows.empty())
      return failure(ErrorKind::BadInput, "the file defines no window", {}, {},
                     "Name a Paraver configuration file (.cfg).");
    return std::move(file_);
  }

private:
  tl::unexpected<Error> wrong(const std::string& what) const {
    return failure(ErrorKind::BadInput, what, {}, fmt::format("line {}", line_));
  }

  Expected<void> line_of(std::string_view line) {
    if (line.starts_with("< NEW ANALYZER") || line.starts_with("< NEW HISTOGRAM")) {
      ++file_.histograms;
      in_window_ = false;
    }
    if (line.starts_with("< NEW DISPLAYING WINDOW")) return begin();
    if (!in_window_ || !line.starts_with("window_")) return {};
    const auto key = consume_word(line);
    return value_of(key, line);
  }

  Expected<void> begin() {
    if (file_.windows.size() == kMaxWindows)
      return wrong(fmt::format("there are more than {} windows", kMaxWindows));
    file_.windows.emplace_back().line = line_;
    file_.windows.back().id = static_cast<std::int64_t>(file_.windows.size());
    in_window_ = true;
    return {};
  }

  Expected<void> value_of(std::string_view key, std::string_view value) {
    auto& window = file_.windows.back();
    if (key == "window_name") window.name = value;
    if (key == "window_type") window.composed = value == "composed";
    if (key == "window_level") window.level = value;
    if (key == "window_units") window.units = value;
    if (key == "window_open") window.open = value != "false";
    if (key == "window_operation") window.operation = value;
    if (key == "window_object") window.all_objects = window.all_objects && value.find("All") != value.npos;
    if (key == "window_id") return integers(value, 1, [&](std::int64_t id) { window.id = id; });
    if (key == "window_identifiers")
      return integers(value, 2, [&](std::int64_t id) { window.windows.push_back(id); });
    if (key == "window_factors") return factors(window, value);
    if (key == "window_shifts") window.shifted = value.find_first_of("123456789") != value.npos;
    if (key == "window_selected_functions" || key == "window_compose_functions")
      return functions(window, value);
    if (key == "window_semantic_module") return module(window, value);
    if (key == "window_filter_module") return filter(window, value);
    return {};
  }

  template <class Use>
  Expected<void> integers(std::string_view text, std::size_t maximum, Use&& use) {
    for (std::size_t i = 0; i < maximum && !text.empty(); ++i) {
      double number = 0;
      const auto word = consume_word(text);
      if (!read_number(word, number) || std::fabs(number) > 1e15 || number != std::floor(number))
        return wrong(fmt::format("a whole number is expected, found \"{:.40}\"", printable(word)));
      use(static_cast<std::int64_t>(number));
    }
    return {};
  }

  Expected<void> factors(CfgWindow& window, std::string_view text) {
    while (!text.empty() && window.factors.size() < 2) {
      const auto word = consume_word(text);
      if (double number = 0; read_number(word, number))
        window.factors.push_back(number);
      else
        return wrong(fmt::format("a factor is expected, found \"{:.40}\"", printable(word)));
    }
    return {};
  }

  /// "{ 14, { {cpu, Active Thd}, {thread, Last Evt Val} } }": the innermost braces.
  Expected<void> functions(CfgWindow& window, std::string_view text) {
    if (!is_balanced(text)) return wrong("the braces of the functions are not closed");
    for (std::size_t at = 0; (at = text.find('}', at)) != text.npos; ++at) {
      const auto open = text.rfind('{', at);
      if (open == text.npos) return wrong("a function has no opening brace");
      const auto pair = text.substr(open + 1, at - open - 1);
      if (pair.find('}') != pair.npos) continue; // an additional pair of braces
      const auto comma = pair.find(',');
      if (comma == pair.npos) continue;
      const auto level = std::string(trimmed(pair.substr(0, comma)));
      const auto name = trimmed(pair.substr(comma + 1));
      if (!level.empty() && !name.empty() && window.functions.size() < 64)
        window.functions[level].name = name;
    }
    return {};
  }

  /// "topcompose1 Is Equal (Sign) { 1, { 1 2.0 } }": each parameter is a count followed by that many numbers.
  Expected<void> module(CfgWindow& window, std::string_view text) {
    const auto level = std::string(consume_word(text));
    const auto open = text.find('{');
    if (open == text.npos) return wrong("the parameters of a function are expected in braces");
    if (!is_balanced(text)) return wrong("the braces of the parameters are not closed");
    auto& function = window.functions[level];
    if (window.functions.size() > 64) return wrong("there are more than 64 functions");
    const auto name = trimmed(text.substr(0, open));
    if (!name.empty() && function.name.empty()) function.name = name;
    if (!name.empty() && function.name != name)
      return {}; // the parameters of another function than the selected one
    auto numbers = text.substr(open + 1);
    std::vector<double> found;
    while (!(numbers = trimmed(numbers)).empty()) {
      const auto end = std::min(numbers.find_first_of(" \t,{}"), numbers.size());
      if (double number = 0; end > 0 && read_number(numbers.substr(0, end), number))
        found.push_back(number);
      else if (end > 0)
        return wrong(
            fmt::format("a number is expected, found \"{:.40}\"", printable(numbers.substr(0, end))));
      if (found.size() > kMaxNumbers) return wrong("there are more than 100,000 numbers");
      numbers.remove_prefix(std::min(std::max<std::size_t>(end, 1), numbers.size()));
    }
    function.parameters.clear();
    for (std::size_t at = 1; at < found.size();) { // found[0]: number of parameters
      const double count = found[at++];
      if (count < 0 || count > static_cast<double>(found.size() - at))
        return wrong("a parameter has fewer numbers than its count states");
      const auto first = found.begin() + static_cast<std::ptrdiff_t>(at);
      function.parameters.emplace_back(first, first + static_cast<std::ptrdiff_t>(count));
      at += static_cast<std::size_t>(count);
    }
    if (!found.empty() && found[0] != static_cast<double>(function.parameters.size()))
      return wrong(fmt::format("a function has {} parameters, but states {:.16g}", function.parameters.size(),
                               found[0]));
    return {};
  }

  /// "evt_type 2 63000006 63000007" and "evt_type_label 1 \"CUDA kernel\"".
  Expected<void> filter(CfgWindow& window, std::string_view text) {
    const auto what = consume_word(text);
    double count = 0;
    if (what == "evt_type_label") {
      for (auto quote = text.find('"'); quote != text.npos && window.labels.size() < kMaxNumbers;) {
        const auto end = text.find('"', quote + 1);
        if (end == text.npos) return wrong("a label has no closing quote");
        window.labels.emplace_back(text.substr(quote + 1, end - quote - 1));
        quote = text.find('"', end + 1);
      }
      return {};
    }
    if (what != "evt_type" && what != "evt_value") return {};
    const auto word = consume_word(text);
    if (!read_number(word, count) || count < 0 || count > static_cast<double>(kMaxNumbers))
      return wrong(fmt::format("a number of values is expected, found \"{:.40}\"", printable(word)));
    auto& list = what == "evt_type" ? window.types : window.values;
    list.clear();
    if (auto read = integers(text, static_cast<std::size_t>(count),
                             [&](std::int64_t value) { list.push_back(value); });
        !read)
      return read;
    if (static_cast<double>(list.size()) != count)
      return wrong(fmt::format("{} values are expected, found {}", count, list.size()));
    return {};
  }

  static std::string printable(std::string_view word) {
    std::string text;
    for (const char c : word.substr(0, 40)) text += c >= 32 && c < 127 ? c : '?';
    return text;
  }

  std::string_view text_;
  int line_ = 0;
  bool in_window_ = false;
  CfgFile file_;
};

} // namespace

Expected<CfgFile> read_cfg(std::string_view text) {
  return Reader(text).run();
}

} // namespace jitterscope::efficiency::metrics
