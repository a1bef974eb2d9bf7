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

/// A command or target of the palette.
struct PaletteEntry {
  QString kind; ///< "command", "kernel", "track", "bookmark" …
  QString text;
  QString keys; ///< shortcut, for commands
  std::function<void()> run;
};

/// Match score of a text for the typed words: words in any order; word beginnings and early positions score
/// higher; 0 for no match. Case-insensitive. Exposed for tests.
int palette_score(const QString& typed, const QString& text);

/// Palette of commands, kernels, tracks and bookmarks: type a few letters, then Enter.
class CommandPalette : public QDialog {
  Q_OBJECT

public:
  explicit CommandPalette(QWidget* parent);
  /// Shows the palette over the parent with these entries.
  void show_entries(std::vector<PaletteEntry> entries);
  /// Sets a function that interprets the typed text itself, such as "475 ms"; its entry comes first.
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

  static constexpr std::size_t kMaxShown = 100;
  std::function<std::optional<PaletteEntry>(const QString&)> reader_;
  std::vector<PaletteEntry> entries_;
  std::vector<std::function<void()>> shown_; ///< actions of the rows
  QLineEdit* edit_;
  QListView* list_;
  QStandardItemModel* model_;
};

} // namespace jitterscope::app
