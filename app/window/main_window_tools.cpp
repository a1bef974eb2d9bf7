#include <QClipboard>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QInputDialog>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QStatusBar>
#include <cmath>

#include "app/controllers/launch_views.h"
#include "app/engine/settings.h"
#include "app/export/export_dialog.h"
#include "app/export/launch_export.h"
#include "app/reduce/trace_export.h"
#include "app/widgets/command_palette.h"
#include "app/widgets/message_bar.h"
#include "app/window/main_window.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/view_exports.h"
#include "core/base/output_file.h"
#include "views/base/format.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {
namespace {

constexpr const char* kLayouts = "layouts/";

void add_actions(const QMenu* menu, const QString& path, std::vector<PaletteEntry>& entries) {
  for (auto* action : menu->actions()) {
    const QString text = path + QString(action->text()).remove('&');
    if (action->menu())
      add_actions(action->menu(), text + " ▸ ", entries);
    else if (!action->isSeparator() && action->isEnabled())
      entries.push_back({"command", text, action->shortcut().toString(QKeySequence::NativeText),
                         [action] { action->trigger(); }});
  }
}

} // namespace

// All kernels of the session, selected or not; the currently listed ones first, with the same names.
std::vector<std::pair<std::uint32_t, QString>> MainWindow::palette_kernels() const {
  constexpr std::size_t kMaxKernels = 20'000;
  std::vector<std::pair<std::uint32_t, QString>> found;
  std::vector<bool> listed(
      session_.info().value("launches", nlohmann::json::object()).value("kernels", std::size_t{0}));
  found.reserve(listed.size());
  for (const auto& row : parts_.kernels->model().kernels().rows) {
    if (found.size() == kMaxKernels) return found;
    found.emplace_back(row.id, row.name);
    if (row.id < listed.size()) listed[row.id] = true;
  }
  for (std::size_t id = 0; id < listed.size() && found.size() < kMaxKernels; ++id)
    if (!listed[id])
      found.emplace_back(static_cast<std::uint32_t>(id),
                         session_.kernel_name(static_cast<std::uint32_t>(id)));
  return found;
}

std::vector<PaletteEntry> MainWindow::palette_entries() {
  std::vector<PaletteEntry> entries;
  fill_recent_menu();
  for (auto* action : menuBar()->actions())
    if (action->menu()) add_actions(action->menu(), QString(action->text()).remove('&') + " ▸ ", entries);
  const auto marks = parts_.timeline->state();
  for (std::size_t i = 0; i < marks.flags.size(); ++i)
    entries.push_back(
        {"mark", marks.flags[i].label, {}, [this, flag = marks.flags[i]] {
           const Nanoseconds half{parts_.timeline->model().viewport.window().length().count / 2};
           change([&](SelectionState& s) { s.window = Interval{flag.time - half, flag.time + half}; });
         }});
  for (const auto& range : marks.ranges)
    entries.push_back({"range", range.name, {}, [this, range] {
                         change([&](SelectionState& s) { s.window = range.range; });
                       }});
  if (!session_.has_session()) return entries;
  const auto kernels = palette_kernels();
  for (const auto& [id, name] : kernels)
    entries.push_back(
        {"kernel", name, {}, [this, id = id] { change([id](SelectionState& s) { s.kernels = {id}; }); }});
  for (const auto& [id, name] : kernels)
    entries.push_back({"launch", tr("%1: longest launch").arg(name), {}, [this, id = id] {
                         parts_.launch_views->choose_longest(id);
                       }});
  for (const auto& bin : parts_.bins->model().bins().bins) {
    if (!bin.kept) continue;
    entries.push_back({"bin", tr("bin %1 · %2").arg(bin.index).arg(bin.why), {}, [this, bin] {
                         emit parts_.bins->binActivated(
                             bin.index, {bin.start, bin.start + parts_.bins->model().bins().width});
                       }});
  }
  return entries;
}

// Parses "475 ms" or "row 12", according to the axis of the timeline.
std::optional<PaletteEntry> MainWindow::place_entry(const QString& typed) {
  static const QRegularExpression kTime("^(\\d+(?:\\.\\d+)?)\\s*(ns|us|µs|μs|ms|s)$"),
      kRow("^(?:row\\s*|launch\\s*)?(\\d+)$");
  const bool rows = session_.launch_order();
  const auto match = (rows ? kRow : kTime).match(typed);
  if (!session_.has_session() || !match.hasMatch()) return std::nullopt;
  const QString unit = rows ? QString() : match.captured(2);
  const double scale = rows || unit == "ns" ? 1 : unit == "ms" ? 1e6 : unit == "s" ? 1e9 : 1e3;
  const double value = match.captured(1).toDouble() * scale;
  const QString text = tr("go to %1").arg(match.captured(1) + (rows ? QString() : " " + unit));
  const auto first = static_cast<double>(span_.begin.count), last = static_cast<double>(span_.end.count);
  if (value < first || value > last)
    return PaletteEntry{"time",
                        tr("%1: outside %2 – %3")
                            .arg(text, views::formatPlace(span_.begin, {1000}, session_.axis()),
                                 views::formatPlace(span_.end, {1000}, session_.axis())),
                        {},
                        {}};
  return PaletteEntry{rows ? "row" : "time", text, {}, [this, at = Nanoseconds{std::llround(value)}] {
                        const Nanoseconds half{parts_.timeline->model().viewport.window().length().count / 2};
                        change([&](SelectionState& s) { s.window = Interval{at - half, at + half}; });
                      }};
}

void MainWindow::show_palette() {
  // Entries that navigate move the focus to the timeline; commands do not change the focus.
  const auto with_focus = [this](PaletteEntry entry) {
    if (entry.kind != "command" && entry.run)
      entry.run = [this, run = std::move(entry.run)] {
        run();
        activateWindow();
        parts_.timeline->setFocus();
      };
    return entry;
  };
  palette_->set_reader([this, with_focus](const QString& typed) {
    auto read = place_entry(typed);
    return read ? std::optional(with_focus(std::move(*read))) : std::nullopt;
  });
  auto entries = palette_entries();
  for (auto& entry : entries) entry = with_focus(std::move(entry));
  palette_->show_entries(std::move(entries));
}

QDockWidget* MainWindow::pin(const QString& id) {
  const auto* of = view(id);
  if (!session_.has_session() || !of || !of->pin) return nullptr;
  auto* dock = of->pin(*of->spec);
  if (!dock)
    context_->show_status(tr("%1 shows nothing yet, so it cannot be duplicated.").arg(title_of(*of->spec)));
  return dock;
}

void MainWindow::make_pin_menu(QMenu* menu) {
  for (const auto* each : views_by(&ViewSpec::menu_order))
    menu->addAction(title_of(*each->spec), this, [this, id = each->spec->id] { pin(id); });
}

// A duplicated view is duplicated again with the current selection.
void MainWindow::pin_focused() {
  if (const auto* spec = spec_of(focused_dock())) pin(spec->id);
}

void MainWindow::make_layout_menu(QMenu* menu) {
  layout_menu_ = menu;
  connect(menu, &QMenu::aboutToShow, this, &MainWindow::fill_layout_menu);
  fill_layout_menu();
}

void MainWindow::fill_layout_menu() {
  layout_menu_->clear();
  layout_menu_->addAction(tr("&Reset"), this, [this] { restore_layout(default_layout_); });
  layout_menu_->addAction(tr("&Save As…"), this, &MainWindow::save_layout_as);
  auto kept = settings();
  kept.beginGroup(kLayouts);
  const auto names = kept.childKeys();
  if (!names.isEmpty()) layout_menu_->addSeparator();
  for (const auto& name : names)
    layout_menu_->addAction(
        name, this, [this, name] { restore_layout(settings().value(kLayouts + name).toByteArray()); });
}

void MainWindow::save_layout_as() {
  bool chosen = false;
  const QString name = QInputDialog::getText(this, tr("Save layout"), tr("Name of the layout:"),
                                             QLineEdit::Normal, {}, &chosen)
                           .trimmed();
  if (!chosen || name.isEmpty()) return;
  settings().setValue(kLayouts + QString(name).replace('/', ' '), saveState());
}

void MainWindow::export_view() {
  const QString focused = focused_view();
  ExportDialog dialog(pictures_of(*this), focused, style_.theme, this);
  dialog.set_needed_height(
      [this](const QString& view, const PaperSize& size) { return needed_height_of(*this, view, size); });
  dialog.set_advice(
      [this](const QString& view, const PaperSize& size) { return advice_of(*this, view, size); });
  dialog.set_holding(
      [this](const QString& view, const PaperSize& size) { return holds_for_paper(*this, view, size); });
  dialog.set_tables([this](const QString& view, const QString& path) { save_table_to(view, path); });
  if (dialog.exec() == QDialog::Accepted && !dialog.saved().isEmpty())
    messages_->note(tr("Saved %1.").arg(dialog.saved()));
}

void MainWindow::copy_picture() {
  auto* dock = focused_dock();
  QWidget* view = dock ? dock->widget() : parts_.timeline;
  QGuiApplication::clipboard()->setImage(view->grab().toImage());
  messages_->note(tr("A picture of %1 was copied to the clipboard.").arg(focused_view()));
}

void MainWindow::save_table() {
  const QString view = focused_view();
  QFileDialog dialog(this, tr("Save what %1 shows as CSV").arg(view));
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setDefaultSuffix("csv");
  if (dialog.exec() == QDialog::Accepted) save_table_to(view, dialog.selectedFiles().value(0));
}

void MainWindow::export_trace_as() {
  if (!session_.has_session()) return;
  QFileDialog dialog(this, tr("Export the whole trace"));
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setNameFilters(
      {tr("Paraver (*.prv)"), tr("Perfetto, Chrome trace (*.json)"), tr("All launches (*.csv)")});
  dialog.setDefaultSuffix("prv");
  connect(&dialog, &QFileDialog::filterSelected, &dialog,
          [&dialog](const QString& filter) { dialog.setDefaultSuffix(filter.section("*.", 1).chopped(1)); });
  if (dialog.exec() == QDialog::Accepted) export_trace_to(dialog.selectedFiles().value(0));
}

// The file dialog has asked about the file itself, but not about the .pcf and .row next to it.
void MainWindow::export_trace_to(const QString& path) {
  const auto write = [this, path] {
    export_trace(session_, path, [this](const Expected<QString>& summary) {
      if (summary)
        messages_->note(*summary);
      else
        show_error(summary.error(), tr("Export Trace"));
    });
  };
  auto others = existing_outputs(path);
  others.removeAll(QFileInfo(path).fileName());
  if (others.isEmpty()) return write();
  messages_->show_message(tr("%1 would be replaced.").arg(others.join(", ")), tr("Replace"), write);
}

void MainWindow::save_launches(const QString& view, views::LaunchesWidget& table, const QStringList& columns,
                               const QString& path) {
  auto* saving = new LaunchExport(session_, path, table.order(), columns,
                                  pinned_->selection_of(pinned_->dock_of(view)), this);
  connect(saving, &LaunchExport::saved, this, [this](const QString& file, qint64 rows) {
    messages_->note(
        tr("Saved %1 launches to %2.").arg(views::formatCount(static_cast<std::uint64_t>(rows)), file));
  });
  connect(saving, &LaunchExport::failed, this,
          [this](const Error& error) { show_error(error, tr("Save table")); });
  saving->start();
}

// For launch views, requests all launches from the engine; for other views, writes the data that are already
// in the window.
void MainWindow::save_table_to(const QString& view, const QString& path) {
  if (const auto launches = launches_of_view(*this, view); launches.table)
    return save_launches(view, *launches.table, launches.columns, path);
  const auto text = csv_of_view(*this, view);
  if (!text) return messages_->note(tr("%1 contains no numbers to save as a table.").arg(view));
  if (text->count("\r\n") < 2) // a header alone
    return messages_->note(tr("%1 has no numbers yet, so nothing was saved. Show the view first.").arg(view));
  if (auto written = write_output(QFile::encodeName(path).toStdString(), text->toStdString()); !written)
    return show_error(written.error(), tr("Save table"));
  messages_->note(tr("Saved %1.").arg(path));
}

} // namespace jitterscope::app
