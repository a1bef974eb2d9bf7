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
  switch (method) {
  case Method::boss:
    return boss(input, options);
  case Method::pc:
    return pc_stable(input, options);
  case Method::ges:
    return ges(input, options);
  case Method::lingam:
    return direct_lingam(input, rows, options);
  }
  return boss(input, options);
}

} // namespace jitterscope::causal
