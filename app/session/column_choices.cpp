#include "app/session/column_choices.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QSignalBlocker>

#include "app/engine/decode.h"
#include "app/session/session_controller.h"

namespace jitterscope::app {

std::vector<ColumnChoice> metric_choices(const SessionController& session, std::size_t maximum) {
  std::vector<ColumnChoice> choices;
  for (const char* name : {"kernel_variability", "relative_variability", "memory_stall", "duration"})
    if (session.has_column(name)) choices.push_back({name, words(name)});
  for (const auto& column : session.info().value("columns", nlohmann::json::array()))
    if (column.value("chosen", false) && !column.value("constant", false)) {
      const auto name = column.at("name").get<std::string>();
      choices.push_back({QString::fromStdString(name), words(name)});
    }
  for (const auto& column : session.recorded_columns()) {
    if (choices.size() >= maximum) break;
    choices.push_back({QString::fromStdString(column), words(column)});
  }
  return choices;
}

std::vector<ColumnChoice> group_choices(const SessionController& session) {
  std::vector<ColumnChoice> choices;
  for (const char* name : {"configuration", "kernel", "stream", "device", "rank", "trace", "range",
                           "first_launch", "graph_launch"})
    if (session.has_column(name)) choices.push_back({name, words(name)});
  for (const auto& title : session.text_columns()) choices.push_back({title, words(title.toStdString())});
  return choices;
}

void fill_box(QComboBox* box, const std::vector<ColumnChoice>& choices, const QString& current,
              const QString& prefix) {
  const QSignalBlocker quiet(box);
  box->clear();
  for (const auto& choice : choices) box->addItem(prefix + choice.label, choice.name);
  box->setCurrentIndex(box->findData(current));
  box->updateGeometry(); // the box does not update its size for a new text
  box->view()->setMinimumWidth(box->view()->sizeHintForColumn(0) + 24);
}

} // namespace jitterscope::app
