#pragma once

#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/engine/messages/messages.h"
#include "views/table/kernels_data.h"

namespace jitterscope::app {

/// Some of the launches that a question about causes is about.
struct CausalGroupFilter {
  QString title;
  std::string filter; ///< beside that of the question
};

inline constexpr std::size_t kMostCausalGroups = 6;

/// The kernels that vary most in sum; kernels that never vary are left out.
std::vector<CausalGroupFilter> groups_of_kernels(const views::KernelsData& kernels);
/// The most frequent values of the only axis of a "parallel" answer. `word` stands before a number ("rank
/// 3"); `names`, where there are some, instead of it.
std::vector<CausalGroupFilter> groups_of_values(const engine::Answer& answer, const std::string& column,
                                                const QString& word, const QStringList& names);
/// What is said where there are more groups than are drawn: "6 of 8 ranks are drawn, those with most
/// launches"; empty where all are.
QString note_of_groups(const std::vector<CausalGroupFilter>& drawn, std::size_t all, const QString& words,
                       const QString& most);
/// How many values of the only axis of a "parallel" answer any selected launch has.
std::size_t values_of(const engine::Answer& answer);
/// The column that tells runs apart: "trace" of stores that were opened together, "run" of files that were
/// imported together.
std::string run_column(const nlohmann::json& info);
/// The question about the launches of a group only, as groups are asked: fewer replicates, no trees.
nlohmann::json question_of_group(nlohmann::json question, const std::string& filter);

} // namespace jitterscope::app
