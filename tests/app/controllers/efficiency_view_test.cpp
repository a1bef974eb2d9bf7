#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QThreadPool>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/controllers/efficiency_controller.h"
#include "app/controllers/efficiency_text.h"
#include "app/engine/time_text.h"
#include "app/reduce/reduce_dialog.h"
#include "app/widgets/message_bar.h"
#include "app/widgets/request_bar.h"
#include "app/window/main_window.h"
#include "app/window/view_exports.h"
#include "tests/app/patience.h"
#include "tests/app/session/own_places.h"
#include "tests/app/window/settled.h"
#include "tests/generator/generator.h"
#include "tests/support/real_data.h"
#include "views/efficiency/efficiency_widget.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// The view of efficiencies in the window: it follows the range, states how collectives are counted, and goes
/// to the intervals with the largest loss.
class EfficiencyViewTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  std::unique_ptr<MainWindow> window_;

  views::EfficiencyWidget* view() { return window_->widget<views::EfficiencyWidget>("efficiency"); }
  const views::EfficiencyData& data() { return view()->data(); }
  void open(const QString& file) {
    if (window_) window_->close();
    window_ = std::make_unique<MainWindow>(2);
    window_->resize(1400, 900);
    window_->show();
    auto* dock = window_->findChild<QDockWidget*>("dock.efficiency");
    QVERIFY(dock);
    dock->show();
    dock->raise();
    window_->open({file});
    QTRY_VERIFY_WITH_TIMEOUT(!data().empty(), kPatience);
    QVERIFY(settled(*window_));
  }
  void brush(Interval range) {
    SelectionState state = window_->hub().state();
    state.brush = range;
    window_->hub().apply(state);
  }
  static Interval part(Interval of, int from, int to) {
    const auto tenth = of.length().count / 10;
    return {of.begin + Nanoseconds{from * tenth}, of.begin + Nanoseconds{to * tenth}};
  }

private slots:
  void theRangeIsWhatIsSelectedOrVisible() {
    const Interval run{{0}, {100}}, launches{{20}, {80}};
    SelectionState state;
    const auto range = [&] { return efficiency_range(state, launches, run).first; };
    QVERIFY(!range());
    state.window = Interval{{18}, {82}};
    QVERIFY(!range()); // all launches
    state.window = Interval{{30}, {40}};
    QCOMPARE(*range(), *state.window);
    state.bin = BinChoice{};
    state.bin->interval = {{50}, {60}};
    QCOMPARE(*range(), (Interval{{50}, {60}}));
    state.bin.reset();
    state.brush = Interval{{55}, {90}};
    QCOMPARE(*range(), (Interval{{55}, {90}}));
  }

  void initTestCase() {
    generator::Options options;
    options.launches = 2'000;
    options.seed = 3;
    const auto path = folder_.file("trace.sqlite");
    QVERIFY(generator::generate(options, path, {}).has_value());
    open(QString::fromStdString(path));
  }
  void cleanupTestCase() { window_->close(); }

  void factorsMultiplyToTheirParent() {
    double product = 1;
    for (const auto& factor : data().factors)
      if (factor.parent == 0) product *= factor.value;
    QVERIFY(std::abs(product - data().factors.front().value) < 1e-9);
    QCOMPARE(data().rangeText, QString("GPU activity")); // calls of the host precede it
  }

  void theViewFollowsTheBrushAndComesBack() {
    const auto all = data().range;
    const auto some = part(all, 2, 5);
    brush(some);
    QTRY_COMPARE_WITH_TIMEOUT(data().range, some, kPatience);
    QCOMPARE(data().rangeText, QString("brushed range"));
    window_->hub().undo();
    QTRY_COMPARE_WITH_TIMEOUT(data().range, all, kPatience);
  }

  void theSelectedBinReplacesTheBrushedRange() {
    const auto all = data().range;
    brush(part(all, 1, 6));
    SelectionState state = window_->hub().state();
    state.bin = BinChoice{.index = 0, .interval = part(all, 5, 8)};
    window_->hub().apply(state);
    QTRY_COMPARE_WITH_TIMEOUT(data().range, part(all, 5, 8), kPatience);
    QCOMPARE(data().rangeText, QString("selected bin"));
    while (window_->hub().canUndo()) window_->hub().undo();
    QTRY_COMPARE_WITH_TIMEOUT(data().range, all, kPatience);
  }

  void theSwitchAsksAgain() {
    QVERIFY(!data().collectivesUseful);
    view()->collectivesBox()->setCurrentIndex(1);
    emit view()->collectivesBox()->activated(1);
    QTRY_VERIFY_WITH_TIMEOUT(data().collectivesUseful, kPatience);
    view()->collectivesBox()->setCurrentIndex(0);
    emit view()->collectivesBox()->activated(0);
    QTRY_VERIFY_WITH_TIMEOUT(!data().collectivesUseful, kPatience);
  }

  void aPartIsNotLargerThanItsWhole() {
    nlohmann::json loss = {{"factor", "device.load_balance"},
                           {"place",
                            {{"name", "GPU 1"},
                             {"other_name", "GPU 0"},
                             {"lost_ns", 829'000},
                             {"lost_inside_ns", 400'000},
                             {"begin_ns", 166'700'000},
                             {"end_ns", 169'300'000}}}};
    QVERIFY2(efficiency_text::where(loss).contains("; 400 µs of it between"),
             qPrintable(efficiency_text::where(loss)));
    loss["place"]["lost_inside_ns"] = 906'000;
    const auto text = efficiency_text::where(loss);
    QVERIFY2(text.contains("; 906 µs between") && text.endsWith("partly made up at other times"),
             qPrintable(text));
  }

  void aFactorGoesToItsMomentAndUndoComesBack() {
    QVERIFY(settled(*window_));
    const auto before = data().range;
    int factor = -1;
    for (std::size_t f = 0; f < data().factors.size(); ++f)
      if (data().factors[f].when) factor = static_cast<int>(f);
    QVERIFY(factor >= 0);
    const auto when = *data().factors[static_cast<std::size_t>(factor)].when;
    emit view()->factorChosen(factor);
    QVERIFY(window_->hub().state().brush == when);
    QTRY_COMPARE_WITH_TIMEOUT(data().range, when, kPatience);
    window_->hub().undo();
    QTRY_COMPARE_WITH_TIMEOUT(data().range, before, kPatience);
  }

  void theTimelineCoversTheVisibleRangeAndAClickSelectsATime() {
    QTRY_COMPARE_WITH_TIMEOUT(data().parts.size(), std::size_t(120), kPatience);
    const auto& parts = data().parts;
    QVERIFY(parts.front().range.begin == data().range.begin && parts.back().range.end == data().range.end);
    for (std::size_t p = 1; p < parts.size(); ++p) QVERIFY(parts[p].range.begin == parts[p - 1].range.end);
    QCOMPARE(parts.front().values.size(), data().factors.size());
    double useful = 0,
           elapsed = 0; // the parallel efficiency is the mean over the parts, weighted by their lengths
    for (const auto& part : parts) {
      const auto length = static_cast<double>(part.range.length().count);
      useful += part.values.front() * length;
      elapsed += length;
    }
    QVERIFY(std::abs(useful / elapsed - data().factors.front().value) < 1e-9);
    const auto chosen = parts[40].range, all = data().range;
    emit view()->partChosen(40);
    QVERIFY(window_->hub().state().brush == chosen);
    QTRY_COMPARE_WITH_TIMEOUT(data().range, chosen, kPatience);
    QCOMPARE(data().parts.size(), std::size_t(120));
    window_->hub().undo();
    QTRY_COMPARE_WITH_TIMEOUT(data().range, all, kPatience); // the next test starts from this range
    view()->granularityBox()->setCurrentIndex(0);
    emit view()->granularityBox()->activated(0);
    QTRY_COMPARE_WITH_TIMEOUT(data().parts.size(), std::size_t(30), kPatience);
  }

  // The range with which a trace opens is that of the GPU activity: a choice of the program, not of the user.
  void aFilterBeginsWithTheWholeTrace() {
    const auto range_in_dialog = [&] {
      auto* dialog =
          show_reduce_dialog(ReduceDialog::Kind::Filter, window_->hub(), window_->session(), window_.get());
      const auto range = dialog->rangeEdit()->text();
      dialog->close();
      return range;
    };
    while (window_->hub().canUndo()) window_->hub().undo();
    QVERIFY(window_->hub().state().window);
    QCOMPARE(range_in_dialog(), QString());
    SelectionState state = window_->hub().state();
    state.window = part(data().range, 2, 5);
    window_->hub().apply(state);
    QVERIFY(!range_in_dialog().isEmpty());
    window_->hub().undo();
    QCOMPARE(range_in_dialog(), QString());
    QVERIFY(settled(*window_));
  }

  void picturesHaveNoOptionsOfTheCommandLine() {
    const nlohmann::json document = {
        {"repeated_processes", true},
        {"range_given", false},
        {"range_ns", {{"begin", 57'000}, {"end", 900'000}}},
        {"recorded_range_ns", {{"begin", 6'681}, {"end", 1'000'000}}},
        {"hosts_outside",
         {{"active_ns", 500}, {"active_recorded_ns", 1'000}, {"mpi_ns", 0}, {"mpi_recorded_ns", 0}}},
        {"recorded", {{"collectives", true}, {"states", true}, {"mpi", true}, {"offload", true}}},
        {"devices", {1}},
        {"hosts", {1}},
        {"mpi", {{"serialisation", nullptr}, {"transfer", nullptr}}}};
    using efficiency_text::Advice;
    const auto text = [&](Advice advice) { return efficiency_text::notes(document, advice).join('\n'); };
    QVERIFY2(text(Advice::CommandLine).contains("--range 6.681us:1ms"),
             qPrintable(text(Advice::CommandLine)));
    QVERIFY2(text(Advice::Window).contains("select 0.0067 – 1.0000 ms in the timeline"),
             qPrintable(text(Advice::Window)));
    for (const auto advice : {Advice::Window, Advice::None}) {
      QVERIFY2(!text(advice).contains("--"), qPrintable(text(advice)));
      QVERIFY(text(advice).contains("The range is the GPU activity, 57.0 – 900.0 µs"));
    }
    QVERIFY(!text(Advice::None).contains("select"));
  }

  void notesStateWhatIsNotRecorded() {
    const auto text = [](bool copies, bool collectives, bool mpi) {
      const nlohmann::json document = {{"range_given", false},
                                       {"range_ns", {{"begin", 0}, {"end", 900'000}}},
                                       {"recorded_range_ns", {{"begin", 0}, {"end", 900'000}}},
                                       {"recorded",
                                        {{"collectives", collectives},
                                         {"states", false},
                                         {"mpi", mpi},
                                         {"offload", true},
                                         {"memory_operations", copies}}},
                                       {"devices", {1}},
                                       {"hosts", nlohmann::json::array()},
                                       {"mpi", {{"serialisation", nullptr}, {"transfer", nullptr}}}};
      return (efficiency_text::notes_on_range(document, efficiency_text::Advice::None) +
              efficiency_text::notes_on_recording(document, efficiency_text::Advice::None))
          .join('\n');
    };
    QVERIFY(!text(true, true, true).contains("memory operation"));
    QVERIFY2(text(false, true, true).contains("No memory operation is recorded"),
             qPrintable(text(false, true, true)));
    QVERIFY2(text(false, false, true).contains("100 % because nothing is known"),
             qPrintable(text(false, false, true)));
    QVERIFY(text(true, true, true).contains("lower orchestration and MPI efficiencies"));
    QVERIFY2(text(true, true, false).contains("lower orchestration."), qPrintable(text(true, true, false)));
  }

  void theSelectionCanBeCutToATraceAndOpened() {
    const auto all = data().range;
    brush(part(all, 3, 6));
    QTRY_COMPARE_WITH_TIMEOUT(data().range, part(all, 3, 6), kPatience);
    QPointer<ReduceDialog> dialog =
        show_reduce_dialog(ReduceDialog::Kind::Cut, window_->hub(), window_->session(), window_.get());
    const auto requested = part(all, 3, 6);
    const auto prefilled = parse_range(dialog->rangeEdit()->text().toStdString());
    QVERIFY(prefilled && *prefilled == std::vector({requested.begin.count, requested.end.count}));
    QVERIFY2(dialog->rangeEdit()->text().contains("ms"), qPrintable(dialog->rangeEdit()->text()));
    const auto path = QString::fromStdString(folder_.file("part.jts"));
    dialog->outputEdit()->setText(path);
    dialog->rangeEdit()->setText("nonsense");
    dialog->accept();
    QVERIFY(dialog->problem().contains("not a range"));
    dialog->rangeEdit()->clear();
    dialog->accept();
    QVERIFY(dialog->problem().contains("copy of the whole trace"));
    QVERIFY(!QFile::exists(path));
    dialog->rangeEdit()->setText(QString("%1:%2").arg(requested.begin.count).arg(requested.end.count));
    QSignalSpy started(&window_->session(), &SessionController::request_started);
    QSignalSpy idle(&window_->session(), &SessionController::idle);
    dialog->accept();
    QCOMPARE(started.size(), 1); // listed, so that it can be cancelled
    QTRY_VERIFY_WITH_TIMEOUT(dialog->openButton()->isEnabled(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!idle.isEmpty(), kPatience); // other requests may end later
    QTRY_VERIFY_WITH_TIMEOUT(!window_->findChild<RequestBar*>()->running(), kPatience);
    QVERIFY(QFile::exists(path));
    QVERIFY(dialog->summary()->toPlainText().contains("launches"));
    dialog->accept();
    QVERIFY(dialog->problem().contains("exists"));
    QFile rows(QString::fromStdString(folder_.file("part.row")));
    QVERIFY(rows.open(QIODevice::WriteOnly) && rows.write("mine") == 4);
    rows.close();
    const auto paraver = QString::fromStdString(folder_.file("part.prv"));
    dialog->outputEdit()->setText(paraver);
    dialog->accept();
    QVERIFY2(dialog->problem().contains("part.row already exists"), qPrintable(dialog->problem()));
    QVERIFY(!QFile::exists(paraver));
    dialog->accept(); // the second time replaces it
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(paraver), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(dialog->openButton()->isEnabled(), kPatience);
    QVERIFY(rows.size() > 4);
    dialog->close();
    window_->hub().undo();
    QTRY_COMPARE_WITH_TIMEOUT(data().range, all, kPatience);
  }

  void theWholeTraceIsExported() {
    const auto path = QString::fromStdString(folder_.file("whole.prv"));
    window_->export_trace_to(path);
    auto* bar = window_->findChild<MessageBar*>();
    QTRY_VERIFY_WITH_TIMEOUT(bar->text().startsWith("Exported "), kPatience);
    QVERIFY(QFile::exists(path) && QFile::exists(QString::fromStdString(folder_.file("whole.row"))));
    window_->export_trace_to(path); // the .pcf and .row are replaced only on request
    QVERIFY2(bar->text().contains("whole.row"), qPrintable(bar->text()));
    bar->button()->click();
    QTRY_VERIFY_WITH_TIMEOUT(bar->text().startsWith("Exported "), kPatience);
    window_->export_trace_to(QString::fromStdString(folder_.file("whole.txt")));
    QTRY_VERIFY_WITH_TIMEOUT(bar->text().contains(".prv"), kPatience);
  }

  // Requests by others than the session are not listed: nothing would end their progress.
  void onlyListedRequestsKeepTheWindowBusy() {
    QSignalSpy working(&window_->session(), &SessionController::working);
    emit window_->session().engine().progress(1u << 30u, 1, 2, "somewhere else");
    QVERIFY(working.isEmpty());
    QVERIFY(!window_->findChild<RequestBar*>()->running());
  }

  void nothingIsSavedOverTheOpenTrace() {
    const auto trace = QString::fromStdString(folder_.file("trace.sqlite"));
    const auto before = QFile(trace).size();
    window_->save_table_to("Efficiencies", trace);
    QCOMPARE(QFile(trace).size(), before);
    QPointer<ReduceDialog> dialog =
        show_reduce_dialog(ReduceDialog::Kind::Cut, window_->hub(), window_->session(), window_.get());
    QVERIFY(QFile::link(trace, QString::fromStdString(folder_.file("trace.csv"))));
    const auto range = part(data().range, 3, 6);
    dialog->rangeEdit()->setText(QString("%1:%2").arg(range.begin.count).arg(range.end.count));
    dialog->outputEdit()->setText(QString::fromStdString(folder_.file("trace.csv")));
    dialog->accept();
    dialog->accept();
    QTRY_VERIFY_WITH_TIMEOUT(dialog->problem().contains("replace an input"), kPatience);
    dialog->close();
    QCOMPARE(QFile(trace).size(), before);
  }

  void itsNumbersAndItsPictureCanBeSaved() {
    QVERIFY(pictures_of(*window_).contains("Efficiencies"));
    // A picture that is too low for all rows states the height that shows them.
    const auto advice = advice_of(*window_, "Efficiencies", {170, 30});
    QVERIFY2(advice.startsWith("A height of ") && advice.endsWith(" mm shows all of it."),
             qPrintable(advice));
    QVERIFY(advice_of(*window_, "Efficiencies", {170, 600}).isEmpty());
    window_->save_table_to("Efficiencies", QString::fromStdString(folder_.file("e.csv")));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(QString::fromStdString(folder_.file("e.csv"))), kPatience);
    QFile csv(QString::fromStdString(folder_.file("e.csv")));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    const auto text = csv.readAll();
    QVERIFY(text.contains("Device parallel efficiency / orchestration"));
    QVERIFY(text.contains("device,"));
  }

  void theFieldsLimitRanksAndDevices() {
    generator::Options options;
    options.launches = 2'000;
    options.devices = 2;
    const auto path = folder_.file("two.sqlite");
    QVERIFY(generator::generate(options, path, {}).has_value());
    open(QString::fromStdString(path));
    const auto devices = [this] {
      return std::ranges::count_if(data().rows, [](const auto& row) { return row.device; });
    };
    QCOMPARE(devices(), 2);
    const auto type = [](QLineEdit* field, const QString& text) {
      field->setText(text);
      emit field->editingFinished();
    };
    type(view()->devicesField(), "1");
    QTRY_COMPARE_WITH_TIMEOUT(devices(), 1, kPatience);
    QVERIFY(data().rows.front().name.contains("GPU 1"));
    QVERIFY2(data().notes.contains("Only devices 1 are included."), qPrintable(data().notes.join('\n')));
    type(view()->devicesField(), "0");
    type(view()->devicesField(), "one");
    QVERIFY(settled(*window_));
    QVERIFY(data().empty()); // the answer for device 0 came later
    QVERIFY(view()->canvas()->message().contains("not a list of numbers"));
    type(view()->devicesField(), "5");
    QTRY_VERIFY_WITH_TIMEOUT(
        view()->canvas()->message().contains("The trace has no device 5. Recorded devices: 0-1."), kPatience);
    QVERIFY(data().empty());
    type(view()->devicesField(), "");
    QTRY_COMPARE_WITH_TIMEOUT(devices(), 2, kPatience);
    type(view()->devicesField(), "0");
    QTRY_COMPARE_WITH_TIMEOUT(devices(), 1, kPatience);
    window_->open({QString::fromStdString(folder_.file("trace.sqlite"))});
    QTRY_VERIFY_WITH_TIMEOUT(view()->devicesField()->text().isEmpty(), kPatience);
    QVERIFY(settled(*window_));
  }

  void aReferenceRunAddsGlobalEfficiencyAndItsFactors() {
    generator::Options options;
    options.launches = 1'000;
    const auto path = folder_.file("reference.sqlite");
    QVERIFY(generator::generate(options, path, {}).has_value());
    open(QString::fromStdString(folder_.file("trace.sqlite")));
    const auto before = data().factors.size();
    const auto find = [this](const QString& title) {
      return std::ranges::find(data().factors, title, &views::EfficiencyFactor::title);
    };
    const auto known = [&](const QString& title) { return find(title) != data().factors.end(); };
    auto* controller = window_->findChild<EfficiencyController*>();
    controller->set_reference_file(QString::fromStdString(path));
    QTRY_VERIFY_WITH_TIMEOUT(known("Global efficiency, devices"), kPatience);
    QVERIFY(!window_->findChild<RequestBar*>()->running());
    const auto root = static_cast<int>(find("Global efficiency, devices") - data().factors.begin());
    double product = 1;
    for (const auto& factor : data().factors) {
      if (factor.parent != root) continue;
      product *= factor.value;
      if (factor.title == "computation efficiency") QVERIFY(factor.value > 0 && factor.value < 1);
    }
    QVERIFY(std::abs(product - data().factors[static_cast<std::size_t>(root)].value) < 1e-9);
    QVERIFY2(data().notes.front().contains("reference.sqlite"), qPrintable(data().notes.front()));
    QTRY_VERIFY_WITH_TIMEOUT(!data().parts.empty(), kPatience);
    QVERIFY(view()->canvas()->grab().size().isValid());
    view()->referenceBox()->setCurrentIndex(0);
    emit view()->referenceChosen(0);
    QTRY_COMPARE_WITH_TIMEOUT(data().factors.size(), before, kPatience);
    controller->set_reference_file("/no/such/file");
    QTRY_VERIFY_WITH_TIMEOUT(view()->canvas()->message().contains("does not exist"), kPatience);
    controller->set_reference_file({});
    QTRY_VERIFY_WITH_TIMEOUT(!data().empty(), kPatience);
    // Traces of the session are offered.
    window_->open({QString::fromStdString(folder_.file("trace.sqlite")),
                   QString::fromStdString(folder_.file("part.jts"))});
    QTRY_COMPARE_WITH_TIMEOUT(view()->referenceBox()->count(), 4, kPatience);
    QVERIFY(settled(*window_));
    view()->referenceBox()->setCurrentIndex(2);
    emit view()->referenceChosen(2);
    QTRY_VERIFY_WITH_TIMEOUT(known("Global efficiency, devices"), kPatience);
    QVERIFY(settled(*window_));
  }

  // A pipe without a writer is a file that does not answer.
  void aReferenceFileIsOpenedInTheBackground() {
    const auto trace = QString::fromStdString(folder_.file("trace.sqlite"));
    const auto pipe = folder_.file("pipe");
    QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
    ReferenceRun run;
    int answers = 0, cancelled = 0, errors = 0;
    const auto ask = [&] {
      run.ask(engine::EfficiencyOptions{.collectives_as = "comm", .sums = true},
              [&](const Expected<ReferenceSums>& reference) {
                if (reference)
                  ++answers;
                else
                  ++(reference.error().kind == ErrorKind::Cancelled ? cancelled : errors);
              });
    };
    run.set_file(QString::fromStdString(pipe));
    for (int i = 0; i < 3; ++i) ask();
    QVERIFY(run.busy());
    run.set_file(trace);
    QCOMPARE(cancelled, 3);
    QVERIFY(!run.busy());
    for (int i = 0; i < 3; ++i) ask();
    QTRY_COMPARE_WITH_TIMEOUT(answers, 1, kPatience); // a newer question replaces those before
    QCOMPARE(cancelled, 5);
    ask();
    QTRY_COMPARE_WITH_TIMEOUT(answers, 2, kPatience);
    run.set_file("/no/such/file");
    ask();
    QTRY_COMPARE_WITH_TIMEOUT(errors, 1, kPatience);
    QCOMPARE(cancelled, 5);
    // Readers of the pipe see its end, as often as they open it.
    for (int tries = 0; !QThreadPool::globalInstance()->waitForDone(20); ++tries) {
      QVERIFY(tries < 500);
      if (const int end = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK); end >= 0) ::close(end);
    }
  }

  void aTalpFileIsAReference() {
    const auto trace = QString::fromStdString(folder_.file("trace.sqlite"));
    open(trace);
    view()->setCollectivesUseful(true); // as TALP counts them
    emit view()->collectivesBox()->activated(1);
    QVERIFY(settled(*window_));
    const auto talp = QString::fromStdString(folder_.file("talp.json"));
    QProcess command;
    command.start(QCoreApplication::applicationDirPath() + "/jitterscope",
                  {"efficiency", trace, "--talp", talp});
    QVERIFY(command.waitForFinished(kPatience) && command.exitCode() == 0);
    window_->efficiency_controller()->set_reference_file(talp);
    const auto noted = [this](const QString& words) {
      return std::ranges::any_of(data().notes, [&](const QString& note) { return note.contains(words); });
    };
    QTRY_VERIFY_WITH_TIMEOUT(noted("Reference: talp.json, TALP region Global"), kPatience);
    QVERIFY(noted("Speedup of devices: 1.000"));
    QVERIFY(QFile::remove(talp)); // it is read once
    view()->setData({});
    SelectionState state = window_->hub().state();
    const auto span = window_->session().tracks().launch_span;
    state.brush = Interval{span.begin, span.begin + Nanoseconds{span.length().count / 2}};
    window_->hub().apply(state);
    QTRY_VERIFY_WITH_TIMEOUT(noted("Reference: talp.json, TALP region Global"), kPatience);
    window_->efficiency_controller()->set_reference_file({});
  }

  void aSessionKeepsTheChoicesOfTheView() {
    const auto trace = QString::fromStdString(folder_.file("trace.sqlite"));
    open(trace);
    const auto choices = [this] { return window_->efficiency_controller()->state(); };
    view()->ranksField()->setText("0-1");
    emit view()->ranksField()->editingFinished();
    view()->idealField()->setText("3ms");
    emit view()->idealField()->editingFinished();
    auto* collectives = view()->collectivesBox();
    collectives->setCurrentIndex(1);
    emit collectives->activated(1);
    view()->granularityBox()->setCurrentIndex(0);
    emit view()->granularityBox()->activated(0);
    window_->efficiency_controller()->set_reference_file(trace);
    QVERIFY(settled(*window_));
    const auto chosen = choices();
    QCOMPARE(chosen.size(), std::size_t(6));
    const auto session = QString::fromStdString(folder_.file("choices.jsession"));
    QVERIFY(window_->save_session(session).has_value());
    view()->ranksField()->clear();
    emit view()->ranksField()->editingFinished();
    QVERIFY(choices() != chosen);
    window_->open({session});
    QTRY_VERIFY_WITH_TIMEOUT(choices() == chosen, kPatience);
    QVERIFY(settled(*window_));
    QCOMPARE(view()->ranksField()->text(), QString("0-1"));
    QCOMPARE(view()->idealField()->text(), QString("3ms"));
    QVERIFY(view()->collectivesUseful());
    QCOMPARE(view()->granularity(), 30);
    QVERIFY(view()->referenceBox()->currentText().contains(QString("trace.sqlite")));
  }

  void aTraceWithoutDevicesHasItsMpiHierarchy() {
    const auto path = real_data("paraver/epoch-mpi/epoch_2proc.prv.gz");
    if (path.empty()) QSKIP("the real trace is not available");
    open(QString::fromStdString(path));
    QCOMPARE(data().rows.size(), std::size_t(2));
    QVERIFY(data().rows[0].track.has_value());
    bool found = false;
    for (const auto& factor : data().factors)
      found = found || factor.title.startsWith("Parallel efficiency (POP)");
    QVERIFY(found);
    QVERIFY(!view()->collectivesBox()->isVisible()); // there are no collectives on devices
    const auto all = data().range;
    const auto separated = [this] {
      return std::ranges::any_of(data().factors, [](const auto& f) { return f.title == "serialisation"; });
    };
    QVERIFY(!separated());
    view()->idealField()->setText(QString("%1ms").arg(static_cast<double>(all.length().count) / 1e6 * 0.99));
    emit view()->idealField()->editingFinished();
    QTRY_VERIFY_WITH_TIMEOUT(separated(), kPatience);
    view()->idealField()->setText("fast");
    emit view()->idealField()->editingFinished();
    QTRY_VERIFY_WITH_TIMEOUT(view()->canvas()->message().contains("not a time"), kPatience);
    view()->idealField()->clear();
    emit view()->idealField()->editingFinished();
    QTRY_VERIFY_WITH_TIMEOUT(!data().empty() && !separated(), kPatience);
    SelectionState state = window_->hub().state();
    state.window = part(all, 3, 6);
    window_->hub().apply(state);
    QTRY_COMPARE_WITH_TIMEOUT(data().range, part(all, 3, 6), kPatience);
    QCOMPARE(data().rangeText, QString("visible range"));
  }
};

QTEST_MAIN(EfficiencyViewTest)
#include "efficiency_view_test.moc"
