#include <QFile>
#include <QImage>

#include "tests/app/command/command_line.h"
#include "views/base/view_style.h"

using namespace jitterscope;
using namespace jitterscope::app;

namespace {

/// Groups of neighbouring pixels that differ from the first pixel, in the part of a line right of `left`.
std::vector<int> widths_of_marks(const QImage& image, int y, int left) {
  std::vector<int> widths;
  bool before = false;
  for (int x = left; x < image.width(); ++x) {
    const bool mark = image.pixel(x, y) != image.pixel(left, y);
    if (mark && !before) widths.push_back(0);
    if (mark) ++widths.back();
    before = mark;
  }
  return widths;
}

} // namespace

/// Pictures, reports and sessions on the command line.
class CommandLinePicturesTest : public QObject, CommandLine {
  Q_OBJECT

private slots:
  void initTestCase() { make_trace(); }

  void everyViewIsRenderedInEveryFormat() {
    for (const char* view : {"timeline", "bins", "causal", "parallel", "distribution", "heat-map",
                             "efficiencies", "metrics", "histogram"}) {
      for (const char* ending : {"png", "svg", "pdf"}) {
        const QString picture = file(view) + "." + ending;
        const auto outcome = run({"render", trace_, "--view", view, "-o", picture, "--size", "800x400"});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
        QVERIFY(QFile(picture).size() > 1000);
      }
      const QImage image(file(view) + ".png");
      QCOMPARE(image.size(), QSize(800, 400));
    }
  }

  void efficienciesAndMetricsHaveTheHeightOfTheirContent() {
    const auto drawn = [&](const QStringList& options) {
      const auto made =
          run(QStringList{"render", trace_, "-o", file("content.png"), "--json", "-"} + options);
      if (made.code != 0) qWarning("%s", qPrintable(made.err));
      if (!made.document().value("left_out", std::string("?")).empty()) qWarning("%s", qPrintable(made.out));
      return QImage(file("content.png"));
    };
    const QStringList metrics{"--view", "metrics", "--metric", "gpu-busy"};
    const QImage one = drawn(metrics), two = drawn(metrics + QStringList{"--metric", "active-kernels"});
    QVERIFY(one.height() > 60 && two.height() > one.height() + 60);
    QCOMPARE(drawn(metrics + QStringList{"--scale", "2"}).size(), one.size() * 2);
    QVERIFY(drawn(metrics + QStringList{"--theme", "dark"}).pixel(3, one.height() - 3) !=
            one.pixel(3, one.height() - 3));
    QVERIFY(drawn(metrics + QStringList{"--range", "0:5ms"}) != one);
    const QStringList streams{"--view", "metrics", "--metric", "kernel"};
    QVERIFY(drawn(streams + QStringList{"--level", "device"}).height() < drawn(streams).height());
    const QStringList efficiencies{"--view", "efficiencies"};
    const QImage all = drawn(efficiencies);
    QVERIFY(drawn(efficiencies + QStringList{"--range", "10ms:20ms"}) != all);
    const auto low =
        run({"render", trace_, "--view", "efficiencies", "--size", "900x100", "-o", file("low.png")});
    QVERIFY2(low.err.contains("px shows all of it"), qPrintable(low.err));
  }

  void sizesHaveUnits() {
    const auto size_of = [&](const char* size) {
      const auto made =
          run({"render", trace_, "--view", "distribution", "--size", size, "-o", file("paper.png")});
      return made.code == 0 ? QImage(file("paper.png")).size() : QSize();
    };
    QCOMPARE(size_of("89mmx60mm"), QSize(336, 227)); // 96 pixels per inch
    QCOMPARE(size_of("7inx3"), QSize(672, 288));
    QCOMPARE(size_of("7inx3in"), QSize(672, 288));
    QCOMPARE(size_of("18cm").width(), 680);
    QCOMPARE(size_of("500"), QSize(500, size_of("18cm").height()));
    for (const char* wrong :
         {"mm", "89mm x 60mm", "x60", "89mmx", "0mm", "1e9mm", "9999mm", "10mmx10mm", "-5"})
      QCOMPARE(size_of(wrong), QSize());
  }

  void whatDoesNotFitIsReported() {
    const auto left_out = [&](const QStringList& options) {
      const auto made = run(QStringList{"render", trace_, "-o", file("part.png"), "--json", "-"} + options);
      return made.code == 0 ? QString::fromStdString(made.document().at("left_out")) : made.err;
    };
    QVERIFY(left_out({"--view", "causal", "--size", "700x500"}).contains("sentences and shares"));
    QCOMPARE(left_out({"--view", "causal", "--size", "900x500"}), QString());
    QVERIFY(left_out({"--view", "bins", "--size", "900x300"}).contains("px shows all of it"));
    QCOMPARE(left_out({"--view", "bins"}), QString());
  }

  void aTableOfOneRowHasNoAxes() {
    QFile out(file("one.csv"));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write("kernel,start [ns],duration [ns]\nk,0,100\n");
    out.close();
    const auto refused = run({"render", out.fileName(), "--view", "parallel", "-o", file("none.png")});
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("there is no axis to show"), qPrintable(refused.err));
    QVERIFY(!QFile::exists(file("none.png")));
    const auto report = run({"report", out.fileName(), "-o", file("one.html")});
    QVERIFY2(report.code == 0, qPrintable(report.err));
  }

  void valuesHaveALinearOrALogarithmicScale() {
    const auto drawn = [&](const QStringList& options) {
      const auto made =
          run(QStringList{"render", trace_, "-o", file("scale.png"), "--size", "600x300"} + options);
      return made.code == 0 ? QImage(file("scale.png")) : QImage();
    };
    for (const char* view : {"distribution", "heat-map"})
      QVERIFY(drawn({"--view", view, "--scale", "log"}) != drawn({"--view", view, "--scale", "linear"}));
    // A few launches are thousands of times as long as the others.
    QFile out(file("spread.csv"));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write("kernel,start [ns],duration [ns]\n");
    for (int i = 0; i < 300; ++i)
      out.write(QString("k,%1,%2\n").arg(i * 1'000'000).arg(i % 50 == 7 ? 900'000 : 100 + i).toUtf8());
    out.close();
    const auto spread = [&](const QStringList& options) {
      const auto made = run(
          QStringList{"render", out.fileName(), "--view", "heat-map", "-o", file("spread.png")} + options);
      return made.code == 0 ? QImage(file("spread.png")) : QImage();
    };
    QVERIFY(!spread({}).isNull());
    QVERIFY(spread({}) == spread({"--scale", "log"}));
    QVERIFY(spread({}) != spread({"--scale", "linear"}));
    const auto vector = run({"render", trace_, "--view", "bins", "--scale", "2", "-o", file("scale.svg")});
    QCOMPARE(vector.code, 1);
    QVERIFY(vector.err.contains(".png"));
  }

  void theseViewsRefuseWhatTheyDoNotUse() {
    for (const auto& [view, options] : {std::pair{"efficiencies", QStringList{"--where", "duration > 1us"}},
                                        {"metrics", {"--where", "duration > 1us"}},
                                        {"metrics", {"--collectives-as", "useful"}},
                                        {"efficiencies", {"--level", "device"}},
                                        {"histogram", {"--metric", "gpu-busy", "--metric", "useful"}},
                                        {"metrics", {"--metric", "no-such-metric"}}}) {
      const auto refused =
          run(QStringList{"render", trace_, "--view", view, "-o", file("refused.png")} + options);
      QVERIFY2(refused.code == 1, qPrintable(options.join(' ') + refused.err));
      QVERIFY(!QFile::exists(file("refused.png")));
    }
  }

  void aSessionChoosesMetricsAndRange() {
    QFile session(file("metrics.jsession"));
    QVERIFY(session.open(QIODevice::WriteOnly));
    const json metric = {{"text", "level = device; any(active(kernels) per device)"}, {"level", "device"}};
    nlohmann::ordered_json stored = {{"jitterscope_session", 1},
                                     {"files", {{{"path", trace_.toStdString()}}}}};
    stored["views"] = {{"metrics", json::array({metric})}};
    session.write(QByteArray::fromStdString(stored.dump()));
    session.close();
    for (const char* view : {"metrics", "histogram", "efficiencies"}) {
      const auto made = run({"render", session.fileName(), "--view", view, "-o", file("session.png")});
      QVERIFY2(made.code == 0, qPrintable(made.err));
      QVERIFY(QImage(file("session.png")) != QImage());
      const auto own = run({"render", trace_, "--view", view, "-o", file("own.png")});
      QCOMPARE(QImage(file("session.png")) == QImage(file("own.png")), QString(view) == "efficiencies");
    }
  }

  void aSessionKeepsScalesHistogramAndChoicesOfEfficiencies() {
    const auto drawn = [&](const char* view, const json& views) {
      nlohmann::ordered_json stored = {{"jitterscope_session", 1},
                                       {"files", {{{"path", trace_.toStdString()}}}}};
      stored["views"] = views;
      QFile session(file("kept.jsession"));
      if (!session.open(QIODevice::WriteOnly)) qFatal("the session cannot be written");
      session.write(QByteArray::fromStdString(stored.dump()));
      session.close();
      const auto made = run({"render", session.fileName(), "--view", view, "-o", file("kept.png")});
      if (made.code != 0) qWarning("%s", qPrintable(made.err));
      return QImage(file("kept.png"));
    };
    json metric = {{"text", "level = device; any(active(kernels) per device)"}, {"level", "device"}};
    const auto metrics = [&] { return drawn("metrics", {{"metrics", json::array({metric})}}); };
    const auto plain = metrics();
    metric["scale"] = {0, 40};
    const auto scaled = metrics();
    metric["maximum"] = true;
    QVERIFY(!plain.isNull() && plain != scaled && scaled != metrics());
    json histogram = {{"text", "level = device; sum(value(kernels, duration) per device)"},
                      {"level", "device"},
                      {"bins", 12}};
    const auto cells = [&] { return drawn("histogram", {{"metric_histogram", histogram}}); };
    const auto times = cells();
    histogram["bins"] = 24;
    const auto more = cells();
    histogram["statistic"] = "bursts";
    QVERIFY(!times.isNull() && times != more && more != cells());
    const auto all = drawn("efficiencies", json::object());
    QVERIFY(all !=
            drawn("efficiencies", {{"efficiencies", {{"collectives_as", "useful"}, {"ideal", "1ms"}}}}));
  }

  // 2,500 short ranges, so that columns are folded, and then 49 of 2 µs, 20 ms apart, in one second.
  void everyFoldedEventIsInThePicture() {
    json events = json::array();
    events.push_back(
        {{"ph", "M"},
         {"name", "thread_name"},
         {"pid", 1},
         {"tid", 7},
         {"args", {{"name", "a thread whose long name takes a third of the width of the picture"}}}});
    const auto range = [&](int at_us) {
      events.push_back({{"ph", "X"},
                        {"cat", "user_annotation"},
                        {"name", "step"},
                        {"pid", 1},
                        {"tid", 7},
                        {"ts", at_us},
                        {"dur", 2}});
    };
    for (int i = 0; i < 2'500; ++i) range(i * 4);
    for (int i = 1; i < 50; ++i) range(i * 20'000);
    QFile trace(file("ranges.json"));
    QVERIFY(trace.open(QIODevice::WriteOnly));
    trace.write(QByteArray::fromStdString(json{{"traceEvents", events}}.dump()));
    trace.close();
    for (const int scale : {1, 2}) {
      const auto made = run({"render", trace.fileName(), "--view", "timeline", "--range", "0s:980.002ms",
                             "--size", "1400x200", "--scale", QString::number(scale), "-o", file("r.png")});
      QVERIFY2(made.code == 0, qPrintable(made.err));
      const QImage image(file("r.png"));
      int lines =
          0; // lines of the picture with all marks to the right, at most a bin of two pixels wide each
      for (int y = 0; y < image.height(); ++y) {
        const auto widths = widths_of_marks(image, y, image.width() * 37 / 100);
        lines += widths.size() >= 46 && std::ranges::all_of(widths, [](int width) { return width <= 2; });
      }
      QVERIFY2(lines >= 3, qPrintable(QString::number(lines)));
    }
  }

  void aTimelineShowsTheRecordedPartOfARange() {
    const auto drawn = [&](const QString& range) {
      const auto made = run({"render", trace_, "--view", "timeline", "--size", "800x300", "--range", range,
                             "-o", file("range.png")});
      if (made.code != 0) qWarning("%s", qPrintable(made.err));
      return made.code == 0 ? QImage(file("range.png")) : QImage();
    };
    const auto span = run({"info", trace_, "--json", "-"}).document().at("span");
    const auto begin = span.at("begin_ns").get<std::int64_t>(), end = span.at("end_ns").get<std::int64_t>();
    const auto range = [](std::int64_t from, std::int64_t to) {
      return QString("%1ns:%2ns").arg(from).arg(to);
    };
    const std::int64_t middle = begin + (end - begin) / 2;
    const QImage half = drawn(range(begin, middle));
    QVERIFY(!half.isNull());
    // Samples may begin before and end after the events: the recorded time is a little longer than `span`.
    QVERIFY(drawn(range(begin - (end - begin), middle)) == drawn(range(begin - 2 * (end - begin), middle)));
    QVERIFY(drawn(range(middle, end)) != half);
    QVERIFY(drawn(range(middle, end + 1'000'000'000)) == drawn(range(middle, end + 2'000'000'000)));
    const auto outside = run({"render", trace_, "--view", "timeline", "--range",
                              range(end + 1'000'000'000, end + 2'000'000'000), "-o", file("outside.png")});
    QCOMPARE(outside.code, 1);
    QVERIFY2(outside.err.contains("The recording is from"), qPrintable(outside.err));
    QVERIFY(!QFile::exists(file("outside.png")));
  }

  void tracksThatDoNotFitAreMergedAsRequested() {
    std::vector<QImage> pictures;
    for (const QStringList& merging :
         {QStringList{}, {"--merge", "dominant"}, {"--merge", "mean"}, {"--merge", "maximum"}}) {
      const auto made = run(
          QStringList{"render", trace_, "--view", "timeline", "--size", "700x90", "-o", file("merged.png")} +
          merging);
      QVERIFY2(made.code == 0, qPrintable(made.err));
      const QImage picture(file("merged.png"));
      QCOMPARE(picture.size(), QSize(700, 90));
      for (const auto& each : pictures) QVERIFY(picture != each);
      pictures.push_back(picture);
    }
    QCOMPARE(run({"render", trace_, "--view", "metrics", "--merge", "maximum", "-o", file("x.png")}).code, 0);
    QCOMPARE(run({"render", trace_, "--view", "metrics", "--merge", "dominant", "-o", file("x.png")}).code,
             1);
    QCOMPARE(run({"render", trace_, "--view", "bins", "--merge", "mean", "-o", file("x.png")}).code, 1);
    QCOMPARE(run({"render", trace_, "--view", "timeline", "--merge", "sum", "-o", file("x.png")}).code, 1);
  }

  // A metric track changes the picture, whether it has rows of pixels of its own or shares them with other
  // tracks.
  void metricsAreTracksOfPictures() {
    for (const QStringList& size :
         {QStringList{"--size", "700x500"}, {"--size", "700x90", "--merge", "mean"}}) {
      std::vector<QImage> pictures;
      for (const QStringList& metric :
           {QStringList{}, {"--metric-tracks", "gpu-busy"}, {"--metric-tracks", "active-kernels"}}) {
        const auto made = run(QStringList{"render", trace_, "--view", "timeline", "-o", file("metric.png")} +
                              size + metric);
        QVERIFY2(made.code == 0, qPrintable(made.err));
        const QImage picture(file("metric.png"));
        for (const auto& each : pictures) QVERIFY(picture != each);
        pictures.push_back(picture);
      }
    }
    QCOMPARE(
        run({"render", trace_, "--view", "bins", "--metric-tracks", "gpu-busy", "-o", file("x.png")}).code,
        1);
    QCOMPARE(
        run({"render", trace_, "--view", "timeline", "--metric-tracks", "gpu-bussy", "-o", file("x.png")})
            .code,
        1);
  }

  void axesAndFiguresOfParallelCoordinatesAreChosen() {
    const auto own = run({"render", trace_, "--view", "parallel", "--axes",
                          "grid,duration,kernel-variability", "--colour-by", "grid", "-o", file("own.png")});
    QVERIFY2(own.code == 0, qPrintable(own.err));
    const auto plain = run({"render", trace_, "--view", "parallel", "--axes",
                            "grid,duration,kernel-variability", "-o", file("plain.png")});
    QVERIFY2(plain.code == 0, qPrintable(plain.err));
    QVERIFY(QImage(file("own.png")) != QImage(file("plain.png")));
    QCOMPARE(run({"render", trace_, "--view", "parallel", "--figure", "grid", "-o", file("grid.svg")}).code,
             0);
    QVERIFY(QFile(file("grid.svg")).size() > 1000);
    for (const QStringList& wrong : {QStringList{"--view", "bins", "--figure", "grid"},
                                     {"--view", "parallel", "--figure", "grid", "--axes", "duration"},
                                     {"--view", "parallel", "--axes", "duration", "--colour-by", "no_such"},
                                     {"--view", "parallel", "--axes", "no_such,duration"},
                                     {"--view", "bins", "--scale", "duration=log"},
                                     {"--view", "parallel", "--scale", "duration=crooked"},
                                     {"--view", "parallel", "--scale", "9"}})
      QCOMPARE(run(QStringList{"render", trace_, "-o", file("x.png")} + wrong).code, 1);
    // Colours by a column without an axis, other scales, inverted axes and a filter each change the picture.
    std::vector<QImage> pictures = {QImage(file("plain.png"))};
    for (const QStringList& other : {QStringList{"--colour-by", "stream"},
                                     {"--scale", "duration=rank"},
                                     {"--invert", "duration"},
                                     {"--where", "duration < 20us"}}) {
      const auto made = run(QStringList{"render", trace_, "--view", "parallel", "--axes",
                                        "grid,duration,kernel-variability", "-o", file("other.png")} +
                            other);
      QVERIFY2(made.code == 0, qPrintable(made.err));
      const QImage picture(file("other.png"));
      for (const auto& each : pictures) QVERIFY(picture != each);
      pictures.push_back(picture);
    }
    QCOMPARE(run({"render", trace_, "--view", "parallel", "--scale", "2", "--size", "600x300", "-o",
                  file("two.png")})
                 .code,
             0);
    QCOMPARE(QImage(file("two.png")).width(), 1200);
  }

  void launchesOfATimelineAreColouredAsRequested() {
    const auto drawn = [&](const QString& of, const QStringList& more) {
      const auto made = run(
          QStringList{"render", of, "--view", "timeline", "--size", "900x420", "-o", file("t.png")} + more);
      if (made.code != 0) qWarning("%s", qPrintable(made.err));
      return made.code == 0 ? QImage(file("t.png")) : QImage();
    };
    const QImage plain = drawn(trace_, {});
    QVERIFY(!plain.isNull());
    QVERIFY(drawn(trace_, {"--colour-by", "kernel"}) == plain);
    std::vector<QImage> pictures = {plain};
    for (const char* by : {"duration", "relative-to-mean", "stream"}) {
      const QImage picture = drawn(trace_, {"--colour-by", by});
      QVERIFY(!picture.isNull());
      for (const auto& each : pictures) QVERIFY2(picture != each, by);
      pictures.push_back(picture);
    }
    QFile session(file("coloured.jsession"));
    QVERIFY(session.open(QIODevice::WriteOnly));
    const nlohmann::ordered_json document = {{"jitterscope_session", 1},
                                             {"files", {{{"path", trace_.toStdString()}}}},
                                             {"views", {{"timeline", {{"colour", {{"by", "stream"}}}}}}}};
    session.write(document.dump().c_str());
    session.close();
    QVERIFY(drawn(session.fileName(), {}) == drawn(session.fileName(), {"--colour-by", "stream"}));
    QVERIFY(drawn(session.fileName(), {}) != drawn(session.fileName(), {"--colour-by", "kernel"}));
    for (const char* wrong : {"no_such", "short_name"})
      QCOMPARE(run({"render", trace_, "--view", "timeline", "--colour-by", wrong, "-o", file("t.png")}).code,
               1);
    QCOMPARE(run({"render", trace_, "--view", "bins", "--colour-by", "duration", "-o", file("t.png")}).code,
             1);
  }

  void aSessionIsDrawnAndAskedAsItWasLeft() {
    json session = {{"jitterscope_session", 1},
                    {"files", {{{"path", trace_.toStdString()}}}},
                    {"causal", {{"target", "duration"}, {"rows", 2}, {"reading", "pooled"}}},
                    {"views",
                     {{"parallel",
                       {{"axes", {"grid_x", "duration", "kernel_variability"}},
                        {"scales", {{"duration", "rank"}}},
                        {"inverted", {"grid_x"}}}},
                      {"knowledge", {{"ignored", {"grid_x"}}}}}}};
    const auto write = [&](const char* name) {
      QFile out(file(name));
      if (!out.open(QIODevice::WriteOnly)) return QString();
      nlohmann::ordered_json ordered = {{"jitterscope_session", 1}}; // the key that identifies the file
      for (const auto& [key, value] : session.items()) ordered[key] = value;
      out.write(ordered.dump().c_str());
      return file(name);
    };
    const auto drawn = [&](const QString& of, const QStringList& more = {}) {
      const auto made = run(
          QStringList{"render", of, "--view", "parallel", "--size", "700x360", "-o", file("s.png")} + more);
      if (made.code != 0) qWarning("%s", qPrintable(made.err));
      return made.code == 0 ? QImage(file("s.png")) : QImage();
    };
    const QString saved = write("one.jsession");
    const QImage own = drawn(saved);
    QVERIFY(!own.isNull());
    QVERIFY(own == drawn(trace_, {"--axes", "grid_x,duration,kernel_variability", "--scale", "duration=rank",
                                  "--invert", "grid_x"}));
    QVERIFY(own != drawn(saved, {"--scale", "duration=linear"})); // options override the session
    session["views"]["parallel"]["colour"] = {{"by", "axis"}, {"key", "stream"}};
    QVERIFY(drawn(write("two.jsession")) == drawn(saved, {"--colour-by", "stream"}));
    session["views"]["parallel"]["bins"] = true;
    const QImage bins = drawn(write("three.jsession"));
    QVERIFY(!bins.isNull() && bins != own);
    // For causes, the session states the target, the reading and the background knowledge.
    const auto asked = run({"causal", saved, "--bootstrap", "5", "--json", "-"});
    QVERIFY2(asked.code == 0, qPrintable(asked.err));
    const auto document = asked.document();
    QCOMPARE(document.at("target").get<std::string>(), std::string("duration"));
    QCOMPARE(document.at("options").at("reading").get<std::string>(), std::string("pooled"));
    QCOMPARE(document.at("options").at("knowledge").at("ignored").at(0).get<std::string>(),
             std::string("grid_x"));
    const auto graph = run({"render", saved, "--view", "causal", "-o", file("c.png")});
    QVERIFY2(graph.code == 0, qPrintable(graph.err));
    QCOMPARE(run({"render", trace_, "--view", "causal", "--reading", "sideways", "-o", file("c.png")}).code,
             1);
    QFile tiers(file("tiers.json"));
    QVERIFY(tiers.open(QIODevice::WriteOnly));
    tiers.write(R"({"required": [["gap_ns", "kernel_variability"]]})");
    tiers.close();
    QCOMPARE(run({"render", trace_, "--view", "causal", "-o", file("plain-c.png")}).code, 0);
    const auto stated =
        run({"render", trace_, "--view", "causal", "--tiers", file("tiers.json"), "-o", file("stated.png")});
    QVERIFY2(stated.code == 0, qPrintable(stated.err));
    QVERIFY(QImage(file("stated.png")) != QImage(file("plain-c.png")));
    const auto report = run({"report", saved, "-o", file("s.html")});
    QVERIFY2(report.code == 0, qPrintable(report.err));
    QVERIFY(QFile(file("s.html")).size() > 50'000);
  }

  void causalGraphsOfGroupsAreOnePicture() {
    const auto one = run({"render", trace_, "--view", "causal", "-o", file("one.png"), "--size", "900x0"});
    QCOMPARE(one.code, 1); // a height of 0 is invalid
    const auto groups = run(
        {"render", trace_, "--view", "causal", "--per", "kernel", "-o", file("groups.png"), "--json", "-"});
    QVERIFY2(groups.code == 0, qPrintable(groups.err));
    QCOMPARE(QImage(file("groups.png")).height(), groups.document().at("height").get<int>());
    QVERIFY(QImage(file("groups.png")).height() > 300);
    const auto alone = run({"render", trace_, "--view", "causal", "--per", "run", "-o", file("runs.png")});
    QCOMPARE(alone.code, 2);
    QVERIFY(alone.err.contains("fewer than two groups"));
    const QString table = file("again.csv"); // files imported together are runs
    QFile again(table), other(file("other.csv"));
    for (auto* each : {&again, &other}) {
      QVERIFY(each->open(QIODevice::WriteOnly));
      each->write("kernel,start_ns,end_ns,load\n");
      for (int i = 0; i < 60; ++i)
        each->write(QString("k,%1,%2,%3\n")
                        .arg(i * 20'000)
                        .arg(i * 20'000 + 9'000 + i % 5 * 700 + (each == &other) * 100)
                        .arg(i % 5)
                        .toUtf8());
      each->close();
    }
    const auto both = run({"render", table, file("other.csv"), "--kernel-column", "kernel", "--view",
                           "causal", "--per", "run", "-o", file("runs.png")});
    QVERIFY2(both.code == 0, qPrintable(both.err));
    QCOMPARE(run({"render", trace_, "--view", "bins", "--per", "kernel", "-o", file("x.png")}).code, 1);
    QCOMPARE(run({"render", trace_, "--view", "causal", "--target", "no_such", "-o", file("x.png")}).code, 1);
  }

  // Each part of the timeline's state changes the picture: arrangement, colours, marks, ranges, area.
  void aTimelineIsDrawnAsTheSessionLeftIt() {
    const auto span = run({"info", trace_, "--json", "-"}).document().at("span");
    const auto begin = span.at("begin_ns").get<std::int64_t>(), end = span.at("end_ns").get<std::int64_t>();
    const std::int64_t third = (end - begin) / 3;
    const auto drawn = [&](const json& parts, const QStringList& more = {}) {
      nlohmann::ordered_json session = {{"jitterscope_session", 1},
                                        {"files", {{{"path", trace_.toStdString()}}}}};
      for (const auto& [key, value] : parts.items()) session[key] = value;
      QFile out(file("timeline.jsession"));
      if (!out.open(QIODevice::WriteOnly)) return QImage();
      out.write(session.dump().c_str());
      out.close();
      const auto made = run(QStringList{"render", out.fileName(), "--view", "timeline", "--size", "900x420",
                                        "-o", file("t.png")} +
                            more);
      if (made.code != 0) qWarning("%s", qPrintable(made.err));
      return made.code == 0 ? QImage(file("t.png")) : QImage();
    };
    const auto timeline = [](const json& state) { return json{{"views", {{"timeline", state}}}}; };
    const json area = {{"selection", {{"brush_ns", {begin + third, begin + 2 * third}}}}};
    std::vector<QImage> pictures = {drawn(json::object())};
    QVERIFY(!pictures.front().isNull());
    for (const json& parts :
         {timeline({{"tracks", {{"filter", "stream"}}}}), timeline({{"colour", {{"by", "stream"}}}}),
          timeline({{"colour", {{"by", "relative-to-mean"}}}}),
          timeline({{"flags", {{{"time_ns", std::to_string(begin + third)}, {"label", "5"}}}}}),
          timeline({{"ranges",
                     {{{"begin_ns", std::to_string(begin + third)},
                       {"end_ns", std::to_string(begin + 2 * third)},
                       {"name", "warm-up"}}}}}),
          area}) {
      const QImage picture = drawn(parts);
      QVERIFY2(!picture.isNull(), parts.dump().c_str());
      for (const auto& each : pictures) QVERIFY2(picture != each, parts.dump().c_str());
      pictures.push_back(picture);
    }
    const auto coloured = [](const QImage& image, double from, double to) { // pixels in the lanes
      int count = 0;
      for (int x = static_cast<int>(from * image.width()); x < to * image.width(); ++x)
        for (int y = 120; y < 320; ++y) count += image.pixelColor(x, y).saturation() > 100;
      return count;
    };
    int grey = 0; // launches whose value is unknown
    for (int x = 0; x < pictures[3].width(); ++x)
      for (int y = 120; y < 320; ++y) grey += pictures[3].pixelColor(x, y) == views::ViewStyle::paper().quiet;
    QVERIFY2(grey < 100, qPrintable(QString::number(grey)));
    const int outside = coloured(pictures.back(), 0.38, 0.46),
              before = coloured(pictures.front(), 0.38, 0.46);
    QVERIFY2(
        outside < before / 2,
        qPrintable(QString("%1 of %2: launches outside the area are not dimmed").arg(outside).arg(before)));
    // A session shows why durations vary over time; a picture of the trace alone does not.
    QCOMPARE(run({"render", trace_, "--view", "timeline", "--size", "900x420", "-o", file("plain.png")}).code,
             0);
    QVERIFY(QImage(file("plain.png")) != pictures.front());
  }

  void aSessionFileRepresentsItsTracesAndSelection() {
    const auto write = [&](const json& document) {
      QFile session(file("work.jsession"));
      QVERIFY(session.open(QIODevice::WriteOnly));
      session.write(QByteArray::fromStdString(document.dump()));
    };
    const json files = {{{"path", trace_.toStdString()}}};
    write({{"jitterscope_session", 1}, {"files", files}, {"filter", "duration > 1ms"}});
    const QString picture = file("session.png");
    const auto outcome =
        run({"render", file("work.jsession"), "--view", "distribution", "-o", picture, "--size", "600x300"});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QCOMPARE(QImage(picture).size(), QSize(600, 300));
    QCOMPARE(
        run({"render", trace_, "--view", "distribution", "-o", file("all.png"), "--size", "600x300"}).code,
        0);
    QVERIFY2(QImage(picture) != QImage(file("all.png")), "the picture shows the selection of the session");
    QCOMPARE(run({"report", file("work.jsession"), "--assessment", "-o", file("page.html")}).code, 0);
    QFile page(file("page.html"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    QVERIFY(page.readAll().contains(
        "The session selects the launches that meet the condition duration &gt; 1ms."));
    write({{"jitterscope_session", 1}, {"files", 5}});
    const auto bad = run({"render", file("work.jsession"), "--view", "bins", "-o", picture});
    QCOMPARE(bad.code, 2);
    QVERIFY2(bad.err.contains("work.jsession"), qPrintable(bad.err));
  }

  void theReportIsOnePageThatLoadsNothing() {
    QCOMPARE(run({"report", trace_, "-o", file("report.html")}).code, 0);
    QFile page(file("report.html"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QString html = QString::fromUtf8(page.readAll());
    for (const char* part : {"Why durations vary", "Timeline", "Ranked bins", "Kernels", "Input files",
                             "data:image/png;base64,"})
      QVERIFY2(html.contains(part), part);
    QVERIFY(!html.contains("http://") && !html.contains("https://") && !html.contains("<script"));
    QVERIFY2(!html.contains(">nan") && !html.contains("nan %") && !html.contains(">null"),
             "the report contains nan or null");
    // The report states the reason of every kept bin, or why it has none, in the words of `bins --why`.
    const auto kept = run({"bins", trace_, "--why", "--json", "-"}).document().at("kept");
    for (const auto& bin : kept) {
      const auto& reason = bin.at("reason");
      const auto text =
          reason.is_null() ? bin.at("reason_note").get<std::string>() : reason.at("text").get<std::string>();
      QVERIFY2(html.contains(QString::fromStdString(text).toHtmlEscaped()), text.c_str());
    }
  }
};

QTEST_GUILESS_MAIN(CommandLinePicturesTest)
#include "command_line_pictures_test.moc"
