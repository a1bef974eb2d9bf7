#pragma once

#include <QMainWindow>
#include <memory>
#include <optional>

#include "app/export/report_writer.h"
#include "app/session/selection_hub.h"
#include "app/session/session_controller.h"
#include "app/session/table_columns.h"
#include "app/widgets/theme.h"
#include "app/window/spec/view_spec.h"
#include "app/window/spec/window_views.h"
#include "core/engine/messages/launch_answers.h"

class QAction;
class QDockWidget;
class QLabel;
class QLineEdit;
class QMenu;

namespace jitterscope::app {

class Autosave;
class CommandPalette;
class CursorTime;
class HelpWindow;
class MessageBar;
class PinnedViews;
class RequestBar;
class StretchGuide;
struct PaletteEntry;
struct SessionFile;

/// The main window: timeline above, docks with the other views at its right and below. It makes the views of
/// view_specs() and passes on style, messages, session and the hub's state to them.
class MainWindow : public QMainWindow, public WindowViews {
  Q_OBJECT

public:
  /// `ranks`: number of ranks of the engine to start.
  explicit MainWindow(int ranks, QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Opens traces, stores and folders as one session; or one session file, which restores its state. Files
  /// named more than once are opened once.
  void open(const QStringList& named, const QStringList& mapping = {});
  Expected<void> save_session(const QString& path);
  /// The file that "Save Session" writes; empty if the open traces have none yet.
  const QString& session_file() const { return session_path_; }
  /// Writes the numbers of a view, by its title, as CSV; reports when it is done.
  void save_table_to(const QString& view, const QString& path);
  /// Writes the whole trace; asks in the message bar before files next to it are replaced.
  void export_trace_to(const QString& path);
  /// Starts to write the selection as a page; a message reports the end.
  void save_report(const QString& path, ReportWriter::Page page);
  ReportWriter* report_writer() { return report_writer_; }
  /// Content for a session file; nullopt while no session is open.
  std::optional<SessionFile> current_session() const;
  void set_theme(views::Theme theme);
  /// Shows a help page in the help window: "causal" or "statistics#excess".
  void show_help(const QString& page);
  Q_INVOKABLE void open_help_link(const QUrl& link); ///< opens "help:statistics#excess", from any view
  HelpWindow* help_window() { return help_; }        ///< null until first requested

  SelectionHub& hub() { return hub_; }
  SessionController& session() { return session_; }
  const std::vector<View>& all_views() const { return views_; } ///< in the order of view_specs()
  const View* view(const QString& id) const; ///< the view with this id ("bins"); null if there is none
  /// The widget of a view; null if it has another type.
  template <class Widget>
  Widget* widget(const QString& id) const {
    const auto* found = view(id);
    return found ? qobject_cast<Widget*>(found->widget) : nullptr;
  }
  /// Opens a duplicate with the current selection; null, and a message, if the view has no content.
  QDockWidget* pin(const QString& id);
  PinnedViews* pinned() { return pinned_; }
  CommandPalette* palette_dialog() { return palette_; }
  MessageBar* messages() { return messages_; }
  RequestBar* requests() { return requests_; }
  QLineEdit* filter_box() { return filter_; }

protected:
  void showEvent(QShowEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

private:
  void make_views();
  void make_docks();
  void make_dock(View& made);
  void restore_layout(const QByteArray& layout); ///< without the docks that this session has not requested
  void withdraw_docks(); ///< hides docks that are shown when requested: another session may not need them
  void hide_dock(const View& view);  ///< and raises the tab in front by default, if it was in front
  void place_dock(const View& made); ///< places it next to the dock that its spec names, or as a tab
  std::vector<View*> views_by(int ViewSpec::*order); ///< views whose `order` is above 0, sorted by `order`
  void make_menus();
  void make_file_menu();
  void make_edit_menu(QAction* undo, QAction* redo);
  void make_view_menu();
  void make_help_menu();
  void make_keys();
  void make_status();
  void make_report_writer();
  void fill_choices();
  void connect_views();
  void connect_session();
  void connect_engine();

  void change(const std::function<void(SelectionState&)>& edit, const QString& merge = {});
  void show_state(const SelectionState& now, const SelectionState& before);
  void session_opened(const TrackList& tracks);
  void show_details(const engine::answers::LaunchAnswer& launch, bool for_hover);
  void report_cancelled(const QStringList& doing);
  void show_error(const Error& error, const QString& doing, const QString& operation = {});
  void filter_entered();
  void set_messages(const QString& text);
  enum class AskColumns { WhenDoubtful, Always };
  void choose_files(AskColumns ask);
  // Session files, autosave, recent files: main_window_session.cpp.
  void make_autosave();
  void show_filter();
  void find_left_over();
  void offer_left_over();
  void warn_of_import();
  void open_session_file(const QString& path);
  void restore_session();
  void save_session_as();
  void save_report_as();
  void fill_recent_menu();
  // Palette, pinned views, layouts, export: main_window_tools.cpp.
  void show_palette();
  std::vector<PaletteEntry> palette_entries();
  std::vector<std::pair<std::uint32_t, QString>> palette_kernels() const;
  std::optional<PaletteEntry> place_entry(const QString& typed);
  void make_pin_menu(QMenu* menu);
  void pin_focused();
  void make_layout_menu(QMenu* menu);
  void fill_layout_menu();
  void save_layout_as();
  void copy_picture();
  void save_table();
  void export_trace_as();
  void save_launches(const QString& view, views::LaunchesWidget& table, const QStringList& columns,
                     const QString& path);
  QDockWidget* focused_dock() const;
  QString focused_view() const;
  const ViewSpec* spec_of(const QDockWidget* dock) const; ///< of its view or duplicate; null: unknown dock
  void choose_folder();
  /// Shows the columns of a plain table among the files first, then opens them.
  void open_with_columns(const QStringList& files, AskColumns ask);
  void ask_for_columns(const QStringList& files, AskColumns ask, const std::optional<TableFile>& table);
  void export_view();
  void show_import_report();
  void show_page(const QString& title, const QString& html);
  QString topic_in_use() const;

  SelectionHub hub_;
  SessionController session_;
  views::ViewStyle style_;
  CursorTime* cursor_ = nullptr;
  PinnedViews* pinned_ = nullptr;
  std::unique_ptr<ViewContext> context_;
  std::vector<View> views_;
  HelpWindow* help_ = nullptr;
  CommandPalette* palette_ = nullptr;
  Autosave* autosave_ = nullptr;
  QString left_over_, left_over_label_; ///< session of a window that closed unexpectedly; empty if settled
  QMenu* recent_menu_ = nullptr;
  QMenu* layout_menu_ = nullptr;
  QByteArray default_layout_;
  bool named_twice_ = false;               ///< the last open() named a file more than once
  std::unique_ptr<SessionFile> restoring_; ///< to be applied once its files are open
  QString restoring_path_;                 ///< of restoring_; empty if it is an automatic copy
  QString session_path_;                   ///< session_file()
  MessageBar* messages_ = nullptr;
  RequestBar* requests_ = nullptr;
  ReportWriter* report_writer_ = nullptr;
  StretchGuide* stretches_ = nullptr;
  QLineEdit* filter_ = nullptr;
  QAction* columns_ = nullptr; ///< columns of the open table
  QLabel* selection_label_ = nullptr;
  QLabel* engine_label_ = nullptr;
  void size_docks();
  bool sized_ = false; ///< true once the docks have the sizes of the default layout
  Interval span_;
  std::optional<std::uint64_t>
      described_launch_; ///< launch for which the status bar shows more than the summary
};

} // namespace jitterscope::app
