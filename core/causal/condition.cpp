#include "core/causal/condition.h"

#include <fmt/format.h>

#include "core/causal/wording.h"

namespace jitterscope::causal {
namespace {

std::string how_many(const Contribution& cause) {
  return fmt::format("{} launches, which hold {:.0f} % of the variability", grouped(cause.affected),
                     cause.only_where->percent);
}

} // namespace

std::string words_for_condition(const Column& column, double value) {
  const std::string words = words_for(column.name);
  if (column.kind == Column::Kind::value) return fmt::format("{} = {:g}", words, value);
  return fmt::format("{} {}", value != 0 ? "with" : "without", words);
}

std::string condition_sentence(const Contribution& cause) {
  return fmt::format("It acts only {}{}: {}.", cause.only_where->text.starts_with("with") ? "" : "where ",
                     cause.only_where->text, how_many(cause));
}

Warning note_on_condition(const Contribution& cause) {
  return {"interaction", fmt::format("{} acts only together with another feature, {}{}: {}.", cause.label,
                                     cause.only_where->text.starts_with("with") ? "" : "where ",
                                     cause.only_where->text, how_many(cause))};
}

} // namespace jitterscope::causal
