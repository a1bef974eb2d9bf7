#include "core/causal/answer/condition.h"

#include <fmt/format.h>

#include "core/causal/base/note_specs.h"
#include "core/causal/base/wording.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kMaxShown = 4;

std::string some_of(std::vector<std::string> names) {
  for (auto& name : names) name = fmt::format("`{}`", name);
  if (names.size() > kMaxShown + 1) names.push_back(fmt::format("{} others", shorten(names, kMaxShown)));
  return listed(std::move(names));
}

std::string how_many(const Contribution& cause) {
  return fmt::format("{} launches, which account for {} of the variability", grouped(cause.affected),
                     share_in_words(cause.only_where->percent));
}

} // namespace

std::string words_for_condition(const Column& column, double value) {
  const std::string words = words_for(column.name);
  if (column.kind == Column::Kind::value) return fmt::format("{} = {:g}", words, value);
  return fmt::format("{} {}", value != 0 ? "with" : "without", words);
}

std::string kernels_sentence(const Contribution& cause) {
  const OnKernels& on = *cause.only_on;
  return fmt::format("It acts on {}: the launches with this cause account for {} of the variability. It "
                     "does not act on {}, of which {} launches also have it.",
                     some_of(on.acts), share_in_words(on.percent), some_of(on.spares),
                     grouped(on.not_affected));
}

std::string condition_sentence(const Contribution& cause) {
  return fmt::format("It acts only {}{}: {}.", cause.only_where->is_event ? "" : "where ",
                     cause.only_where->text, how_many(cause));
}

Warning note_on_condition(const Contribution& cause) {
  return note<notes::kInteraction>(cause.label, cause.only_where->is_event ? "" : "where ",
                                   cause.only_where->text, how_many(cause));
}

} // namespace jitterscope::causal
