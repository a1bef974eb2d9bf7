#include "app/controllers/parallel/parallel_controller.h"

#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "app/controllers/details_text.h"
#include "app/controllers/parallel/row_probe.h"
#include "app/engine/decode.h"
#include "app/engine/parallel_colours.h"
#include "app/engine/time_text.h"
#include "app/engine/typed_answers.h"
#include "app/session/questions.h"
#include "app/session/session_controller.h"
#include "core/engine/messages/launch_answers.h"
#include "core/engine/messages/statistics_answers.h"
#include "views/base/format.h"
#include "views/parallel/parallel_widget.h"

namespace jitterscope::app {

using nlohmann::json;

namespace {

/// Filter for launches that start in these times; empty if the text would be too long to be readable.
QString times_filter(const std::vector<Interval>& times) {
  constexpr std::size_t kMaxTimes = 100;
  if (times.size() > kMaxTimes) return {};
  QStringList parts;
  for (const auto& each : times)
    parts << QString("start between %1 and %2").arg(each.begin.count).arg(each.end.count - 1);
  return parts.size() == 1 ? parts.first() : "(" + parts.join(" or ") + ")";
}

} // namespace

ParallelController::ParallelController(SelectionHub& hub, SessionController& session,
                                       views::ParallelWidget* view, std::function<QStringList()> causes,
                                       QWidget* window)
    : QObject(window), hub_(hub), session_(session), view_(view), causes_(std::move(causes)),
      window_(window) {
  make_panel();
  using views::ParallelWidget;
  connect(&session_, &SessionController::parallel, this, &ParallelController::show_counts);
  connect(&session_, &SessionController::opened, this, [this] {
    scales_.clear();
    orders_.clear();
    colours_[0] = colours_[1] = {};
    remembered_.clear();
    remembered_bins_.reset();
    handful_.clear(), chosen_.clear(), hovered_.clear();
    bins_.reset();
    bin_axes_ = BinCoordinates::default_axes();
    launch_axes_.clear();
    shows_bins_ = false;
    const QSignalBlocker quiet(rows_);
    rows_->setItemText(0, session_.launch_order() ? tr("Rows: table rows") : tr("Rows: launches"));
    rows_->setCurrentIndex(0);
    session_.hold_parallel(false);
    view_->forget();
    session_.set_parallel_options({});
  });
  connect(&session_, &SessionController::bin_table, this, &ParallelController::bins_came);
  connect(view_, &ParallelWidget::brushesChanged, this, &ParallelController::brush);
  const auto ordered = [this](const QStringList& axes) {
    if (shows_bins_)
      bin_axes_ = axes, draw_bins();
    else
      session_.request_parallel(axes);
  };
  connect(
      view_, &ParallelWidget::needHistogramsFor, this, [this, ordered] { ordered(view_->model().order()); },
      Qt::QueuedConnection);
  connect(view_, &ParallelWidget::axesReordered, this, ordered);
  connect(&hub_, &SelectionHub::changed, this, &ParallelController::show_state);
  // Shows the selected launch and the one under the pointer as exact lines.
  connect(&session_, &SessionController::details, this,
          [this](const engine::answers::LaunchAnswer& launch, bool for_hover) {
            auto& lines = for_hover ? hovered_ : chosen_;
            lines.assign(1, launch_line(launch, session_.codes()));
            show_lines();
          });
  probe_ = new RowProbe(
      hub_, session_, view_, [this] { return shows_bins_ && bins_ ? &*bins_ : nullptr; }, this);
  connect(probe_, &RowProbe::problem, this, &ParallelController::problem);
  connect(probe_, &RowProbe::selected, this, [this](SelectionState state) {
    complete(state);
    hub_.apply(state);
  });
  connect(view_, &ParallelWidget::menuRequested, this,
          [this](const QString& key, QPoint global) { menu_of(key)->exec(global); });
  connect(view_, &ParallelWidget::brushEntryRequested, this, &ParallelController::type_range);
  connect(view_, &ParallelWidget::axisPinRequested, this, &ParallelController::pin_axis);
  connect(view_, &ParallelWidget::axisHideRequested, this, &ParallelController::hide_axis);
  connect(view_, &ParallelWidget::keepRequested, this, &ParallelController::keep);
}

ParallelController::~ParallelController() = default;

void ParallelController::change(const std::function<void(SelectionState&)>& edit) {
  SelectionState state = hub_.state();
  edit(state);
  complete(state);
  hub_.apply(state);
}

void ParallelController::show_state(const SelectionState& now, const SelectionState& before) {
  const bool brushed = !now.brushes.empty();
  for (QWidget* each : {static_cast<QWidget*>(invert_), static_cast<QWidget*>(keep_),
                        static_cast<QWidget*>(exclude_), static_cast<QWidget*>(join_)})
    each->setEnabled(brushed);
  const QSignalBlocker quiet(join_);
  join_->setCurrentIndex(now.brush_logic.any ? 1 : 0);
  invert_->setChecked(now.brush_logic.inverted);
  view_->setLogic(now.brush_logic);
  if (now.launch != before.launch) {
    hovered_.clear();
    if (!now.launch) chosen_.clear();
    show_lines();
  }
  if (shows_bins_ && now.bin != before.bin) show_lines();
  if (shows_bins_ && (now.brushes != before.brushes || !(now.brush_logic == before.brush_logic))) draw_bins();
  // The colours of a comparison depend on the current selection, and each of several brushes on the colouring
  // column has its own colour.
  const bool compared =
      colour().by == Colour::Compare && now.filter(session_.codes()) != before.filter(session_.codes());
  const auto ranges_of = [&](const SelectionState& state) {
    const auto own = state.brushes.find(colour().key);
    return own == state.brushes.end() || own->second.size() < 2 ? std::vector<views::ValueRange>()
                                                                : own->second;
  };
  const bool by_ranges = colour().by == Colour::Axis && ranges_of(now) != ranges_of(before);
  if (!shows_bins_ && (compared || by_ranges)) ask();
}

void ParallelController::show_counts(views::ParallelData counts) {
  if (shows_bins_) return;
  for (std::size_t c = 0; c < counts.classes.size() && c < asked_classes_.size(); ++c)
    counts.classes[c].label = asked_classes_[c].first;
  choose_colours(counts.classes, view_->model().data().classes);
  if (!counts.classes.empty() || colour().by != Colour::None) counts.colouredBy = coloured_by();
  if (session_.launch_order()) counts.rowsName = tr("rows");
  view_->setData(std::move(counts));
  view_->setBrushes(hub_.state().brushes);
  ask_lines();
}

void ParallelController::ask() {
  if (shows_bins_) return draw_bins();
  ask(view_->model().order());
}

void ParallelController::ask(const QStringList& axes) {
  auto options = colour_options();
  for (auto each = scales_.begin(); each != scales_.end(); ++each)
    options.scales.push_back({.column = each.key().toStdString(), .scale = each.value().toStdString()});
  for (auto each = orders_.begin(); each != orders_.end(); ++each)
    options.orders.push_back({.column = each.key().toStdString(), .order = each.value().toStdString()});
  options.target = session_.causal_choices().target;
  session_.set_parallel_options(std::move(options));
  session_.request_parallel(axes);
}

void ParallelController::choose_columns() {
  if (!session_.has_session() || (shows_bins_ && !bins_)) return;
  std::vector<PickerColumn> columns;
  if (shows_bins_)
    for (const auto& key : bins_->columns()) columns.push_back({key, {}, BinCoordinates::title(key)});
  else
    for (const auto& column : session_.info().value("columns", json::array())) {
      if (column.value("constant", false)) continue;
      columns.push_back({QString::fromStdString(column.at("name").get<std::string>()),
                         QString::fromStdString(column.value("unit", std::string())),
                         QString::fromStdString(column.value("description", std::string()))});
    }
  picker_ = new ColumnPicker(columns, view_->model().order(), window_);
  picker_->setAttribute(Qt::WA_DeleteOnClose);
  connect(picker_, &ColumnPicker::accepted_with, this, &ParallelController::set_axes);
  connect(picker_, &ColumnPicker::causal_requested, this, [this] { picker_->choose(causes_()); });
  connect(picker_, &ColumnPicker::spread_requested, this, [this, picker = picker_] {
    session_.request(engine::WidestColumnsOptions{.most = 11}, tr("Columns"),
                     [picker](const Expected<engine::Answer>& received) {
                       const auto answer =
                           received.and_then(engine::table_of<engine::answers::WidestColumnsAnswer>);
                       if (!answer || !picker) return;
                       picker->choose(list_of_texts(answer->columns));
                     });
  });
  picker_->show();
}

void ParallelController::set_axes(const QStringList& axes) {
  QStringList requested = axes;
  if (requested.contains(view_->model().pinned()))
    requested.move(requested.indexOf(view_->model().pinned()), 0);
  if (shows_bins_) {
    bin_axes_ = requested;
    return draw_bins();
  }
  session_.request_parallel(requested);
}

void ParallelController::set_scale(const QString& key, const QString& scale) {
  scales_[key] = scale;
  ask();
}

void ParallelController::set_category_order(const QString& key, const QString& order) {
  orders_[key] = order;
  ask();
}

void ParallelController::order_by(bool mutual_information) {
  if (shows_bins_) {
    if (bins_)
      set_order(bins_->related_order(view_->model().order(), view_->model().pinned(), mutual_information));
    return;
  }
  const QStringList axes = view_->model().order();
  session_.request(engine::RelatedOrderOptions{.axes = texts_of(axes),
                                               .pinned = view_->model().pinned().toStdString(),
                                               .mutual_information = mutual_information},
                   tr("Order of axes"), [this](const Expected<engine::Answer>& received) {
                     const auto answer =
                         received.and_then(engine::table_of<engine::answers::RelatedOrderAnswer>);
                     if (!answer) return emit problem(QString::fromStdString(describe(answer.error())));
                     if (!shows_bins_) set_order(list_of_texts(answer->axes));
                   });
}

void ParallelController::set_order(const QStringList& order) {
  if (shows_bins_) bin_axes_ = order;
  view_->setOrder(order); // requests the missing pairs
}

void ParallelController::hide_axis(const QString& key) {
  QStringList left = view_->model().order();
  left.removeAll(key);
  if (left.isEmpty()) return;
  if (hub_.state().brushes.count(key) > 0) change([&](SelectionState& s) { s.brushes.erase(key); });
  if (view_->model().pinned() == key) view_->setPinned({});
  set_axes(left);
}

void ParallelController::pin_axis(const QString& key) {
  view_->setPinned(view_->model().pinned() == key ? QString() : key);
}

void ParallelController::set_logic(views::BrushLogic logic) {
  change([&](SelectionState& s) { s.brush_logic = logic; });
}

void ParallelController::keep(bool exclude) {
  QStringList clauses;
  if (const QString brushes = hub_.state().brush_filter(session_.codes()); !brushes.isEmpty())
    clauses << brushes;
  if (!hub_.state().bin_times.empty()) clauses << times_filter(hub_.state().bin_times);
  if (clauses.isEmpty()) return;
  if (clauses.contains(QString()))
    return emit problem(
        tr("The brushed bins form too many separate time ranges for one filter. Brush fewer bins."));
  const QString brushes = clauses.join(" and ");
  change([&](SelectionState& s) {
    const QString clause = exclude ? "not (" + brushes + ")" : brushes;
    s.where = s.where.trimmed().isEmpty() ? clause : "(" + s.where.trimmed() + ") and " + clause;
    s.brushes.clear();
    s.brush_logic = {};
  });
}

void ParallelController::set_range(const QString& key, int brush, double low, double high) {
  change([&](SelectionState& s) {
    auto& ranges = s.brushes[key];
    if (brush >= 0 && brush < static_cast<int>(ranges.size())) ranges.erase(ranges.begin() + brush);
    ranges.push_back({std::min(low, high), std::max(low, high)});
    std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
  });
}

void ParallelController::type_range(const QString& key, int brush) {
  const int position = view_->model().position(key);
  if (position < 0) return;
  const views::ParallelAxis& axis = view_->model().axis(position);
  views::ValueRange range{axis.minimum, axis.maximum};
  const auto& brushes = view_->model().brushes();
  if (const auto own = brushes.find(key);
      own != brushes.end() && brush >= 0 && brush < static_cast<int>(own->second.size()))
    range = own->second[static_cast<std::size_t>(brush)];
  auto* dialog = new QDialog(window_);
  dialog->setObjectName("range");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Range of %1").arg(axis.title));
  auto* from = new QLineEdit(views::exactNumber(range.low), dialog);
  auto* to = new QLineEdit(views::exactNumber(range.high), dialog);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, dialog);
  auto* form = new QFormLayout(dialog);
  const QString unit = !axis.categories.isEmpty() ? tr("position along the axis, from 0")
                       : axis.unit == "ns"        ? tr("ns, or with a unit: 20us")
                                                  : axis.unit;
  form->addRow(tr("From") + (unit.isEmpty() ? QString() : " (" + unit + ")"), from);
  form->addRow(tr("To"), to);
  form->addRow(buttons);
  const auto number = [unit = axis.unit](const QString& text) -> std::optional<double> {
    bool valid = false;
    const double plain = text.trimmed().toDouble(&valid);
    if (valid) return plain;
    if (unit == "ns")
      if (const auto time = parse_time(text.trimmed().toStdString(), "range"))
        return static_cast<double>(*time);
    return std::nullopt;
  };
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, dialog, [this, dialog, from, to, number, key, brush] {
    const auto low = number(from->text()), high = number(to->text());
    if (!low || !high) {
      (low ? to : from)->selectAll();
      (low ? to : from)->setFocus();
      return;
    }
    set_range(key, brush, *low, *high);
    dialog->accept();
  });
  dialog->show();
}

std::unique_ptr<QMenu> ParallelController::menu_of(const QString& key) {
  auto menu = std::make_unique<QMenu>(view_);
  const int position = view_->model().position(key);
  if (position >= 0) {
    const views::ParallelAxis& axis = view_->model().axis(position);
    if (axis.categories.isEmpty()) {
      auto* scales = menu->addMenu(tr("&Scale"));
      int number = 0;
      for (const char* scale : {"linear", "log", "quantile", "rank", "symlog"}) {
        const QString title = QString(scale) == "quantile" ? tr("quartiles")
                              : QString(scale) == "symlog" ? tr("symlog (log that allows 0)")
                                                           : QString(scale);
        auto* action = scales->addAction(title, this, [this, key, scale] { set_scale(key, scale); });
        action->setCheckable(true);
        action->setChecked(number++ == static_cast<int>(axis.scale));
      }
      scales->actions()[1]->setEnabled(axis.minimum > 0);
    } else if (!shows_bins_) {
      auto* orders = menu->addMenu(tr("&Sort Categories"));
      for (const auto& [text, order] : {std::pair{tr("By Value"), "value"},
                                        {tr("By Frequency"), "frequency"},
                                        {tr("By Mean of the Target"), "target"}})
        orders->addAction(text, this, [this, key, requested = order] { set_category_order(key, requested); });
    }
    menu->addAction(tr("&Invert"), this, [this, key] { view_->invertAxis(key); });
    menu->addAction(tr("&Colour by %1").arg(axis.title), this, [this, key] { colour_by(key); });
    menu->addAction(tr("Type a &Range…"), this, [this, key] { type_range(key, -1); });
    menu->addAction(tr("C&lear Brushes of This Axis"), this, [this, key] { view_->clearBrushes(key); })
        ->setEnabled(hub_.state().brushes.count(key) > 0);
    menu->addAction(view_->model().pinned() == key ? tr("Un&pin") : tr("&Pin at the Left"), this,
                    [this, key] { pin_axis(key); });
    menu->addAction(tr("&Hide"), this, [this, key] { hide_axis(key); });
    menu->addSeparator();
  }
  menu->addAction(tr("C&olumns…"), this, &ParallelController::choose_columns);
  return menu;
}

} // namespace jitterscope::app
