#include "app/controllers/causal/causal_controller.h"

#include <QComboBox>
#include <QMenu>
#include <QScrollArea>
#include <QStackedWidget>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/controllers/causal/causal_features.h"
#include "app/controllers/causal/causal_groups.h"
#include "app/controllers/causal/knowledge_panel.h"
#include "app/controllers/details_text.h"
#include "app/engine/decode.h"
#include "app/engine/group_filter.h"
#include "app/engine/typed_answers.h"
#include "app/session/session_controller.h"
#include "app/widgets/choice_box.h"
#include "core/engine/messages/launch_answers.h"
#include "core/engine/messages/launch_options.h"
#include "core/engine/messages/selection.h"
#include "core/engine/messages/statistics_answers.h"
#include "core/engine/messages/table_answers.h"
#include "core/engine/messages/table_options.h"
#include "views/causal/causal_canvas.h"
#include "views/causal/causal_multiples.h"
#include "views/causal/causal_widget.h"
#include "views/devices/device_map_painter.h"
#include "views/devices/device_map_widget.h"
#include "views/evidence/evidence_widget.h"
#include "views/evidence/whatif_widget.h"
#include "views/table_parts/table_style.h"

namespace jitterscope::app {

using nlohmann::json;

CausalController::CausalController(SelectionHub& hub, SessionController& session, views::CausalWidget* graph,
                                   QWidget* window)
    : QObject(window), hub_(hub), session_(session), graph_(graph),
      evidence_(new views::EvidenceWidget(window)), what_if_(new views::WhatIfWidget(window)),
      devices_(new views::DeviceMapWidget(window)), panel_(new KnowledgePanel(knowledge_, window)) {
  using views::CausalWidget;
  make_groups(window);
  connect(&session_, &SessionController::causal, this, &CausalController::show_answer);
  connect(&session_, &SessionController::contrast, this, &CausalController::show_contrast);
  connect(&session_, &SessionController::causal_waiting, this,
          [this] { moment_.clear(), moment_advice_.clear(), waits_ = true; });
  connect(
      &session_, &SessionController::causal_impossible, this,
      [this] { // there is no graph, so the message replaces it
        answers_.reset();
        from_.clear(), values_.clear();
        evidence_->setData({});
        what_if_->setData({});
        what_if_->setMessage(tr("No factor can be set: there is no causal graph of these launches."));
        devices_->setData({});
        if (!moment_.isEmpty()) graph_->setMessage(moment_.join("\n\n"));
      },
      Qt::QueuedConnection);
  connect(&session_, &SessionController::opened, this, [this] {
    answers_.reset();
    graph_->clear(); // the graph of the previous files
    moment_.clear(), moment_advice_.clear();
    launch_.reset();
    from_.clear();
    evidence_->setData({});
    what_if_->setData({});
    devices_->setData({});
    device_filter_.clear();
    values_.clear();
    if (group_choice_->currentIndex() > 1) choose_groups(0); // other files have other ranks and runs
  });
  connect(&session_, &SessionController::details, this,
          [this](const engine::answers::LaunchAnswer& launch, bool for_hover) {
            if (for_hover) return;
            launch_ = launch;
            if (!what_if_->feature().isEmpty()) answer_what_if(what_if_->feature(), what_if_->value());
          });
  const auto show_evidence = [this](int from, int to) {
    ask_evidence(from, to);
    emit requested(evidence_);
  };
  connect(graph_, &CausalWidget::edgeSelected, this, show_evidence);
  connect(graph_, &CausalWidget::evidenceRequested, this, show_evidence);
  connect(graph_, &CausalWidget::exampleRequested, this,
          [this](const QString& key) { select_example(key.toStdString()); });
  connect(&hub_, &SelectionHub::changed, this, [this](const SelectionState& now) {
    if (now.launch || !launch_) return;
    launch_.reset();
    if (!what_if_->feature().isEmpty()) answer_what_if(what_if_->feature(), what_if_->value());
  });
  connect(graph_, &CausalWidget::nodeSelected, this,
          [this](int node) { what_if_->setFeature(QString::fromStdString(key_of(node))); });
  connect(graph_, &CausalWidget::menuRequested, this, [this](int node, int from, int to, QPoint global) {
    if (result()) menu_of(node, from, to)->exec(global);
  });
  connect(evidence_, &views::EvidenceWidget::sideRequested, this, &CausalController::select_side);
  connect(evidence_, &views::EvidenceWidget::rowClicked, this, &CausalController::select_launch);
  connect(devices_, &views::DeviceMapWidget::deviceChosen, this, &CausalController::select_device);
  connect(what_if_, &views::WhatIfWidget::asked, this, &CausalController::answer_what_if);
  connect(panel_, &KnowledgePanel::problem, this, &CausalController::problem);
  connect(&knowledge_, &CausalKnowledge::changed, this,
          [this] { session_.set_causal_knowledge(knowledge_.document()); });
}

static views::WhatIfValues values_in(const engine::answers::DistributionAnswer& distribution) {
  views::WhatIfValues found;
  bool all = true;
  for (const auto& group : distribution.groups) {
    if (!std::isnan(group.code)) found.few.push_back(group.code);
    all = all && !group.rest;
  }
  found.whole = std::ranges::all_of(found.few, [](double value) { return value == std::floor(value); });
  std::ranges::sort(found.few);
  if (!all || found.few.size() < 2) found.few.clear();
  return found;
}

CausalController::~CausalController() = default;

void CausalController::make_groups(QWidget* window) {
  multiples_ = new views::CausalMultiples(window);
  groups_ = new CausalGroups(hub_, session_, multiples_, this);
  stack_ = new QStackedWidget(window);
  stack_->addWidget(graph_);
  stack_->addWidget(scrolled(multiples_, window));
  group_choice_ = new ChoiceBox(window);
  group_choice_->addItems({tr("one graph"), tr("per kernel"), tr("per rank"), tr("per run")});
  group_choice_->setToolTip(tr(
      "One graph for all launches and one for each of the largest groups; ± marks edges whose sign differs"));
  connect(group_choice_, &QComboBox::activated, this, &CausalController::choose_groups);
}

void CausalController::choose_groups(int index) {
  group_choice_->setCurrentIndex(index);
  stack_->setCurrentIndex(index == 0 ? 0 : 1);
  groups_->show(static_cast<CausalGroups::By>(index));
}

// Scroll area in which any number of graphs have a readable size.
QScrollArea* CausalController::scrolled(views::CausalMultiples* graphs, QWidget* parent) {
  auto* area = new QScrollArea(parent);
  area->setWidget(graphs);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setFocusPolicy(Qt::NoFocus); // the graphs handle the keys
  connect(graphs, &views::CausalMultiples::focusMoved, area, [area](const QRect& panel) {
    area->ensureVisible(panel.center().x(), panel.center().y(), panel.width() / 2, panel.height() / 2);
  });
  return area;
}

bool CausalController::side_by_side() const {
  return stack_->currentIndex() == 1;
}

void CausalController::set_style(const views::ViewStyle& style) {
  evidence_->setViewStyle(style);
  what_if_->setViewStyle(style);
  devices_->setViewStyle(style);
  multiples_->setViewStyle(style);
  if (auto* area = qobject_cast<QScrollArea*>(stack_->widget(1)))
    area->setStyleSheet(views::scrollBarSheet(style));
}

void CausalController::set_message(const QString& message) {
  const bool idle = message.isEmpty();
  evidence_->setMessage(idle ? tr("Click an edge of the causal graph to see the launches behind it")
                             : message);
  devices_->setMessage(message);
  what_if_->setMessage(idle ? tr("Factors can be set here when the causal graph is ready") : message);
}

// The contrast arrives before the graph. Until then it is shown with the previous answer, or in its place.
void CausalController::show_contrast(const QStringList& sentences, const QStringList& advice) {
  moment_ = sentences, moment_advice_ = advice;
  if (waits_ && graph_->graph().empty()) return graph_->setMessage((sentences + advice).join("\n\n"));
  if (waits_) return graph_->setMoment(sentences + advice);
  auto graph = graph_->graph();
  add_moment(graph);
  graph_->setGraph(std::move(graph));
}

// Adds the comparison with launches elsewhere to the graph, whose own answer is about differences inside the
// selection. The advice of the comparison stays with it; the graph does not repeat it.
void CausalController::add_moment(views::CausalGraph& graph) const {
  if (moment_.isEmpty()) return;
  if (graph.empty()) {
    graph.nothingFound = (moment_ + moment_advice_).join("\n\n") +
                         (own_nothing_found_.isEmpty() ? QString() : "\n\n" + own_nothing_found_);
    return;
  }
  graph.moment = moment_ + moment_advice_;
  graph.advice = own_advice_;
  graph.advice.removeIf([this](const QString& advice) { return moment_advice_.contains(advice); });
}

void CausalController::show_answer(const causal::CausalResult& result, const QString& remark) {
  answers_.emplace(result, columns());
  devices_->setMessage({});
  const bool differed = views::device_map::differ(devices_->data());
  if (device_filter_.isEmpty() || hub_.state().where != device_filter_)
    devices_->setData(device_map_of(result));
  if (!differed && views::device_map::differ(devices_->data())) emit requested(devices_);
  waits_ = false;
  auto graph = graph_of(result);
  graph.remark = remark;
  own_advice_ = graph.advice, own_nothing_found_ = graph.nothingFound;
  add_moment(graph);
  mark_stated(graph, knowledge_.value());
  graph_->setMessage({});
  graph_->setGraph(std::move(graph));
  auto can_be_set = what_if_of(result);
  for (auto& f : can_be_set.features)
    if (const auto found = values_.find(f.key.toStdString()); found != values_.end())
      f.values = found->second;
  what_if_->setMessage(can_be_set.empty() ? why_none_can_be_set(result) : QString());
  what_if_->setData(std::move(can_be_set));
  if (from_.empty()) return;
  // Updates the evidence of the shown edge from the new graph, or clears it if the edge is gone.
  for (const auto& edge : graph_->graph().edges)
    if (key_of(edge.from) == from_ && key_of(edge.to) == to_) return ask_evidence(edge.from, edge.to);
  from_.clear();
  evidence_->setData({});
  evidence_->setMessage(
      tr("The edge is no longer in the graph. Click another edge to see the launches behind it."));
}

std::string CausalController::key_of(int node) const {
  const auto* found = graph_->graph().node(node);
  return found ? found->key.toStdString() : std::string();
}

std::vector<std::string> CausalController::columns() const {
  std::vector<std::string> names;
  for (const auto& column : session_.info().value("columns", json::array()))
    names.push_back(column.at("name").get<std::string>());
  return names;
}

QStringList CausalController::found_columns() const {
  QStringList names;
  if (!result()) return names;
  const auto add = [&](const std::string& feature) {
    const QString name = QString::fromStdString(source_column(feature, columns()));
    if (!name.isEmpty() && !names.contains(name)) names << name;
  };
  for (const auto& c : result()->contributions) add(c.feature);
  for (const auto& edge : result()->edges) // columns that affect the contributing columns
    if (names.size() < 10 && edge.to != result()->target) add(edge.from);
  add(result()->target);
  return names;
}

void CausalController::ask_evidence(int from, int to) {
  if (!result() || !session_.has_session()) return;
  from_ = key_of(from), to_ = key_of(to);
  evidence_->setMessage(tr("Reading the launches …"));
  const auto options = evidence_question(*result(), session_.causal_question(), from_, to_);
  if (request_) session_.cancel_request(request_);
  request_ = session_.request(options, tr("Evidence"), [this](Expected<engine::Answer> answer) {
    if (!answer) {
      if (answer.error().kind == ErrorKind::Cancelled) return;
      evidence_->setData({});
      return evidence_->setMessage(QString::fromStdString(describe(answer.error())));
    }
    request_ = 0;
    if (!result()) return;
    auto data = decode_evidence(*answer, *result());
    if (!data) return emit problem(QString::fromStdString(describe(data.error())));
    data->canSelect = !side_filter(from_, columns(), data->threshold, true).isEmpty();
    evidence_->setMessage({});
    evidence_->setData(std::move(*data));
  });
}

// Selects the launches on one side of the evidence. The graph is not updated: the launches of one side are
// not enough to find its edges again.
void CausalController::select_side(bool with) {
  const QString clause = side_filter(from_, columns(), evidence_->model().data().threshold, with);
  if (clause.isEmpty()) return;
  SelectionState state = hub_.state();
  state.where = with_condition(state.where, clause.section(' ', 0, 0), clause);
  session_.hold_causal(true);
  hub_.apply(state);
  session_.hold_causal(false);
}

// Selects all rows of one device; the map continues to show all devices while the answer is about this one.
void CausalController::select_device(int device) {
  const auto& data = devices_->data();
  const auto& cell = data.devices[static_cast<std::size_t>(device)];
  SelectionState state = hub_.state();
  auto where = state.where; // without the device chosen before
  for (const auto& name : data.placeColumns + QStringList{data.column})
    if (const auto other = split_group(where, name)) where = other->base;
  const auto restrict_to = [&](const QString& name, const QString& value) {
    bool number = false;
    value.toDouble(&number);
    where = with_condition(where, name, QString("%1 = %2").arg(name, number ? value : quoted_text(value)));
  };
  // Devices of several nodes may have the same short number.
  for (int p = 0; p < data.placeColumns.size(); ++p)
    if (const auto& place = cell.places[p]; !place.isEmpty() && cell.name.size() < 4)
      restrict_to(data.placeColumns[p], place);
  restrict_to(data.column, cell.name);
  state.where = device_filter_ = where;
  hub_.apply(state);
}

// Selects one launch of the evidence in all views and moves the timeline to it.
void CausalController::select_launch(qint64 row) {
  session_.request({engine::LaunchOptions{.row = row}, "evidence"}, tr("Launch"),
                   [this](const Expected<engine::Answer>& answer) {
                     const auto launch = answer.and_then(engine::table_of<engine::answers::LaunchAnswer>);
                     if (!launch) return;
                     SelectionState state = hub_.state();
                     state.launch = choice_of(*launch);
                     const auto& [begin, end] = state.launch->interval;
                     const Nanoseconds margin{std::max<std::int64_t>((end - begin).count * 20, 20)};
                     state.window = Interval{begin - margin, end + margin};
                     hub_.apply(state);
                   });
}

// Selects the launch with this cause that has the largest variability.
void CausalController::select_example(const std::string& key) {
  if (!result()) return;
  const auto found = std::find_if(result()->contributions.begin(), result()->contributions.end(),
                                  [&](const auto& c) { return c.feature == key; });
  if (found == result()->contributions.end()) return;
  const QString with =
      side_filter(key, columns(), found->reference.value_or(0), !found->reference || found->sign >= 0);
  if (with.isEmpty())
    return emit problem(tr("The filter language cannot select launches by %1.").arg(words(key)));
  auto options = with_selection(
      engine::LaunchesOptions{
          .sort = "kernel_variability", .descending = true, .count = 1, .columns = {"duration"}},
      selection_in(session_.causal_question()));
  const auto where = QString::fromStdString(options.where);
  options.where = (where.isEmpty() ? with : QString("(%1) and %2").arg(where, with)).toStdString();
  session_.ask({options, "example"}, tr("Example launch"),
               reading([this](const engine::answers::LaunchesAnswer& answer) {
                 if (answer.numbers.empty()) return emit problem(tr("No analysed launch has this factor."));
                 select_launch(answer.numbers.front());
               }));
}

void CausalController::answer_what_if(const QString& feature, double value) {
  if (!answers_) return;
  answers_->set_launch(launch_);
  answers_->show(*what_if_, feature, value);
  ask_values(feature);
}

// Columns with few values (tile sizes, flags) can be set only to these values.
void CausalController::ask_values(const QString& feature) {
  const auto name = feature.toStdString();
  const auto known = columns();
  const auto* report = result()->find(name);
  if (values_.contains(name) || !report || std::find(known.begin(), known.end(), name) == known.end()) return;
  constexpr double kMaxValues = 1e5; // maximum range of integers, because the engine counts each value
  const bool whole =
      report->minimum == std::floor(report->minimum) && report->maximum == std::floor(report->maximum);
  if (!whole || report->maximum - report->minimum > kMaxValues) return;
  values_[name] = {};
  const engine::DistributionOptions options{.column = name, .bins = 1, .group_by = name};
  session_.ask({options, "what if " + name}, tr("What if"),
               reading([this, feature, name](const engine::answers::DistributionAnswer& answer) {
                 values_[name] = values_in(answer);
                 what_if_->setValues(feature, values_[name]);
               }));
}

std::unique_ptr<QMenu> CausalController::menu_of(int node, int from, int to) {
  auto menu = std::make_unique<QMenu>(graph_);
  if (from >= 0 && to >= 0)
    fill_edge_menu(*menu, from, to);
  else if (node >= 0)
    fill_node_menu(*menu, node);
  menu->addSeparator();
  menu->addAction(tr("&Reset Layout"), graph_->canvas(), &views::CausalCanvas::resetLayout);
  menu->addAction(tr("Stated &Knowledge…"), this, [this] { emit requested(panel_); });
  return menu;
}

void CausalController::fill_edge_menu(QMenu& menu, int from, int to) {
  const std::string a = key_of(from), b = key_of(to);
  const QString first = graph_->graph().node(from)->label,
                second = graph_->graph().node(to)->label.section(',', 0, 0);
  menu.addAction(tr("&Evidence: Launches Behind the Edge"), this, [this, from, to] {
    ask_evidence(from, to);
    emit requested(evidence_);
  });
  menu.addAction(tr("&What If %1 Were Different…").arg(first), this, [this, a] {
    what_if_->setFeature(QString::fromStdString(a));
    emit requested(what_if_);
  });
  menu.addSeparator();
  menu.addAction(tr("%1 &causes %2").arg(first, second), this, [this, a, b] { knowledge_.require(a, b); });
  menu.addAction(tr("%1 ca&nnot cause %2").arg(first, second), this,
                 [this, a, b] { knowledge_.forbid(a, b); });
  if (b != result()->target) {
    menu.addAction(tr("%1 causes %2").arg(second, first), this, [this, a, b] { knowledge_.require(b, a); });
    menu.addAction(tr("%1 cannot cause %2").arg(second, first), this,
                   [this, a, b] { knowledge_.forbid(b, a); });
  }
}

void CausalController::fill_node_menu(QMenu& menu, int node) {
  const std::string key = key_of(node);
  const auto* shown = graph_->graph().node(node);
  if (!shown || key == result()->target) return;
  const QString label = shown->label,
                target = QString::fromStdString(result()->target_label).section(',', 0, 0);
  const std::string column = source_column(key, columns());
  const auto& ranked = result()->contributions;
  if (!column.empty() && std::any_of(ranked.begin(), ranked.end(), [&](const auto& c) {
        return c.feature == key && c.attributable_percent;
      }))
    menu.addAction(tr("Show an &Example Launch"), this, [this, key] { select_example(key); });
  menu.addAction(tr("&What If This Factor Were Different…"), this, [this, key] {
    what_if_->setFeature(QString::fromStdString(key));
    emit requested(what_if_);
  });
  if (shown->role == views::NodeRole::Family)
    menu.addAction(shown->open ? tr("&Fold the Columns") : tr("List the Colum&ns"), this,
                   [this, node] { graph_->toggleFamily(node); });
  menu.addSeparator();
  menu.addAction(tr("%1 &causes %2").arg(label, target), this,
                 [this, key] { knowledge_.require(key, result()->target); });
  menu.addAction(tr("%1 ca&nnot cause %2").arg(label, target), this,
                 [this, key] { knowledge_.forbid(key, result()->target); });
  const auto another = [&](const QString& title, auto&& state) {
    auto* list = menu.addMenu(title);
    for (const auto& other : graph_->graph().nodes) {
      const auto name = other.key.toStdString();
      if (name != key && name != result()->target)
        list->addAction(other.label, this, [key, name, state] { state(key, name); });
    }
    list->setEnabled(!list->isEmpty());
  };
  another(tr("Causes …"), [this](const std::string& a, const std::string& b) { knowledge_.require(a, b); });
  another(tr("Cannot cause …"),
          [this](const std::string& a, const std::string& b) { knowledge_.forbid(a, b); });
  if (column.empty()) return;
  menu.addSeparator();
  menu.addAction(tr("&Ignore the Column %1").arg(words(column)), this,
                 [this, column] { knowledge_.ignore({column}); });
  if (shown->role == views::NodeRole::Family) {
    std::vector<std::string> family = {column};
    for (const auto& f : result()->features)
      if (f.representative == key)
        if (const auto source = source_column(f.name, columns()); !source.empty()) family.push_back(source);
    std::sort(family.begin(), family.end());
    family.erase(std::unique(family.begin(), family.end()), family.end());
    if (family.size() > 1)
      menu.addAction(tr("Ignore the Whole Family, %1 Columns").arg(family.size()), this,
                     [this, family] { knowledge_.ignore(family); });
  }
  auto* tiers = menu.addMenu(tr("&Tier of %1").arg(words(column)));
  for (int tier = 0; tier <= 5; ++tier) {
    auto* action = tiers->addAction(QString("%1 %2").arg(tier).arg(tier_name(tier)), this,
                                    [this, column, tier] { knowledge_.set_tier(column, tier); });
    action->setCheckable(true);
    action->setChecked(tier == shown->tier);
  }
}

} // namespace jitterscope::app
