#pragma once

#include <QJsonObject>
#include <QMap>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "views/timeline/timeline_data.h"

namespace jitterscope::views {

/// The user's arrangement of the tracks. Tracks are identified by a path of labels ("node017 › rank 0 ›
/// GPU 0"), so that an arrangement stays valid after a new import; names missing from a session are kept but
/// have no effect.
struct TrackArrangement {
  QStringList collapsed;
  QStringList pinned; ///< keys of the pinned tracks, in display order
  QStringList hidden;
  QStringList order;             ///< moved tracks and their siblings, in the requested order
  QMap<QString, double> heights; ///< row heights in logical pixels; other rows have the default of their kind
  QString filter;                ///< regular expression on labels; empty: all
  bool operator==(const TrackArrangement&) const = default;
};

enum class ColourBy { Kernel, RelativeToMean, Stream, Column };

/// "kernel", "relative-to-mean", "stream", as in session files; nullopt for others, such as names of columns.
std::optional<ColourBy> colourByWord(const QString& word);

/// Meaning of the colours of launches.
struct TimelineColour {
  ColourBy by = ColourBy::Kernel;
  QString column; ///< column of launches; only for ColourBy::Column
  QString title;
  QString unit;
  double low = 0; ///< lower end of the scale; only for ColourBy::Column
  double high = 1;
  bool logarithmic = false;
  bool operator==(const TimelineColour&) const = default;

  /// Corresponding TimelineQuery::value.
  QString value() const;
};

/// Rule by which a row of pixels combines the tracks that share it.
enum class Merging { Dominant, Mean, Maximum };

/// Height mode of all tracks.
struct TrackHeights {
  bool fit = false; ///< true: heights are scaled so that all tracks fit into the view
  double scale = 1; ///< factor of the row heights; not used with `fit`
  Merging merging = Merging::Dominant;
  bool overview = true; ///< shows all tracks in a strip at the right if they do not fit
  bool operator==(const TrackHeights&) const = default;
};

/// The user's changes to the timeline, stored with a session.
struct TimelineState {
  TrackArrangement tracks;
  TimelineColour colour;
  std::vector<TimelineFlag> flags;
  std::vector<NamedRange> ranges;
  TrackHeights heights;
  double headerWidth = 0; ///< width of the tracks' names, logical pixels; 0: derived from the view's width
  bool operator==(const TimelineState&) const = default;
};

/// A flag or a named range, and the number of the digit key that goes to it.
struct NumberedMark {
  bool flag = true;
  std::size_t place = 0; ///< index into the flags or the ranges
  Interval range;        ///< empty for a flag
  QString name;
  int number = 0; ///< starts at 1; no two marks have the same number
};

/// All marks in time order. A mark whose name is a number has that number; if several have the same name, the
/// first. The others have the numbers that are left, in time order.
std::vector<NumberedMark> numberedMarks(const std::vector<TimelineFlag>& flags,
                                        const std::vector<NamedRange>& ranges);

/// "dominant", "mean", "maximum": in session files and requests to the engine.
QString word(Merging merging);

QJsonObject toJson(const TimelineState& state);
/// Missing keys keep defaults; unknown keys are ignored.
TimelineState timelineStateFrom(const QJsonObject& json);

} // namespace jitterscope::views
