#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <QTimer>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

#include "app/engine/engine_link.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/session_options.h"
#include "core/engine/messages/statistics_options.h"
#include "core/store/format/store.h"
#include "tests/app/patience.h"
#include "tests/generator/generator.h"
#include "tests/support/processes.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;
using namespace jitterscope::app;
using test::descendants;

namespace {

/// True if the process has ended, even if it is still a zombie.
bool gone(qint64 pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(stat, text)) return true;
  const auto close = text.rfind(')');
  return close == std::string::npos || text.compare(close, 3, ") Z") == 0 ||
         text.compare(close, 3, ") X") == 0;
}

/// The longest time during the lifetime of this object in which the event loop did not run.
class LongestGap {
public:
  LongestGap() {
    clock_.start();
    QObject::connect(&timer_, &QTimer::timeout, [this] { longest_ = std::max(longest_, clock_.restart()); });
    timer_.start(1);
  }
  qint64 ms() const { return longest_; }

private:
  QElapsedTimer clock_;
  QTimer timer_;
  qint64 longest_ = 0;
};

// ms: longer than gaps on a busy machine, shorter than any wait for a process that does not end.
constexpr qint64 kLongestGap = 1'000;

qint64 rank_process(EngineLink& link, int which) {
  const auto ranks = descendants(link.processId());
  return ranks.value(which);
}

} // namespace

class EngineLinkTest : public QObject {
  Q_OBJECT

  test::TemporaryFolder folder_;
  std::string trace_ = folder_.file("trace.sqlite");
  std::string store_ = folder_.file("trace.jts");

  Expected<engine::Answer> ask(EngineLink& link, const engine::Request& request) {
    std::optional<Expected<engine::Answer>> answer;
    link.request(request, [&](Expected<engine::Answer> got) { answer.emplace(std::move(got)); });
    if (!QTest::qWaitFor([&] { return answer.has_value(); }, kPatience))
      return failure(ErrorKind::Engine, "no answer in time");
    return answer ? *answer : failure(ErrorKind::Engine, "no answer");
  }

private slots:
  void initTestCase() {
    generator::Options options;
    options.launches = 20000;
    options.causes = {generator::Cause::Migration};
    QVERIFY(generator::generate(options, trace_, {}).has_value());
    EngineLink link;
    link.start({});
    const auto answer = ask(link, engine::ImportOptions{.files = {trace_}, .output = store_});
    QVERIFY2(answer.has_value(), answer ? "" : describe(answer.error()).c_str());
  }

  void oneRankAndTwoRanksGiveTheSameBins() {
    std::string documents[2];
    for (int ranks : {1, 2}) {
      EngineLink link;
      EngineSetup setup;
      setup.ranks = ranks;
      link.start(setup);
      QVERIFY(ask(link, engine::OpenOptions{.stores = {store_}}).has_value());
      QCOMPARE(link.ranks(), ranks);
      auto bins = ask(link, engine::BinsOptions());
      QVERIFY(bins.has_value());
      for (const char* key : {"ranks", "threads_per_rank"}) bins->document.erase(key);
      documents[ranks - 1] = bins->document.dump();
    }
    QCOMPARE(documents[0], documents[1]);
  }

  void theBestBinsSoFarAreSignalled() {
    for (int ranks : {1, 2}) {
      EngineLink link;
      EngineSetup setup;
      setup.ranks = ranks;
      link.start(setup);
      QVERIFY(ask(link, engine::OpenOptions{.stores = {store_}}).has_value());
      std::vector<quint64> numbers;
      std::vector<double> shares;
      connect(&link, &EngineLink::partial, &link, [&](quint64 number, const engine::Answer& so_far) {
        numbers.push_back(number);
        shares.push_back(so_far.document.at("share"));
        QVERIFY(!so_far.document.at("kept_bins").empty());
      });
      QVERIFY(ask(link, engine::BinsOptions{.partial = true, .rows_per_partial = 5000}).has_value());
      QCOMPARE(shares, (std::vector<double>{0.25, 0.5, 0.75}));
      QCOMPARE(numbers, std::vector<quint64>(3, 2));
      QVERIFY(ask(link, engine::BinsOptions()).has_value());
      QCOMPARE(numbers.size(), std::size_t{3});
    }
  }

  void aStoreThatChangesWhileOpenFailsTheRequestAndTheEngineGoesOn() {
    const auto copy = folder_.file("copy.jts");
    for (int ranks : {1, 2})
      for (const bool cut : {true, false}) {
        std::filesystem::copy_file(store_, copy, std::filesystem::copy_options::overwrite_existing);
        EngineLink link;
        EngineSetup setup;
        setup.ranks = ranks;
        link.start(setup);
        QSignalSpy lost(&link, &EngineLink::lost);
        QVERIFY(ask(link, engine::OpenOptions{.stores = {copy}}).has_value());
        if (cut)
          std::filesystem::resize_file(copy, 20'000);
        else
          std::fstream(copy, std::ios::in | std::ios::out | std::ios::binary)
              .seekp(200'000)
              .write("changed", 7);
        for (int repeated = 0; repeated < 2; ++repeated)
          for (const auto& request :
               {engine::Request(engine::BinsOptions()), engine::Request(engine::KernelsOptions())}) {
            const auto answer = ask(link, request);
            QVERIFY(!answer);
            QCOMPARE(answer.error().message, std::string("copy.jts changed while it was open"));
          }
        QVERIFY(ask(link, engine::OpenOptions{.stores = {store_}}).has_value());
        QVERIFY(ask(link, engine::BinsOptions()).has_value());
        QCOMPARE(lost.size(), 0);
      }
  }

  void stoppingLeavesNoProcess_data() {
    QTest::addColumn<int>("ranks");
    QTest::newRow("one") << 1;
    QTest::newRow("three") << 3;
  }
  void stoppingLeavesNoProcess() {
    QFETCH(int, ranks);
    EngineLink link;
    EngineSetup setup;
    setup.ranks = ranks;
    link.start(setup);
    QVERIFY(ask(link, engine::OpenOptions{.stores = {store_}}).has_value());
    const qint64 root = link.processId();
    auto all = descendants(root);
    all << root;
    QCOMPARE(all.size(), ranks == 1 ? 1 : ranks + 1);
    link.stop();
    for (const auto pid : all) QTRY_VERIFY_WITH_TIMEOUT(gone(pid), kPatience);
  }

  void killingARankDuringAJobIsReportedAndARestartWorks_data() {
    QTest::addColumn<int>("rank");
    QTest::newRow("rank 0") << 0;
    QTest::newRow("rank 1") << 1;
    QTest::newRow("mpirun") << -1;
  }
  void killingARankDuringAJobIsReportedAndARestartWorks() {
    QFETCH(int, rank);
    EngineLink link;
    EngineSetup setup;
    setup.ranks = 2;
    link.start(setup);
    QVERIFY(ask(link, engine::OpenOptions{.stores = {store_}}).has_value());
    QSignalSpy lost(&link, &EngineLink::lost);
    std::optional<Error> error;
    link.request(engine::CausalOptions{.bootstrap = 100000}, [&](Expected<engine::Answer> got) {
      if (!got) error = got.error();
    });
    QTest::qWait(300);
    const auto all = descendants(link.processId());
    const qint64 victim = rank < 0 ? link.processId() : rank_process(link, rank);
    QVERIFY(victim > 1);
    QCOMPARE(::kill(static_cast<pid_t>(victim), SIGKILL), 0);
    QTRY_COMPARE_WITH_TIMEOUT(lost.count(), 1, kPatience);
    QVERIFY(error.has_value());
    QCOMPARE(error->kind, ErrorKind::Engine);
    QVERIFY(!lost.first().first().toString().isEmpty());
    for (const auto pid : all) QTRY_VERIFY_WITH_TIMEOUT(gone(pid), kPatience);
    link.start(setup);
    QVERIFY(ask(link, engine::OpenOptions{.stores = {store_}}).has_value());
  }

  void withoutMpirunOneRankRuns() {
    EngineLink link;
    EngineSetup setup;
    setup.ranks = 2;
    setup.mpirun = "/bin/false";
    link.start(setup);
    const auto answer = ask(link, engine::OpenOptions{.stores = {store_}});
    QVERIFY2(answer.has_value(), answer ? "" : describe(answer.error()).c_str());
    QCOMPARE(link.ranks(), 1);
    QVERIFY(link.remark().contains("one rank"));
  }

  // A script represents an mpirun that waits for a dead rank: it has children and ignores requests to end.
  void ranksThatDoNotStartInTimeAreReplacedByOne() {
    const QString script = folder_.file("mpirun").c_str();
    QFile file(script);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\ntrap '' TERM\nsleep 1000 &\nsleep 1000\n");
    file.close();
    QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    EngineLink link;
    EngineSetup setup;
    setup.ranks = 2;
    setup.mpirun = script;
    setup.start_limit_ms = 3'000;
    link.start(setup);
    QList<qint64> started;
    QTRY_VERIFY_WITH_TIMEOUT((started = descendants(link.processId())).size() == 2, 2'900);
    started << link.processId();
    const auto answer = ask(link, engine::OpenOptions{.stores = {store_}});
    QVERIFY2(answer.has_value(), answer ? "" : describe(answer.error()).c_str());
    QCOMPARE(link.ranks(), 1);
    QCOMPARE(link.remark(),
             QString("2 ranks did not start within 3 s: the engine runs on one rank without MPI"));
    for (const auto pid : started) QTRY_VERIFY_WITH_TIMEOUT(gone(pid), kPatience);
  }

  // A rank is killed at any moment of its start: the link becomes ready, with two ranks or with one.
  void aRankKilledWhileItStartsNeverKeepsTheLinkWaiting() {
    for (int ms = 0; ms < 700; ms += 70) {
      EngineLink link;
      EngineSetup setup;
      setup.ranks = 2;
      setup.start_limit_ms = 5'000;
      link.start(setup);
      QTest::qWait(ms);
      const auto ranks =
          link.state() == EngineLink::State::Starting ? descendants(link.processId()) : QList<qint64>();
      if (!ranks.isEmpty()) ::kill(static_cast<pid_t>(ranks.last()), SIGKILL);
      if (link.state() != EngineLink::State::Ready)
        QTRY_VERIFY_WITH_TIMEOUT(link.state() != EngineLink::State::Starting, kPatience);
    }
  }

  void theEventLoopGoesOnWhileEnginesStartDieAndRestart() {
    LongestGap gap;
    EngineLink link;
    EngineSetup setup;
    setup.ranks = 2;
    for (int round = 0; round < 3; ++round) {
      link.start(setup);
      QVERIFY(ask(link, engine::OpenOptions{.stores = {store_}}).has_value());
      QSignalSpy lost(&link, &EngineLink::lost);
      const qint64 victim = round == 0 ? link.processId() : rank_process(link, round - 1);
      QCOMPARE(::kill(static_cast<pid_t>(victim), SIGKILL), 0);
      QTRY_COMPARE_WITH_TIMEOUT(lost.count(), 1, kPatience);
    }
    for (int round = 0; round < 3; ++round) { // the running engine is restarted
      link.start(setup);
      QVERIFY(ask(link, engine::OpenOptions{.stores = {store_}}).has_value());
    }
    link.stop();
    QTRY_VERIFY_WITH_TIMEOUT(!link.ending(), kPatience);
    qInfo("longest gap of the event loop: %lld ms", static_cast<long long>(gap.ms()));
    QVERIFY(gap.ms() < kLongestGap);
  }

  // The stopped engine neither quits nor ends: the next engine starts at once, and the stopped one is killed.
  void anEngineThatDoesNotQuitIsNotWaitedFor() {
    EngineLink link;
    link.start({});
    QVERIFY(ask(link, engine::OpenOptions{.stores = {store_}}).has_value());
    const qint64 held = link.processId();
    QCOMPARE(::kill(static_cast<pid_t>(held), SIGSTOP), 0);
    LongestGap gap;
    bool ended = false;
    link.stop([&] { ended = true; });
    link.start({});
    QVERIFY(ask(link, engine::OpenOptions{.stores = {store_}}).has_value());
    QVERIFY(link.processId() != held);
    QTRY_VERIFY_WITH_TIMEOUT(ended, kPatience);
    QVERIFY(gone(held));
    QCOMPARE(link.state(), EngineLink::State::Ready);
    qInfo("longest gap of the event loop: %lld ms", static_cast<long long>(gap.ms()));
    QVERIFY(gap.ms() < kLongestGap);
  }

  // The engine does not react to the request to end, because all of its processes are stopped. It is killed
  // after the link is destroyed: from the event loop, or when the application ends.
  void deletingALinkDoesNotWaitForItsEngine() {
    for (const bool application_ends : {false, true}) {
      auto link = std::make_unique<EngineLink>();
      EngineSetup setup;
      setup.ranks = 2;
      link->start(setup);
      QVERIFY(ask(*link, engine::OpenOptions{.stores = {store_}}).has_value());
      auto processes = descendants(link->processId());
      processes << link->processId();
      const auto folders = test::folders_of_mpi(processes);
      QCOMPARE(folders.size(), 2);
      for (const auto& folder : folders) QVERIFY(QDir(folder).exists());
      for (const auto process : processes) QCOMPARE(::kill(static_cast<pid_t>(process), SIGSTOP), 0);
      bool ended = false;
      QElapsedTimer clock;
      clock.start();
      link->stop([&] { ended = true; });
      link.reset();
      QVERIFY(clock.elapsed() < kLongestGap);
      QVERIFY(!ended);
      if (application_ends) EngineEnding::finish_all();
      QTRY_VERIFY_WITH_TIMEOUT(ended, 10'000);
      for (const auto process : processes) QTRY_VERIFY_WITH_TIMEOUT(gone(process), 5'000);
      for (const auto& folder : folders) QTRY_VERIFY_WITH_TIMEOUT(!QDir(folder).exists(), 5'000);
    }
  }

  // The stopped engine is killed after the limit of its start; an address sanitizer sees a use of the link.
  void theLimitOfAStartDoesNotReachADeletedLink() {
    auto link = std::make_unique<EngineLink>();
    EngineSetup setup;
    setup.start_limit_ms = 300;
    link->start(setup);
    const auto process = link->processId();
    QVERIFY(process > 0);
    QCOMPARE(::kill(static_cast<pid_t>(process), SIGSTOP), 0);
    bool ended = false;
    link->stop([&] { ended = true; });
    link.reset();
    QTRY_VERIFY_WITH_TIMEOUT(ended, 10'000);
    QVERIFY(gone(process));
  }

  void aMissingEngineIsReported() {
    EngineLink link;
    EngineSetup setup;
    setup.engine = "/nonexistent/jitterscope-engine";
    QSignalSpy lost(&link, &EngineLink::lost);
    link.start(setup);
    QTRY_COMPARE_WITH_TIMEOUT(lost.count(), 1, kPatience);
    QVERIFY(lost.first().first().toString().contains("could not be started"));
  }

  void cancellingAnImportLeavesNoHalfStore() {
    generator::Options options;
    options.launches = 300000;
    const std::string big = folder_.file("big.sqlite");
    QVERIFY(generator::generate(options, big, {}).has_value());
    const QDir folder(QString::fromStdString(folder_.path().string()));
    for (const int wait : {30, 300, 900}) {
      EngineLink link;
      link.start({});
      std::optional<Expected<engine::Answer>> answer;
      link.request(engine::ImportOptions{.files = {big}, .output = folder_.file("big.jts")},
                   [&](Expected<engine::Answer> got) { answer.emplace(std::move(got)); });
      QTest::qWait(wait);
      link.stop();
      QVERIFY(answer.has_value());
      QTRY_VERIFY_WITH_TIMEOUT(!link.ending(), kPatience);
      // If the import is stopped at the last moment, the store may already exist; it must then be complete.
      const QStringList left = folder.entryList({"big.jts*"});
      if (!*answer && !left.isEmpty()) {
        QCOMPARE(left, QStringList{"big.jts"});
        QVERIFY(store::Store::open(folder_.file("big.jts")).has_value());
      }
      QFile::remove(folder.filePath("big.jts"));
    }
  }

  void idleRanksSleep() {
    EngineLink link;
    EngineSetup setup;
    setup.ranks = 2;
    link.start(setup);
    QVERIFY(ask(link, engine::OpenOptions{.stores = {store_}}).has_value());
    const auto ticks = [&] {
      long sum = 0;
      for (const auto pid : descendants(link.processId())) {
        std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
        std::string text;
        std::getline(stat, text);
        long user = 0, system = 0;
        std::sscanf(text.c_str() + text.rfind(')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld",
                    &user, &system);
        sum += user + system;
      }
      return sum;
    };
    const long before = ticks();
    QTest::qWait(2000);
    // Two busy-waiting ranks would use 400 ticks of 10 ms; sleeping ones use a few.
    QVERIFY2(ticks() - before < 40, qPrintable(QString::number(ticks() - before)));
  }
};

QTEST_MAIN(EngineLinkTest)
#include "engine_link_test.moc"
