#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>

#include "app/controllers/model_controller.h"
#include "app/window/main_window.h"
#include "app/window/view_exports.h"
#include "tests/app/patience.h"
#include "tests/app/session/own_places.h"
#include "tests/app/window/settled.h"
#include "tests/generator/generator.h"
#include "tests/support/counter_table.h"
#include "views/model/model_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;
using views::model::Chart;

/// The performance model in the window: it asks which GPU, predicts, answers what-if, and selects in all
/// views.
class ModelWindowTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  std::unique_ptr<MainWindow> window_;

  views::ModelWidget* view() { return window_->widget<views::ModelWidget>("model"); }
  const views::ModelData& data() { return view()->data(); }
  void open(const std::string& file) {
    if (window_) window_->close();
    window_ = std::make_unique<MainWindow>(2);
    window_->resize(1500, 950);
    window_->show();
    auto* dock = window_->findChild<QDockWidget*>("dock.model");
    QVERIFY(dock);
    dock->show();
    dock->raise();
    window_->open({QString::fromStdString(file)});
    QTRY_VERIFY_WITH_TIMEOUT(window_->session().has_session(), kPatience);
    QVERIFY(settled(*window_));
  }
  void choose_gpu(const char* name) {
    QTRY_VERIFY_WITH_TIMEOUT(view()->gpuBox()->findData(name) >= 0, kPatience);
    view()->gpuBox()->setCurrentIndex(view()->gpuBox()->findData(name));
    emit view()->gpuBox()->activated(view()->gpuBox()->currentIndex());
  }

private slots:
  void initTestCase() {
    const auto path = folder_.file("pmc_perf.csv");
    test::write_counter_table(path, 120);
    open(path);
  }
  void cleanupTestCase() { window_->close(); }

  void aTraceThatDoesNotNameItsGpuRequestsIt() {
    QVERIFY(data().kernels.empty());
    QVERIFY2(view()->canvas()->message().contains("Choose it"), qPrintable(view()->canvas()->message()));
    choose_gpu("MI100");
    QTRY_COMPARE_WITH_TIMEOUT(data().kernels.size(), std::size_t(60), kPatience);
    QVERIFY(data().asked.isEmpty()); // choosing the GPU is not a what-if
    QVERIFY(data().validation.contains("5-fold cross-validation, grouped by kernel") ||
            data().validation.contains("not corrected"));
  }

  void aClickSelectsTheKernelInAllViewsAndUndoComesBack() {
    QVERIFY(settled(*window_));
    emit view()->kernelChosen(3);
    QCOMPARE(window_->hub().state().kernels, (std::vector<std::uint32_t>{data().kernels[3].kernel}));
    QCOMPARE(view()->opened(), std::optional(3));
    QCOMPARE(view()->canvas()->marked().chosen, (std::vector<int>{3}));
    const auto terms = view()->details()->toPlainText();
    QVERIFY2(terms.contains("Departure_delay") && terms.contains("SQ_INSTS_VMEM / SQ_WAVES"),
             qPrintable(terms));
    window_->hub().undo();
    QVERIFY(view()->canvas()->marked().chosen.empty());
  }

  void aLaunchIsComparedWithWhatIsExpected() {
    SelectionState state = window_->hub().state();
    state.launch = LaunchChoice{0, 7, {{0}, {1}}};
    window_->hub().apply(state);
    QTRY_VERIFY_WITH_TIMEOUT(view()->details()->toPlainText().contains("Launch 7 ("), kPatience);
    const auto said = view()->details()->toPlainText().section('\n', 0, 0);
    QVERIFY2(said.contains(": expected ") && said.contains("at 1.502 GHz, took ") &&
                 (said.contains("unexplained by work") || said.contains("less than expected")),
             qPrintable(said));
    window_->hub().undo();
    QTRY_VERIFY_WITH_TIMEOUT(!view()->details()->toPlainText().contains("Launch 7"), kPatience);
  }

  void whatIfShowsBeforeAndAfter() {
    QVERIFY(settled(*window_));
    view()->blockBox()->setValue(128);
    QTRY_COMPARE_WITH_TIMEOUT(data().asked, QString("block of 128 threads"), kPatience);
    for (const auto& k : data().kernels) QVERIFY(k.before > 0 && k.predicted > 0);
    view()->blockBox()->setValue(0);
    QTRY_VERIFY_WITH_TIMEOUT(data().asked.isEmpty(), kPatience);
  }

  void theWholeRunIsShownForMoreNodes() {
    QVERIFY(data().runs.size() == 3);
    QCOMPARE(data().runs[0].title, QString("measured"));
    QVERIFY(data().runs[1].total() < data().runs[0].total());
    QVERIFY(data().runs[2].total() < data().runs[1].total());
    view()->setChart(Chart::Run);
    QCOMPARE(view()->table()->model()->rowCount(), 3);
    auto* nodes = view()->nodesBox();
    nodes->setCurrentIndex(nodes->findData(16));
    emit nodes->activated(nodes->currentIndex());
    QTRY_COMPARE_WITH_TIMEOUT(data().runs.size(), std::size_t(5), kPatience);
    QVERIFY(data().runs[4].title.startsWith("16 × nodes"));
    view()->setChart(Chart::Scatter);
  }

  void itsNumbersAndItsPictureCanBeSavedAndItCanBePinned() {
    const auto pictures = pictures_of(*window_);
    QVERIFY(pictures.contains("Performance model") && pictures.contains("Performance model: terms"));
    const auto path = QString::fromStdString(folder_.file("model.csv"));
    window_->save_table_to("Performance model", path);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), kPatience);
    QFile csv(path);
    QVERIFY(csv.open(QIODevice::ReadOnly));
    QCOMPARE(csv.readAll().count('\n'), 61);
    QVERIFY(!csv_of_view(*window_, "Performance model: terms")); // a text has no table
    auto* dock = window_->pin("model");
    QVERIFY(dock);
    auto* pinned = qobject_cast<views::ModelWidget*>(dock->widget());
    QVERIFY(pinned && pinned->data().kernels.size() == 60 && !pinned->gpuBox()->isEnabled());
    dock->close();
  }

  void aTraceOfAnAmdGpuAsksForTheCountersOfRocprof() {
    const auto path = folder_.file("run_kernel_trace.csv");
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,"
               "Start_Timestamp,End_Timestamp,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,"
               "SGPR_Count,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,"
               "Grid_Size_Z\n");
    for (int i = 0; i < 20; ++i)
      file.write(QString("KERNEL_DISPATCH,Agent 1,2,2,9,%1,33,scale,%1,%2,%3,0,0,8,0,128,256,1,1,4096,1,1\n")
                     .arg(i)
                     .arg(1000 * i)
                     .arg(1000 * i + 500 + i % 7)
                     .toUtf8());
    file.close();
    open(path);
    QTRY_VERIFY_WITH_TIMEOUT(!data().missing.isEmpty(), kPatience);
    QVERIFY(data().missing.contains("SQ_WAVES"));
    QVERIFY2(data().command.startsWith("rocprof-compute "), qPrintable(data().command));
    QVERIFY(view()->details()->toPlainText().contains("Radeon"));
  }

  void aTraceWithoutCountersNamesWhatIsMissing() {
    generator::Options options;
    options.launches = 1'000;
    const auto path = folder_.file("trace.sqlite");
    QVERIFY(generator::generate(options, path, {}).has_value());
    open(path);
    QTRY_VERIFY_WITH_TIMEOUT(!data().missing.isEmpty(), kPatience);
    const auto text = view()->details()->toPlainText();
    QVERIFY2(!data().runs.empty(), "a trace with times has predictions of its run");
    view()->setChart(Chart::Scatter);
    QVERIFY2(view()->details()->toPlainText().contains("ncu --csv --page raw"), qPrintable(text));
  }
};

QTEST_MAIN(ModelWindowTest)
#include "model_view_test.moc"
