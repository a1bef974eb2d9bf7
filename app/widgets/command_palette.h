#pragma once

#include <QDialog>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

class QLineEdit;
class QListView;
class QStandardItemModel;

namespace jitterscope::app {

/// Something that the palette can do or go to.
struct PaletteEntry {
  QString kind; ///< "command", "kernel", "track", "bookmark" …
  QString text;
  QString keys; ///< shortcut, for commands
  std::function<void()> run;
};

/// How well a text fits what was typed: words in any order, the beginnings of words and early places better;
/// 0 for not at all. Case does not matter. Exposed for tests.
int palette_score(const QString& typed, const QString& text);

/// Type a few letters, Enter: commands, kernels, tracks, bookmarks.
class CommandPalette : public QDialog {
  Q_OBJECT

public:
  explicit CommandPalette(QWidget* parent);
  /// Shows itself over the parent with these entries.
  void open(std::vector<PaletteEntry> entries);
  /// What is made of the typed text itself, "475 ms"; stands above all entries.
  void set_reader(std::function<std::optional<PaletteEntry>(const QString& typed)> reader) {
    reader_ = std::move(reader);
  }
  QLineEdit* edit() { return edit_; }
  QListView* list() { return list_; }

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void filter(const QString& typed);
  void run();

  void show_entry(const PaletteEntry& entry);

  static constexpr std::size_t kMostShown = 100;
  std::function<std::optional<PaletteEntry>(const QString&)> reader_;
  std::vector<PaletteEntry> entries_;
  std::vector<std::function<void()>> shown_; ///< what the rows do
  QLineEdit* edit_;
  QListView* list_;
  QStandardItemModel* model_;
};

} // namespace jitterscope::app
