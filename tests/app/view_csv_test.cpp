#include <QTest>

#include "app/view_csv.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// Numbers behind pictures, as text.
class ViewCsvTest : public QObject {
  Q_OBJECT

private slots:
  void aDistributionHasOneLinePerBinWithItsGroups() {
    views::DistributionData data;
    data.unit = "ns";
    data.groupedBy = "stream";
    data.edges = {0.5, 10, 200};
    data.all = {3, 4};
    data.selected = {1, 0};
    views::DistributionGroup group;
    group.label = "7, first";
    group.counts = {2, 4};
    data.groups = {group};
    QCOMPARE(csv_of(data), QString("from [ns],to [ns],rows,selected rows,\"stream = 7, first\"\r\n0.5,10,3,1,2\r\n10,200,4,0,4\r\n"));
  }

  void barsOfTimeTellTheTimeToo() {
    views::DistributionData data;
    data.time = true;
    data.edges = {0, 1};
    data.all = {3};
    data.allTime = {70};
    QCOMPARE(csv_of(data), QString("from,to,rows,time of rows [ns]\r\n0,1,3,70\r\n"));
  }

  void aHeatMapHasOneLinePerCellThatHoldsRows() {
    views::HeatMapData data;
    data.unit = "ns";
    data.window = {{100}, {300}};
    data.columns = 2;
    data.edges = {1, 10, 100};
    data.counts = {5, 0, 0, 7};
    QCOMPARE(csv_of(data), QString("begin [ns],end [ns],from [ns],to [ns],rows\r\n100,200,1,10,5\r\n200,300,10,100,7\r\n"));
  }

  void aGraphHasItsEdgesAndContributions() {
    views::CausalGraph graph;
    graph.target = "duration";
    graph.n = 90;
    for (const char* name : {"gap", "duration"}) {
      auto& node = graph.nodes.emplace_back();
      node.id = static_cast<int>(graph.nodes.size());
      node.label = name;
    }
    views::CausalEdge edge;
    edge.from = 1, edge.to = 2, edge.sign = -1, edge.coefficient = -0.25, edge.low = -0.5, edge.high = -0.125;
    edge.unit = "σ per σ", edge.stability = 0.75, edge.percent = 12, edge.n = 90, edge.percentOf = "variability";
    graph.edges = {edge};
    views::CausalContribution part;
    part.feature = "gap", part.percent = 12, part.low = 4, part.high = 20, part.sign = -1;
    graph.contributions = {part};
    const auto lines = csv_of(graph).split("\r\n", Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[1], QString("edge,gap,duration,1,-1,-0.25,σ per σ,-0.5,-0.125,12,variability,0.75,90"));
    QCOMPARE(lines[2], QString("contribution,gap,duration,,-1,,,4,20,12,variance,,90"));
  }

  void evidenceHasBothSidesOfEveryBin() {
    views::EvidenceData data;
    data.cause = "migration";
    data.effect = "duration";
    data.histogramAxis.unit = "ns";
    data.edges = {0, 1, 2};
    data.with = {1, 2};
    data.without = {8, 0};
    QCOMPARE(csv_of(data), QString("duration from [ns],duration to [ns],launches with migration,launches without\r\n0,1,1,8\r\n1,2,2,0\r\n"));
  }
};

QTEST_GUILESS_MAIN(ViewCsvTest)
#include "view_csv_test.moc"
