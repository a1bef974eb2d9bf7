#include "core/causal/discovery/discovery.h"

#include <fmt/format.h>

#include "core/causal/base/value_names.h"
#include "core/causal/discovery/grow_shrink_tree.h"

namespace jitterscope::causal {
namespace {

constexpr ValueName<Method> kMethodNames[] = {
    {Method::boss, "boss"}, {Method::pc, "pc"}, {Method::ges, "ges"}, {Method::lingam, "lingam"}};
constexpr ValueName<Method> kDisplayNames[] = {{Method::boss, "BOSS"},
                                               {Method::pc, "PC-stable"},
                                               {Method::ges, "GES"},
                                               {Method::lingam, "DirectLiNGAM"}};
constexpr ValueName<Reading> kReadingNames[] = {{Reading::automatic, "automatic"},
                                                {Reading::pooled, "pooled"},
                                                {Reading::within, "within"},
                                                {Reading::between, "between"}};
constexpr ValueName<Scale> kScaleNames[] = {{Scale::automatic, "automatic"},
                                            {Scale::raw, "raw"},
                                            {Scale::log1p, "log1p"},
                                            {Scale::rank_normal, "rank-normal"}};

} // namespace

GaussianScore score_of(const DiscoveryInput& input, const DiscoveryOptions& options, int vertex) {
  constexpr double minimum = 4, never = 1e6;
  const double n = input.rows_of(vertex);
  // No edge is accepted for two or three configurations, because any column separates them.
  if (n != input.n && n < minimum) return {n, never};
  double candidates = input.columns_tried();
  if (n != input.n) candidates = static_cast<double>(std::ranges::count(input.n_of, n)) - 1;
  return {n, edge_price(n, options.smallest_correlation, candidates)};
}

GrowShrinkTree tree_of(const DiscoveryInput& input, const DiscoveryOptions& options, int vertex) {
  std::vector<int> candidates, required;
  for (int x = 0; x < static_cast<int>(input.correlation.rows()); ++x) {
    if (x == vertex) continue;
    if (input.background.requires_edge(x, vertex))
      required.push_back(x);
    else if (input.background.allows(x, vertex))
      candidates.push_back(x);
  }
  return {input.correlation, vertex, score_of(input, options, vertex), candidates, required};
}

Expected<Method> method_from(const std::string& text) {
  if (const auto method = value_in(kMethodNames, text)) return *method;
  return failure(ErrorKind::BadUse, fmt::format("there is no method \"{}\"", text), {}, {},
                 "Use boss, pc, ges or lingam.");
}

std::string to_string(Method method) {
  return name_in(kMethodNames, method);
}

std::string display_name(Method method) {
  return name_in(kDisplayNames, method);
}

Discovered discover(Method method, const DiscoveryInput& input, const Eigen::MatrixXd& rows,
                    const DiscoveryOptions& options) {
  if (method == Method::pc) return pc_stable(input, options);
  if (method == Method::ges) return ges(input, options);
  return method == Method::lingam ? direct_lingam(input, rows, options) : boss(input, options);
}

Expected<Reading> reading_from(const std::string& text) {
  if (const auto reading = value_in(kReadingNames, text)) return *reading;
  return failure(ErrorKind::BadUse, fmt::format("the reading \"{}\" is unknown", text), {}, {},
                 "A reading is automatic, pooled, within or between.");
}

Expected<Scale> scale_from(const std::string& text) {
  if (const auto scale = value_in(kScaleNames, text)) return *scale;
  return failure(ErrorKind::BadUse, fmt::format("the column scale \"{}\" is unknown", text), {}, {},
                 "Use automatic, raw, log1p or rank-normal.");
}

std::string to_string(Reading reading) {
  return name_in(kReadingNames, reading);
}

std::string to_string(Scale scale) {
  return name_in(kScaleNames, scale);
}

} // namespace jitterscope::causal
