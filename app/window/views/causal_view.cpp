#include <QComboBox>
#include <QFileInfo>
#include <QInputDialog>
#include <QMainWindow>
#include <QPainter>
#include <QPointer>
#include <QScrollArea>
#include <QStackedWidget>
#include <algorithm>
#include <cmath>
#include <memory>

#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/causal/causal_group_list.h"
#include "app/engine/decode.h"
#include "app/export/view_csv.h"
#include "app/session/column_choices.h"
#include "app/widgets/message_bar.h"
#include "app/window/spec/choice_row.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/window_views.h"
#include "app/window/views/view_list.h"
#include "core/engine/messages/session_answers.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/statistics_answers.h"
#include "views/base/text.h"
#include "views/causal/causal_canvas.h"
#include "views/causal/causal_layout.h"
#include "views/causal/causal_multiples.h"
#include "views/causal/causal_painter.h"
#include "views/causal/causal_widget.h"
#include "views/table_parts/table_style.h"

namespace jitterscope::app {
namespace {

using views::CausalMultiples;
using views::CausalWidget;
using views::Text;

ViewExports exports_of(CausalWidget* causal) {
  ViewExports exports;
  exports.pictures = [causal](Pictures& pictures, const QString& title) {
    pictures[title] = [causal](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      views::causal::paint(p, r, causal->graph(), s, &causal->canvas()->layout());
    };
  };
  exports.csv = [causal](const QString&) { return csv_of(causal->graph()); };
  return exports;
}

// Laid out with the fonts of the paper, not of the screen.
void paint_groups(QPainter& painter, const QRectF& rect, const views::CausalMultiplesModel& shown,
                  const views::ViewStyle& style) {
  views::CausalMultiplesModel model;
  model.setGroups(shown.groups(), views::causalMeasure(style));
  model.setNote(shown.note());
  views::causal::paintMultiples(painter, rect, model, style);
}

ViewExports exports_of(CausalMultiples* groups) {
  ViewExports exports;
  exports.pictures = [groups](Pictures& pictures, const QString& title) {
    if (!groups->model().groups().empty())
      pictures[title] = [groups](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
        paint_groups(p, r, groups->model(), s);
      };
  };
  exports.csv = [groups](const QString&) { return csv_of(groups->model().groups()); };
  return exports;
}

QString advice_of(CausalWidget& causal, const PaperSize& size) {
  const auto style = with_font(views::ViewStyle::paper(), size.font_pt);
  const auto scale_at = [&](double larger) {
    return views::causal::textScale(QSizeF(size.width_mm, size.height_mm) * kPixelsOfMillimetre * larger,
                                    causal.graph(), style, &causal.canvas()->layout());
  };
  constexpr double kMinScale = 0.97;
  if (scale_at(1) >= kMinScale) return {};
  double larger = 1;
  while (larger < 20 && scale_at(larger) < kMinScale) larger += 0.05;
  return Text::tr("At this size the names in the graph are %1 pt high; a size of %2 mm × %3 mm gives %4 pt.")
      .arg(size.font_pt * scale_at(1), 0, 'f', 1)
      .arg(std::ceil(size.width_mm * larger), 0, 'g', 5)
      .arg(std::ceil(size.height_mm * larger), 0, 'g', 5)
      .arg(size.font_pt, 0, 'g', 3);
}

QDockWidget* pin_causal_groups(ViewContext& context, const ViewSpec& spec) {
  const auto& shown = context.parts.causal_controller->multiples()->model();
  if (shown.groups().empty()) return nullptr;
  auto* widget = new CausalMultiples;
  widget->setNote(shown.note());
  widget->setGroups(shown.groups());
  const auto set_style = [widget = QPointer(widget)](const views::ViewStyle& style) {
    if (!widget) return;
    widget->setViewStyle(style);
    for (auto* above = widget->parentWidget(); above; above = above->parentWidget())
      if (auto* area = qobject_cast<QScrollArea*>(above)) area->setStyleSheet(views::scrollBarSheet(style));
  };
  return context.pinned.show(
      {spec, CausalController::scrolled(widget, nullptr), set_style, exports_of(widget)});
}

// Uses the question that the visible graph answers instead of the selection, because questions about few
// launches are extended to more launches.
QDockWidget* pin_causal(ViewContext& context, const ViewSpec& spec) {
  if (context.parts.causal_controller->side_by_side()) return pin_causal_groups(context, spec);
  const auto options = std::make_shared<engine::CausalOptions>(context.session.causal_question());
  auto* widget = new CausalWidget;
  const auto ask =
      context.pinned.request(spec, widget, options, [](CausalWidget* view, const engine::Answer& answer) {
        if (auto result = decode_causal(answer)) view->setGraph(graph_of(*result));
      });
  return context.pinned.show({spec, widget, style_of(widget), exports_of(widget), ask});
}

/// The graph with its controls: target, launches, differences that are compared, and peers.
class CausalPanel : public QWidget {
public:
  CausalPanel(SessionController& session, CausalController& controller, QWidget* parent)
      : QWidget(parent), session_(session),
        target_(choice_box(this, Text::tr("Target: what the answer explains"), {})),
        rows_(choice_box(this, Text::tr("Launches that are analysed"),
                         {{Text::tr("rows: selection"), "0"},
                          {Text::tr("rows: kept bins"), "1"},
                          {Text::tr("rows: all launches"), "2"}})),
        reading_(choice_box(this,
                            Text::tr("Differences that are compared: within configurations, between them, or "
                                     "over all rows (pooled)"),
                            {{Text::tr("reading: automatic"), "automatic"},
                             {Text::tr("reading: within"), "within"},
                             {Text::tr("reading: between"), "between"},
                             {Text::tr("reading: pooled"), "pooled"}})),
        peers_(choice_box(this, Text::tr("Launches with which the selected launches are compared"), {})) {
    reading_->setObjectName("reading");
    peers_->setObjectName("peers");
    add_with_choices(this, {target_, rows_, reading_, peers_, controller.group_choice()}, controller.stack());
    connect(reading_, &QComboBox::activated, this, &CausalPanel::choose);
    // Shows the settings of the current question, because opening a session changes them.
    connect(&session_, &SessionController::causal_waiting, reading_, [this] {
      const auto& chosen = session_.causal_choices();
      rows_->setCurrentIndex(static_cast<int>(chosen.rows));
      reading_->setCurrentIndex(std::max(0, reading_->findData(QString::fromStdString(chosen.reading))));
      fill_peers();
    });
    connect(target_, &QComboBox::activated, this, &CausalPanel::choose);
    connect(rows_, &QComboBox::activated, this, &CausalPanel::choose);
    connect(peers_, &QComboBox::activated, this, &CausalPanel::choose_peers);
  }

  void fill() {
    fill_box(target_, metric_choices(session_), QString::fromStdString(session_.causal_choices().target),
             Text::tr("why: "));
    peer_groups_.clear();
    fill_peers();
    const auto& info = session_.info();
    ask_peer_groups(run_column(info), Text::tr("run"));
    if (info.value("ranks", 0) > 1) ask_peer_groups("rank", Text::tr("rank"));
  }

private:
  void choose() {
    auto choices = session_.causal_choices();
    choices.rows = static_cast<CausalRows>(rows_->currentIndex());
    choices.target = target_->currentData().toString().toStdString();
    choices.reading = reading_->currentData().toString().toStdString();
    session_.set_causal_choices(choices);
  }

  // Adds the largest runs, or ranks, to the list.
  void ask_peer_groups(const std::string& column, const QString& word) {
    session_.request({engine::ParallelOptions{.axes = {column}}, "peers by " + column}, Text::tr("Groups"),
                     [this, panel = QPointer(this), column, word,
                      files = session_.files()](const Expected<engine::Answer>& received) {
                       const auto answer =
                           received.and_then(engine::table_of<engine::answers::ParallelAnswer>);
                       if (!panel || !answer || files != session_.files()) return; // of another session
                       QStringList runs;
                       if (column != "rank")
                         for (const auto& file : session_.files()) runs << QFileInfo(file).completeBaseName();
                       const auto groups = groups_of_values(*answer, word, runs);
                       if (groups.size() < 2) return;
                       peer_groups_.insert(peer_groups_.end(), groups.begin(), groups.end());
                       fill_peers();
                     });
  }

  // The items' data are filters; the last two items set one.
  void fill_peers() {
    std::vector<ColumnChoice> choices = {{QString(), Text::tr("all others")}};
    for (const auto& group : peer_groups_)
      choices.push_back({QString::fromStdString(group.filter), group.title});
    const auto current = QString::fromStdString(session_.causal_choices().against);
    if (std::ranges::none_of(choices, [&](const auto& choice) { return choice.name == current; }))
      choices.push_back({current, current});
    fill_box(peers_, choices, current, Text::tr("compared with: "));
    peers_->addItem(Text::tr("Compare next selections with this one"), kThisSelection);
    peers_->addItem(Text::tr("Compare with a filter…"), kOwnFilter);
  }

  void choose_peers() {
    const auto chosen = peers_->currentData();
    if (chosen == kThisSelection) return set_peers(session_.selection_condition());
    if (chosen != kOwnFilter) return set_peers(chosen.toString());
    bool accepted = false;
    const QString filter =
        QInputDialog::getText(this, Text::tr("Compare with a Filter"),
                              Text::tr("Condition on the launches to compare with, as in the filter box:"),
                              QLineEdit::Normal, QString::fromStdString(session_.causal_choices().against),
                              &accepted)
            .trimmed();
    if (!accepted) return fill_peers();
    const QString doing = Text::tr("Compare with a filter");
    session_.request(engine::CheckFilterOptions{.where = filter.toStdString()}, doing,
                     [this, panel = QPointer(this), doing](const Expected<engine::Answer>& received) {
                       if (!panel) return;
                       const auto answer =
                           received.and_then(engine::table_of<engine::answers::CheckFilterAnswer>);
                       if (answer) return set_peers(QString::fromStdString(answer->where));
                       fill_peers();
                       emit session_.failed(answer.error(), doing);
                     });
  }

  void set_peers(const QString& filter) {
    auto choices = session_.causal_choices();
    choices.against = filter.toStdString();
    session_.set_causal_choices(choices);
  }

  static constexpr int kThisSelection = 1, kOwnFilter = 2;
  SessionController& session_;
  QComboBox *target_, *rows_, *reading_, *peers_;
  std::vector<CausalGroupFilter> peer_groups_; ///< runs and ranks
};

void show_no_graph(SessionController& session, CausalWidget* causal, const QString& why) {
  causal->setGraph({});
  const bool none = session.info().value("launches", nlohmann::json::object()).value("count", 0) == 0;
  causal->setMessage(
      none ? Text::tr("No kernel was launched in this trace: there is nothing to explain.")
           : Text::tr("These launches do not show why they vary: %1").arg(why) +
                 (why.endsWith('.') ? QString() : QString(".")) +
                 Text::tr("\nSelect more launches, or choose \"%1\".").arg(Text::tr("rows: all launches")));
}

void connect_causal(ViewContext& context, CausalWidget* causal) {
  auto* session = &context.session;
  QObject::connect(context.parts.causal_controller, &CausalController::problem, &context.window,
                   [&context](const QString& text) { context.messages.note(text); });
  QObject::connect(session, &SessionController::causal_waiting, causal, [causal] {
    causal->setMessage(Text::tr("Analysing …"));
    causal->setOutdated();
  });
  QObject::connect(session, &SessionController::causal_refined, causal,
                   [causal] { causal->setMessage(Text::tr("The final answer follows.")); });
  QObject::connect(session, &SessionController::causal_impossible, causal,
                   [session, causal](const QString& why) { show_no_graph(*session, causal, why); });
  QObject::connect(session, &SessionController::causal_cancelled, causal, [causal] {
    causal->setMessage(
        !causal->graph().empty() && causal->outdated()
            ? Text::tr("Cancelled. This is still the previous answer. Engine ▸ Retry runs it again.")
            : Text::tr("Cancelled. Engine ▸ Retry runs it again."));
  });
}

View make_causal(ViewContext& context) {
  auto* causal = context.parts.causal = new CausalWidget(&context.window);
  auto* controller = context.parts.causal_controller =
      new CausalController(context.hub, context.session, causal, &context.window);
  View view;
  view.widget = causal;
  view.panel = [&context, controller](View& made) {
    auto* panel = new CausalPanel(context.session, *controller, &context.window);
    made.fill_choices = [panel] { panel->fill(); };
    return panel;
  };
  view.connect = [&context, causal] { connect_causal(context, causal); };
  // Also styles the views that the controller made: evidence, what-if, devices and graphs side by side.
  view.set_style = [causal, controller](const views::ViewStyle& style) {
    causal->setViewStyle(style);
    controller->set_style(style);
  };
  view.set_message = [causal, controller](const QString& text) {
    causal->setMessage(text);
    controller->set_message(text);
  };
  view.save = [controller](nlohmann::json& views) {
    if (auto known = controller->knowledge().document(); !known.empty())
      views["knowledge"] = std::move(known);
  };
  view.restore = [&context, controller](const nlohmann::json& views, const SelectionState&) {
    const auto known = views.value("knowledge", nlohmann::json::object());
    if (const auto stated = controller->knowledge().set_document(known); !stated)
      emit context.session.failed(stated.error(), Text::tr("Background knowledge of the session"));
  };
  view.pin = [&context](const ViewSpec& spec) { return pin_causal(context, spec); };
  view.exports = exports_of(causal);
  view.advice = [causal](const PaperSize& size) { return advice_of(*causal, size); };
  return view;
}

View make_causal_groups(ViewContext& context) {
  View view;
  view.widget = context.parts.causal_controller->multiples();
  view.exports = exports_of(context.parts.causal_controller->multiples());
  return view;
}

} // namespace

ViewSpec causal_view() {
  return {"causal", QT_TRANSLATE_NOOP("Jitterscope", "Causal graph"), "causal",
          DockPlace{.area = Qt::RightDockWidgetArea, .in_front = true}, make_causal};
}

ViewSpec causal_groups_view() {
  return {"causal_groups", QT_TRANSLATE_NOOP("Jitterscope", "Causal graphs side by side"), "causal",
          std::nullopt, make_causal_groups};
}

} // namespace jitterscope::app
