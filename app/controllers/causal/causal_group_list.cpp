#include "app/controllers/causal/causal_group_list.h"

#include <algorithm>

#include "app/session/selection_hub.h"
#include "core/engine/messages/causal_options.h"
#include "views/base/text.h"

namespace jitterscope::app {

using nlohmann::json;

using views::Text;

std::vector<CausalGroupFilter> groups_of_kernels(const views::KernelsData& kernels) {
  auto rows = kernels.rows;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.variability > b.variability; });
  std::vector<CausalGroupFilter> groups;
  for (const auto& row : rows)
    if (groups.size() < kMaxCausalGroups && (row.variability > 0 || groups.empty()))
      groups.push_back({row.name, "kernel = " + std::to_string(row.id)});
  return groups;
}

std::vector<CausalGroupFilter> groups_of_values(const engine::answers::ParallelAnswer& answer,
                                                const QString& word, const QStringList& names) {
  const auto& axis = answer.axes.at(0);
  const auto& column = axis.column;
  const auto& counts = axis.selected;
  const auto& codes = axis.codes;
  CategoryCodes categories;
  add_categories(answer.axes, categories);
  const auto texts = categories[QString::fromStdString(column)].texts; // names of runs imported together
  std::vector<std::pair<std::int64_t, CausalGroupFilter>> found;
  for (std::size_t i = 0; i < codes.size() && i < counts.size(); ++i) {
    const auto number = static_cast<int>(codes[i]);
    if (counts[i] > 0 && !texts.isEmpty()) {
      const auto literal = categories[QString::fromStdString(column)].literal(i);
      found.emplace_back(counts[i], CausalGroupFilter{texts.value(static_cast<int>(i)),
                                                      column + " = " + literal.toStdString()});
      continue;
    }
    const QString title =
        number >= 0 && number < names.size() ? names[number] : QString("%1 %2").arg(word).arg(number);
    if (counts[i] > 0)
      found.emplace_back(counts[i], CausalGroupFilter{title, column + " = " + std::to_string(number)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<CausalGroupFilter> groups;
  for (auto& [count, group] : found)
    if (groups.size() < kMaxCausalGroups) groups.push_back(std::move(group));
  return groups;
}

QString note_of_groups(const std::vector<CausalGroupFilter>& drawn, std::size_t all, const QString& words,
                       const QString& maximum) {
  if (all <= drawn.size()) return {};
  return Text::tr("%1 of %2 %3 are drawn: those with %4").arg(drawn.size()).arg(all).arg(words, maximum);
}

std::size_t values_of(const engine::answers::ParallelAnswer& answer) {
  const auto& counts = answer.axes.at(0).selected;
  const std::size_t values = answer.axes.at(0).categories.size();
  return static_cast<std::size_t>(std::count_if(
      counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(std::min(values, counts.size())),
      [](auto n) { return n > 0; }));
}

std::string run_column(const json& info) {
  const auto varies = [&](const std::string& name) {
    for (const auto& column : info.value("columns", json::array()))
      if (column.at("name") == name) return !column.value("constant", false);
    return false;
  };
  return !varies("trace") && varies("run") ? "run" : "trace";
}

engine::CausalOptions question_of_group(engine::CausalOptions question, const std::string& filter) {
  if (!filter.empty())
    question.where = question.where.empty() ? filter : "(" + question.where + ") and " + filter;
  question.bootstrap = 100;
  question.nonlinear = false;
  return question;
}

} // namespace jitterscope::app
