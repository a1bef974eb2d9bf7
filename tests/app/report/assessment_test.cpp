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

  static QStringList observed(const json& losses) {
    QStringList factors;
    for (const auto& one : observations({{"elapsed_ns", 100'000}, {"losses", losses}})) factors << one.factor;
    return factors;
  }

private slots:
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
