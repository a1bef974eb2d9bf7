#include <QComboBox>
#include <QDockWidget>
#include <QInputDialog>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <algorithm>

#include "app/controllers/causal/causal_controller.h"
#include "app/controllers/causal/causal_features.h"
#include "app/controllers/causal/knowledge_panel.h"
#include "app/window/main_window.h"
#include "tests/app/patience.h"
#include "tests/app/session/own_places.h"
#include "tests/app/window/settled.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"
#include "views/causal/causal_canvas.h"
#include "views/causal/causal_multiples.h"
#include "views/causal/causal_scene.h"
#include "views/causal/causal_widget.h"
#include "views/evidence/evidence_widget.h"
#include "views/evidence/whatif_widget.h"
#include "views/table/kernels_model.h"
#include "views/table/kernels_widget.h"
#include "views/timeline/timeline_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

namespace {

QAction* action_of(QMenu& menu, const QString& part) {
  for (auto* action : menu.actions())
    if (action->text().remove('&').contains(part)) return action;
  return nullptr;
}

} // namespace

/// The graph, the evidence behind its edges and the user's knowledge, on a run with a planted migration.
class CausalControllerTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  QString trace_ = QString::fromStdString(folder_.file("trace.sqlite"));
  std::unique_ptr<MainWindow> window_;

  const views::CausalGraph& graph() { return window_->causal()->graph(); }
  CausalController& controller() { return *window_->causal_controller(); }
  const views::EvidenceData& evidence() { return controller().evidence()->model().data(); }
  const views::CausalEdge* strongest() {
    const views::CausalEdge* best = nullptr;
    for (const auto& edge : graph().edges)
      if (edge.percent >= 0 && (!best || edge.percent > best->percent)) best = &edge;
    return best;
  }
  std::pair<QString, QString> keys(const views::CausalEdge& edge) {
    return {graph().node(edge.from)->key, graph().node(edge.to)->key};
  }
  bool has_edge(const std::pair<QString, QString>& requested) {
    return std::any_of(graph().edges.begin(), graph().edges.end(),
                       [&](const auto& edge) { return keys(edge) == requested; });
  }
  std::uint64_t launches_in_table() {
    std::uint64_t sum = 0;
    for (const auto& row : window_->kernels()->model().kernels().rows) sum += row.count;
    return sum;
  }
  void show_strongest() {
    window_->causal()->canvas()->setFocus();
    QTest::keyClick(window_->causal()->canvas(), Qt::Key_Down);
    QTRY_VERIFY_WITH_TIMEOUT(!controller().evidence()->model().empty(), kPatience);
  }

private slots:
  void initTestCase() {
    qputenv("JITTERSCOPE_CACHE", folder_.file("cache").c_str());
    generator::Options options;
    options.launches = 6000;
    options.causes = {generator::Cause::Migration};
    QVERIFY(generator::generate(options, trace_.toStdString(), {}).has_value());
  }
  void init() {
    window_ = std::make_unique<MainWindow>(1);
    window_->resize(1500, 950);
    window_->show();
    window_->open({trace_});
    QTRY_VERIFY_WITH_TIMEOUT(!graph().edges.empty(), kPatience);
  }
  void cleanup() {
    window_->close();
    window_.reset();
  }

  void hoverOfAnEdgeShowsTheResultsOfOtherMethods() {
    const QString text = views::edgeDetails(graph(), *strongest());
    for (const char* part :
         {"agree (BOSS", "95 % interval", "block bootstrap, 200 resamples", "of the resamples", "per "})
      QVERIFY2(text.contains(part), qPrintable(text));
  }

  void anEdgeShowsTheLaunchesBehindIt() {
    show_strongest();
    QVERIFY(graph().node(strongest()->from)->label.contains(evidence().cause));
    QVERIFY(evidence().n > 1000);
    QVERIFY(evidence().event);
    QVERIFY(evidence().nWith > 10 && evidence().nWith < evidence().n / 2);
    QVERIFY(evidence().meanWith > evidence().meanWithout); // migrations lengthen launches
    QVERIFY(evidence().slopeLow > 0);
    QVERIFY(evidence().slopeLow <= evidence().slope && evidence().slope <= evidence().slopeHigh);
  }

  void enterAndDoubleClickRaiseTheEvidence() {
    const auto in_front = [this] { return !controller().evidence()->visibleRegion().isEmpty(); };
    auto* other = window_->findChild<QDockWidget*>("dock.parallel");
    for (const bool by_key : {true, false}) {
      show_strongest();
      other->raise();
      QTRY_VERIFY(!in_front());
      if (by_key)
        QTest::keyClick(window_->causal()->canvas(), Qt::Key_Return);
      else
        emit window_->causal()->canvas()->edgeActivated(0);
      QTRY_VERIFY(in_front());
      QTest::qWait(500);
      QVERIFY(in_front());
    }
  }

  void theLaunchesWithTheCauseAreSelectedEverywhereAndUndone() {
    show_strongest();
    const auto n = evidence().nWith;
    const auto edges = graph().edges.size();
    for (auto* button : controller().evidence()->findChildren<QPushButton*>())
      if (button->text().contains("with it")) QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(window_->hub().state().where.contains("> 0"));
    QTRY_VERIFY_WITH_TIMEOUT(launches_in_table() >= n && launches_in_table() < 6000, kPatience);
    QVERIFY(settled(*window_));
    QCOMPARE(graph().edges.size(), edges); // the graph still describes the rows it was computed from
    window_->hub().undo();
    QTRY_COMPARE_WITH_TIMEOUT(launches_in_table(), std::uint64_t{6000}, kPatience);
  }

  void whatIfIsAnsweredWithoutAskingTheEngine() {
    auto* what_if = controller().what_if();
    const auto key = keys(*strongest()).first;
    what_if->setFeature(key);
    QCOMPARE(what_if->feature(), key);
    const auto now = app::what_if(*controller().result(), key.toStdString(), 0);
    QVERIFY(now.has_value());
    QVERIFY(now->meanAfter < now->meanBefore); // without migrations the variability is smaller
    QVERIFY(!what_if->canvas()->words().isEmpty());
    QVERIFY2(what_if->canvas()->words().first().contains("95 %"),
             qPrintable(what_if->canvas()->words().first()));
  }

  void whatIfDescribesTheChosenLaunch() {
    show_strongest();
    window_->kernels()->setFocus();
    SelectionState state = window_->hub().state();
    state.launch = LaunchChoice{0, 100, {{0}, {1}}};
    window_->hub().apply(state);
    controller().what_if()->setFeature(keys(*strongest()).first);
    QTRY_VERIFY_WITH_TIMEOUT(controller().what_if()->canvas()->words().join(" ").contains("would have taken"),
                             kPatience);
  }

  void knowledgeRefitsTheGraphAndCanBeUndone() {
    const auto pair = keys(*strongest());
    auto menu = controller().menu_of(-1, strongest()->from, strongest()->to);
    auto* forbid = action_of(*menu, "cannot cause");
    QVERIFY(forbid != nullptr);
    forbid->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!has_edge(pair), kPatience);
    QCOMPARE(controller().knowledge_panel()->list()->count(), 1);
    QVERIFY(controller().knowledge_panel()->list()->item(0)->text().contains("cannot cause"));
    const QString file = QString::fromStdString(folder_.file("known.json"));
    QVERIFY(controller().knowledge().save(file).has_value());
    controller().knowledge_panel()->list()->setCurrentRow(0);
    controller().knowledge_panel()->list()->setFocus();
    QTest::keyClick(controller().knowledge_panel()->list(), Qt::Key_Delete);
    QTRY_VERIFY_WITH_TIMEOUT(has_edge(pair), kPatience);
    QVERIFY(controller().knowledge().value().empty());
    QVERIFY(controller().knowledge().load(file).has_value()); // the command line reads the same file
    QCOMPARE(controller().knowledge().value().forbidden.size(), std::size_t{1});
    QVERIFY(!controller().knowledge().set_document({{"unknown", 1}}).has_value());
    QCOMPARE(controller().knowledge().value().forbidden.size(), std::size_t{1});
  }

  void statedEdgesLookStated() {
    const auto pair = keys(*strongest());
    controller().knowledge().require(pair.first.toStdString(), pair.second.toStdString());
    QTRY_VERIFY_WITH_TIMEOUT(
        std::any_of(graph().edges.begin(), graph().edges.end(), [](const auto& e) { return e.stated; }),
        kPatience);
    const auto document = controller().knowledge().document();
    QCOMPARE(document.at("required").size(), std::size_t{1});
  }

  void ignoredColumnsLeave() {
    const auto pair = keys(*strongest());
    auto menu = controller().menu_of(strongest()->from, -1, -1);
    auto* ignore = action_of(*menu, "Ignore the Whole Family");
    if (!ignore) ignore = action_of(*menu, "Ignore the Column");
    QVERIFY(ignore != nullptr);
    ignore->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!has_edge(pair), kPatience);
    QVERIFY(!controller().knowledge().value().ignored.empty());
  }

  void theSelectionIsComparedWithChosenLaunches() {
    auto* peers = window_->findChild<QComboBox*>("peers");
    const auto choose = [peers](const QString& part) {
      const int index = peers->findText(part, Qt::MatchContains);
      QVERIFY2(index >= 0, qPrintable(part));
      peers->setCurrentIndex(index);
      emit peers->activated(index);
    };
    const auto select = [this](std::int64_t begin, std::int64_t end) {
      auto state = window_->hub().state();
      state.brush = Interval{{begin}, {end}};
      window_->hub().apply(state);
    };
    const auto moment = [this] { return graph().moment.join(' '); };
    const auto end = window_->session().tracks().launch_span.end.count;
    select(0, end / 2);
    QTRY_VERIFY_WITH_TIMEOUT(moment().contains("same launches elsewhere"), kPatience);
    QVERIFY(!moment().contains("means only"));
    choose("Compare next selections with this one");
    const QString condition = window_->session().selection_condition();
    QCOMPARE(QString::fromStdString(window_->session().causal_choices().against), condition);
    QVERIFY2(peers->currentText().contains(condition), qPrintable(peers->currentText()));
    QTRY_VERIFY_WITH_TIMEOUT(moment().contains("No launch of the selection"), kPatience); // no peers are left
    select(end / 2, end * 3 / 4);
    QTRY_VERIFY_WITH_TIMEOUT(moment().contains("the same launches elsewhere") &&
                                 moment().contains("means only the launches with " + condition),
                             kPatience);
    choose("all others");
    QTRY_VERIFY_WITH_TIMEOUT(!moment().isEmpty() && !moment().contains("means only"), kPatience);
  }

  void theSelectionIsComparedWithAFilterOfItsDialog() {
    auto* peers = window_->findChild<QComboBox*>("peers");
    const auto type = [peers](const QString& filter) {
      QTimer::singleShot(0, peers, [filter] {
        auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
        QVERIFY(dialog);
        dialog->setTextValue(filter);
        dialog->accept();
      });
      const int index = peers->findText("Compare with a filter", Qt::MatchContains);
      peers->setCurrentIndex(index);
      emit peers->activated(index);
    };
    const auto against = [this] {
      return QString::fromStdString(window_->session().causal_choices().against);
    };
    QSignalSpy failures(&window_->session(), &SessionController::failed);
    type("no_such_column > 3");
    QTRY_COMPARE_WITH_TIMEOUT(failures.count(), 1, kPatience);
    QVERIFY(against().isEmpty());
    QCOMPARE(peers->currentIndex(), 0); // still all others
    type("  duration > 1us ");
    QTRY_COMPARE_WITH_TIMEOUT(against(), QString("duration > 1us"), kPatience);
    QCOMPARE(failures.count(), 1);
    QVERIFY2(peers->currentText().contains("duration > 1us"), qPrintable(peers->currentText()));
  }

  void groupsAreAskedSideBySide() {
    auto* choice = controller().group_choice();
    choice->setCurrentIndex(1);
    emit choice->activated(1);
    const auto& model = controller().multiples()->model();
    QTRY_VERIFY_WITH_TIMEOUT(model.groups().size() >= 2, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(std::all_of(model.groups().begin(), model.groups().end(),
                                         [](const auto& group) {
                                           return group.message.isEmpty() || !group.message.contains("…");
                                         }),
                             kPatience);
    QVERIFY(model.groups().size() <= 7);
    QCOMPARE(model.groups().front().title, QString("All launches together"));
    QVERIFY(!model.groups().front().graph.edges.empty());
    std::uint64_t sum = 0;
    for (std::size_t i = 1; i < model.groups().size(); ++i) sum += model.groups()[i].graph.n;
    QVERIFY(sum <= model.groups().front().graph.n);
    choice->setCurrentIndex(2);
    emit choice->activated(2);
    QTRY_VERIFY_WITH_TIMEOUT(controller().multiples()->message().contains("only one rank"), kPatience);
  }

  void cancelEndsTheGraphsOfAllGroups() {
    auto* choice = controller().group_choice();
    const auto& model = controller().multiples()->model();
    QVERIFY(settled(*window_));
    choice->setCurrentIndex(1);
    emit choice->activated(1); // the first group is queried immediately
    QVERIFY(!model.groups().empty());
    window_->session().cancel_running();
    const auto cancelled = [&] {
      return std::count_if(model.groups().begin(), model.groups().end(),
                           [](const auto& group) { return group.message == "Cancelled"; });
    };
    QTRY_VERIFY_WITH_TIMEOUT(cancelled() > 0, kPatience);
    const auto before = cancelled();
    QVERIFY(settled(*window_));
    QCOMPARE(cancelled(), before);
    QVERIFY(model.groups().back().message == "Cancelled");
    choice->setCurrentIndex(0);
    emit choice->activated(0);
  }

  void aCancelledAnswerLeavesTheOneBefore() {
    QVERIFY(settled(*window_));
    const auto edges = graph().edges.size();
    auto choices = window_->session().causal_choices();
    choices.target = "duration";
    window_->session().set_causal_choices(choices);
    window_->session().cancel_running();
    QVERIFY2(window_->causal()->canvas()->message().contains("still the previous answer"),
             qPrintable(window_->causal()->canvas()->message()));
    QVERIFY(settled(*window_));
    QCOMPARE(graph().edges.size(), edges);
  }

  // Other traces have other ranks and runs; kernels they all have.
  void groupsByRankEndWithTheTrace() {
    auto* choice = controller().group_choice();
    for (const int by : {1, 2}) {
      choice->setCurrentIndex(by);
      emit choice->activated(by);
      QVERIFY(settled(*window_));
      QSignalSpy opened(&window_->session(), &SessionController::opened);
      window_->open({trace_});
      QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, kPatience);
      QCOMPARE(choice->currentIndex(), by == 1 ? 1 : 0);
      QTRY_COMPARE_WITH_TIMEOUT(controller().multiples()->isVisibleTo(window_.get()), by == 1, kPatience);
    }
  }

  void namesOfColumnsBecomeFilters() {
    const std::vector<std::string> columns = {"stream", "gap_ns", "migration_ns", "compiler",
                                              "stream_priority"};
    QCOMPARE(side_filter("migration_ns > 0", columns, 0, true), QString("migration_ns > 0"));
    QCOMPARE(side_filter("migration_ns > 0", columns, 0, false), QString("migration_ns <= 0"));
    QCOMPARE(side_filter("gap_ns", columns, 3200, true), QString("gap_ns > 3200"));
    QCOMPARE(side_filter("stream 13", columns, 0, true), QString("stream = 13"));
    QCOMPARE(side_filter("stream 13", columns, 0, false), QString("stream != 13"));
    QCOMPARE(side_filter("compiler gcc 12", columns, 0, true), QString("compiler = \"gcc 12\""));
    QVERIFY(side_filter("stream (rare)", columns, 0, true).isEmpty());
    QVERIFY(side_filter("elsewhere", columns, 0, true).isEmpty());
    QCOMPARE(source_column("stream_priority 2", columns), std::string("stream_priority"));
  }
};

QTEST_MAIN(CausalControllerTest)
#include "causal_controller_test.moc"
