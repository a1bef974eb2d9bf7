#pragma once

#include <QRegularExpression>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "views/timeline/timeline_data.h"
#include "views/timeline/timeline_state.h"

namespace jitterscope::views {

/// A visible row: a track in its position, or its copy in the pinned part above.
struct TrackRow {
  int track = 0; ///< index into tracks()
  double y = 0;  ///< offset below the axis, before scrolling; pinned rows: offset in the pinned part
  double height = 0;
  double levelHeight = 0;
  bool pinned = false;
  /// Ids of the tracks whose content the row shows, each in a strip of levelHeight: the track itself, or, for
  /// a folded group without content of its own, the tracks inside it.
  std::vector<std::uint32_t> strips;
  std::uint32_t firstMember = 0,
                members = 0; ///< range in TrackLayout::members(): all tracks that the row represents
  double inset = 2;          ///< margin above the first strip
  /// More members than there is room for strips: they share the row's pixels, and `strips` is empty.
  bool shared = false;
};

/// The visible tracks, their order and their heights. Every change recomputes the layout; cost is linear in
/// the number of tracks.
class TrackLayout {
public:
  /// Resets the arrangement. While there are more than kComfortableRows rows, folds copies, then devices,
  /// then processes, then hosts.
  void setTracks(std::vector<TimelineTrack> tracks);
  const std::vector<TimelineTrack>& tracks() const { return tracks_; }
  int indexOf(std::uint32_t id) const; ///< −1 when unknown
  /// Label path from the top; siblings with the same label are numbered.
  const QString& key(int track) const;
  bool hasChildren(int track) const { return !children_[static_cast<std::size_t>(track)].empty(); }
  const std::vector<int>& childrenOf(int track) const { return children_[static_cast<std::size_t>(track)]; }
  /// Tracks of a kind in the subtree of a track, which may include the track itself.
  std::vector<int> descendants(int track, TrackKind kind) const;

  const std::vector<TrackRow>& rows() const { return rows_; } ///< visible rows, the pinned ones first
  double pinnedHeight() const { return pinnedHeight_; }
  double scrolledHeight() const { return scrolledHeight_; }
  /// Ids of the tracks of all rows, row by row.
  const std::vector<std::uint32_t>& members() const { return members_; }
  /// The scrolling rows, sorted by y.
  std::span<const TrackRow> scrolledRows() const;
  /// Factor of the heights of the scrolling rows; 1: their default heights.
  double scale() const { return scale_; }
  void setScale(double scale);
  /// A counter that changes with every change of the arrangement, but not with the scale.
  int generation() const { return generation_; }
  /// The row of a track, or of the folded group that it is in; null when none is shown.
  const TrackRow* rowOf(int track) const;

  bool collapsed(int track) const { return collapsed_.count(track) > 0; }
  bool pinned(int track) const;
  bool hidden(int track) const { return hidden_.count(track) > 0; }
  std::vector<int> hiddenTracks() const { return {hidden_.begin(), hidden_.end()}; }
  const QString& filter() const { return filter_; }
  bool filterIsGood() const { return expression_.isValid(); }

  void setCollapsed(int track, bool collapsed);
  void collapseKind(TrackKind kind, bool collapsed);
  void collapseAll(bool collapsed);
  void setPinned(int track, bool pinned);
  void setHidden(int track, bool hidden);
  void hideKind(TrackKind kind);
  void showAll();
  /// Moves a track among its siblings, or among the pinned rows; −1 is up. False at the end of the list.
  bool move(int track, int steps, bool inPinned = false);
  /// Moves a track before a sibling, −1: after the last.
  void moveBefore(int track, int sibling);
  void setHeight(int track, double height); ///< height of its row; 0: default of its kind
  /// Returns false and filters nothing if `filter` is not a valid regular expression.
  bool setFilter(const QString& filter);

  TrackArrangement arrangement() const;
  void setArrangement(const TrackArrangement& arrangement);

  static constexpr int kComfortableRows = 48;
  static constexpr double kMinScale = 1e-6, kMaxScale = 4;
  static constexpr double kMinLevel = 4, kMaxHeight = 400;

private:
  void makeKeys(int parent) const;
  void sortChildren();
  void foldByDefault();
  void layOut();
  void stretchRows(double by);
  void addRow(int track, double& y, bool pinned);
  void addTree(int track, double& y, bool inFiltered);
  std::size_t visibleCount() const;
  std::vector<int>& siblings(int track);
  void keepOrder(const std::vector<int>& siblings);
  std::vector<std::uint32_t> membersOf(int track) const;

  std::vector<TimelineTrack> tracks_;
  mutable std::vector<QString> keys_; ///< created on first use, for all children of a track at once
  mutable std::vector<char> keyed_;   ///< by parent + 1: whether its children have keys
  std::unordered_map<std::uint32_t, int> index_;
  std::vector<int> roots_;
  std::vector<std::vector<int>> children_;
  std::set<int> collapsed_, hidden_;
  std::vector<int> pinned_;
  QMap<QString, double> heights_;
  QStringList order_;
  QString filter_;
  QRegularExpression expression_;
  TrackArrangement foreign_;  ///< arrangement of tracks that this session does not have
  std::vector<char> matches_; ///< by track, with a filter: whether the track or a descendant matches
  std::vector<TrackRow> rows_;
  std::vector<std::uint32_t> members_;
  std::size_t pinnedRows_ = 0;
  double scale_ = 1;
  int generation_ = 0;
  std::vector<int> rowByTrack_; ///< index of the first row of each track; −1 if there is none
  double pinnedHeight_ = 0, scrolledHeight_ = 0;
};

} // namespace jitterscope::views
