#include "app/window/spec/choice_row.h"

#include <QVBoxLayout>

#include "app/widgets/choice_box.h"
#include "views/base/flow_layout.h"

namespace jitterscope::app {

QComboBox* choice_box(QWidget* parent, const QString& tip,
                      std::initializer_list<std::pair<QString, const char*>> items) {
  auto* box = new ChoiceBox(parent);
  box->setToolTip(tip);
  for (const auto& [text, value] : items) box->addItem(text, value);
  return box;
}

void add_with_choices(QWidget* panel, std::initializer_list<QWidget*> choices, QWidget* content) {
  auto* row = new views::FlowLayout(6);
  row->setContentsMargins(6, 4, 6, 2);
  for (auto* each : choices) row->addWidget(each);
  auto* column = new QVBoxLayout(panel);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(content, 1);
}

} // namespace jitterscope::app
