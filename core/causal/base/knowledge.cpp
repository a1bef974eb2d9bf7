#include "core/causal/base/knowledge.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace jitterscope::causal {
namespace {

using Json = nlohmann::json;

constexpr int kLastTier = 5;

tl::unexpected<Error> bad(std::string message, const std::string& file, std::string place) {
  return failure(ErrorKind::BadInput, std::move(message), file, std::move(place),
                 "\"jitterscope help tiers\" shows the two forms of this file.");
}

Expected<void> read_pairs(const Json& json, const char* key, const std::string& file,
                          std::vector<std::pair<std::string, std::string>>& pairs) {
  const Json list = json.value(key, Json::array());
  if (!list.is_array()) return bad("expected a list of pairs", file, key);
  for (const Json& pair : list) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
      return bad("each entry must be a pair of column names, [\"from\", \"to\"]", file, key);
    pairs.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
  }
  return {};
}

Expected<Knowledge> parse_json(const std::string& text, const std::string& file) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return bad("this is not a JSON object", file, {});
  for (const auto& [key, value] : json.items())
    if (key != "tiers" && key != "required" && key != "forbidden" && key != "ignored")
      return bad("unknown key", file, key);
  Knowledge knowledge;
  const Json tiers = json.value("tiers", Json::object());
  if (!tiers.is_object()) return bad("expected an object of column names and tiers", file, "tiers");
  for (const auto& [name, tier] : tiers.items()) {
    if (!tier.is_number_integer() || tier.get<double>() < 0 || tier.get<double>() > kLastTier)
      return bad(fmt::format("the tier of \"{}\" must be 0, 1, 2, 3, 4 or 5", name), file, "tiers");
    knowledge.tiers.emplace_back(name, tier.get<int>());
  }
  if (auto done = read_pairs(json, "required", file, knowledge.required); !done) return forward(done.error());
  if (auto done = read_pairs(json, "forbidden", file, knowledge.forbidden); !done)
    return forward(done.error());
  const Json ignored = json.value("ignored", Json::array());
  if (!ignored.is_array()) return bad("expected a list of column names", file, "ignored");
  for (const Json& name : ignored) {
    if (!name.is_string()) return bad("expected a list of column names", file, "ignored");
    knowledge.ignored.push_back(name.get<std::string>());
  }
  return knowledge;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

Expected<Knowledge> parse_csv(const std::string& text, const std::string& file) {
  std::istringstream stream(text);
  std::string line;
  std::getline(stream, line);
  if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  const auto header = fields_of(line);
  const bool tiers = header == std::vector<std::string>{"column", "tier"};
  if (!tiers && header != std::vector<std::string>{"from", "to", "kind"})
    return bad("the header must be \"column,tier\" or \"from,to,kind\"", file, "line 1");
  Knowledge knowledge;
  for (int number = 2; std::getline(stream, line); ++number) {
    const auto place = fmt::format("line {}", number);
    if (line.find_first_not_of(" \r\t") == std::string::npos) continue;
    const auto fields = fields_of(line);
    if (fields.size() != header.size())
      return bad(fmt::format("expected {} fields", header.size()), file, place);
    if (tiers && fields[1] == "ignored") {
      knowledge.ignored.push_back(fields[0]);
    } else if (tiers) {
      int tier = -1;
      const auto& f = fields[1];
      const auto [end, error] = std::from_chars(f.data(), f.data() + f.size(), tier);
      if (error != std::errc() || end != f.data() + f.size() || tier < 0 || tier > kLastTier)
        return bad("the tier must be 0, 1, 2, 3, 4, 5 or ignored", file, place);
      knowledge.tiers.emplace_back(fields[0], tier);
    } else if (fields[2] == "required") {
      knowledge.required.emplace_back(fields[0], fields[1]);
    } else if (fields[2] == "forbidden") {
      knowledge.forbidden.emplace_back(fields[0], fields[1]);
    } else {
      return bad("the kind must be required or forbidden", file, place);
    }
  }
  return knowledge;
}

} // namespace

bool Knowledge::has_edge(const std::string& column) const {
  const auto joins = [&](const auto& edge) { return edge.first == column || edge.second == column; };
  return std::ranges::any_of(required, joins) || std::ranges::any_of(forbidden, joins);
}

Expected<Knowledge> parse_knowledge(const std::string& text, const std::string& file) {
  const auto first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string::npos) return bad("the file is empty", file, {});
  return text[first] == '{' ? parse_json(text.substr(first), file) : parse_csv(text, file);
}

Expected<Knowledge> read_knowledge(const std::string& file) {
  std::error_code status;
  if (std::filesystem::is_directory(file, status))
    return failure(ErrorKind::BadUse, "this is a folder", file, {}, "Name a file.");
  if (std::filesystem::exists(file, status) && !std::filesystem::is_regular_file(file, status))
    return failure(ErrorKind::BadUse, "this is a device or a pipe, not a file", file, {},
                   "Copy its content into a file first.");
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return failure(ErrorKind::BadInput, std::string("cannot open the file: ") + std::strerror(errno), file);
  std::ostringstream text;
  text << in.rdbuf();
  return parse_knowledge(text.str(), file);
}

nlohmann::json to_json(const Knowledge& knowledge) {
  Json out = Json::object();
  for (const auto& [column, tier] : knowledge.tiers) out["tiers"][column] = tier;
  for (const auto& [from, to] : knowledge.required) out["required"].push_back({from, to});
  for (const auto& [from, to] : knowledge.forbidden) out["forbidden"].push_back({from, to});
  for (const auto& column : knowledge.ignored) out["ignored"].push_back(column);
  return out;
}

} // namespace jitterscope::causal
