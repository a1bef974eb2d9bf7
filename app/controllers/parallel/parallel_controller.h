#pragma once

#include <QMap>
#include <QObject>
#include <QPoint>
#include <QPointer>
#include <functional>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "app/controllers/parallel/parallel_figures.h"
#include "app/session/bin_coordinates.h"
#include "app/session/selection_hub.h"
#include "app/widgets/column_picker.h"
#include "app/widgets/command_palette.h"
#include "core/engine/messages/statistics_options.h"
#include "views/parallel/parallel_data.h"

class QAction;
class QComboBox;
class QLayout;
class QMenu;
class QToolButton;
class QWidget;

namespace jitterscope::views {
class ParallelWidget;
}

namespace jitterscope::app {

class RowProbe;
class SessionController;

/// Controller of parallel coordinates: launches or bins as rows, columns of the axes, scales, colours,
/// combination of brushes, kept or excluded rows, rows drawn as lines. Translates these choices into engine
/// requests and changes of the hub.
class ParallelController : public QObject {
  Q_OBJECT

public:
  /// `causes` returns the columns that the causal graph found, its target last.
  ParallelController(SelectionHub& hub, SessionController& session, views::ParallelWidget* view,
                     std::function<QStringList()> causes, QWidget* window);
  ~ParallelController() override;

  QWidget* panel() { return panel_; } ///< toolbar above the view
  ColumnPicker* picker() { return picker_; }
  /// Opens the column picker, as its shortcut does.
  void choose_columns();
  /// Opens a list to choose the colouring column among those that differ between rows.
  void choose_colour();
  CommandPalette* colours_list() { return colours_list_; }
  std::unique_ptr<QMenu> menu_of(const QString& key);

  void set_axes(const QStringList& axes);
  void set_scale(const QString& key, const QString& scale);
  void set_category_order(const QString& key, const QString& order);
  void order_by(bool mutual_information);
  void hide_axis(const QString& key);
  void pin_axis(const QString& key);
  void colour_by(const QString& key); ///< column of the colours; empty: density only
  void colour_by_run();
  void remember_selection(); ///< like the A key; for bins, remembers their brushes
  void compare_with_remembered();
  /// Sets axes, colours, category order and causal target of a predefined figure.
  void show_figure(const ParallelFigure& figure);
  void keep(bool exclude);
  void set_logic(views::BrushLogic logic);
  void type_range(const QString& key, int brush);
  void set_range(const QString& key, int brush, double low, double high);
  /// Applies the view's current brushes, for launches or bins; one drag is one history step.
  void brush(const views::AxisBrushes& brushes, bool finished);
  /// True: shows bins as rows; false: launches.
  void show_bins(bool bins);
  bool shows_bins() const { return shows_bins_; }
  /// The bins that are selected, with the axes as columns; empty before the bins arrive.
  QString csv_of_bins() const;

  /// Axes, order, scales, inversion, rows and colour, for the session file; brushes are part of the
  /// selection.
  nlohmann::json state() const;
  /// Settings that do not match the columns of this session are ignored.
  void restore(const nlohmann::json& state);

signals:
  void problem(const QString& text);
  /// A figure was requested, so the view should be shown.
  void shown();

private:
  enum class Colour { None, Axis, Runs, Compare };
  struct ColourChoice {
    Colour by = Colour::None;
    QString key; ///< column, which need not be an axis
  };
  struct BinBrushes {
    views::AxisBrushes brushes;
    views::BrushLogic logic;
  };
  void make_panel();
  void make_rows_and_order_tools();
  void make_colour_tool();
  void make_brush_tools();
  void fill_colour_menu(QMenu& menu);
  void show_counts(views::ParallelData counts);
  void show_state(const SelectionState& now, const SelectionState& before);
  void ask();
  void ask(const QStringList& axes);
  engine::ParallelOptions colour_options();
  void ask_lines();
  void show_lines();
  void bins_came(const engine::Answer& answer);
  void draw_bins();
  bool has_column(const QString& key) const;
  bool varies(const QString& key) const; ///< true if the column exists and differs between launches
  std::vector<std::pair<QString, QString>>
  classes(); ///< labels and filters of the classes; empty for a column, whose classes the engine determines
  std::vector<BinCoordinates::Class> classes_of_bins() const;
  QString coloured_by() const;
  ColourChoice& colour() { return colours_[shows_bins_ ? 1 : 0]; }
  const ColourChoice& colour() const { return colours_[shows_bins_ ? 1 : 0]; }
  void set_order(const QStringList& order);
  BinBrushes bin_brushes() const; ///< brushes on bins in the current state
  void change(const std::function<void(SelectionState&)>& edit);
  void complete(SelectionState& state) const; ///< sets the times of the brushed bins

  SelectionHub& hub_;
  SessionController& session_;
  views::ParallelWidget* view_;
  std::function<QStringList()> causes_;
  QWidget* window_;
  QWidget* panel_ = nullptr;
  QComboBox* join_ = nullptr;
  QToolButton *invert_ = nullptr, *keep_ = nullptr, *exclude_ = nullptr;
  QPointer<ColumnPicker> picker_;
  QPointer<CommandPalette> colours_list_;
  QMap<QString, QString> scales_, orders_; ///< scale and category order by column, in the engine's terms
  ColourChoice colours_[2];                ///< colours of launches and of bins
  QString remembered_;                     ///< filter of the remembered launches
  std::optional<BinBrushes> remembered_bins_;
  std::vector<std::pair<QString, QString>> asked_classes_;
  std::vector<views::ParallelLine> handful_, chosen_,
      hovered_; ///< a few selected rows; the selected launch; the launch under the pointer
  QComboBox* rows_ = nullptr;
  QLayout* tools_ = nullptr;
  RowProbe* probe_ = nullptr;
  bool shows_bins_ = false;
  std::optional<BinCoordinates> bins_;
  QStringList bin_axes_ = BinCoordinates::default_axes(), launch_axes_;
  int drag_ = 0;
};

} // namespace jitterscope::app
