#pragma once

#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <memory>

#include "app/controllers/distribution_panel.h"
#include "app/controllers/timeline_docks.h"
#include "app/window/main_window.h"
#include "tests/app/patience.h"
#include "tests/app/session/own_places.h"
#include "tests/app/window/settled.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/views/base/mouse.h"
#include "views/area/area_widget.h"
#include "views/distribution/distribution_widget.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {

/// A window with 4,000 launches on four devices of eight streams, and its content.
struct LinkedWindow {
  static constexpr std::uint64_t kLaunches = 4'000;

  test::TemporaryFolder folder_;
  QString trace_ = QString::fromStdString(folder_.file("trace.sqlite"));
  std::unique_ptr<MainWindow> window_;

  views::TimelineWidget* timeline() { return window_->timeline(); }
  const views::TimelineModel& model() { return window_->timeline()->model(); }
  const views::AreaData& area() { return window_->timeline_docks()->area()->area(); }
  const SelectionState& state() { return window_->hub().state(); }
  const views::DistributionData& distribution() { return window_->distribution()->model().data; }
  static std::uint64_t sum(const std::vector<views::KernelRow>& rows) {
    std::uint64_t n = 0;
    for (const auto& row : rows) n += row.count;
    return n;
  }
  std::uint64_t in_table() { return sum(window_->kernels()->model().kernels().rows); }
  void type_filter(const QString& text) {
    window_->filter_box()->setText(text);
    QTest::keyClick(window_->filter_box(), Qt::Key_Return);
  }
  void raise(const char* name) {
    auto* dock = window_->findChild<QDockWidget*>(name);
    QVERIFY(dock);
    dock->show();
    dock->raise();
  }
  /// Selects an area by Shift+drag over the first stream.
  void choose_area() {
    const auto& tracks = model().tracks();
    const auto stream = std::find_if(tracks.begin(), tracks.end(), [](const auto& track) {
      return track.kind == views::TrackKind::Stream;
    });
    QVERIFY(stream != tracks.end());
    timeline()->showTrack(stream->id);
    const auto* row = model().layout().rowOf(model().trackIndex(stream->id));
    QVERIFY(row);
    const QRectF rect = model().rowRect(*row);
    views::mouse::drag(*timeline(), QPointF(rect.left() + rect.width() * 0.3, rect.center().y()).toPoint(),
                       QPointF(rect.left() + rect.width() * 0.7, rect.center().y()).toPoint(),
                       Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(area().tracks.size(), std::size_t{1}, kPatience);
    QVERIFY(sum(area().rows) > 0);
  }
  void click_row(QTableView* table, int row) {
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(table->model()->index(row, 1)).center());
  }
  /// Sorts the launches by device: the first one is on the last device, whose row is folded or below the
  /// visible part.
  void first_launches_by_device() {
    raise("dock.launches");
    window_->launches()->setOrder({"device", true});
    auto& launches = window_->launches()->model();
    QTRY_VERIFY_WITH_TIMEOUT(launches.rowCount() > 0 && launches.numberAt(0).has_value(), kPatience);
    QVERIFY(settled(*window_));
  }
  void divide_by_device() {
    raise("dock.distribution");
    auto* box = window_->distribution_choices()->groupBox();
    box->setCurrentIndex(box->findData("device"));
    emit box->activated(box->currentIndex());
    QTRY_COMPARE_WITH_TIMEOUT(distribution().groups.size(), std::size_t{4}, kPatience);
    QVERIFY(settled(*window_));
  }
  bool chosen_is_visible() {
    const auto* row = model().layout().rowOf(model().trackIndex(state().launch->track));
    return row && model().visible(*row) &&
           model().tracks()[std::size_t(row->track)].id == state().launch->track;
  }

  void make_trace() {
    generator::Options options;
    options.launches = kLaunches;
    options.devices = 4;
    options.streams = 8;
    options.causes = {generator::Cause::Migration};
    QVERIFY(generator::generate(options, trace_.toStdString(), {}).has_value());
  }
  void open_window() {
    window_ = std::make_unique<MainWindow>(1);
    window_->resize(1400, 760);
    window_->show();
    window_->open({trace_});
    QTRY_VERIFY_WITH_TIMEOUT(!model().data().tracks.empty(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(in_table(), kLaunches, kPatience);
  }
  void close_window() {
    window_->close();
    window_.reset();
  }
};

} // namespace jitterscope::app
