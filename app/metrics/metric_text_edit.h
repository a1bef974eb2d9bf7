#pragma once

#include <QPlainTextEdit>
#include <optional>

#include "views/base/view_style.h"

class QCompleter;
class QStandardItemModel;

namespace jitterscope::app {

/// A position named by an error: "line 3, column 7".
struct TextPlace {
  int line = 1, column = 1; ///< both from 1; the column in characters
};
std::optional<TextPlace> place_of(const std::string& place);

/// Text edit for a definition with completion, and a wavy underline at errors.
class MetricTextEdit : public QPlainTextEdit {
  Q_OBJECT

public:
  explicit MetricTextEdit(QWidget* parent = nullptr);
  /// Sets completions in addition to the words of the language: counters and attributes of the session.
  void set_names(const QStringList& names);
  void mark(std::optional<TextPlace> place, const QColor& colour);
  std::optional<TextPlace> marked() const { return marked_; }
  QCompleter* completer() { return completer_; }

protected:
  void keyPressEvent(QKeyEvent* event) override;

private:
  QString word_before_cursor() const;
  void complete(bool asked);
  void insert(const QString& word);

  QCompleter* completer_;
  QStandardItemModel* words_;
  std::optional<TextPlace> marked_;
};

} // namespace jitterscope::app
