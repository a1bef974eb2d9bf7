#include "app/widgets/command_palette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>

namespace jitterscope::app {

namespace {

/// Kinds of entries, which show_entry() translates.
[[maybe_unused]] constexpr const char* kKinds[] = {
    QT_TRANSLATE_NOOP("jitterscope::app::CommandPalette", "mark"),
    QT_TRANSLATE_NOOP("jitterscope::app::CommandPalette", "range"),
    QT_TRANSLATE_NOOP("jitterscope::app::CommandPalette", "kernel"),
    QT_TRANSLATE_NOOP("jitterscope::app::CommandPalette", "launch"),
    QT_TRANSLATE_NOOP("jitterscope::app::CommandPalette", "bin"),
    QT_TRANSLATE_NOOP("jitterscope::app::CommandPalette", "time"),
    QT_TRANSLATE_NOOP("jitterscope::app::CommandPalette", "row")};

} // namespace

int palette_score(const QString& typed, const QString& text) {
  int score = 1;
  for (const auto& word : typed.split(' ', Qt::SkipEmptyParts)) {
    const auto at = text.indexOf(word, 0, Qt::CaseInsensitive);
    if (at < 0) return 0;
    const bool begins = at == 0 || !text[at - 1].isLetterOrNumber();
    score += (begins ? 40 : 10) + static_cast<int>(std::max<qsizetype>(0, 20 - at));
  }
  return score;
}

CommandPalette::CommandPalette(QWidget* parent)
    : QDialog(parent, Qt::Popup), edit_(new QLineEdit(this)), list_(new QListView(this)),
      model_(new QStandardItemModel(this)) {
  setObjectName("palette");
  edit_->setPlaceholderText(tr("A command, a kernel, a bin, a mark, a time such as 475 ms …"));
  edit_->setAccessibleName(tr("Command palette"));
  list_->setModel(model_);
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list_->setUniformItemSizes(true);
  list_->setTextElideMode(Qt::ElideMiddle);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 8, 8, 8);
  column->addWidget(edit_);
  column->addWidget(list_);
  edit_->installEventFilter(this);
  connect(edit_, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(list_, &QListView::clicked, this, &CommandPalette::run);
}

void CommandPalette::show_entries(std::vector<PaletteEntry> entries) {
  entries_ = std::move(entries);
  const QSize room = parentWidget()->size();
  resize(std::clamp(room.width() / 2, 360, 720), std::clamp(room.height() / 2, 240, 480));
  move(parentWidget()->mapToGlobal(QPoint((room.width() - width()) / 2, room.height() / 8)));
  edit_->clear();
  filter({});
  show();
  edit_->setFocus();
}

void CommandPalette::filter(const QString& typed) {
  std::vector<std::pair<int, std::size_t>> scores;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (const int score = palette_score(typed, entries_[i].text)) scores.emplace_back(-score, i);
  std::stable_sort(scores.begin(), scores.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (scores.size() > kMaxShown) scores.resize(kMaxShown);
  shown_.clear();
  model_->clear();
  if (const auto read = reader_ ? reader_(typed.trimmed()) : std::nullopt) show_entry(*read);
  for (const auto& [score, i] : scores) show_entry(entries_[i]);
  if (shown_.empty()) {
    auto* nothing = new QStandardItem(tr("Nothing found. A time needs a unit: 475 ms, 1.5 s."));
    nothing->setEnabled(false);
    return model_->appendRow(nothing);
  }
  list_->setCurrentIndex(model_->index(0, 0));
}

void CommandPalette::show_entry(const PaletteEntry& entry) {
  shown_.push_back(entry.run);
  auto* item = new QStandardItem(entry.keys.isEmpty() ? entry.text : entry.text + "   (" + entry.keys + ")");
  item->setToolTip(entry.text);
  const QString kind = tr(entry.kind.toUtf8().constData());
  if (entry.kind != "command" && !entry.text.startsWith(kind + " "))
    item->setText(kind + "  " + item->text());
  model_->appendRow(item);
}

void CommandPalette::run() {
  const int row = list_->currentIndex().row();
  if (row < 0 || row >= static_cast<int>(shown_.size())) return;
  const auto chosen = shown_[static_cast<std::size_t>(row)];
  close();
  if (chosen) chosen();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != edit_ || event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  const int row = list_->currentIndex().row();
  if (key == Qt::Key_Return || key == Qt::Key_Enter) return run(), true;
  if (key == Qt::Key_Down || key == Qt::Key_Up) {
    const int next = std::clamp(row + (key == Qt::Key_Down ? 1 : -1), 0, std::max(model_->rowCount() - 1, 0));
    list_->setCurrentIndex(model_->index(next, 0));
    return true;
  }
  return QDialog::eventFilter(watched, event);
}

} // namespace jitterscope::app
