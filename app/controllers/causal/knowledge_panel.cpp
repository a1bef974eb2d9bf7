#include "app/controllers/causal/knowledge_panel.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>

#include "app/controllers/causal/causal_knowledge.h"

namespace jitterscope::app {

KnowledgePanel::KnowledgePanel(CausalKnowledge& knowledge, QWidget* parent)
    : QWidget(parent), knowledge_(knowledge), hint_(new QLabel(this)), list_(new QListWidget(this)) {
  hint_->setWordWrap(true);
  hint_->setText(tr("Right-click (or press the menu key) on a node or an edge of the causal graph to state "
                    "what you know: a cause, a relation that is ruled out, a column to ignore, or a tier. "
                    "The graph is then computed again."));
  list_->setAccessibleName(tr("Stated background knowledge"));
  auto* row = new QHBoxLayout;
  const auto button = [&](const QString& text, const QString& tip, auto&& act) {
    auto* made = new QPushButton(text, this);
    made->setToolTip(tip);
    connect(made, &QPushButton::clicked, this, act);
    row->addWidget(made);
    return made;
  };
  remove_ = button(tr("Remove"), tr("Remove the selected entries (Delete)"), [this] { remove_current(); });
  clear_ = button(tr("Remove all"), tr("Remove all entries"), [this] { knowledge_.clear(); });
  row->addStretch(1);
  button(tr("Load…"), tr("Read a knowledge file: JSON or CSV, as for --tiers"), [this] { load(); });
  save_ = button(tr("Save as…"), tr("Write a file that `jitterscope causal --tiers FILE` reads"),
                 [this] { save(); });
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 6, 8, 6);
  column->addWidget(hint_);
  column->addWidget(list_, 1);
  column->addLayout(row);
  auto* del = new QShortcut(QKeySequence(Qt::Key_Delete), list_);
  del->setContext(Qt::WidgetShortcut);
  connect(del, &QShortcut::activated, this, &KnowledgePanel::remove_current);
  connect(&knowledge_, &CausalKnowledge::changed, this, &KnowledgePanel::show_all);
  show_all();
}

void KnowledgePanel::show_all() {
  const int before = list_->currentRow();
  list_->clear();
  list_->addItems(knowledge_.statements());
  list_->setCurrentRow(std::min(before, list_->count() - 1));
  for (QPushButton* each : {remove_, clear_, save_}) each->setEnabled(list_->count() > 0);
}

void KnowledgePanel::remove_current() {
  if (list_->currentRow() >= 0) knowledge_.remove(list_->currentRow());
}

void KnowledgePanel::load() {
  QFileDialog dialog(this, tr("Load a knowledge file"));
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setNameFilters({tr("Knowledge (*.json *.csv)"), tr("All files (*)")});
  if (dialog.exec() != QDialog::Accepted) return;
  if (auto done = knowledge_.load(dialog.selectedFiles().value(0)); !done)
    emit problem(QString::fromStdString(describe(done.error())));
}

void KnowledgePanel::save() {
  QFileDialog dialog(this, tr("Save knowledge file"));
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setDefaultSuffix("json");
  if (dialog.exec() != QDialog::Accepted) return;
  if (auto done = knowledge_.save(dialog.selectedFiles().value(0)); !done)
    emit problem(QString::fromStdString(describe(done.error())));
}

} // namespace jitterscope::app
