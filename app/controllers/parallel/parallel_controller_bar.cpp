// The toolbar above parallel coordinates.

#include <QComboBox>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/controllers/causal/causal_group_list.h"
#include "app/controllers/parallel/parallel_controller.h"
#include "app/engine/decode.h"
#include "app/session/session_controller.h"
#include "app/widgets/choice_box.h"
#include "app/widgets/command_palette.h"
#include "views/base/flow_layout.h"
#include "views/parallel/parallel_widget.h"

namespace jitterscope::app {
namespace {

QToolButton* tool(QWidget* parent, const QString& text, const QString& tip, QMenu* menu) {
  auto* made = new QToolButton(parent);
  made->setText(text);
  made->setToolTip(tip);
  made->setMenu(menu);
  made->setPopupMode(QToolButton::InstantPopup);
  made->setFocusPolicy(Qt::TabFocus);
  return made;
}

template <class Act>
QToolButton* button(QWidget* parent, const QString& text, const QString& tip, QObject* context, Act&& act) {
  auto* made = new QToolButton(parent);
  made->setText(text);
  made->setToolTip(tip);
  made->setFocusPolicy(Qt::TabFocus);
  QObject::connect(made, &QToolButton::clicked, context, std::forward<Act>(act));
  return made;
}

} // namespace

void ParallelController::make_panel() {
  panel_ = new QWidget(window_);
  tools_ = new views::FlowLayout(6);
  tools_->setContentsMargins(6, 4, 6, 2);
  make_rows_and_order_tools();
  make_colour_tool();
  make_brush_tools();
  auto* column = new QVBoxLayout(panel_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(tools_);
  column->addWidget(view_, 1);
  show_state(hub_.state(), hub_.state());
}

void ParallelController::make_rows_and_order_tools() {
  rows_ = new ChoiceBox(panel_);
  rows_->addItems({tr("Rows: launches"), tr("Rows: bins")});
  rows_->setToolTip(tr("Kind of rows: launches, or bins of the ranking with their statistics"));
  rows_->setAccessibleName(tr("Rows"));
  connect(rows_, &QComboBox::activated, this, [this](int index) { show_bins(index == 1); });
  tools_->addWidget(rows_);
  tools_->addWidget(button(panel_, tr("Columns…"), tr("Choose the axes among all columns"), this,
                           [this] { choose_columns(); }));
  auto* order = new QMenu(panel_);
  order->addAction(tr("By &Correlation of Neighbours"), this, [this] { order_by(false); });
  order->addAction(tr("By &Mutual Information of Neighbours"), this, [this] { order_by(true); });
  tools_->addWidget(tool(panel_, tr("Order"), tr("Place related axes next to each other"), order));
  auto* figures = new QMenu(panel_);
  figures->setToolTipsVisible(true);
  for (const auto& figure : parallel_figures())
    figures->addAction(figure.title, this, [this, &figure] { show_figure(figure); })
        ->setToolTip(figure.details);
  tools_->addWidget(
      tool(panel_, tr("Figures"), tr("Axes, colours and order of a predefined figure"), figures));
}

void ParallelController::make_colour_tool() {
  auto* menu = new QMenu(panel_);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] { fill_colour_menu(*menu); });
  tools_->addWidget(
      tool(panel_, tr("Colour"), tr("Colour rows by a column, by run, or by two selections"), menu));
}

void ParallelController::fill_colour_menu(QMenu& menu) {
  menu.clear();
  menu.addAction(tr("Density Only"), this, [this] { colour_by({}); });
  for (const auto& key : view_->model().order())
    menu.addAction(tr("By %1").arg(view_->model().axis(view_->model().position(key)).title), this,
                   [this, key] { colour_by(key); });
  menu.addAction(tr("By Another &Column…"), this, &ParallelController::choose_colour);
  menu.addSeparator();
  if (!shows_bins_)
    menu.addAction(tr("By &Run"), this, &ParallelController::colour_by_run)
        ->setEnabled(session_.has_column(run_column(session_.info())));
  const bool some = shows_bins_ ? !bin_brushes().brushes.empty() : hub_.state().selects();
  const bool known = shows_bins_ ? remembered_bins_.has_value() : !remembered_.isEmpty();
  menu.addAction(shows_bins_ ? tr("&Remember These Bins as A") : tr("&Remember This Selection as A"), this,
                 &ParallelController::remember_selection)
      ->setEnabled(some);
  menu.addAction(shows_bins_ ? tr("&Compare the Brushed Bins with A") : tr("&Compare This Selection with A"),
                 this, &ParallelController::compare_with_remembered)
      ->setEnabled(known && some);
}

void ParallelController::choose_colour() {
  if (!session_.has_session() || (shows_bins_ && !bins_)) return;
  std::vector<PaletteEntry> entries;
  const auto add = [&](const QString& key, const QString& title, const QString& unit) {
    entries.push_back(
        {unit, title == key ? title : title + " · " + key, {}, [this, key] { colour_by(key); }});
  };
  if (shows_bins_)
    for (const auto& key : bins_->columns()) add(key, BinCoordinates::title(key), {});
  else
    for (const auto& column : session_.info().value("columns", nlohmann::json::array()))
      if (!column.value("constant", false)) {
        const auto name = column.at("name").get<std::string>();
        add(QString::fromStdString(name), words(name),
            QString::fromStdString(column.value("unit", std::string())));
      }
  colours_list_ = new CommandPalette(window_);
  colours_list_->setAttribute(Qt::WA_DeleteOnClose);
  colours_list_->show_entries(std::move(entries));
}

void ParallelController::make_brush_tools() {
  join_ = new ChoiceBox(panel_);
  join_->addItem(tr("all brushes"));
  join_->addItem(tr("any brush"));
  join_->setToolTip(tr("Rows must pass the brushes of all axes, or of any one axis"));
  join_->setAccessibleName(tr("Combination of brushes"));
  connect(join_, &QComboBox::activated, this, [this](int index) {
    set_logic({index == 1, hub_.state().brush_logic.inverted});
  });
  tools_->addWidget(join_);
  invert_ =
      button(panel_, tr("Invert"), tr("Invert the brushes: select the rows outside them"), this, [this] {
        set_logic({hub_.state().brush_logic.any, !hub_.state().brush_logic.inverted});
      });
  invert_->setCheckable(true);
  keep_ = button(panel_, tr("Keep"), tr("Keep only the brushed rows: the brushes become part of the filter"),
                 this, [this] { keep(false); });
  exclude_ = button(panel_, tr("Exclude"), tr("Exclude the brushed rows with the filter"), this,
                    [this] { keep(true); });
  for (auto* each : {invert_, keep_, exclude_}) tools_->addWidget(each);
}

} // namespace jitterscope::app
