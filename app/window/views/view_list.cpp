#include "app/window/views/view_list.h"

#include <utility>

namespace jitterscope::app {

const std::vector<ViewSpec>& view_specs() {
  static const std::vector<ViewSpec> kSpecs = [] {
    std::vector<ViewSpec> specs;
    for (const auto& listed : kListedViews) {
      auto spec = listed.spec();
      spec.dock_order = listed.dock_order;
      spec.menu_order = listed.menu_order;
      specs.push_back(std::move(spec));
    }
    return specs;
  }();
  return kSpecs;
}

} // namespace jitterscope::app
