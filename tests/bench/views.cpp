// Time of the timeline for a frame and of the engine for its answer, while it is panned, zoomed, hovered,
// brushed and resized without a display. A frame is the window's work for an event: its handling and the
// repainting of the parts that it invalidates, nothing else.
//   jitterscope-bench-views STORE.jts[,STORE.jts…]…
// Stores joined by commas are one session. Large ones are made by
//   jitterscope-generate bulk --launches 100000000 --streams 100 --devices 8 -o FILE.jts
// Ten of these files, or ten links to one of them, have 10⁹ launches on 1,000 streams.

#include <QApplication>
#include <QEventLoop>
#include <QMouseEvent>
#include <QTimer>
#include <QWheelEvent>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/controllers/details_text.h"
#include "app/engine/decode.h"
#include "core/base/communicator.h"
#include "core/engine/messages/launch_options.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/statistics_answers.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/messages/timeline_options.h"
#include "core/engine/operations/operations.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using nlohmann::json;

namespace {

constexpr int kSteps = 150;
constexpr QSize kSize{1600, 700};

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double cpu_milliseconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

/// Times of one kind, in ms: elapsed time, and CPU time, which other programs on the machine do not
/// increase.
class Times {
public:
  template <class Work>
  void add(Work&& work) {
    const auto begin = std::chrono::steady_clock::now();
    const double cpu = cpu_milliseconds();
    work();
    cpu_.push_back(cpu_milliseconds() - cpu);
    wall_.push_back(milliseconds_since(begin));
  }
  double wall(double share) { return at(wall_, share); }
  std::string text() {
    if (wall_.empty()) return "–";
    char line[80];
    std::snprintf(line, sizeof line, "%.1f / %.1f (%.1f / %.1f)", at(cpu_, 0.5), at(cpu_, 0.99),
                  at(wall_, 0.5), at(wall_, 0.99));
    return line;
  }

private:
  static double at(std::vector<double>& values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(static_cast<std::size_t>(share * static_cast<double>(values.size())),
                           values.size() - 1)];
  }
  std::vector<double> wall_, cpu_;
};

/// An engine in this process with one rank; its answers are in the form of messages.
class Engine {
public:
  engine::Answer ask(const engine::Request& request) {
    auto answer = engine::run_operation({workspace_, *communicator_, job_}, request);
    if (!answer) {
      std::fprintf(stderr, "%s\n", describe(answer.error()).c_str());
      std::exit(3);
    }
    return std::move(*answer);
  }

private:
  engine::Workspace workspace_;
  std::unique_ptr<Communicator> communicator_ = local_communicator();
  Job job_;
};

std::size_t bytes_of(const views::TimelineData& data) {
  std::size_t bytes = data.messages.size() * sizeof(views::TimelineMessage);
  for (const auto& track : data.tracks)
    bytes += track.cells.size() * sizeof(views::TimelineCell) +
             track.bars.size() * sizeof(views::TimelineBar) +
             track.counter.size() * sizeof(views::CounterColumn);
  return bytes;
}

class Bench {
public:
  explicit Bench(const QStringList& stores) {
    engine::OpenOptions opening;
    for (const auto& store : stores) opening.stores.push_back(store.toStdString());
    const auto begin = std::chrono::steady_clock::now();
    const auto info = engine_.ask(opening).document;
    launches_ = info.at("launches").at("count");
    const auto opened = milliseconds_since(begin);
    auto tracks = app::decode_tracks(engine_.ask(engine::TracksOptions()));
    count_ = tracks->tracks.size();
    names_ = tracks->names;
    widget_.resize(kSize);
    widget_.show();
    widget_.setNames([this](std::uint32_t id) { return names_.value(static_cast<int>(id)); });
    widget_.setTracks(tracks->tracks, tracks->span, tracks->axis);
    span_ = tracks->launch_span;
    widget_.setOverview(*app::decode_overview(engine_.ask(engine::OverviewOptions{.columns = 1200})));
    QObject::connect(&widget_, &views::TimelineWidget::contentRequested, &widget_,
                     [this](const views::TimelineQuery& query) { query_ = query; });
    QObject::connect(&widget_, &views::TimelineWidget::hoverDetailsRequested, &widget_,
                     [this](std::uint32_t track, Nanoseconds, std::uint64_t row) {
                       const auto index = static_cast<std::size_t>(widget_.model().trackIndex(track));
                       if (row != views::kNoRow && views::showsLaunches(widget_.model().tracks()[index].kind))
                         hovered_ = {track, row};
                     });
    std::printf("\n%s: %lld launches, %zu tracks, opened in %.0f ms\n", qPrintable(stores.join(", ")),
                static_cast<long long>(launches_), count_, opened);
    std::printf("ms of CPU, median / 99th percentile (by the clock)\n%-22s %28s %28s %28s %12s\n", "",
                "frame", "frame with new data", "engine's answer", "answer [KB]");
  }

  void run() {
    for (const bool expanded : {false, true}) {
      const auto& tracks = widget_.model().tracks();
      for (const auto& track : tracks)
        if (!expanded || track.kind != views::TrackKind::Stream)
          widget_.setTrackCollapsed(track.id,
                                    !expanded && count_ > 60 && track.kind == views::TrackKind::Device);
      const char* what = expanded ? "streams" : "folded";
      widget_.setWindow(span_);
      act(std::string("zoom, ") + what, [&](int step) { wheel(step < kSteps / 2 ? 120 : -120, 800 + step); });
      set_share(0.01);
      act(std::string("pan 1 %, ") + what, [&](int step) { drag_by(step % 2 ? 31 : 47); });
      set_share(1e-5);
      act(std::string("pan 10⁻⁵, ") + what, [&](int step) { drag_by(step % 2 ? 31 : 47); });
      act(std::string("scroll, ") + what, [&](int) { wheel(-120, 60); });
      act(std::string("hover, ") + what,
          [&](int step) { move(300 + step * 5, 120 + step * 2 % 500, Qt::NoButton); });
      act(std::string("brush, ") + what, [&](int step) { brush(step); });
      release();
      act(std::string("resize, ") + what,
          [&](int step) { widget_.resize(kSize.width() - step * 3, kSize.height() - step); });
      widget_.resize(kSize);
    }
    statistics();
  }

private:
  void set_share(double share) {
    const auto length = static_cast<std::int64_t>(static_cast<double>(span_.length().count) * share);
    const auto middle = span_.begin.count + span_.length().count / 2;
    widget_.setWindow({{middle}, {middle + std::max<std::int64_t>(length, 1'000)}});
  }

  // Every step: the event and its immediate frame; then, when the engine answers, the frame with the new
  // data or with the card of the launch under the pointer.
  template <class Step>
  void act(const std::string& name, Step&& step) {
    Times frame, data_frame, engine;
    std::size_t bytes = 0, maximum = 0;
    settle();
    for (int i = 0; i < kSteps; ++i) {
      frame.add([&] {
        step(i);
        paint();
      });
      if (hovered_) show_card(engine, data_frame);
      settle();
      if (!query_) continue;
      std::vector<std::uint8_t> answered;
      engine.add([&] { answered = engine::encode(answer(*std::exchange(query_, std::nullopt))); });
      data_frame.add([&] { // handles an arriving answer like the window
        auto data = *app::decode_timeline(*engine::decode_answer(answered));
        bytes = bytes_of(data);
        widget_.setData(std::move(data));
        paint();
      });
      maximum = std::max(maximum, bytes);
    }
    std::printf("%-22s %28s %28s %28s %12zu\n", name.c_str(), frame.text().c_str(), data_frame.text().c_str(),
                engine.text().c_str(), maximum / 1024);
    std::fflush(stdout);
  }

  void show_card(Times& engine, Times& data_frame) {
    const auto hovered = *std::exchange(hovered_, std::nullopt);
    const auto track = hovered.first;
    const auto row = hovered.second;
    engine::answers::LaunchAnswer launch;
    engine.add([&] {
      launch = *engine::table_of<engine::answers::LaunchAnswer>(
          engine_.ask(engine::LaunchOptions{.row = static_cast<std::int64_t>(row)}));
    });
    data_frame.add([&] {
      widget_.setHoverDetails(track, row, app::launch_card(launch));
      paint();
    });
  }

  engine::Answer answer(const views::TimelineQuery& query) {
    return engine_.ask(engine::TimelineOptions{.begin_ns = query.window.begin.count,
                                               .end_ns = query.window.end.count,
                                               .columns = query.columns,
                                               .tracks = query.tracks,
                                               .value = query.value.toStdString()});
  }

  // Statistics of areas, as for a brush.
  void statistics() {
    Times area, kernels;
    for (const double share : {1e-6, 1e-5, 1e-4, 1e-3, 1e-2}) {
      const auto begin = span_.begin.count + span_.length().count / 3;
      const auto end =
          begin + std::max<std::int64_t>(
                      static_cast<std::int64_t>(share * static_cast<double>(span_.length().count)), 1'000);
      Times one, two;
      std::int64_t launches = 0;
      one.add([&] { engine_.ask(engine::AreaOptions{.begin_ns = begin, .end_ns = end}); });
      two.add([&] {
        const auto table = engine_.ask(engine::KernelsOptions{.intervals = {{{begin}, {end}}}});
        if (const auto rows = engine::table_of<engine::answers::KernelsAnswer>(table))
          for (const auto& kernel : rows->kernels) launches += kernel.launches;
      });
      std::printf("area of %8.4f %% of the run: tracks %8.2f ms, kernels %8.2f ms (%lld launches)\n",
                  share * 100, one.wall(0.5), two.wall(0.5), static_cast<long long>(launches));
    }
  }

  // Repaints the invalid parts immediately, as on a request of the window system.
  void paint() {
    QEvent request(QEvent::UpdateRequest);
    QCoreApplication::sendEvent(&widget_, &request);
  }
  void settle() { // waits until the coalesced request was sent
    QEventLoop wait;
    QTimer::singleShot(36, Qt::PreciseTimer, &wait, &QEventLoop::quit);
    wait.exec();
  }
  void wheel(int delta, double x) {
    const QPointF at(x, 300);
    QWheelEvent event(at, widget_.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&widget_, &event);
  }
  void mouse(QEvent::Type type, QPointF at, Qt::MouseButton button, Qt::MouseButtons buttons,
             Qt::KeyboardModifiers modifiers) {
    QMouseEvent event(type, at, widget_.mapToGlobal(at), button, buttons, modifiers);
    QCoreApplication::sendEvent(&widget_, &event);
  }
  void move(double x, double y, Qt::MouseButtons buttons, Qt::KeyboardModifiers modifiers = {}) {
    mouse(QEvent::MouseMove, {std::fmod(x, kSize.width() - 20.0), y}, Qt::NoButton, buttons, modifiers);
  }
  void drag_by(double pixels) {
    mouse(QEvent::MouseButtonPress, {900, 400}, Qt::LeftButton, Qt::LeftButton, {});
    move(900 - pixels, 400, Qt::LeftButton);
    move(900 - 2 * pixels, 400, Qt::LeftButton);
    mouse(QEvent::MouseButtonRelease, {900 - 2 * pixels, 400}, Qt::LeftButton, Qt::NoButton, {});
  }
  void brush(int step) {
    if (step == 0)
      mouse(QEvent::MouseButtonPress, {400, 200}, Qt::LeftButton, Qt::LeftButton, Qt::ShiftModifier);
    move(420 + step * 4, 200 + step, Qt::LeftButton, Qt::ShiftModifier);
  }
  void release() { mouse(QEvent::MouseButtonRelease, {900, 400}, Qt::LeftButton, Qt::NoButton, {}); }

  Engine engine_;
  views::TimelineWidget widget_;
  std::optional<views::TimelineQuery> query_;
  std::optional<std::pair<std::uint32_t, std::uint64_t>> hovered_;
  QStringList names_;
  Interval span_;
  std::int64_t launches_ = 0;
  std::size_t count_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "jitterscope-bench-views STORE.jts[,STORE.jts…]…\n");
    return 1;
  }
  std::printf("%u processors, view of %d × %d pixels at scale %.0f, platform %s, software rendering\n",
              std::thread::hardware_concurrency(), kSize.width(), kSize.height(),
              application.devicePixelRatio(), qPrintable(QApplication::platformName()));
  for (int i = 1; i < argc; ++i) Bench(QString(argv[i]).split(',')).run();
  return 0;
}
