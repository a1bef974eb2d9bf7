#include "app/controllers/causal/causal_groups.h"

#include <QFileInfo>

#include "app/engine/decode.h"
#include "app/engine/group_filter.h"
#include "app/session/selection_hub.h"
#include "app/session/session_controller.h"
#include "core/engine/messages/selection.h"
#include "core/engine/messages/statistics_answers.h"

namespace jitterscope::app {

CausalGroups::CausalGroups(SelectionHub& hub, SessionController& session, views::CausalMultiples* view,
                           QObject* parent)
    : QObject(parent), hub_(hub), session_(session), view_(view) {
  connect(&session_, &SessionController::kernels, this,
          [this](const views::KernelsData& kernels) { kernels_ = kernels; });
  connect(&session_, &SessionController::causal, this, [this] {
    if (by_ != By::None) start(); // the question changed, and so do its groups
  });
  connect(&session_, &SessionController::opened, this, [this] { clear({}); });
  connect(&session_, &SessionController::causal_waiting, this, [this] { clear(tr("Waiting …")); });
  connect(&session_, &SessionController::causal_impossible, this, &CausalGroups::clear);
  connect(&session_, &SessionController::causal_cancelled, this, [this] { clear(tr("Cancelled")); });
  connect(view_, &views::CausalMultiples::groupActivated, this, &CausalGroups::choose);
}

void CausalGroups::show(By by) {
  by_ = by;
  ++round_;
  if (by_ == By::None || !session_.has_session()) return;
  start();
}

// The graphs of an earlier question or of other files are not shown.
void CausalGroups::clear(const QString& message) {
  ++round_;
  groups_.clear(), shown_.clear();
  view_->setGroups({});
  view_->setNote({});
  view_->setMessage(message);
}

void CausalGroups::start() {
  ++round_;
  view_->setMessage(tr("Analysing group by group …"));
  view_->setGroups({});
  if (by_ == By::Kernel) {
    auto groups = groups_of_kernels(kernels_);
    view_->setNote(
        note_of_groups(groups, kernels_.rows.size(), tr("kernels"), tr("the largest variability")));
    return begin(std::move(groups));
  }
  ask_values(by_ == By::Rank ? "rank" : run_column(session_.info()),
             by_ == By::Rank ? tr("rank") : tr("run"));
}

void CausalGroups::ask_values(const std::string& column, const QString& word) {
  const auto options =
      with_selection(engine::ParallelOptions{.axes = {column}}, selection_in(session_.causal_question()));
  session_.request({options, "groups"}, tr("Groups"),
                   [this, word, round = round_](const Expected<engine::Answer>& received) {
                     if (round != round_) return;
                     const auto answer = received.and_then(engine::table_of<engine::answers::ParallelAnswer>);
                     QStringList runs;
                     if (by_ == By::Run)
                       for (const auto& file : session_.files()) runs << QFileInfo(file).completeBaseName();
                     auto groups =
                         answer ? groups_of_values(*answer, word, runs) : std::vector<CausalGroupFilter>();
                     view_->setNote(answer ? note_of_groups(groups, values_of(*answer),
                                                            by_ == By::Rank ? tr("ranks") : tr("runs"),
                                                            tr("the most launches"))
                                           : QString());
                     begin(std::move(groups));
                   });
}

void CausalGroups::begin(std::vector<CausalGroupFilter> groups) {
  if (groups.size() < 2) {
    view_->setMessage(
        by_ == By::Kernel ? tr("There is only one kernel: its graph is that of all launches.")
        : by_ == By::Rank
            ? tr("There is only one rank. Choose \"one graph\" for its causes.")
            : tr("There is only one run. Choose \"one graph\" for its causes, or open several files."));
    view_->setGroups({});
    return;
  }
  groups_ = std::move(groups);
  groups_.insert(groups_.begin(), CausalGroupFilter{tr("All launches together"), {}});
  shown_.clear();
  for (const auto& group : groups_) shown_.push_back({group.title, {}, tr("Waiting …")});
  next_ = 0;
  ask_next();
}

void CausalGroups::ask_next() {
  if (next_ == groups_.size()) {
    view_->setMessage({});
    return;
  }
  const auto options = question_of_group(session_.causal_question(), groups_[next_].filter);
  shown_[next_].message = tr("Analysing …");
  view_->setGroups(shown_);
  session_.request({options, "group"}, // separate from the graph's own channel
                   tr("Causal graph of a group"), [this, round = round_](Expected<engine::Answer> answer) {
                     if (round != round_) return;
                     auto& group = shown_[next_];
                     group.message.clear();
                     if (!answer &&
                         answer.error().kind == ErrorKind::Cancelled) { // cancels the remaining groups, too
                       for (; next_ < shown_.size(); ++next_) shown_[next_].message = tr("Cancelled");
                       view_->setMessage({});
                       return view_->setGroups(shown_);
                     }
                     if (!answer)
                       group.message = QString::fromStdString(answer.error().message);
                     else if (auto result = decode_causal(*answer))
                       group.graph = graph_of(*result);
                     view_->setGroups(shown_);
                     ++next_;
                     ask_next();
                   });
}

void CausalGroups::choose(int index) {
  if (index <= 0 || index >= static_cast<int>(groups_.size())) return;
  SelectionState state = hub_.state();
  const QString clause = QString::fromStdString(groups_[static_cast<std::size_t>(index)].filter);
  if (by_ == By::Kernel)
    state.kernels = {clause.section("= ", 1).toUInt()};
  else
    state.where = with_condition(state.where, clause.section(' ', 0, 0), clause);
  session_.hold_causal(true);
  hub_.apply(state);
  session_.hold_causal(false);
}

} // namespace jitterscope::app
