#pragma once

#include <QObject>
#include <QPoint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/controllers/causal/causal_knowledge.h"
#include "app/controllers/causal/what_if_answers.h"
#include "app/session/selection_hub.h"
#include "core/engine/messages/launch_answers.h"
#include "views/base/view_style.h"
#include "views/evidence/whatif_data.h"

class QComboBox;
class QMenu;
class QScrollArea;
class QStackedWidget;
class QWidget;

namespace jitterscope::views {
struct CausalGraph;
class CausalMultiples;
class DeviceMapWidget;
class CausalWidget;
class EvidenceWidget;
class WhatIfWidget;
} // namespace jitterscope::views

namespace jitterscope::app {

class CausalGroups;
class KnowledgePanel;
class SessionController;

/// Controller of the causal graph: its answer, the evidence behind an edge, what-if results, and stated
/// knowledge. Requests evidence from the engine; computes what-if results from the current answer.
class CausalController : public QObject {
  Q_OBJECT

public:
  CausalController(SelectionHub& hub, SessionController& session, views::CausalWidget* graph,
                   QWidget* window);
  ~CausalController() override;

  views::EvidenceWidget* evidence() { return evidence_; }
  views::WhatIfWidget* what_if() { return what_if_; }
  views::DeviceMapWidget* devices() { return devices_; }
  KnowledgePanel* knowledge_panel() { return panel_; }
  views::CausalMultiples* multiples() { return multiples_; }
  /// Contains the graph, and the graphs side by side; group_choice() switches between them.
  QStackedWidget* stack() { return stack_; }
  QComboBox* group_choice() { return group_choice_; }
  CausalKnowledge& knowledge() { return knowledge_; }
  /// Columns found to affect the target, the strongest first, followed by the target.
  QStringList found_columns() const;
  /// The last answer with its what-if results; nullopt before the first.
  const std::optional<WhatIfAnswers>& answers() const { return answers_; }
  const causal::CausalResult* result() const { return answers_ ? &answers_->result() : nullptr; }
  /// True if several graphs are shown instead of one.
  bool side_by_side() const;
  /// Wraps several graphs in a scroll area that follows the keyboard focus.
  static QScrollArea* scrolled(views::CausalMultiples* graphs, QWidget* parent);
  void set_style(const views::ViewStyle& style);
  void set_message(const QString& message);

  /// Menu of a node (id), an edge, or the background (all −1); the caller shows it.
  std::unique_ptr<QMenu> menu_of(int node, int from, int to);

signals:
  void problem(const QString& text);
  /// Request to show one of evidence(), what_if(), knowledge_panel() or devices().
  void requested(QWidget* widget);

private:
  void make_groups(QWidget* window);
  void show_answer(const causal::CausalResult& result, const QString& remark);
  void show_contrast(const QStringList& sentences, const QStringList& advice);
  void add_moment(views::CausalGraph& graph) const;
  void ask_evidence(int from, int to);
  void select_side(bool with);
  void select_launch(qint64 row);
  void select_example(const std::string& key);
  void select_device(int device);
  void ask_values(const QString& feature);
  void answer_what_if(const QString& feature, double value);
  std::string key_of(int node) const;
  std::vector<std::string> columns() const;
  void fill_edge_menu(QMenu& menu, int from, int to);
  void fill_node_menu(QMenu& menu, int node);

  SelectionHub& hub_;
  SessionController& session_;
  views::CausalWidget* graph_;
  views::EvidenceWidget* evidence_ = nullptr;
  views::WhatIfWidget* what_if_ = nullptr;
  views::DeviceMapWidget* devices_ = nullptr;
  QString device_filter_; ///< filter text of the device chosen last on the map
  CausalKnowledge knowledge_;
  KnowledgePanel* panel_ = nullptr;
  views::CausalMultiples* multiples_ = nullptr;
  CausalGroups* groups_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  void choose_groups(int index); ///< entry of the choice
  QComboBox* group_choice_ = nullptr;
  std::optional<WhatIfAnswers> answers_;
  QStringList moment_; ///< sentences on why the selection takes longer than the rest of the run
  QStringList moment_advice_;
  QStringList own_advice_; ///< advice of the causal answer, without that of the comparison
  QString own_nothing_found_;
  bool waits_ = false;                                  ///< true until the requested graph arrives
  std::optional<engine::answers::LaunchAnswer> launch_; ///< the selected launch
  std::string from_, to_;                               ///< edge of the evidence shown
  std::map<std::string, views::WhatIfValues> values_;   ///< by column; default: not known or not yet known
  quint64 request_ = 0;
};

} // namespace jitterscope::app
