#include <QFile>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>
#include <cmath>
#include <set>

#include "views/base/colour_maps.h"
#include "views/base/export.h"
#include "views/base/format.h"
#include "views/base/hover_overlay.h"
#include "views/base/painting.h"
#include "views/base/raster_view.h"
#include "views/base/text_cache.h"
#include "views/base/ticks.h"

using namespace jitterscope;
using namespace jitterscope::views;

class BaseTest : public QObject {
  Q_OBJECT

private slots:
  void durationsAreShownInTheUnitThatFits();
  void elidedNamesKeepTheirNumbers();
  void timesHaveThePrecisionOfAPixel();
  void numbersCarryTheirUnits();
  void niceTicksAreRoundAndInside();
  void timeTicksAreExactMultiplesOfARoundStep();
  void timeTicksOfAShortWindowFarFromZeroDiffer();
  void logTicksShowDecades();
  void shortLogIntervalsStillHaveLabels();
  void emptyIntervalsHaveNoTicks();
  void kernelColoursAreStableAndDiffer();
  void sequentialMapsAreMonotonicInLightness();
  void linesOfTextArePaintedAsThePainterPaintsThem();
  void picturesAreWrittenInAllFormats();
  void picturesThatCannotBeWrittenAreErrors();
  void aCardIsNextToAViewThatItWouldCover();
  void theCardOfASmallViewLeavesIt();
  void clipsAreWrittenToSvg();
  void aWrappedTitleOfACardIsBoldThroughout();
  void aLongValueOfACardWraps();
};

void BaseTest::durationsAreShownInTheUnitThatFits() {
  QCOMPARE(formatDuration(Nanoseconds{0}), QString("0 ns"));
  QCOMPARE(formatDuration(Nanoseconds{1}), QString("1 ns"));
  QCOMPARE(formatDuration(Nanoseconds{999}), QString("999 ns"));
  QCOMPARE(formatDuration(Nanoseconds{12'400}), QString("12.40 µs"));
  QCOMPARE(formatDuration(Nanoseconds{1'500'000}), QString("1.500 ms"));
  QCOMPARE(formatDuration(Nanoseconds{155'361'204'519}), QString("155.4 s"));
  // A duration that rounds up to 1000 µs is 1 ms.
  QCOMPARE(formatDuration(Nanoseconds{999'999}), QString("1.000 ms"));
  QCOMPARE(formatDuration(std::nan("")), QString("–"));
}

void BaseTest::timesHaveThePrecisionOfAPixel() {
  QCOMPARE(formatTime({155'360'000'000}, {1'000'000}), QString("155.360 s"));
  QCOMPARE(formatTime({155'361'204'519}, {1}), QString("155.361204519 s"));
  QCOMPARE(formatTime({155'361'204'519}, {1'000'000'000}), QString("155 s"));
  QCOMPARE(formatTime({1'999'999'999}, {10'000'000}), QString("2.00 s"));
  QCOMPARE(formatTime({-2'500'000}, {100'000}), QString("−2.5 ms"));
  // 11.6 days in ns still show the single ns.
  QCOMPARE(formatTime({1'000'000'000'000'001}, {1}), QString("1,000,000.000000001 s"));
}

void BaseTest::numbersCarryTheirUnits() {
  QCOMPARE(formatCount(1'234'567), QString("1,234,567"));
  QCOMPARE(formatSi(1.5e9, "B/s"), QString("1.5 GB/s"));
  QCOMPARE(formatSi(1980, "MHz"), QString("1,980 MHz"));
  QCOMPARE(formatSi(1e9, "Hz", 5), QString("1 GHz"));
  QCOMPARE(formatSi(1e9 * (1 - 1e-15), "Hz", 5), QString("1 GHz"));
  QCOMPARE(formatSi(999e6, "Hz", 5), QString("999 MHz"));
  QCOMPARE(formatSi(0, "B"), QString("0 B"));
  QCOMPARE(formatValue(2500, "ns"), QString("2.500 µs"));
  QCOMPARE(formatValue(2.5e6, "ns²"), QString("2.5 µs²"));
  QCOMPARE(formatValue(40'000, "ns²"), QString("40,000 ns²"));
  QCOMPARE(formatValue(123'457, ""), QString("123,457"));
  QCOMPARE(formatRange(1.4049e9, 1.4121e9, "Hz"), QString("1.4 – 1.41 GHz"));
  QCOMPARE(formatRange(1.4101e9, 1.4104e9, "Hz"), QString("1.4101 – 1.4104 GHz"));
  QCOMPARE(formatRange(990, 1020, "ns"), QString("990 ns – 1.02 µs"));
  QCOMPARE(formatTimeRange({{57'000}, {1'000'000}}), QString("0.0570 – 1.0000 ms"));
  QCOMPARE(formatTimeRange({{0}, {6'082'352'213}}), QString("0 – 6.082 s"));
  QCOMPARE(formatTimeRange({{-500}, {1'500}}), QString("−0.500 – 1.500 µs"));
  QCOMPARE(formatRange(35, 86, "%"), QString("35.0 – 86.0 %"));
  QCOMPARE(formatRange(99.98, 99.99, "%"), QString("99.980 – 99.990 %"));
  QCOMPARE(formatRange(-3, 4, ""), QString("−3 – 4"));
  QCOMPARE(formatRange(5, 5, "W"), QString("5 – 5 W"));
  QCOMPARE(formatPercent(0.4213), QString("42.1 %"));
  QCOMPARE(formatPercent(1.0 / 20'000), QString("< 0.1 %"));
  QCOMPARE(formatPercent(1.0 / 20'000, 2), QString("0.01 %"));
  QCOMPARE(formatPercent(0), QString("0.0 %"));
  QCOMPARE(QString::fromUtf8(timeUnitFor(2'000).name), QString("µs"));
}

void BaseTest::niceTicksAreRoundAndInside() {
  for (const auto& [low, high] :
       {std::pair{0.0, 1.0}, {-3.0, 97.0}, {1e-7, 3e-7}, {0.0, 123456.0}, {5.0, 5.001}}) {
    for (const int maximum : {1, 2, 5, 10}) {
      const auto ticks = niceTicks(low, high, maximum);
      QVERIFY2(static_cast<int>(ticks.size()) <= maximum,
               qPrintable(QString("%1 ticks for %2").arg(ticks.size()).arg(maximum)));
      for (const Tick& tick : ticks) {
        QVERIFY(tick.value >= low - (high - low) * 1e-6 && tick.value <= high + (high - low) * 1e-6);
        QVERIFY(std::abs(tick.position - (tick.value - low) / (high - low)) < 1e-9);
      }
    }
  }
  const auto ticks = niceTicks(0, 10, 6);
  QCOMPARE(ticks.size(), std::size_t{6});
  QCOMPARE(ticks[1].label, QString("2"));
}

void BaseTest::timeTicksAreExactMultiplesOfARoundStep() {
  const Interval window{{155'360'000'123}, {155'370'000'456}};
  const auto ticks = timeTicks(window, 8);
  QVERIFY(ticks.size() >= 3 && ticks.size() <= 9);
  const std::int64_t step = timeStep(window.length(), 8).count;
  QVERIFY(step == 2'000'000);
  for (const Tick& tick : ticks) QCOMPARE(static_cast<std::int64_t>(tick.value) % step, std::int64_t{0});
  QCOMPARE(ticks.front().label, QString("155.362 s"));
}

void BaseTest::timeTicksOfAShortWindowFarFromZeroDiffer() {
  const auto ticks = timeTicks({{155'360'000'000}, {155'360'000'500}}, 8);
  std::set<QString> labels;
  for (const Tick& tick : ticks) labels.insert(tick.label);
  QVERIFY(ticks.size() >= 3);
  QCOMPARE(labels.size(), ticks.size());
}

void BaseTest::logTicksShowDecades() {
  const auto narrow =
      axisValueTicks(1'088, 581'800, 2, "ns", true); // one more decade if two labels would not suffice
  QVERIFY(std::count_if(narrow.begin(), narrow.end(),
                        [](const Tick& tick) { return !tick.label.isEmpty(); }) >= 2);
  for (const Tick& tick : narrow) QVERIFY(tick.label.isEmpty() || tick.label.startsWith("10"));
  QCOMPARE(niceTicks(0, 4e8, 5).back().label, QString("400 M")); // as in all views
  const auto ticks = logTicks(1'000, 1'000'000, 4, "ns");
  QStringList labels;
  for (const Tick& tick : ticks) {
    if (!tick.label.isEmpty()) labels << tick.label;
  }
  QCOMPARE(labels, QStringList({"1 µs", "10 µs", "100 µs", "1 ms"}));
  QVERIFY(std::abs(ticks.front().position) < 1e-9);
}

void BaseTest::shortLogIntervalsStillHaveLabels() {
  for (const auto& [low, high] : {std::pair{576'000.0, 587'000.0}, {11'000.0, 19'000.0}, {1'000.0, 9e8}}) {
    const auto ticks = axisValueTicks(low, high, 6, "ns", true);
    QVERIFY(std::count_if(ticks.begin(), ticks.end(),
                          [](const Tick& tick) { return !tick.label.isEmpty(); }) >= 2);
    for (const auto& tick : ticks) {
      QVERIFY(tick.position >= 0 && tick.position <= 1);
      QVERIFY(std::abs(tick.position - std::log(tick.value / low) / std::log(high / low)) < 1e-9);
    }
  }
}

void BaseTest::emptyIntervalsHaveNoTicks() {
  QVERIFY(niceTicks(1, 1, 5).empty());
  QVERIFY(logTicks(0, 10, 5).empty());
  QVERIFY(timeTicks({{5}, {5}}, 5).empty());
}

void BaseTest::kernelColoursAreStableAndDiffer() {
  for (const Theme theme : {Theme::Light, Theme::Dark}) {
    std::set<QRgb> seen;
    for (std::uint32_t id = 0; id < 30; ++id) {
      QCOMPARE(categoryColour(id, theme), categoryColour(id, theme));
      seen.insert(categoryColour(id, theme).rgb());
    }
    QCOMPARE(seen.size(), std::size_t{30});
  }
}

void BaseTest::sequentialMapsAreMonotonicInLightness() {
  for (const Theme theme : {Theme::Light, Theme::Dark}) {
    const int direction = theme == Theme::Light ? -1 : 1;
    int before = qGray(sequentialColour(0, theme).rgb());
    for (int i = 1; i <= 20; ++i) {
      const int now = qGray(sequentialColour(i / 20.0, theme).rgb());
      QVERIFY((now - before) * direction > 0);
      before = now;
    }
  }
}

void BaseTest::linesOfTextArePaintedAsThePainterPaintsThem() {
  const QStringList texts = {"GPU 0",           "a_long_kernel_name<float, 4>(int)",
                             "12.40 µs",        "stream 7 · device 1",
                             "Ünïcode ≥ −50 %", " spaces ",
                             "gjpqy|"};
  for (const double scale : {1.0, 1.5, 2.0}) {
    const auto picture = [&](bool cached) {
      QImage image(900, 900, QImage::Format_ARGB32_Premultiplied);
      image.fill(Qt::white);
      image.setDevicePixelRatio(scale);
      QPainter painter(&image);
      for (int turn = 0; turn < 2; ++turn) // the second time from the cache
        for (int i = 0; i < 56; ++i) {
          QFont font;
          font.setPixelSize(10 + i % 5);
          font.setBold(i % 3 == 0);
          painter.setFont(font);
          painter.setPen(QColor(20 * (i % 7), 60, 90));
          const QRectF rect(3 + i % 8 * 53 + turn * 0.25, 4 + i / 8 * 40 + i * 0.3 + turn * 20,
                            40 + 8 * (i % 4), 9 + i % 9);
          const Qt::Alignment alignment = (i % 3 == 0   ? Qt::AlignLeft
                                           : i % 3 == 1 ? Qt::AlignHCenter
                                                        : Qt::AlignRight) |
                                          (i % 4 == 0   ? Qt::AlignTop
                                           : i % 4 == 1 ? Qt::AlignBottom
                                                        : Qt::AlignVCenter);
          const QString& text = texts[i % texts.size()];
          const auto mode = i % 2 == 0 ? Qt::ElideRight : Qt::ElideMiddle;
          if (cached) {
            drawLine(painter, rect, alignment, elidedText(font, text, mode, rect.width()));
          } else {
            painter.drawText(rect, static_cast<int>(alignment) | Qt::TextSingleLine,
                             QFontMetricsF(font).elidedText(text, mode, rect.width()));
          }
        }
      return image;
    };
    QCOMPARE(picture(true), picture(false));
  }
  QFont font;
  font.setPixelSize(12);
  for (const QString& text : texts)
    QCOMPARE(textWidth(font, text), QFontMetricsF(font).horizontalAdvance(text));
}

void BaseTest::picturesAreWrittenInAllFormats() {
  QTemporaryDir folder;
  const PaintFunction paint = [](QPainter& painter, const QRectF& rect) {
    painter.fillRect(rect, Qt::white);
    painter.fillRect(QRectF(10, 10, 20, 20), Qt::red);
  };
  for (const char* name : {"a.png", "a.svg", "a.pdf"}) {
    const QString path = folder.filePath(name);
    QVERIFY(exportPicture(path, {80, 60}, 2, "picture", paint).has_value());
    QVERIFY(QFile(path).size() > 100);
  }
  const QImage image(folder.filePath("a.png"));
  QCOMPARE(image.size(), QSize(160, 120));
  QCOMPARE(image.pixelColor(40, 40), QColor(Qt::red));
  QCOMPARE(image.pixelColor(100, 100), QColor(Qt::white));
  QFile svg(folder.filePath("a.svg"));
  QVERIFY(svg.open(QIODevice::ReadOnly));
  QVERIFY(svg.readAll().contains("#ff0000"));
}

void BaseTest::picturesThatCannotBeWrittenAreErrors() {
  const PaintFunction nothing = [](QPainter&, const QRectF&) {};
  QCOMPARE(exportPicture("/nonexistent/folder/a.png", {10, 10}, 1, "", nothing).error().kind, ErrorKind::Io);
  QCOMPARE(exportPicture("/nonexistent/folder/a.svg", {10, 10}, 1, "", nothing).error().kind, ErrorKind::Io);
  QCOMPARE(exportPicture("a.bmp", {10, 10}, 1, "", nothing).error().kind, ErrorKind::BadUse);
  QCOMPARE(exportPicture("a.png", {0, 10}, 1, "", nothing).error().kind, ErrorKind::BadUse);
}

void BaseTest::aCardIsNextToAViewThatItWouldCover() {
  const QRectF window(0, 0, 1000, 800);
  const QSizeF card(300, 200);
  const auto free = [&](const QRectF& view, QPointF anchor) {
    const QRectF placed = placeNextTo(card, view, window, anchor);
    return window.contains(placed) && !placed.intersects(view);
  };
  QVERIFY(free({700, 0, 300, 300}, {990, 150}));                           // below
  QVERIFY(free({700, 500, 300, 300}, {990, 600}));                         // above
  QVERIFY(free({500, 50, 500, 700}, {600, 780}));                          // on the left
  QVERIFY(free({0, 50, 500, 700}, {100, 60}));                             // on the right
  QVERIFY(window.contains(placeNextTo(card, window, window, {900, 700}))); // no free place: still inside
}

void BaseTest::theCardOfASmallViewLeavesIt() {
  QWidget window;
  window.resize(900, 700);
  RasterView small(&window), large(&window);
  small.setGeometry(600, 20, 280, 160);
  large.setGeometry(0, 200, 900, 500);
  window.show();
  QVERIFY(QTest::qWaitForWindowExposed(&window));
  const QString text = "An edge\nEffect\t0.5 σ per σ\nn\t6,431\nThe plain sentence, long enough to take two "
                       "or three lines of the card.";
  const auto overlay = [&]() -> HoverOverlay* {
    for (auto* child : window.children())
      if (auto* found = dynamic_cast<HoverOverlay*>(child)) return found;
    return nullptr;
  };
  large.showHoverCard({450, 250}, text);
  QVERIFY(!large.cardIsOutside() && !overlay());
  small.showHoverCard({140, 80}, text);
  QVERIFY(small.cardIsOutside());
  QVERIFY(overlay() && overlay()->isVisible());
  QVERIFY(!overlay()->geometry().intersects(small.geometry()));
  large.raise(); // as a dock whose tab is chosen by a key
  QTRY_COMPARE(window.children().last(), static_cast<QObject*>(overlay()));
  small.hideHoverCard();
  QVERIFY(!overlay()->isVisible());
  small.showHoverCard({140, 80}, text);
  small.hide(); // hiding the widget hides its card
  QVERIFY(!overlay()->isVisible());
}

// Content outside a clip is cut off in SVG too: each change of the clip is a separate group, and the
// document stays well-formed.
void BaseTest::clipsAreWrittenToSvg() {
  QTemporaryDir folder;
  const QString path = folder.filePath("clip.svg");
  const auto paint = [](QPainter& painter, const QRectF& rect) {
    painter.fillRect(rect, Qt::white);
    painter.save();
    painter.translate(10, 20);
    painter.setClipRect(QRectF(0, 0, 50, 40), Qt::IntersectClip);
    painter.fillRect(QRectF(-100, -100, 500, 500), Qt::red);
    painter.drawText(QPointF(5, 15), "inside < & >");
    painter.setClipRect(QRectF(20, 0, 500, 10), Qt::IntersectClip);
    painter.fillRect(QRectF(-100, -100, 500, 500), Qt::green);
    painter.restore();
    painter.drawText(QPointF(5, 90), "outside");
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(QRectF(0, 0, 80, 80), QImage(4, 4, QImage::Format_RGB32));
    painter.drawImage(QRectF(0, 0, 4, 4), QImage(4, 4, QImage::Format_RGB32));
  };
  QVERIFY(exportPicture(path, {120, 100}, 1, "Clips", paint).has_value());
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray written = file.readAll();
  QVERIFY(!written.contains("jitterscope-"));
  QStringList clips, said; // texts, each with the clip that contains it
  QString clip;
  QList<int> images; // widths
  QXmlStreamReader xml(written);
  QStringList groups;
  while (!xml.atEnd()) {
    xml.readNext();
    if (xml.isStartElement() && xml.name() == QLatin1String("g"))
      groups << xml.attributes().value("clip-path").toString();
    if (xml.isEndElement() && xml.name() == QLatin1String("g")) groups.removeLast();
    if (xml.isStartElement() && xml.name() == QLatin1String("clipPath")) {
      xml.readNextStartElement();
      const auto of = [&](const char* name) {
        return xml.attributes().value(QLatin1String(name)).toString();
      };
      clips << QStringList{of("x"), of("y"), of("width"), of("height")}.join(' ');
    }
    if (xml.isStartElement() && xml.name() == QLatin1String("image"))
      images << QImage::fromData(
                    QByteArray::fromBase64(xml.attributes().value("xlink:href").toLatin1().split(',').last()))
                    .width();
    if (xml.isStartElement() && xml.name() == QLatin1String("text"))
      said << xml.readElementText().trimmed() + groups.join("");
  }
  QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
  QCOMPARE(clips, QStringList({"10 20 50 40", "30 20 30 10"}));
  QCOMPARE(said, QStringList({"inside < & >url(#clip1)", "outside"}));
  QCOMPARE(images, QList<int>({240, 4})); // enlarged images get more pixels
}

// A title that wraps to two lines is bold in both.
void BaseTest::aWrappedTitleOfACardIsBoldThroughout() {
  const auto style = ViewStyle::light();
  const auto ink = [&](const QString& text) { // the painted pixels of the last line
    QImage image(900, 300, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    drawHoverCard(painter, image.rect(), {10, 10}, text, style);
    painter.end();
    std::vector<double> rows;
    for (int y = 0; y < image.height(); ++y) {
      double dark = 0;
      for (int x = 0; x < image.width(); ++x) dark += image.pixelColor(x, y).lightnessF() < 0.5;
      rows.push_back(dark);
    }
    int bottom = image.height() - 1;
    while (bottom > 0 && rows[static_cast<std::size_t>(bottom)] == 0) --bottom;
    double sum = 0;
    for (; bottom >= 0 && rows[static_cast<std::size_t>(bottom)] > 0; --bottom)
      sum += rows[static_cast<std::size_t>(bottom)];
    return sum;
  };
  const double plain = ink("title\nmmmmmmmmmm"), wrapped = ink(QString(40, 'W') + " mmmmmmmmmm");
  QVERIFY2(plain > 0 && wrapped > 1.15 * plain, qPrintable(QString("%1, %2").arg(plain).arg(wrapped)));
}

// A card is the last place for a text: it is never cut off.
void BaseTest::aLongValueOfACardWraps() {
  const auto style = ViewStyle::light();
  const QRectF bounds(0, 0, 900, 600);
  const auto heightOf = [&](const QString& text) {
    return hoverCardRect(bounds, {10, 10}, text, style).height();
  };
  const QString name = "difference for the same configurations",
                value = "+2.98 % (95 % interval −0.12 to 4.25 %)";
  const double line = heightOf("title\na\tb\nc\td") - heightOf("title\na\tb");
  QCOMPARE(heightOf("title\n" + name + "\t" + value), heightOf("title\na\tb") + line);
  QVERIFY(hoverCardRect(bounds, {10, 10}, "title\n" + name + "\t" + value, style).width() < 420);
  // The last word of the value is painted: without it the picture differs.
  const auto picture = [&](const QString& text) {
    QImage image(900, 300, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    drawHoverCard(painter, image.rect(), {10, 10}, text, style);
    return image;
  };
  QVERIFY(picture("title\n" + name + "\t" + value + " x") != picture("title\n" + name + "\t" + value + " y"));
}

void BaseTest::elidedNamesKeepTheirNumbers() {
  const QFont font = ViewStyle::light().font();
  const QString name = "process 112 · GPU 1", thread = "rank 3 · thread 12 · stream 7",
                own = "python3 [48211] · ranges";
  QCOMPARE(elidedName(font, name, 1e4), name);
  for (const auto& [whole, ends] : {std::pair{name, QStringList{"112", "GPU 1"}},
                                    {thread, {"3", "12", "stream 7"}},
                                    {own, {"[48211]", "ranges"}}}) {
    const double wide = textWidth(font, whole);
    int elided = 0;
    for (double width = wide - 1; width > wide * 0.82; width -= 3) {
      const QString shown = elidedName(font, whole, width);
      QVERIFY(textWidth(font, shown) <= width + 1);
      QVERIFY2(shown.contains(QChar(0x2026)), qPrintable(shown));
      qsizetype at = 0; // all numbers and the whole last part, in their order
      for (const auto& part : ends) {
        at = shown.indexOf(part, at);
        QVERIFY2(at >= 0, qPrintable(shown));
        at += part.size();
      }
      ++elided;
    }
    QVERIFY(elided > 3);
  }
  const QString task = "rank 880 · TASK 1.881 [881]"; // the longest words go first
  QVERIFY(elidedName(font, task, textWidth(font, task) * 0.8).startsWith("rank 880 · TA"));
  const QString device = "GPU 0 · NVIDIA H100 80GB HBM3";
  QVERIFY(elidedName(font, device, textWidth(font, device) * 0.7).startsWith("GPU 0 · NVIDIA"));
  // A word that fits only without the space behind it is elided, too.
  const QString fits = elidedName(font, name, textWidth(font, name) - 1);
  QVERIFY2(fits.contains("112 · GPU 1") && fits.startsWith("pro"), qPrintable(fits));
  // With no room for the parents, the last part is left.
  QCOMPARE(elidedName(font, name, textWidth(font, QChar(0x2026) + QString(" · GPU 1")) + 1),
           QChar(0x2026) + QString(" · GPU 1"));
  // Other texts are elided as requested.
  const QString choice = "compared with: all others";
  const double most = textWidth(font, choice) * 0.8;
  QCOMPARE(elidedName(font, choice, most), elidedText(font, choice, Qt::ElideMiddle, most));
  const double half = textWidth(font, "device-to-host") * 0.7;
  QCOMPARE(elidedName(font, "device-to-host", half),
           elidedText(font, "device-to-host", Qt::ElideMiddle, half));
}

QTEST_MAIN(BaseTest)
#include "views_base_test.moc"
