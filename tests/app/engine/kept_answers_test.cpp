// Cached answers, and what a used window shows of a new session: its views are compared with those of a
// fresh window.

#include <QImage>
#include <QMenu>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include "app/controllers/details_panel.h"
#include "app/engine/engine_questions.h"
#include "app/window/view_exports.h"
#include "tests/app/window/linked_window.h"
#include "views/bins/bins_model.h"
#include "views/bins/bins_widget.h"
#include "views/causal/causal_canvas.h"
#include "views/causal/causal_widget.h"
#include "views/parallel/parallel_widget.h"

using namespace jitterscope;
using namespace jitterscope::app;

namespace {

KeptAnswers::Kept answer_of(int number, std::size_t bytes = 0) {
  auto answer = std::make_shared<engine::Answer>();
  answer->document["number"] = number;
  if (bytes > 0) answer->add("filling", std::vector<std::uint8_t>(bytes));
  return answer;
}

engine::Request bins_question(int number) {
  return engine::BinsOptions{.where = "row = " + std::to_string(number)};
}
engine::Request causal_question(int number) {
  return engine::CausalOptions{.where = "row = " + std::to_string(number)};
}

} // namespace

class KeptAnswersTest : public QObject, LinkedWindow {
  Q_OBJECT

  QString other_ = QString::fromStdString(folder_.file("other.sqlite"));

  struct Shown {
    std::map<QString, QImage> pictures;
    std::map<QString, QString> numbers;
  };
  Shown shown() {
    Shown all;
    for (const auto& [view, paint] : pictures_of(*window_)) {
      if (view == "Activity") continue; // shows how long answers took, which differs between runs
      if (const auto numbers = csv_of_view(*window_, view)) all.numbers[view] = *numbers;
      QImage image(900, 500, QImage::Format_RGB32);
      image.fill(Qt::white);
      QPainter painter(&image);
      paint(painter, QRectF(0, 0, 900, 500), views::ViewStyle::light());
      painter.end();
      all.pictures[view] = image;
    }
    return all;
  }

private slots:
  void initTestCase() {
    make_trace();
    generator::Options options;
    options.launches = 3'000;
    options.kernels = 5;
    options.seed = 17;
    options.causes = {generator::Cause::Clock};
    QVERIFY(generator::generate(options, other_.toStdString(), {}).has_value());
  }
  void init() { open_window(); }
  void cleanup() { close_window(); }

  void theLeastRecentlyUsedGoFirst() {
    KeptAnswers kept;
    const int maximum = KeptAnswers::kMaxAnswers;
    for (int i = 0; i < maximum; ++i) kept.keep(bins_question(i), answer_of(i));
    kept.keep(causal_question(0), answer_of(-1)); // an answer of another operation evicts none of "bins"
    QVERIFY(kept.find(bins_question(0)));         // uses answer 0, so that answer 1 is now the oldest
    kept.keep(bins_question(maximum), answer_of(maximum));
    QVERIFY(!kept.find(bins_question(1)));
    for (const int i : {0, 2, maximum})
      QCOMPARE(kept.find(bins_question(i))->document.at("number").get<int>(), i);
    kept.keep(bins_question(2), answer_of(222)); // replaces the answer to question 2
    QCOMPARE(kept.find(bins_question(2))->document.at("number").get<int>(), 222);
    QCOMPARE(kept.find(causal_question(0))->document.at("number").get<int>(), -1);
    kept.forget();
    QVERIFY(!kept.find(causal_question(0)));
  }

  void theirMemoryIsBounded() {
    KeptAnswers kept;
    constexpr std::size_t kThird = KeptAnswers::kMaxBytes / 3;
    for (int i = 0; i < 4; ++i) kept.keep(bins_question(i), answer_of(i, kThird));
    int held = 0;
    for (int i = 0; i < 4; ++i) held += kept.find(bins_question(i)) ? 1 : 0;
    QCOMPARE(held, 2); // the arrays of three fill the cache; with documents two fit
    kept.keep(bins_question(9), answer_of(9, KeptAnswers::kMaxBytes));
    QVERIFY(!kept.find(bins_question(9))); // larger than the whole cache
    QVERIFY(kept.find(bins_question(3)));
  }

  void whatWasAskedIsNotAskedAgain() {
    auto& session = window_->session();
    QVERIFY(settled(*window_));
    QSignalSpy started(&session, &SessionController::request_started);
    int ended = 0;
    std::vector<std::string> answers;
    const auto ask = [&] {
      return session.ask(
          {engine::DistributionOptions{.column = "duration", .bins = 7}, "test"}, "Test",
          [&](const engine::Answer& answer) { answers.push_back(answer.document.dump()); }, {},
          [&] { ++ended; });
    };
    ask();
    QTRY_COMPARE_WITH_TIMEOUT(ended, 1, kPatience);
    ask();
    QCOMPARE(ended, 1); // `ended` was called from the event loop, as for every answer
    QTRY_COMPARE_WITH_TIMEOUT(ended, 2, kPatience);
    QCOMPARE(started.size(), 1);
    QCOMPARE(answers.size(), std::size_t{2});
    QCOMPARE(answers[0], answers[1]);
    session.cancel_request(ask()); // ended as well, but not shown
    QTRY_COMPARE_WITH_TIMEOUT(ended, 3, kPatience);
    QCOMPARE(answers.size(), std::size_t{2});
    // A request still running on the same channel is cancelled when a cached answer is used.
    session.ask(
        {engine::DistributionOptions{.column = "gap_ns", .bins = 9}, "test"}, "Test",
        [&](const engine::Answer&) { answers.push_back("late"); }, {}, [&] { ++ended; });
    ask();
    QTRY_COMPARE_WITH_TIMEOUT(ended, 5, kPatience);
    QCOMPARE(answers.size(), std::size_t{3});
    QVERIFY(answers.back() != "late");
  }

  void goingBackAsksNothing() {
    QVERIFY(settled(*window_));
    const auto filter = [this](const char* text) {
      type_filter(text);
      QVERIFY(settled(*window_));
    };
    filter("duration > 20us");
    filter(""); // from now on requests name the axes that the engine chose by default
    const Shown before = shown();
    filter("duration > 20us");
    QVERIFY(in_table() < kLaunches);
    QStringList asked;
    connect(&window_->session(), &SessionController::request_started, this,
            [&](quint64, const QString& doing) { asked << doing; });
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(in_table(), kLaunches, kPatience);
    QVERIFY(settled(*window_));
    QVERIFY2(asked.isEmpty(), qPrintable(asked.join(", ")));
    QVERIFY(shown().numbers == before.numbers);
  }

  void aFirstCausalAnswerComesBeforeTheWhole() {
    QVERIFY(settled(*window_));
    auto& session = window_->session();
    session.set_provisional_from(1'000);
    QStringList remarks;
    std::vector<std::int64_t> replicates;
    connect(&session, &SessionController::causal, this,
            [&](const causal::CausalResult& result, const QString& remark) {
              remarks << remark;
              replicates.push_back(result.bootstrap);
            });
    type_filter("stream >= 0");
    QVERIFY(settled(*window_));
    QCOMPARE(remarks.size(), 2);
    QVERIFY2(remarks[0].startsWith("This first answer is from "), qPrintable(remarks[0]));
    QVERIFY2(remarks[1].isEmpty(), qPrintable(remarks[1]));
    QCOMPARE(replicates, (std::vector<std::int64_t>{20, 200}));
    // Undo and redo show the complete answer at once.
    window_->hub().undo();
    QVERIFY(settled(*window_));
    remarks.clear();
    window_->hub().redo();
    QVERIFY(settled(*window_));
    QCOMPARE(remarks, QStringList(QString()));
  }

  // A bin is selected before the model of all launches is known.
  void aFirstAnswerToAMomentComesBeforeTheWhole() {
    QVERIFY(settled(*window_));
    auto& session = window_->session();
    session.set_provisional_from(1'000);
    QStringList moments;
    connect(&session, &SessionController::contrast, this,
            [&](const QStringList& sentences, const QStringList&) { moments << sentences.join(' '); });
    bool selected = false;
    connect(&session, &SessionController::request_started, this, [&](quint64, const QString& doing) {
      if (doing != "Reasons of bins" || std::exchange(selected, true)) return;
      QTimer::singleShot(0, this, [&] { // runs while the request for reasons is running
        const auto& ranked = window_->bins()->model().bins();
        const auto& bin = ranked.bins.front();
        emit window_->bins()->binSelected(bin.index, {bin.start, bin.start + ranked.width});
        session.set_causal_choices(session.causal_choices()); // asks now, without a delay
      });
    });
    QSignalSpy reasons(&session, &SessionController::bin_reasons);
    window_->open({other_});
    QTRY_VERIFY_WITH_TIMEOUT(!moments.isEmpty() && !moments.last().contains("This first answer"), kPatience);
    QVERIFY2(moments.first().contains("This first answer is from 3,000 of 3,000 launches"),
             qPrintable(moments.first()));
    QVERIFY2(moments.last().contains("longer than the same launches elsewhere"), qPrintable(moments.last()));
    QVERIFY(settled(*window_));
    QVERIFY(!reasons.isEmpty()); // the cancelled request for reasons was repeated
    // Now the model is known, so other moments are answered once.
    moments.clear();
    const auto& ranked = window_->bins()->model().bins();
    emit window_->bins()->binSelected(ranked.bins[1].index,
                                      {ranked.bins[1].start, ranked.bins[1].start + ranked.width});
    QVERIFY(settled(*window_));
    QCOMPARE(moments.size(), 1);
    window_->hub().undo();
    window_->hub().undo();
    QVERIFY(settled(*window_));
  }

  // In the file with clocks, the answer starts with the comparison of the selected bin with the rest of the
  // run.
  void theAnswerToAMomentLeads() {
    QVERIFY(settled(*window_));
    QVERIFY(!window_->causal()->graph().sentences.isEmpty());
    std::optional<qsizetype> of_the_previous_file;
    connect(&window_->session(), &SessionController::opened, this,
            [&] { of_the_previous_file = window_->causal()->graph().sentences.size(); });
    window_->open({other_});
    QTRY_COMPARE_WITH_TIMEOUT(in_table(), std::uint64_t{3'000}, kPatience);
    QCOMPARE(of_the_previous_file, std::optional<qsizetype>(0));
    QVERIFY(settled(*window_));
    const QStringList whole = window_->causal()->graph().sentences;
    const auto bin = window_->bins()->model().bins().bins.front();
    emit window_->bins()->binSelected(bin.index,
                                      {bin.start, bin.start + window_->bins()->model().bins().width});
    QVERIFY(settled(*window_));
    const auto& graph = window_->causal()->graph();
    const QString shown = (graph.empty() ? graph.nothingFound : graph.moment.join(QChar(10))) +
                          window_->causal()->findChild<views::CausalCanvas*>()->message();
    QVERIFY2(shown.contains("longer than the same launches elsewhere"), qPrintable(shown));
    window_->hub().undo();
    QVERIFY(settled(*window_));
    QCOMPARE(window_->causal()->graph().sentences, whole); // nothing about the moment remains
  }

  void detailsStateWhyALaunchTookLonger() {
    QVERIFY(settled(*window_));
    raise("dock.details");
    raise("dock.launches");
    window_->launches()->setOrder({"duration", true});
    auto& launches = window_->launches()->model();
    QTRY_VERIFY_WITH_TIMEOUT(launches.rowCount() > 0 && launches.numberAt(0).has_value(), kPatience);
    QVERIFY(settled(*window_));
    click_row(window_->launches()->table(), 0);
    raise("dock.details");
    QTRY_VERIFY_WITH_TIMEOUT(window_->details()->text().contains("than typical"), kPatience);
    const QString text = window_->details()->text();
    for (const char* part :
         {"median of the configuration", "not explained", "duration", "previous on its stream", "its call"})
      QVERIFY2(text.contains(part), part);
    // The launch's menu: filter to its kernel, then to its configuration; Next Slower reports that its kernel
    // has no slower launch.
    const auto launch = *state().launch;
    std::unique_ptr<QMenu> menu(window_->details()->make_menu(nullptr));
    const auto action = [&](const char* words) {
      for (auto* each : menu->actions())
        if (each->text().remove('&').contains(words)) return each->trigger();
      QFAIL(words);
    };
    action("Filter to This Kernel");
    QTRY_COMPARE_WITH_TIMEOUT(state().kernels.size(), std::size_t{1}, kPatience);
    action("Filter to This Configuration");
    QTRY_VERIFY_WITH_TIMEOUT(state().where.startsWith("configuration = "), kPatience);
    QVERIFY(settled(*window_));
    QVERIFY(in_table() > 0 && in_table() < kLaunches);
    QCOMPARE(state().launch->row, launch.row);
    QSignalSpy reported(window_->details(), &DetailsPanel::reported);
    action("Next Slower");
    QTRY_COMPARE_WITH_TIMEOUT(reported.size(), 1, kPatience);
    // Another file: nothing about the launch remains.
    window_->open({other_});
    QTRY_COMPARE_WITH_TIMEOUT(in_table(), std::uint64_t{3'000}, kPatience);
    QVERIFY(!window_->details()->text().contains("than typical"));
  }

  void nothingOfOneFileIsShownForAnother() {
    // Many settings are changed while the first file is open.
    QVERIFY(settled(*window_));
    window_->parallel()->invertAxis("duration");
    const auto bin = window_->bins()->model().bins().bins.front();
    emit window_->bins()->binSelected(bin.index,
                                      {bin.start, bin.start + window_->bins()->model().bins().width});
    QVERIFY(settled(*window_));
    type_filter("migration_ns > 0");
    QVERIFY(settled(*window_));
    window_->open({other_});
    QTRY_COMPARE_WITH_TIMEOUT(in_table(), std::uint64_t{3'000}, kPatience);
    QVERIFY(settled(*window_));
    const Shown after = shown();
    close_window();
    window_ = std::make_unique<MainWindow>(1);
    window_->resize(1400, 760);
    window_->show();
    window_->open({other_});
    QTRY_COMPARE_WITH_TIMEOUT(in_table(), std::uint64_t{3'000}, kPatience);
    QVERIFY(settled(*window_));
    const Shown fresh = shown();
    QCOMPARE(after.pictures.size(), fresh.pictures.size());
    QVERIFY(fresh.numbers.size() > 3);
    for (const auto& [view, numbers] : fresh.numbers)
      QVERIFY2(after.numbers.at(view) == numbers, qPrintable(view));
    for (const auto& [view, picture] : fresh.pictures)
      QVERIFY2(after.pictures.at(view) == picture, qPrintable(view));
  }
};

QTEST_MAIN(KeptAnswersTest)
#include "kept_answers_test.moc"
