#include <QJsonDocument>
#include <QJsonObject>
#include <QMainWindow>
#include <QMenu>
#include <algorithm>
#include <cmath>
#include <memory>

#include "app/controllers/details_panel.h"
#include "app/controllers/details_text.h"
#include "app/controllers/timeline_docks.h"
#include "app/controllers/timeline_link.h"
#include "app/engine/decode.h"
#include "app/engine/group_filter.h"
#include "app/metrics/metric_tracks.h"
#include "app/session/cursor_time.h"
#include "app/session/questions.h"
#include "app/widgets/message_bar.h"
#include "app/widgets/stretch_bar.h"
#include "app/window/spec/pinned_views.h"
#include "app/window/spec/window_views.h"
#include "app/window/views/view_list.h"
#include "core/engine/messages/launch_answers.h"
#include "views/base/format.h"
#include "views/base/text.h"
#include "views/timeline/timeline_painter.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {
namespace {

using views::Text;
using views::TimelineWidget;

constexpr double kPixelsPerInch = 96; // logical pixels

ViewExports exports_of(ViewContext& context, TimelineWidget* timeline) {
  ViewExports exports;
  exports.pictures = [timeline](Pictures& pictures, const QString& title) {
    pictures[title] = [timeline](QPainter& p, const QRectF& r, const views::ViewStyle& s) {
      views::timeline::paint(p, r, timeline->model(), s);
    };
  };
  exports.launches = [&parts = context.parts] { return parts.launches; };
  exports.holds_paper = [timeline](const PaperSize& size) {
    const QSize pixels = (QSizeF(size.width_mm, size.height_mm) * kPixelsOfMillimetre).toSize();
    return timeline->holdsAllTracks(views::timeline::paperColumns(
        timeline->model(), pixels, with_font(views::ViewStyle::paper(), size.font_pt),
        std::max(size.dpi / kPixelsPerInch, views::timeline::kVectorScale)));
  };
  return exports;
}

QString advice_of(const TimelineWidget& timeline, const PaperSize& size) {
  if (timeline.model().empty()) return {};
  const double minimum =
      std::ceil(views::timeline::paperHeight(timeline.model(), size.width_mm * kPixelsOfMillimetre,
                                             with_font(views::ViewStyle::paper(), size.font_pt)) /
                kPixelsOfMillimetre);
  return minimum > size.height_mm
             ? Text::tr(
                   "Not all tracks fit: a height of %1 mm shows all; hidden and folded tracks are left out.")
                   .arg(minimum, 0, 'g', 5)
             : QString();
}

void set_names(TimelineWidget& timeline, const TrackList& tracks) {
  timeline.setNames([names = tracks.names](std::uint32_t id) { return names.value(static_cast<int>(id)); });
}

/// The last requests of a duplicate.
struct DuplicateRequests {
  std::optional<views::TimelineQuery> content;
  std::optional<views::MergedQuery> merged, map;
};

/// Answers the requests of a duplicate. Returns the function that repeats the last ones.
std::function<void()> connect_requests(ViewContext& context, const ViewSpec& spec, TimelineWidget* widget) {
  const auto last = std::make_shared<DuplicateRequests>();
  const auto send = [&session = context.session, doing = title_of(spec),
                     channel = context.pinned.channel()](const auto& question, const auto& use) {
    session.ask({question, channel}, doing, use);
  };
  const auto selected = context.session.selection_options();
  const auto ask_content = [last, send, selected, widget = QPointer(widget)] {
    if (!last->content) return;
    send(timeline_question(*last->content, selected), [widget](const engine::Answer& answer) {
      auto data = decode_timeline(answer);
      if (widget && data) widget->setData(std::move(*data));
    });
  };
  const auto ask_merged = [last, send, selected, widget = QPointer(widget)] {
    if (!last->merged) return;
    send(merged_question(*last->merged, selected),
         [widget, query = *last->merged](const engine::Answer& answer) {
           auto cells = decode_merged(answer, query);
           if (widget && cells) widget->setMerged(std::move(*cells));
         });
  };
  const auto ask_map = [last, &session = context.session, doing = title_of(spec), widget = QPointer(widget),
                        channel = context.pinned.channel() + ", overview of all tracks"] {
    if (!last->map) return;
    session.ask({merged_question(*last->map, {}), channel}, doing, // of all launches
                [widget, query = *last->map](const engine::Answer& answer) {
                  auto cells = decode_merged(answer, query);
                  if (widget && cells) widget->setMap(std::move(*cells));
                });
  };
  const auto follow = [&](auto signal, auto DuplicateRequests::*kept, auto ask) {
    QObject::connect(widget, signal, &context.pinned, [last, kept, ask](const auto& query) {
      (*last).*kept = query;
      ask();
    });
  };
  follow(&TimelineWidget::contentRequested, &DuplicateRequests::content, ask_content);
  follow(&TimelineWidget::mergedRequested, &DuplicateRequests::merged, ask_merged);
  follow(&TimelineWidget::mapRequested, &DuplicateRequests::map, ask_map);
  return [ask_content, ask_merged, ask_map] {
    ask_content();
    ask_merged();
    ask_map();
  };
}

// Only the selection of launches is pinned; the window and the arrangement and colours of the tracks start as
// in the original and are independent afterwards.
QDockWidget* pin_timeline(ViewContext& context, const ViewSpec& spec) {
  auto* widget = new TimelineWidget;
  const auto& tracks = context.session.tracks();
  const auto& state = context.session.selection();
  set_names(*widget, tracks);
  widget->setViewStyle(context.pinned.style());
  const auto ask = connect_requests(context, spec, widget);
  context.cursor.join(widget);
  widget->setTracks(tracks.tracks, tracks.span, tracks.axis);
  widget->setState(context.parts.timeline->state());
  widget->setBrush(state.brush);
  const auto ranges = state.intervals();
  widget->setWindow(!ranges.empty() ? ranges.front() : state.window.value_or(tracks.launch_span));
  return context.pinned.show({spec, widget, style_of(widget), exports_of(context, widget), ask});
}

bool is_launch_track(const TimelineWidget& timeline, std::uint32_t track) {
  const int index = timeline.model().trackIndex(track);
  return index >= 0 && views::showsLaunches(timeline.model().tracks()[static_cast<std::size_t>(index)].kind);
}

void connect_selection(ViewContext& context, TimelineWidget* timeline) {
  auto* window = &context.window;
  // A state without a window shows the whole axis. Showing it again is not a history step, because undoing it
  // would change nothing.
  QObject::connect(timeline, &TimelineWidget::windowSettled, window, [&context](Interval shown) {
    if (context.hub.state().window || shown != context.session.tracks().span)
      context.change([&](SelectionState& s) { s.window = shown; });
  });
  QObject::connect(timeline, &TimelineWidget::brushed, window, [&context](Interval range) {
    context.change([&](SelectionState& s) { s.brush = range; });
  });
  QObject::connect(timeline, &TimelineWidget::brushCleared, window,
                   [&context] { context.change([](SelectionState& s) { s.brush.reset(); }); });
  QObject::connect(timeline, &TimelineWidget::launchClicked, window,
                   [&context, timeline](std::uint32_t track, std::uint64_t row, Interval interval) {
                     if (!is_launch_track(*timeline, track))
                       return context.parts.details->show_event(
                           track, row, interval); // a copy, a call, a range: outlined, but not a launch
                     const LaunchChoice launch{track, row, interval};
                     if (context.hub.state().launch ==
                         launch) { // shown again after one of its copies or calls
                       context.parts.details->show_launch();
                       context.parts.timeline_link->show_flow();
                     }
                     context.change([&](SelectionState& s) { s.launch = launch; });
                   });
  QObject::connect(timeline, &TimelineWidget::foldClicked, window, [&context](std::uint32_t, Interval part) {
    context.change(
        [&](SelectionState& s) { // zooms into a folded column until its launches are distinguishable
          const auto margin = Nanoseconds{part.length().count * 20};
          s.window = Interval{part.begin - margin, part.end + margin};
        });
  });
  QObject::connect(
      timeline, &TimelineWidget::causeClicked, window, [&context](const QString& column, double minimum) {
        context.change([&](SelectionState& s) {
          s.where =
              with_condition(s.where, column, QString("%1 > %2").arg(column, views::exactNumber(minimum)));
        });
      });
  QObject::connect(timeline, &TimelineWidget::backgroundClicked, window,
                   [&context] { context.change([](SelectionState& s) { s.launch.reset(); }); });
}

void connect_menu(ViewContext& context, TimelineWidget* timeline) {
  QObject::connect(
      timeline, &TimelineWidget::eventMenuRequested, &context.window,
      [&context, timeline](std::uint32_t track, std::uint64_t row, Interval interval, QPoint place) {
        timeline->setSelection(track, row, interval);
        emit timeline->launchClicked(track, row, interval);
        auto* menu = context.parts.details->make_menu(&context.window);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->addSeparator();
        auto* of_track = timeline->makeMenu(timeline->model().trackIndex(track));
        of_track->setTitle(Text::tr("Track"));
        QObject::connect(menu, &QObject::destroyed, of_track, &QObject::deleteLater);
        menu->addMenu(of_track);
        menu->popup(place);
      });
}

void connect_hover(ViewContext& context, TimelineWidget* timeline) {
  const auto hovered = std::make_shared<std::uint32_t>(0); // id of the track under the pointer
  QObject::connect(timeline, &TimelineWidget::hoverDetailsRequested, &context.window,
                   [&context, timeline, hovered](std::uint32_t track, Nanoseconds, std::uint64_t row) {
                     *hovered = track;
                     if (timeline->model().trackIndex(track) < 0 || row == views::kNoRow) return;
                     if (is_launch_track(*timeline, track))
                       context.session.request_details(row, true);
                     else
                       timeline->setHoverDetails(track, row, event_text(timeline->model(), track, row));
                   });
  QObject::connect(&context.session, &SessionController::details, timeline,
                   [timeline, hovered](const engine::answers::LaunchAnswer& launch, bool for_hover) {
                     if (for_hover)
                       timeline->setHoverDetails(*hovered, static_cast<std::uint64_t>(launch.row),
                                                 launch_card(launch));
                   });
}

void connect_content(ViewContext& context, TimelineWidget* timeline) {
  auto& session = context.session;
  auto* link = context.parts.timeline_link =
      new TimelineLink(*timeline, session, context.hub, &context.window);
  context.parts.timeline_docks->listen(*link);
  QObject::connect(link, &TimelineLink::remark, &context.window,
                   [&context](const QString& text) { context.show_status(text); });
  QObject::connect(&session, &SessionController::timeline, timeline, &TimelineWidget::setData);
  QObject::connect(&session, &SessionController::overview, timeline, &TimelineWidget::setOverview);
  QObject::connect(&session, &SessionController::engine_lost, timeline,
                   [timeline] { timeline->setMessage(Text::tr("The engine stopped")); });
  // Merges metrics into the timeline's data, once it has them.
  auto* tracks = context.parts.metric_tracks = new MetricTracks(*timeline, session, &context.window);
  QObject::connect(tracks, &MetricTracks::problem, &context.window,
                   [&context](const QString& text) { context.messages.note(text); });
}

void show_launch(ViewContext& context, TimelineWidget& timeline, const std::optional<LaunchChoice>& launch) {
  timeline.setArrows({});
  if (!launch) return timeline.clearSelection();
  // A launch clicked in the timeline is already outlined, and must not move under the pointer.
  const bool outlined =
      timeline.model().selectedRow == launch->row && timeline.model().selectedTrack == launch->track;
  timeline.setSelection(launch->track, launch->row, launch->interval);
  if (!outlined) timeline.showTrack(launch->track);
  context.session.request_details(launch->row, false);
}

void save(const WindowParts& parts, nlohmann::json& views) {
  const auto text = QJsonDocument(views::toJson(parts.timeline->state())).toJson(QJsonDocument::Compact);
  views["timeline"] = nlohmann::json::parse(text.toStdString());
  views["area"] = {{"tracks", parts.timeline_link->area_tracks()}};
  if (!parts.metric_tracks->empty()) views["metric_tracks"] = parts.metric_tracks->state();
}

void restore(const WindowParts& parts, const nlohmann::json& views, const SelectionState& selection) {
  if (const auto state = views.find("timeline"); state != views.end()) {
    const auto text = QByteArray::fromStdString(state->dump());
    parts.timeline->setState(views::timelineStateFrom(QJsonDocument::fromJson(text).object()));
  }
  if (const auto tracks = views.find("metric_tracks"); tracks != views.end())
    parts.metric_tracks->restore(*tracks);
  if (const auto area = views.find("area"); area != views.end() && selection.brush)
    parts.timeline_link->set_area_tracks(*selection.brush, area->value("tracks", std::vector<std::string>()));
}

View make_timeline(ViewContext& context) {
  auto* timeline = context.parts.timeline = new TimelineWidget(&context.window);
  timeline->setObjectName("timeline");
  context.parts.stretch_bar = new StretchBar(&context.window);
  context.cursor.join(timeline);
  View view = view_of(timeline);
  view.connect = [&context, timeline] {
    connect_selection(context, timeline);
    connect_menu(context, timeline);
    connect_hover(context, timeline);
    connect_content(context, timeline);
  };
  view.session_opened = [&context, timeline](const TrackList& tracks) {
    set_names(*timeline, tracks);
    context.parts.metric_tracks->remove_all();
    timeline->setTracks(tracks.tracks, tracks.span, tracks.axis);
  };
  view.show_state = [&context, timeline](const SelectionState& now, const SelectionState& before) {
    if (now.window != before.window) {
      if (now.window)
        timeline->setWindow(*now.window);
      else
        timeline->showAll();
    }
    timeline->setBrush(now.brush);
    timeline->setSelectedBin(now.bin ? std::optional<Interval>(now.bin->interval) : std::nullopt);
    timeline->setMoments(now.reason ? now.reason->times : std::vector<Interval>());
    if (now.launch != before.launch) show_launch(context, *timeline, now.launch);
  };
  view.save = [&context](nlohmann::json& views) { save(context.parts, views); };
  view.restore = [&context](const nlohmann::json& views, const SelectionState& selection) {
    restore(context.parts, views, selection);
  };
  view.pin = [&context](const ViewSpec& spec) { return pin_timeline(context, spec); };
  view.exports = exports_of(context, timeline);
  view.advice = [timeline](const PaperSize& size) { return advice_of(*timeline, size); };
  return view;
}

} // namespace

ViewSpec timeline_view() {
  return {"timeline", QT_TRANSLATE_NOOP("Jitterscope", "Timeline"), "timeline", std::nullopt, make_timeline};
}

} // namespace jitterscope::app
