#include "app/metrics/metric_text_edit.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFontDatabase>
#include <QKeyEvent>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QTextBlock>

#include "core/efficiency/metrics/syntax.h"

namespace jitterscope::app {

std::optional<TextPlace> place_of(const std::string& place) {
  static const QRegularExpression kPlace("^line (\\d+), column (\\d+)$");
  const auto match = kPlace.match(QString::fromStdString(place));
  if (!match.hasMatch()) return {};
  return TextPlace{match.captured(1).toInt(), match.captured(2).toInt()};
}

MetricTextEdit::MetricTextEdit(QWidget* parent)
    : QPlainTextEdit(parent), completer_(new QCompleter(this)), words_(new QStandardItemModel(0, 2, this)) {
  setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  setTabChangesFocus(true);
  setLineWrapMode(WidgetWidth);
  setAccessibleName(tr("Definition"));
  completer_->setWidget(this);
  completer_->setModel(words_);
  completer_->setCaseSensitivity(Qt::CaseInsensitive);
  completer_->setFilterMode(Qt::MatchStartsWith);
  connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &MetricTextEdit::insert);
  set_names({});
}

void MetricTextEdit::set_names(const QStringList& names) {
  words_->removeRows(0, words_->rowCount());
  const auto add = [this](const QString& word, const QString& help) {
    auto* item = new QStandardItem(word);
    item->setToolTip(help);
    words_->appendRow(item);
  };
  for (const auto& word : efficiency::metrics::words())
    add(QString::fromStdString(word.text), QString::fromStdString(word.syntax + "\n" + word.help));
  for (const auto& name : names)
    if (words_->findItems(name).isEmpty()) add(name, {});
  words_->sort(0);
}

QString MetricTextEdit::word_before_cursor() const {
  const auto cursor = textCursor();
  const QString before = cursor.block().text().left(cursor.positionInBlock());
  static const QRegularExpression kQuoted("\"([^\"]*)$"), kWord("([A-Za-z_][A-Za-z_0-9]*)$");
  if (before.count('"') % 2 == 1) return '"' + kQuoted.match(before).captured(1); // counters are in quotes
  return kWord.match(before).captured(1);
}

void MetricTextEdit::insert(const QString& word) {
  auto cursor = textCursor();
  cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor,
                      static_cast<int>(word_before_cursor().size()));
  cursor.insertText(word);
  if (word.startsWith('"') && !word.endsWith('"')) cursor.insertText("\"");
  setTextCursor(cursor);
}

void MetricTextEdit::complete(bool asked) {
  const auto word = word_before_cursor();
  if (word.isEmpty() && !asked) return completer_->popup()->hide();
  completer_->setCompletionPrefix(word);
  const bool whole = completer_->completionCount() == 1 && completer_->currentCompletion() == word;
  if (completer_->completionCount() == 0 || whole || (word.size() < 2 && !asked))
    return completer_->popup()->hide();
  auto place = cursorRect();
  place.setWidth(completer_->popup()->sizeHintForColumn(0) +
                 completer_->popup()->verticalScrollBar()->sizeHint().width() + 16);
  completer_->popup()->setCurrentIndex(completer_->completionModel()->index(0, 0));
  completer_->complete(place);
}

void MetricTextEdit::keyPressEvent(QKeyEvent* event) {
  const bool asked = event->key() == Qt::Key_Space && event->modifiers() & Qt::ControlModifier;
  const bool open = completer_->popup()->isVisible();
  if (open && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
               event->key() == Qt::Key_Tab || event->key() == Qt::Key_Escape))
    return event->ignore(); // handled by the completion list
  if (!asked) QPlainTextEdit::keyPressEvent(event);
  if (asked || !event->text().isEmpty()) complete(asked);
}

// Columns count characters; Qt counts two units for those beyond U+FFFF.
void MetricTextEdit::mark(std::optional<TextPlace> place, const QColor& colour) {
  marked_ = place;
  if (!place) return setExtraSelections({});
  const auto block = document()->findBlockByNumber(place->line - 1);
  const QString line = block.text();
  int at = 0;
  for (int i = 1; i < place->column && at < line.size(); ++i) at += line[at].isHighSurrogate() ? 2 : 1;
  static const QRegularExpression kWord("\\G(?:[A-Za-z_0-9]+|.)");
  const auto length = static_cast<int>(kWord.match(line, at).capturedLength());
  QTextEdit::ExtraSelection wrong;
  wrong.cursor = QTextCursor(block);
  // At the end of a line there is nothing to mark, so the character before it is marked.
  const int from = length == 0 ? std::max(at - 1, 0) : at;
  wrong.cursor.setPosition(block.position() + from);
  wrong.cursor.setPosition(block.position() +
                               std::min<int>(from + std::max(length, 1), static_cast<int>(line.size())),
                           QTextCursor::KeepAnchor);
  wrong.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
  wrong.format.setUnderlineColor(colour);
  QColor ground = colour;
  ground.setAlpha(50);
  wrong.format.setBackground(ground);
  setExtraSelections({wrong});
}

} // namespace jitterscope::app
