#pragma once

#include <string>

#include "core/causal/table/table_rows.h"
#include "core/import/formats/table/all_columns.h"

namespace jitterscope::test {

inline Expected<causal::MemoryRows> table_rows(const import::Input& input) {
  auto table = import::table::read_all_columns(input, {});
  if (!table) return forward(table.error());
  return causal::rows_of_table({std::move(table->titles), std::move(table->units), std::move(table->values),
                                std::move(table->labels), std::move(table->remarks)},
                               {}, input.name());
}
inline Expected<causal::MemoryRows> rows_of_text(std::string text) {
  return table_rows(import::Input::from_memory("t.csv", std::move(text)));
}
inline Expected<causal::MemoryRows> rows_of_file(const std::string& file) {
  const auto inputs = import::expand(file, {});
  if (!inputs) return forward(inputs.error());
  return table_rows(inputs->front());
}

} // namespace jitterscope::test
