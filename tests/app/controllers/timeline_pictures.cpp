// Drives the timeline of a real window without a display and saves pictures of it:
//   jitterscope-timeline-pictures FOLDER light|dark FILES…      (QT_SCALE_FACTOR=2 for the double scale)

#include <QApplication>
#include <QDockWidget>
#include <QLineEdit>
#include <QTest>

#include <cstdio>
#include <tuple>

#include "app/controllers/timeline_docks.h"
#include "app/window/main_window.h"
#include "tests/views/base/mouse.h"
#include "views/area/area_widget.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

namespace {

/// One window, its timeline and the folder for its pictures.
class Session {
public:
  Session(const QString& folder, const QString& theme) : prefix_(folder + "/" + theme + "-"), window_(1) {
    window_.set_theme(theme == "dark" ? views::Theme::Dark : views::Theme::Light);
    window_.resize(1600, 1000);
    window_.show();
  }

  bool open(const QStringList& files) {
    window_.open(files);
    return QTest::qWaitFor([&] { return !model().data().tracks.empty(); }, 120000);
  }
  void run() {
    save("overview", false);
    QTest::keyClick(timeline(), Qt::Key_C);
    wait();
    save("usual", false);
    emit timeline()->colourColumnChosen("duration");
    wait();
    save("column", false);
    timeline()->setColour({});
    if (!stream()) { // ranks without streams: expands them to show their MPI calls
      for (const auto& track : model().tracks()) timeline()->setTrackCollapsed(track.id, false);
      timeline()->filterBox()->setText("MPI|messages");
      wait();
      save("ranks", false);
    }
    area();
    single_launches();
    tracks();
  }

private:
  views::TimelineWidget* timeline() { return window_.timeline(); }
  const views::TimelineModel& model() { return window_.timeline()->model(); }
  void wait() {
    QTest::qWait(250);
    std::ignore = QTest::qWaitFor(
        [&] {
          return model().data().window == model().viewport.window() &&
                 model().data().value == model().colour.value();
        },
        20000);
    QTest::qWait(250);
  }
  void save(const char* name, bool whole) {
    wait();
    (whole ? window_.grab() : timeline()->grab()).save(prefix_ + name + ".png");
  }
  const views::TrackRow* stream() {
    const views::TrackRow* best = nullptr;
    for (const auto& row : model().rows()) {
      const auto kind = model().tracks()[std::size_t(row.track)].kind;
      if ((kind == views::TrackKind::Stream || kind == views::TrackKind::MpiCalls) && model().visible(row) &&
          !best)
        best = &row;
    }
    return best;
  }
  QPoint at(const views::TrackRow& row, double share) {
    const QRectF rect = model().rowRect(row);
    return QPointF(rect.left() + rect.width() * share, rect.center().y()).toPoint();
  }
  void area() {
    const auto* row = stream();
    if (!row) return;
    views::mouse::drag(*timeline(), at(*row, 0.4), at(*row, 0.6) + QPoint(0, 40), Qt::ShiftModifier);
    std::ignore =
        QTest::qWaitFor([&] { return !window_.timeline_docks()->area()->area().whole.empty(); }, 20000);
    save("area", true);
    QTest::keyClick(timeline(), Qt::Key_Escape);
  }
  // Zooms at the middle until bars are separate; selects one, measures, marks.
  void single_launches() {
    const auto* row = stream();
    if (!row) return;
    const auto id = row->strips.front();
    for (int i = 0; i < 60; ++i) {
      const auto* content = model().content(id);
      if (content && !content->bars.empty() && content->bars.size() < 40) break;
      // Moves to a time with events.
      Nanoseconds middle =
          model().viewport.window().begin + Nanoseconds{model().viewport.window().length().count / 2};
      if (content && !content->bars.empty()) middle = content->bars[content->bars.size() / 2].begin;
      const auto length = std::max<std::int64_t>(model().viewport.window().length().count / 3, 2'000);
      timeline()->setWindow({middle - Nanoseconds{length / 2}, middle + Nanoseconds{length / 2}});
      wait();
    }
    const auto* content = model().content(id);
    if (!content || content->bars.empty()) return;
    const auto bar = content->bars[content->bars.size() / 2];
    const double y =
        model().laneOf(id).top() + 2 + (bar.level + 0.5) * (stream() ? stream()->levelHeight : 10);
    const QPoint point = QPointF(model().xAt({(bar.begin.count + bar.end.count) / 2}), y).toPoint();
    QTest::mouseClick(timeline(), Qt::LeftButton, {}, point);
    wait();
    views::mouse::move(timeline(), point + QPoint(3, 0));
    QTest::qWait(300);
    save("launch", true);
    views::mouse::move(timeline(), {10, 10});
    QTest::keyClick(timeline(), Qt::Key_M);
    QTest::keyClick(timeline(), Qt::Key_N);
    QTest::keyClick(timeline(), Qt::Key_R);
    views::mouse::drag(*timeline(), point + QPoint(-200, 40), point + QPoint(150, 60));
    save("measure", false);
    QTest::keyClick(timeline(), Qt::Key_Escape);
    QTest::keyClick(timeline(), Qt::Key_Escape);
    QTest::keyClick(timeline(), Qt::Key_C);
    save("usual-launches", false);
    timeline()->setColour({});
    timeline()->showAll();
  }
  void tracks() {
    QTest::keyClick(timeline(), Qt::Key_Down);
    QTest::keyClick(timeline(), Qt::Key_Down);
    QTest::keyClick(timeline(), Qt::Key_Down);
    QTest::keyClick(timeline(), Qt::Key_P);
    save("pinned", false);
    timeline()->filterBox()->setText("gpu|MPI");
    save("filtered", false);
    timeline()->filterBox()->clear();
  }

  QString prefix_;
  MainWindow window_;
};

} // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  if (argc < 4) return 1;
  Session session(argv[1], argv[2]);
  QStringList files;
  for (int i = 3; i < argc; ++i) files << argv[i];
  if (!session.open(files)) {
    std::fprintf(stderr, "no tracks after 120 s\n");
    return 2;
  }
  session.run();
  return 0;
}
