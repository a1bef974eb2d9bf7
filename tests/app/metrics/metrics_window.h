#pragma once

#include <QDockWidget>
#include <QTest>
#include <memory>

#include "app/window/main_window.h"
#include "tests/app/patience.h"
#include "tests/app/session/own_places.h"
#include "tests/app/window/settled.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"
#include "views/metrics/metrics_widget.h"

namespace jitterscope::app {

/// Window with a generated trace and a visible metrics view, for tests.
class MetricsWindow : public QObject {
  Q_OBJECT

protected:
  test::TemporaryFolder folder_;
  std::unique_ptr<MainWindow> window_;

  views::MetricsWidget* view() { return window_->widget<views::MetricsWidget>("metrics"); }
  const views::MetricPanel& panel(std::size_t i) { return view()->panels().at(i); }
  void raise(const char* name) {
    auto* dock = window_->findChild<QDockWidget*>(name);
    QVERIFY(dock);
    dock->show();
    dock->raise();
  }
  bool filled() {
    for (const auto& of : view()->panels())
      if (of.values.empty() || of.values.range != view()->canvas()->model().viewport.window()) return false;
    return !view()->panels().empty();
  }

private slots:
  void initTestCase() {
    generator::Options options;
    options.launches = 2'000;
    options.devices = 2;
    options.seed = 5;
    const auto path = folder_.file("trace.sqlite");
    QVERIFY(generator::generate(options, path, {}).has_value());
    window_ = std::make_unique<MainWindow>(2);
    window_->resize(1400, 900);
    window_->show();
    raise("dock.metrics");
    window_->open({QString::fromStdString(path)});
    QTRY_VERIFY_WITH_TIMEOUT(filled(), kPatience);
    QVERIFY(settled(*window_));
  }
  void cleanupTestCase() { window_->close(); }
};

} // namespace jitterscope::app
