#pragma once

#include <QDockWidget>
#include <QLineEdit>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <memory>

#include "app/window/main_window.h"
#include "tests/app/patience.h"
#include "tests/app/window/settled.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"
#include "views/distribution/distribution_widget.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/table/launches_model.h"
#include "views/table/launches_widget.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {

constexpr std::uint64_t kLaunches = 5'000; ///< number of launches in trace.sqlite

/// A window with a folder of its own, and helpers that drive it.
struct DrivenWindow {
  test::TemporaryFolder folder_;
  std::unique_ptr<MainWindow> window_;

  QString at(const char* name) { return QString::fromStdString(folder_.file(name)); }
  void new_window() {
    if (window_) window_->close(); // a normal end, without a session to restore
    window_ = std::make_unique<MainWindow>(2);
    window_->resize(1500, 950);
    window_->show();
  }
  std::uint64_t launches_in_table() {
    std::uint64_t sum = 0;
    for (const auto& row : window_->kernels()->model().kernels().rows) sum += row.count;
    return sum;
  }
  std::uint64_t selected_launches() { return window_->distribution()->model().data.selectedN; }
  void open(const QString& file) {
    window_->open({file});
    QTRY_VERIFY_WITH_TIMEOUT(window_->session().has_session() && window_->bins()->model().rowCount() > 0,
                             kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->distribution()->model().data.empty(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), kLaunches, kPatience);
  }
  void raise(const char* name) {
    auto* dock = window_->findChild<QDockWidget*>(name);
    QVERIFY(dock);
    dock->show();
    dock->raise();
  }
  QString cell(int row, const char* column) {
    auto& model = window_->launches()->model();
    return model.index(row, model.columnOf(column)).data().toString();
  }
  void type_filter(const QString& text) {
    window_->filter_box()->setText(text);
    QTest::keyClick(window_->filter_box(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().where, text, kPatience);
  }
  void press_enter_on_first_launch() {
    auto* table = window_->launches()->table();
    QVERIFY(settled(*window_)); // all answers have arrived
    QTest::keyClick(table, Qt::Key_Home);
    QTRY_VERIFY_WITH_TIMEOUT(window_->hub().state().launch.has_value(), kPatience);
    QTest::keyClick(table, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(
        window_->hub().state().window.has_value() &&
            window_->timeline()->model().viewport.window().length().count <
                std::max<std::int64_t>(window_->hub().state().launch->interval.length().count * 4, 2000),
        kPatience);
  }
  bool rows_there() { return window_->launches()->model().rowCount() > 0 && cell(0, "start") != "…"; }
  /// Writes a trace in which migrations cause the variability.
  void make_trace() {
    generator::Options options;
    options.launches = kLaunches;
    options.causes = {generator::Cause::Migration};
    QVERIFY(generator::generate(options, folder_.file("trace.sqlite"), {}).has_value());
  }
  void choose_first_kernel() {
    raise("dock.kernels");
    auto* table = window_->kernels()->table();
    QTRY_VERIFY_WITH_TIMEOUT(table->visualRect(table->model()->index(0, 1)).isValid(), kPatience);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(table->model()->index(0, 1)).center());
    QTRY_COMPARE_WITH_TIMEOUT(window_->hub().state().kernels.size(), std::size_t{1}, kPatience);
  }
  void close() {
    if (window_) window_->close();
    window_.reset();
  }
};

} // namespace jitterscope::app
