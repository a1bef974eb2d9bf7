#include "app/engine/row_texts.h"

#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QCoreApplication>
#include <QDockWidget>
#include <QHash>
#include <QLineEdit>
#include <QPointer>
#include <QSet>
#include <QTranslator>
#include <QWidget>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "core/engine/messages/row_noun.h"

namespace jitterscope::app {
namespace {

constexpr std::array<std::string_view, 6> kRows{"launches", "bursts", "ranges", "calls", "mixed", "rows"};
std::atomic<std::size_t> chosen_rows{0}; // index in kRows; texts are also made on other threads

std::string_view rows_of_texts() {
  return kRows[chosen_rows];
}

class RowTranslator final : public QTranslator {
public:
  using QTranslator::QTranslator;
  bool isEmpty() const override { return false; }
  QString translate(const char*, const char* text, const char*, int) const override {
    const auto source = QString::fromUtf8(text);
    if (!source.contains(QLatin1String("aunch"))) return {};
    const std::lock_guard lock(mutex_);
    sources_.insert(source);
    return chosen_rows == 0 ? QString() : row_text(source);
  }
  /// Maps each text with the noun of these rows to its text for launches, for all texts that went through
  /// tr().
  void add_sources(std::string_view rows, QHash<QString, QString>& of_shown) const {
    const std::lock_guard lock(mutex_);
    for (const auto& source : sources_)
      of_shown.insert(QString::fromStdString(engine::with_row_noun(source.toStdString(), rows)), source);
  }

private:
  mutable std::mutex mutex_;
  mutable QSet<QString> sources_;
};

QPointer<RowTranslator> installed;
std::size_t shown_rows = 0; ///< argument of the last update_row_texts()

/// Updates a text of an object. `property` stores the text for launches (empty if there is none) and the text
/// that was set last.
template <class Set>
void renew(QObject& object, const char* property, const QString& shown,
           const QHash<QString, QString>& source_of, const Set& set) {
  const auto before = object.property(property).toStringList();
  auto texts = before;
  if (texts.size() < 2 || texts[1] != shown)
    texts = {source_of.value(shown), shown}; // the text was changed since the last update
  if (!texts[0].isEmpty()) texts[1] = row_text(texts[0]);
  if (texts != before) object.setProperty(property, texts);
  if (texts[1] != shown) set(texts[1]);
}

} // namespace

void install_row_texts() {
  // A child of the application: tests have several applications, one after another.
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
  if (!installed) return;
  QHash<QString, QString> source_of;
  for (const auto rows : {shown_rows, chosen_rows.load()}) installed->add_sources(kRows[rows], source_of);
  shown_rows = chosen_rows;
  const auto renewed = [&](QObject& object, const char* property, const QString& shown, const auto& set) {
    renew(object, property, shown, source_of, set);
  };
  for (auto* object : root.findChildren<QObject*>()) {
    if (auto* action = qobject_cast<QAction*>(object)) {
      renewed(*action, "row_text", action->text(), [&](const QString& text) { action->setText(text); });
      renewed(*action, "row_tip", action->toolTip(), [&](const QString& text) { action->setToolTip(text); });
    }
    auto* widget = qobject_cast<QWidget*>(object);
    if (!widget) continue;
    renewed(*widget, "row_tip", widget->toolTip(), [&](const QString& text) { widget->setToolTip(text); });
    renewed(*widget, "row_name", widget->accessibleName(),
            [&](const QString& text) { widget->setAccessibleName(text); });
    if (auto* dock = qobject_cast<QDockWidget*>(widget))
      renewed(*dock, "row_text", dock->windowTitle(),
              [&](const QString& text) { dock->setWindowTitle(text); });
    else if (auto* button = qobject_cast<QAbstractButton*>(widget))
      renewed(*button, "row_text", button->text(), [&](const QString& text) { button->setText(text); });
    else if (auto* line = qobject_cast<QLineEdit*>(widget))
      renewed(*line, "row_text", line->placeholderText(),
              [&](const QString& text) { line->setPlaceholderText(text); });
    else if (auto* box = qobject_cast<QComboBox*>(widget))
      for (int i = 0; i < box->count(); ++i)
        renewed(*box, qPrintable(QString("row_text_%1").arg(i)), box->itemText(i),
                [&](const QString& text) { box->setItemText(i, text); });
  }
}

} // namespace jitterscope::app
