#include <QTest>

#include <cmath>

#include "app/export/view_csv.h"
#include "views/bins/bins_model.h"
#include "views/table/kernels_model.h"
#include "views/table_parts/tsv.h"

using namespace jitterscope;
using namespace jitterscope::app;

/// The numbers behind pictures, as CSV.
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
    QCOMPARE(csv_of(data), QString("from [ns],to [ns],rows,selected rows,\"stream = 7, "
                                   "first\"\r\n0.5,10,3,1,2\r\n10,200,4,0,4\r\n"));
  }

  void barsOfTimeAlsoShowTheTime() {
    views::DistributionData data;
    data.time = true;
    data.edges = {0, 1};
    data.all = {3};
    data.allTime = {70};
    QCOMPARE(csv_of(data), QString("from,to,rows,time of rows [ns]\r\n0,1,3,70\r\n"));
  }

  void tablesHaveRawNumbersWithUnitsInTheHeaders() {
    views::KernelRow row;
    row.id = 4;
    row.name = "a, b";
    row.count = 1234;
    row.total = 1'234'567.5;
    row.share = 0.25;
    row.cv = std::nan("");
    views::KernelsModel kernels;
    kernels.setData({{row}, {}});
    const auto lines = views::toCsv(kernels).split("\r\n");
    QVERIFY2(lines[0].startsWith("Kernel,Count,Total [ns],Mean [ns],CV,"), qPrintable(lines[0]));
    QVERIFY2(lines[1].startsWith("\"a, b\",1234,1234567.5,0,,") && lines[1].endsWith(",25"),
             qPrintable(lines[1]));
    views::BinsModel bins;
    views::BinsData data;
    data.metric = "kernel variability", data.statistic = "sum", data.unit = "ns";
    data.bins = {{7, {1'500'000'001}, 1200, 2'500'000.25, 0.4, true, "x 50 % · max 1 µs"}};
    const QString header = "Rank,Start [ns],Launches,kernel variability (sum) [ns],Why\r\n";
    bins.setData(data);
    QCOMPARE(views::toCsv(bins), header + "1,1500000001,1200,2500000.25,\r\n"); // no reason is known
    data.bins[0].reason = std::make_shared<views::BinReason>(
        views::BinReason{"GPC clock", "GPC clock 0.71 GHz, elsewhere 1.41 GHz", 97, false});
    bins.setData(data);
    QVERIFY2(views::toCsv(bins).contains("GPC clock 0.71 GHz, elsewhere 1.41 GHz"),
             qPrintable(views::toCsv(bins)));
    views::AreaData area;
    area.range = {{0}, {1000}};
    area.rows = {row};
    row.total = 8;
    area.whole = {row};
    area.tracks = {{"stream 7", "GPU 0 › stream 7", 2000, 500, 250, false}};
    const auto own = csv_of(area).split("\r\n");
    QVERIFY(own[0].startsWith("kernel,launches,total [ns],mean [ns]") &&
            own[0].contains(",whole run: launches,whole run: total [ns],"));
    QVERIFY2(own[1].startsWith("\"a, b\",1234,1234567.5,0,,") && own[1].contains(",1234,8,0,,"),
             qPrintable(own[1]));
    views::AreaTracksModel tracks;
    tracks.setData(area);
    QCOMPARE(views::toCsv(tracks),
             QString("Track,Events,Time [ns],Busy [%],Mean active\r\nGPU 0 › stream 7,2000,500,25,0.5\r\n"));
  }

  void graphsSideBySideShowTheirGroups() {
    views::CausalGraph graph;
    graph.nodes = {{0, "x", 1, views::NodeRole::Feature, 1, {}}, {1, "y", 5, views::NodeRole::Target, 1, {}}};
    graph.edges.push_back({0, 1, true, 1, 2, 1, 3, {}, 0.9, 10, 40, {}});
    const auto lines =
        csv_of(std::vector<views::CausalGroup>{{"gemm, 1", graph, {}}, {"fft", graph, {}}}).split("\r\n");
    QCOMPARE(lines.size(), 4);
    QVERIFY(lines[0].startsWith("group,kind,from,to,"));
    QVERIFY(lines[1].startsWith("\"gemm, 1\",edge,x,y,1,1,2,") && lines[2].startsWith("fft,edge,x,y,"));
  }

  void aHeatMapHasOneLinePerCellThatHoldsRows() {
    views::HeatMapData data;
    data.unit = "ns";
    data.window = {{100}, {300}};
    data.columns = 2;
    data.edges = {1, 10, 100};
    data.counts = {5, 0, 0, 7};
    QCOMPARE(csv_of(data),
             QString("begin [ns],end [ns],from [ns],to [ns],rows\r\n100,200,1,10,5\r\n200,300,10,100,7\r\n"));
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
    edge.unit = "σ per σ", edge.stability = 0.75, edge.percent = 12, edge.n = 90, edge.ofVariability = true;
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
    QCOMPARE(csv_of(data), QString("duration from [ns],duration to [ns],launches with migration,launches "
                                   "without\r\n0,1,1,8\r\n1,2,2,0\r\n"));
  }
};

QTEST_GUILESS_MAIN(ViewCsvTest)
#include "view_csv_test.moc"
