#include "core/model/correction/saved_model.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace jitterscope::model {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "jitterscope-correction";
constexpr int kVersion = 2; // 2: families
constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxFeatures = 4096, kMaxTrees = 10'000, kMaxNodes = 1 << 16;
constexpr double kMaxLogFactor = 50; // exp(50) is larger than any ratio of times

json number(double value) {
  return std::isfinite(value) ? json(value) : json();
}

json to_json(const ErrorSummary& e) {
  return {{"mean_percent", e.mean}, {"median_percent", e.median}, {"p95_percent", e.p95}};
}

json to_json(const Validation& v) {
  return {{"folds", v.folds},   {"rows", v.rows},
          {"groups", v.groups}, {"analytical", to_json(v.analytical)},
          {"rounds", v.rounds}, {"corrected", to_json(v.corrected)}};
}

json to_json(const Tree& tree) {
  json nodes = json::array();
  for (const auto& n : tree) {
    if (n.left < 0)
      nodes.push_back({n.value});
    else
      nodes.push_back({n.feature, n.threshold, n.left, n.right, n.missing_left, n.gain});
  }
  return nodes;
}

double finite(const json& value, double lowest, double highest) {
  const double found = value.get<double>();
  if (!(found >= lowest && found <= highest)) throw std::out_of_range("a number is out of range");
  return found;
}

ErrorSummary summary_from(const json& j) {
  constexpr double kMax = 1e12;
  return {finite(j.at("mean_percent"), 0, kMax), finite(j.at("median_percent"), 0, kMax),
          finite(j.at("p95_percent"), 0, kMax)};
}

int small(const json& value) {
  return static_cast<int>(finite(value, 0, 1e9));
}

Validation validation_from(const json& j) {
  Validation v;
  v.folds = small(j.at("folds"));
  v.rows = small(j.at("rows"));
  v.groups = small(j.at("groups"));
  v.rounds = small(j.at("rounds"));
  v.analytical = summary_from(j.at("analytical"));
  v.corrected = summary_from(j.at("corrected"));
  return v;
}

float single(const json& value) {
  return static_cast<float>(
      finite(value, -std::numeric_limits<float>::max(), std::numeric_limits<float>::max()));
}

TreeNode node_from(const json& j) {
  TreeNode node;
  if (!j.is_array() || (j.size() != 1 && j.size() != 6))
    throw std::out_of_range("a node has an unknown form");
  if (j.size() == 1) {
    node.value = single(j[0]);
    return node;
  }
  node.feature = small(j[0]);
  node.threshold = single(j[1]);
  node.left = small(j[2]);
  node.right = small(j[3]);
  node.missing_left = j[4].get<bool>();
  node.gain = single(j[5]);
  return node;
}

std::vector<double> numbers_from(const json& j, std::size_t expected, double missing) {
  if (!j.is_array() || j.size() != expected)
    throw std::out_of_range("a list does not have one number for each feature");
  std::vector<double> out;
  for (const auto& value : j) out.push_back(value.is_null() ? missing : value.get<double>());
  return out;
}

std::vector<Tree> trees_from(const json& j) {
  if (!j.is_array() || j.size() > kMaxTrees) throw std::out_of_range("too many trees");
  std::vector<Tree> trees;
  for (const auto& nodes : j) {
    if (!nodes.is_array() || nodes.size() > kMaxNodes) throw std::out_of_range("a tree has too many nodes");
    trees.emplace_back();
    for (const auto& node : nodes) trees.back().push_back(node_from(node));
  }
  return trees;
}

std::vector<std::size_t> places_from(const json& j, std::size_t features) {
  std::vector<std::size_t> out;
  for (const auto& f : j) {
    out.push_back(static_cast<std::size_t>(small(f)));
    if (out.back() >= features) throw std::out_of_range("a feature whose range is checked does not exist");
  }
  return out;
}

/// Throws json::exception or std::out_of_range.
Correction correction_from(const json& j) {
  Correction c;
  c.kind = j.at("kind").get<std::string>();
  c.features = j.at("features").get<std::vector<std::string>>();
  if (c.features.empty() || c.features.size() > kMaxFeatures)
    throw std::out_of_range("no features, or too many");
  const double infinite = std::numeric_limits<double>::infinity();
  c.lowest = numbers_from(j.at("lowest"), c.features.size(), infinite);
  c.highest = numbers_from(j.at("highest"), c.features.size(), -infinite);
  c.important = places_from(j.at("important"), c.features.size());
  c.machine = places_from(j.at("machine"), c.features.size());
  c.clip_low = finite(j.at("clip_low"), -kMaxLogFactor, kMaxLogFactor);
  c.clip_high = finite(j.at("clip_high"), c.clip_low, kMaxLogFactor);
  c.validation = validation_from(j.at("validation"));
  c.family_validation = validation_from(j.at("family_validation"));
  c.families = j.at("families").get<std::map<std::string, bool>>();
  c.refusal = j.at("refusal").get<std::string>();
  const auto& p = j.at("provenance");
  c.provenance = {p.at("program").get<std::string>(), p.at("library").get<std::string>(),
                  p.at("inputs").get<std::vector<std::string>>(),
                  p.at("gpus").get<std::vector<std::string>>()};
  c.trees = trees_from(j.at("trees"));
  if (const auto damage = damage_of(c.trees, c.features.size()); !damage.empty())
    throw std::out_of_range(damage);
  return c;
}

tl::unexpected<Error> bad(const std::string& message, const std::string& file,
                          const std::string& place = {}) {
  return failure(ErrorKind::BadInput, message, file, place,
                 "Fit the model again: jitterscope predict FILES… --fit MODEL.");
}

} // namespace

std::string saved(const Correction& c) {
  json lowest = json::array(), highest = json::array(), trees = json::array();
  for (const double value : c.lowest) lowest.push_back(number(value));
  for (const double value : c.highest) highest.push_back(number(value));
  for (const auto& tree : c.trees) trees.push_back(to_json(tree));
  if (lowest.empty()) lowest = highest = json::array_t(c.features.size()); // for a refused correction
  const json document = {{"format", kFormat},
                         {"version", kVersion},
                         {"kind", c.kind},
                         {"features", c.features},
                         {"lowest", lowest},
                         {"highest", highest},
                         {"important", c.important},
                         {"machine", c.machine},
                         {"clip_low", c.clip_low},
                         {"clip_high", c.clip_high},
                         {"validation", to_json(c.validation)},
                         {"family_validation", to_json(c.family_validation)},
                         {"families", c.families},
                         {"refusal", c.refusal},
                         {"provenance",
                          {{"program", c.provenance.program},
                           {"library", c.provenance.library},
                           {"inputs", c.provenance.inputs},
                           {"gpus", c.provenance.gpus}}},
                         {"trees", trees}};
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Expected<Correction> parse_correction(const std::string& text, const std::string& file) {
  const auto document = json::parse(text, nullptr, false);
  if (document.is_discarded() || !document.is_object())
    return bad("the file is not a model: it is not a JSON object", file);
  try {
    if (document.value("format", std::string()) != kFormat)
      return bad("the file is not a Jitterscope model", file);
    if (document.at("version").get<int>() != kVersion)
      return bad("the model was saved by another version of Jitterscope", file);
    return correction_from(document);
  } catch (const json::exception& problem) {
    return bad("the model is damaged", file, problem.what());
  } catch (const std::out_of_range& problem) {
    return bad("the model is damaged", file, problem.what());
  }
}

Expected<Correction> read_correction(const std::string& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return failure(ErrorKind::BadInput, "the model file cannot be read", file);
  const auto size = static_cast<std::streamoff>(stream.tellg());
  if (size < 0 || static_cast<std::size_t>(size) > kMaxBytes)
    return bad("the file is larger than 64 MiB, the limit of a model", file);
  std::string text(static_cast<std::size_t>(size), '\0');
  stream.seekg(0);
  if (!stream.read(text.data(), size)) return failure(ErrorKind::Io, "the model file cannot be read", file);
  return parse_correction(text, file);
}

} // namespace jitterscope::model
