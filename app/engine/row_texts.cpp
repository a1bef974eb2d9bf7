#include "app/engine/row_texts.h"

#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QCoreApplication>
#include <QDockWidget>
#include <QLineEdit>
#include <QPointer>
#include <QTranslator>
#include <QWidget>

#include <algorithm>
#include <array>
#include <atomic>

#include "core/engine/messages/row_noun.h"

namespace jitterscope::app {
namespace {

constexpr std::array<std::string_view, 5> kRows{"launches", "bursts", "ranges", "calls", "mixed"};
std::atomic<std::size_t> chosen_rows{0}; // index in kRows; texts are also made on other threads

std::string_view rows_of_texts() {
  return kRows[chosen_rows];
}

class RowTranslator final : public QTranslator {
public:
  using QTranslator::QTranslator;
  bool isEmpty() const override { return false; }
  QString translate(const char*, const char* text, const char*, int) const override {
    const std::string_view source(text);
    if (chosen_rows == 0 || source.find("aunch") == source.npos) return {};
    return QString::fromStdString(engine::with_row_noun(source, rows_of_texts()));
  }
};

/// Sets a text derived from the text for launches. `property` stores the latter and the last text set.
template <class Set>
void renew(QObject& object, const char* property, const QString& shown, const Set& set) {
  auto texts = object.property(property).toStringList();
  if (texts.size() < 2 || texts[1] != shown) texts = {shown, shown}; // set elsewhere
  if (!texts.front().contains(QLatin1String("aunch"))) return;
  texts[1] = row_text(texts[0]);
  object.setProperty(property, texts);
  if (texts[1] != shown) set(texts[1]);
}

} // namespace

void install_row_texts() {
  // A child of the application: tests have several applications, one after another.
  static QPointer<RowTranslator> installed;
  if (installed || !QCoreApplication::instance()) return;
  installed = new RowTranslator(QCoreApplication::instance());
  QCoreApplication::installTranslator(installed);
}

void set_rows_of_texts(const nlohmann::json& info) {
  const auto found = std::find(kRows.begin(), kRows.end(), info.value("rows", std::string(kRows[0])));
  chosen_rows = found == kRows.end() ? 0 : static_cast<std::size_t>(found - kRows.begin());
  if (chosen_rows != 0) install_row_texts();
}

std::string row_text(std::string_view text) {
  return engine::with_row_noun(text, rows_of_texts());
}

QString row_text(const QString& text) {
  return QString::fromStdString(row_text(text.toStdString()));
}

void update_row_texts(QObject& root) {
  for (auto* object : root.findChildren<QObject*>()) {
    if (object->property("any_rows").toBool()) continue;
    if (auto* action = qobject_cast<QAction*>(object))
      renew(*action, "row_text", action->text(), [&](const QString& text) { action->setText(text); });
    auto* widget = qobject_cast<QWidget*>(object);
    if (!widget) continue;
    renew(*widget, "row_tip", widget->toolTip(), [&](const QString& text) { widget->setToolTip(text); });
    if (auto* dock = qobject_cast<QDockWidget*>(widget))
      renew(*dock, "row_text", dock->windowTitle(), [&](const QString& text) { dock->setWindowTitle(text); });
    else if (auto* button = qobject_cast<QAbstractButton*>(widget))
      renew(*button, "row_text", button->text(), [&](const QString& text) { button->setText(text); });
    else if (auto* line = qobject_cast<QLineEdit*>(widget))
      renew(*line, "row_text", line->placeholderText(),
            [&](const QString& text) { line->setPlaceholderText(text); });
    else if (auto* box = qobject_cast<QComboBox*>(widget))
      for (int i = 0; i < box->count(); ++i)
        renew(*box, qPrintable(QString("row_text_%1").arg(i)), box->itemText(i),
              [&](const QString& text) { box->setItemText(i, text); });
  }
}

} // namespace jitterscope::app
