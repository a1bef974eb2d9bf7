#include <QTest>

#include <nlohmann/json.hpp>

#include "app/report/assessment.h"

using nlohmann::json;

namespace jitterscope::app {

/// Sentences of the assessment, from answers written here.
class AssessmentTest final : public QObject {
  Q_OBJECT

private:
  static json loss(const char* factor, const json& parent, double value, double cost) {
    return {{"factor", factor}, {"parent", parent}, {"value", value}, {"cost_ns", cost}, {"place", nullptr}};
  }

  static std::vector<Observation> observations_of(const json& losses, bool mpi = true) {
    return observations({{"elapsed_ns", 100'000}, {"losses", losses}, {"recorded", {{"mpi", mpi}}}});
  }

  static QStringList observed(const json& losses) {
    QStringList factors;
    for (const auto& one : observations_of(losses)) factors << one.factor;
    return factors;
  }

  static json range(std::int64_t begin, std::int64_t end) { return {{"begin", begin}, {"end", end}}; }

  /// An answer for the GPU activity 40 – 50 µs of a run of 100 µs.
  static json efficiency() {
    const json row = {{"name", "GPU 0"},       {"useful_ns", 1},
                      {"communication_ns", 1}, {"hidden_communication_ns", 0},
                      {"mpi_ns", 0},           {"offload_ns", 0}};
    return {{"range_ns", range(40'000, 50'000)},
            {"recorded_range_ns", range(0, 100'000)},
            {"range_given", false},
            {"elapsed_ns", 10'000},
            {"collectives_as", "comm"},
            {"hosts_outside",
             {{"active_ns", 60'000},
              {"active_recorded_ns", 100'000},
              {"mpi_ns", 30'000},
              {"mpi_recorded_ns", 30'000}}},
            {"recorded", {{"mpi", true}, {"offload", true}, {"states", false}, {"collectives", true}}},
            {"mpi", {{"serialisation", nullptr}, {"transfer", nullptr}}},
            {"losses", json::array()},
            {"devices", json::array({row, row})},
            {"hosts", json::array({row})},
            {"sums", {{"hosts", {{"instructions", 0}, {"cycles", 0}, {"useful_ns", 0}}}}}};
  }

  static AssessmentContent content() {
    AssessmentContent content;
    const json none = {{"count", 0}};
    content.info = {{"rows", "launches"},
                    {"ranks", 2},
                    {"inputs", json::array()},
                    {"devices", json::array({{{"name", ""}}, {{"name", ""}}})},
                    {"launches", {{"count", 2}}},
                    {"transfers", none},
                    {"memsets", none},
                    {"ranges", none},
                    {"samples", none}};
    content.whole = content.focus = efficiency();
    content.no_steps = "no steps were found";
    content.collectives.sentences = {"Rank 1 arrives last."};
    return content;
  }

private slots:
  void costsOfDevicesAndOfHostsAreRankedSeparately() {
    auto both = content();
    both.focus["losses"] = {loss("device.orchestration", nullptr, 0.9, 1'000),
                            loss("host.offload", nullptr, 0.5, 5'000),
                            loss("device.communication", nullptr, 0.8, 2'000)};
    const QString page = QString::fromUtf8(assessment_page(both));
    const QStringList order{"The largest cost of the devices",
                            "&quot;communication&quot;",
                            "The largest cost of the hosts",
                            "<h3>Devices</h3>",
                            "id=\"factor-device-communication",
                            "id=\"factor-device-orchestration",
                            "<h3>Hosts</h3>",
                            "id=\"factor-host-offload"};
    qsizetype at = 0;
    for (const auto& text : order) {
      at = page.indexOf(text, at);
      QVERIFY2(at >= 0, qPrintable(text + "\n" + page));
    }
    both.focus["losses"] = json::array({loss("host.offload", nullptr, 0.5, 5'000)});
    QVERIFY(!QString::fromUtf8(assessment_page(both)).contains("<h3>"));
  }

  void withoutMpiCallsTheAdviceIsAboutThreads() {
    const json losses = json::array({loss("mpi.load_balance", "mpi.parallel", 0.5, 5'000)});
    QVERIFY(observations_of(losses, true).front().recommendation.contains("processes"));
    QVERIFY(observations_of(losses, false).front().recommendation.contains("threads"));
    auto without = content();
    QVERIFY(QString::fromUtf8(assessment_page(without)).contains("MPI calls of host threads"));
    without.focus["recorded"]["mpi"] = false;
    QVERIFY(!QString::fromUtf8(assessment_page(without)).contains("MPI calls of host threads"));
  }

  void theFocusIsTheGpuActivityAndStatesWhatIsOutside() {
    const QString page = QString::fromUtf8(assessment_page(content()));
    QVERIFY2(page.contains("The recorded activity lasts 100"), qPrintable(page));
    QVERIFY(page.contains("The focus of analysis is the GPU activity"));
    QVERIFY(!page.contains("all of the recorded activity"));
    QVERIFY(page.contains("60.0 % of the time of host threads"));
    QVERIFY(page.contains("100.0 % of the time in MPI calls"));
    QVERIFY(page.contains("--range 0s:100us"));
    auto all = content();
    all.focus["range_ns"] = all.whole["range_ns"] = range(0, 100'000);
    const QString whole = QString::fromUtf8(assessment_page(all));
    QVERIFY(whole.contains("all of the recorded activity"));
    QVERIFY(!whole.contains("Outside the range"));
  }

  void itsCommandsCanBeRun() {
    auto of_files = content();
    of_files.files = {"run 1/it's <a>.sqlite", "b.sqlite"};
    of_files.focus["losses"] = json::array({loss("mpi.parallel", nullptr, 0.5, 5'000)});
    of_files.focus["losses"][0]["place"] = {
        {"on", "host"},     {"index", 0},     {"other", nullptr},        {"other_name", nullptr},
        {"name", "rank 0"}, {"lost_ns", 500}, {"lost_inside_ns", 500.0}, {"begin_ns", 41'000},
        {"end_ns", 42'000}};
    const QString page = QString::fromUtf8(assessment_page(of_files));
    QVERIFY2(page.contains("<code>jitterscope render 'run 1/it'\\''s &lt;a&gt;.sqlite' b.sqlite --view"),
             qPrintable(page));
  }

  void devicesWithoutNamesAreOnlyCounted() {
    const QString page = QString::fromUtf8(assessment_page(content()));
    QVERIFY(page.contains("2 devices. The recorded"));
    auto named = content();
    named.info["devices"] = json::array({{{"name", "H100"}}, {{"name", ""}}});
    QVERIFY(QString::fromUtf8(assessment_page(named)).contains("2 devices (H100)."));
  }

  void sentencesAboutTheWholeRunSayIt() {
    const QString page = QString::fromUtf8(assessment_page(content()));
    QVERIFY(page.contains("All collectives of the run, inside and outside the focus of analysis:"));
  }

  void aSelectionThatThePageDoesNotFollowIsStated() {
    QVERIFY(!QString::fromUtf8(assessment_page(content())).contains("The session selects"));
    auto selected = content();
    selected.left_out_selection = "that meet the condition duration > 1ms";
    QVERIFY(QString::fromUtf8(assessment_page(selected))
                .contains("The session selects the launches that meet the condition duration &gt; 1ms. The "
                          "assessment does not: it covers all launches."));
  }

  void theMedianOfTwoStepsIsBetweenThem() {
    auto steps = content();
    const json factors = {{"parallel", nullptr}};
    steps.steps = {{"name", "step #"}, {"host", "thread 1"}, {"ranges", json::array()}};
    for (const auto& [begin, end] : {std::pair{0, 100'000}, {200'000, 400'000}})
      steps.steps["ranges"].push_back(
          {{"begin_ns", begin}, {"end_ns", end}, {"device", factors}, {"host", factors}, {"mpi", factors}});
    const QString page = QString::fromUtf8(assessment_page(steps));
    QVERIFY2(page.contains("<td>2</td><td>100.0 µs</td><td>150.0 µs</td><td>200.0 µs</td>"),
             qPrintable(page));
  }

  void factorsOfMpiAreOmittedWhereTheyEqualThoseOfTheHosts() {
    const json hosts = json::array(
        {loss("host.parallel", nullptr, .5, 50'000), loss("host.mpi", "host.parallel", .75, 25'000),
         loss("host.load_balance", "host.mpi", 1, 0), loss("host.communication", "host.mpi", .75, 25'000)});
    auto equal = hosts;
    equal.push_back(loss("mpi.communication", "mpi.parallel", .75, 25'000));
    QCOMPARE(observed(equal), QStringList{"host.communication"});
    auto different = hosts;
    different.push_back(loss("mpi.communication", "mpi.parallel", .5, 50'000));
    QCOMPARE(observed(different), (QStringList{"mpi.communication", "host.communication"}));
  }
};

} // namespace jitterscope::app

QTEST_GUILESS_MAIN(jitterscope::app::AssessmentTest)
#include "assessment_test.moc"
