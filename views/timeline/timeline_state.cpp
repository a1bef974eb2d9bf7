#include "views/timeline/timeline_state.h"

#include <QJsonArray>
#include <algorithm>
#include <set>

namespace jitterscope::views {

namespace {

constexpr const char* kColourWords[] = {"kernel", "relative-to-mean", "stream", "column"};

constexpr const char* kMergingWords[] = {"dominant", "mean", "maximum"};

QStringList texts(const QJsonValue& value) {
  QStringList list;
  for (const auto& item : value.toArray()) list << item.toString();
  return list;
}

// Times are written as text, because a double cannot represent all of them exactly.
QString number(Nanoseconds time) {
  return QString::number(static_cast<qlonglong>(time.count));
}
Nanoseconds time(const QJsonValue& value) {
  return {value.isString() ? value.toString().toLongLong() : static_cast<qlonglong>(value.toDouble())};
}

QJsonObject toJson(const TrackArrangement& tracks) {
  QJsonObject heights;
  for (auto it = tracks.heights.begin(); it != tracks.heights.end(); ++it) heights[it.key()] = it.value();
  return {{"collapsed", QJsonArray::fromStringList(tracks.collapsed)},
          {"pinned", QJsonArray::fromStringList(tracks.pinned)},
          {"hidden", QJsonArray::fromStringList(tracks.hidden)},
          {"order", QJsonArray::fromStringList(tracks.order)},
          {"heights", heights},
          {"filter", tracks.filter}};
}

QJsonObject toJson(const TimelineColour& colour) {
  return {{"by", kColourWords[static_cast<int>(colour.by)]},
          {"column", colour.column},
          {"title", colour.title},
          {"unit", colour.unit},
          {"low", colour.low},
          {"high", colour.high},
          {"logarithmic", colour.logarithmic}};
}

TrackArrangement arrangementFrom(const QJsonObject& json) {
  TrackArrangement tracks;
  tracks.collapsed = texts(json["collapsed"]);
  tracks.pinned = texts(json["pinned"]);
  tracks.hidden = texts(json["hidden"]);
  tracks.order = texts(json["order"]);
  const QJsonObject heights = json["heights"].toObject();
  for (auto it = heights.begin(); it != heights.end(); ++it) tracks.heights[it.key()] = it.value().toDouble();
  tracks.filter = json["filter"].toString();
  return tracks;
}

TimelineColour colourFrom(const QJsonObject& json) {
  TimelineColour colour;
  const QString word = json["by"].toString();
  colour.by = colourByWord(word).value_or(
      word == kColourWords[static_cast<int>(ColourBy::Column)] ? ColourBy::Column : ColourBy::Kernel);
  if (word == QLatin1String("against-usual")) colour.by = ColourBy::RelativeToMean; // older sessions
  colour.column = json["column"].toString();
  colour.title = json["title"].toString();
  colour.unit = json["unit"].toString();
  colour.low = json["low"].toDouble(0);
  colour.high = json["high"].toDouble(1);
  colour.logarithmic = json["logarithmic"].toBool();
  if (colour.by == ColourBy::Column && colour.column.isEmpty()) colour.by = ColourBy::Kernel;
  return colour;
}

QJsonObject toJson(const TrackHeights& heights) {
  return {{"fit", heights.fit},
          {"scale", heights.scale},
          {"merging", word(heights.merging)},
          {"overview", heights.overview}};
}

TrackHeights heightsFrom(const QJsonObject& json) {
  TrackHeights heights;
  heights.fit = json["fit"].toBool(heights.fit);
  heights.scale = json["scale"].toDouble(heights.scale);
  heights.overview = json["overview"].toBool(heights.overview);
  for (const Merging merging : {Merging::Dominant, Merging::Mean, Merging::Maximum})
    if (json["merging"].toString() == word(merging)) heights.merging = merging;
  return heights;
}

} // namespace

std::optional<ColourBy> colourByWord(const QString& word) {
  for (const ColourBy by : {ColourBy::Kernel, ColourBy::RelativeToMean, ColourBy::Stream})
    if (word == kColourWords[static_cast<int>(by)]) return by;
  return {};
}

QString word(Merging merging) {
  return kMergingWords[static_cast<int>(merging)];
}

QString TimelineColour::value() const {
  if (by == ColourBy::RelativeToMean) return QStringLiteral("relative_to_mean");
  return by == ColourBy::Column ? column : QString();
}

std::vector<NumberedMark> numberedMarks(const std::vector<TimelineFlag>& flags,
                                        const std::vector<NamedRange>& ranges) {
  std::vector<NumberedMark> marks;
  for (std::size_t i = 0; i < flags.size(); ++i)
    marks.push_back({true, i, {flags[i].time, flags[i].time}, flags[i].label, 0});
  for (std::size_t i = 0; i < ranges.size(); ++i)
    marks.push_back({false, i, ranges[i].range, ranges[i].name, 0});
  std::stable_sort(marks.begin(), marks.end(), [](const NumberedMark& a, const NumberedMark& b) {
    return a.range.begin < b.range.begin;
  });
  std::set<int> taken;
  for (NumberedMark& mark : marks)
    if (const int own = mark.name.trimmed().toInt(); own > 0 && taken.insert(own).second) mark.number = own;
  int next = 1;
  for (NumberedMark& mark : marks) {
    if (mark.number > 0) continue;
    while (taken.contains(next)) ++next;
    mark.number = next++;
  }
  return marks;
}

QJsonObject toJson(const TimelineState& state) {
  QJsonArray flags, ranges;
  for (const auto& flag : state.flags)
    flags << QJsonObject{{"time_ns", number(flag.time)}, {"label", flag.label}};
  for (const auto& range : state.ranges)
    ranges << QJsonObject{
        {"begin_ns", number(range.range.begin)}, {"end_ns", number(range.range.end)}, {"name", range.name}};
  return {{"tracks", toJson(state.tracks)},
          {"colour", toJson(state.colour)},
          {"flags", flags},
          {"ranges", ranges},
          {"heights", toJson(state.heights)},
          {"header_width", state.headerWidth}};
}

TimelineState timelineStateFrom(const QJsonObject& json) {
  TimelineState state;
  state.tracks = arrangementFrom(json["tracks"].toObject());
  state.colour = colourFrom(json["colour"].toObject());
  state.heights = heightsFrom(json["heights"].toObject());
  state.headerWidth = json["header_width"].toDouble(0);
  for (const auto& item : json["flags"].toArray()) {
    const auto flag = item.toObject();
    state.flags.push_back({time(flag["time_ns"]), flag["label"].toString()});
  }
  for (const auto& item : json["ranges"].toArray()) {
    const auto range = item.toObject();
    state.ranges.push_back({{time(range["begin_ns"]), time(range["end_ns"])}, range["name"].toString()});
  }
  return state;
}

} // namespace jitterscope::views
