#include "core/import/table/configuration_columns.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/import/text.h"

namespace jitterscope::import::table {

ConfigurationField configuration_field(std::string_view title) {
  static constexpr std::array kExtents = {
      std::pair{"grid_x", &Configuration::grid_x},   std::pair{"grid_y", &Configuration::grid_y},
      std::pair{"grid_z", &Configuration::grid_z},   std::pair{"block_x", &Configuration::block_x},
      std::pair{"block_y", &Configuration::block_y}, std::pair{"block_z", &Configuration::block_z}};
  static constexpr std::array kOthers = {
      std::pair{"registers_per_thread", &Configuration::registers},
      std::pair{"registers", &Configuration::registers},
      std::pair{"static_shared_memory", &Configuration::static_shared_memory},
      std::pair{"dynamic_shared_memory", &Configuration::dynamic_shared_memory}};
  const auto words = slug(title);
  for (const auto& [name, field] : kOthers)
    if (words == name) return field;
  for (const auto& [name, field] : kExtents) {
    const std::string_view extent(name);
    const auto what = extent.substr(0, extent.size() - 2); // "grid"
    const auto axis = extent.substr(extent.size() - 1);    // "x"
    const std::string_view shortened = what == "grid" ? "grd" : "blk";
    for (const auto& spelt : {std::string(what), std::string(what) + "_dim", std::string(what) + "dim",
                              std::string(shortened)})
      if (words == spelt + std::string(axis) || words == spelt + "_" + std::string(axis)) return field;
  }
  return nullptr;
}

} // namespace jitterscope::import::table
