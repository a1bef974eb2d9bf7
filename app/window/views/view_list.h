#pragma once

#include <vector>

#include "app/window/spec/view_spec.h"

namespace jitterscope::app {

// Each is defined in the file of its name, or of the view that it belongs to.
ViewSpec timeline_view();
ViewSpec bins_view();
ViewSpec causal_view();
ViewSpec causal_groups_view();
ViewSpec evidence_view();
ViewSpec what_if_view();
ViewSpec knowledge_view();
ViewSpec devices_view();
ViewSpec parallel_view();
ViewSpec distribution_view();
ViewSpec kernels_view();
ViewSpec launches_view();
ViewSpec heat_map_view();
ViewSpec efficiency_view();
ViewSpec model_view();
ViewSpec metrics_view();
ViewSpec metric_histogram_view();
ViewSpec details_view();
ViewSpec activity_view();
ViewSpec area_view();
ViewSpec marks_view();

/// A view with its places: among the docks and in the menu View; in the menu of duplicates. Places are
/// compared, and need not be consecutive; 0: without a dock, or not in the menu.
struct ListedView {
  ViewSpec (*spec)();
  int dock_order, menu_order;
};

/// All views, in the order in which a window makes them, which is also that of the keyboard focus. A view may
/// use the parts of earlier ones when it is made.
// clang-format off
inline constexpr ListedView kListedViews[] = {
    {timeline_view, 0, 1},
    {bins_view, 1, 6},
    {causal_view, 11, 7},
    {causal_groups_view, 0, 0},
    {evidence_view, 14, 9},
    {what_if_view, 15, 10},
    {knowledge_view, 16, 12},
    {devices_view, 17, 0},
    {parallel_view, 2, 8},
    {distribution_view, 6, 2},
    {kernels_view, 3, 4},
    {launches_view, 4, 5},
    {heat_map_view, 7, 3},
    {efficiency_view, 12, 16},
    {model_view, 13, 17},
    {metrics_view, 8, 18},
    {metric_histogram_view, 9, 19},
    {details_view, 5, 15},
    {activity_view, 10, 14},
    {area_view, 18, 11},
    {marks_view, 19, 13},
};
// clang-format on

/// The specs of kListedViews.
const std::vector<ViewSpec>& view_specs();

} // namespace jitterscope::app
