#pragma once

#include <QWidget>

class QLabel;
class QListWidget;
class QPushButton;

namespace jitterscope::app {

class CausalKnowledge;

/// List of stated knowledge: Delete removes a statement; all can be saved to and loaded from a
/// knowledge file.
class KnowledgePanel : public QWidget {
  Q_OBJECT

public:
  explicit KnowledgePanel(CausalKnowledge& knowledge, QWidget* parent = nullptr);
  QListWidget* list() { return list_; }

signals:
  void problem(const QString& text);

private:
  void show_all();
  void remove_current();
  void load();
  void save();

  CausalKnowledge& knowledge_;
  QLabel* hint_ = nullptr;
  QListWidget* list_ = nullptr;
  QPushButton* remove_ = nullptr;
  QPushButton* clear_ = nullptr;
  QPushButton* save_ = nullptr;
};

} // namespace jitterscope::app
