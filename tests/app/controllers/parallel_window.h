#pragma once

#include <QTest>
#include <memory>

#include "app/controllers/parallel/parallel_controller.h"
#include "app/window/main_window.h"
#include "tests/app/patience.h"
#include "tests/app/session/own_places.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"
#include "views/causal/causal_widget.h"
#include "views/parallel/parallel_widget.h"

namespace jitterscope::app {

/// A window with 5,000 launches in parallel coordinates.
struct ParallelWindow {

  test::TemporaryFolder folder_;
  QString trace_ = QString::fromStdString(folder_.file("trace.sqlite"));
  std::unique_ptr<MainWindow> window_;

  ParallelController& controller() { return *window_->parallel_controller(); }
  const views::ParallelModel& model() { return window_->parallel()->model(); }
  const views::ParallelAxis& axis(const QString& key) { return model().axis(model().position(key)); }
  void wait_for_rows(std::uint64_t rows) {
    QTRY_COMPARE_WITH_TIMEOUT(model().data().selectedRows, rows, kPatience);
  }

  void open_window() {
    qputenv("JITTERSCOPE_CACHE", folder_.file("cache").c_str());
    generator::Options options;
    options.launches = 5000;
    options.causes = {generator::Cause::Migration};
    QVERIFY(generator::generate(options, trace_.toStdString(), {}).has_value());
    window_ = std::make_unique<MainWindow>(1);
    window_->resize(1500, 950);
    window_->show();
    window_->open({trace_});
    QTRY_VERIFY_WITH_TIMEOUT(!model().empty(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->causal()->graph().edges.empty(), kPatience);
  }
};

} // namespace jitterscope::app
