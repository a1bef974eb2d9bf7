#include "views/timeline/track_layout.h"

#include <QHash>
#include <algorithm>
#include <utility>

namespace jitterscope::views {

namespace {

constexpr double kPadding = 4;
constexpr std::size_t kMaxStrips = 16;

double levelHeightOf(TrackKind kind) {
  switch (kind) {
  case TrackKind::Host:
  case TrackKind::Process:
    return 18;
  case TrackKind::Device:
    return 20;
  case TrackKind::Stream:
    return 22;
  case TrackKind::Copies:
  case TrackKind::Migrations:
  case TrackKind::Collective:
  case TrackKind::MpiCalls:
    return 16;
  case TrackKind::Calls:
  case TrackKind::Ranges:
    return 15;
  case TrackKind::Counter:
    return 34;
  case TrackKind::Active:
    return 26;
  case TrackKind::Idle:
  case TrackKind::Messages:
    return 14;
  }
  return 22;
}

bool hasContent(TrackKind kind) {
  return kind != TrackKind::Host && kind != TrackKind::Process;
}

} // namespace

void TrackLayout::setTracks(std::vector<TimelineTrack> tracks) {
  tracks_ = std::move(tracks);
  index_.clear();
  children_.assign(tracks_.size(), {});
  roots_.clear();
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const int track = static_cast<int>(i), parent = tracks_[i].parent;
    index_[tracks_[i].id] = track;
    if (parent >= 0 && parent < track)
      children_[static_cast<std::size_t>(parent)].push_back(track);
    else
      roots_.push_back(track);
  }
  keys_.assign(tracks_.size(), {});
  keyed_.assign(tracks_.size() + 1, 0);
  collapsed_.clear();
  hidden_.clear();
  pinned_.clear();
  heights_.clear();
  order_.clear();
  filter_.clear();
  expression_ = QRegularExpression();
  foreign_ = {};
  foldByDefault();
  layOut();
}

const QString& TrackLayout::key(int track) const {
  const auto i = static_cast<std::size_t>(track);
  const int parent = tracks_[i].parent >= 0 && tracks_[i].parent < track ? tracks_[i].parent : -1;
  if (keyed_[static_cast<std::size_t>(parent + 1)] == 0) makeKeys(parent);
  return keys_[i];
}

// Makes the keys of the children of a track; parent −1: of the roots.
void TrackLayout::makeKeys(int parent) const {
  const QString before = parent < 0 ? QString() : key(parent) + QStringLiteral(" › ");
  auto siblings = parent < 0 ? roots_ : childrenOf(parent);
  std::sort(siblings.begin(), siblings.end()); // their numbers do not depend on an arrangement
  QHash<QString, int> seen;
  for (const int track : siblings) {
    const auto i = static_cast<std::size_t>(track);
    keys_[i] = before + tracks_[i].label;
    if (const int same = seen[tracks_[i].label]++; same > 0) keys_[i] += QStringLiteral(" #%1").arg(same + 1);
  }
  keyed_[static_cast<std::size_t>(parent + 1)] = 1;
}

std::size_t TrackLayout::visibleCount() const {
  std::vector<char> gone(tracks_.size(), 0);
  std::size_t count = 0;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const int parent = tracks_[i].parent;
    if (parent >= 0 && parent < static_cast<int>(i)) {
      const auto p = static_cast<std::size_t>(parent);
      gone[i] = gone[p] != 0 || collapsed(parent);
    }
    count += gone[i] == 0;
  }
  return count;
}

void TrackLayout::foldByDefault() {
  const auto fold = [&](TrackKind kind, std::size_t minimum) {
    if (visibleCount() <= kComfortableRows) return;
    for (std::size_t i = 0; i < tracks_.size(); ++i)
      if (tracks_[i].kind == kind && children_[i].size() >= minimum) collapsed_.insert(static_cast<int>(i));
  };
  fold(TrackKind::Copies, 1); // coloured by kind in one row
  fold(TrackKind::Device, 12);
  fold(TrackKind::Device, 1);
  fold(TrackKind::Process, 1);
  if (roots_.size() > 1) fold(TrackKind::Host, 1);
}

int TrackLayout::indexOf(std::uint32_t id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? -1 : found->second;
}

std::vector<int> TrackLayout::descendants(int track, TrackKind kind) const {
  std::vector<int> found;
  if (tracks_[static_cast<std::size_t>(track)].kind == kind) found.push_back(track);
  for (const int child : childrenOf(track))
    for (const int below : descendants(child, kind)) found.push_back(below);
  return found;
}

// Tracks whose content represents a folded group without content of its own: its devices, else the activity
// of its threads.
std::vector<std::uint32_t> TrackLayout::membersOf(int track) const {
  const auto& of = tracks_[static_cast<std::size_t>(track)];
  if (hasContent(of.kind)) return {of.id};
  if (!collapsed(track)) return {};
  for (const TrackKind kind : {TrackKind::Device, TrackKind::Ranges, TrackKind::MpiCalls, TrackKind::Calls}) {
    std::vector<std::uint32_t> members;
    for (const int below : descendants(track, kind))
      members.push_back(tracks_[static_cast<std::size_t>(below)].id);
    if (!members.empty()) return members;
  }
  return {};
}

void TrackLayout::addRow(int track, double& y, bool pinned) {
  const auto& of = tracks_[static_cast<std::size_t>(track)];
  TrackRow row;
  row.track = track;
  row.y = y;
  row.pinned = pinned;
  auto members = membersOf(track);
  row.firstMember = static_cast<std::uint32_t>(members_.size());
  row.members = static_cast<std::uint32_t>(members.size());
  members_.insert(members_.end(), members.begin(), members.end());
  const bool group = !hasContent(of.kind);
  row.shared = members.size() > kMaxStrips;
  members.resize(std::min(members.size(), kMaxStrips));
  const auto strips = static_cast<int>(members.size());
  if (!row.shared) row.strips = std::move(members);
  const int levels = group ? std::max(1, strips) : std::max(of.levels, 1);
  double level = levelHeightOf(of.kind);
  if (group && levels > 1) level = std::max(5.0, level / levels);
  row.height = level * levels + kPadding;
  if (const auto requested = heights_.isEmpty() ? heights_.end() : heights_.find(key(track));
      requested != heights_.end())
    row.height = std::clamp(requested.value(), kMinLevel * levels + kPadding,
                            std::max(kMaxHeight, kMinLevel * levels + kPadding));
  row.levelHeight = (row.height - kPadding) / levels;
  y += row.height;
  if (int& first = rowByTrack_[static_cast<std::size_t>(track)]; first < 0)
    first = static_cast<int>(rows_.size());
  rows_.push_back(std::move(row));
}

void TrackLayout::addTree(int track, double& y, bool inFiltered) {
  if (hidden(track)) return;
  const auto i = static_cast<std::size_t>(track);
  const bool filtered = !filter_.isEmpty() && filterIsGood();
  const bool self = filtered && expression_.match(tracks_[i].label).hasMatch();
  if (filtered && !inFiltered && !matches_[i]) return;
  addRow(track, y, false);
  // Tracks that match the filter inside a folded group are shown.
  const bool below = filtered && !inFiltered && !self;
  if (collapsed(track) && !below) return;
  for (const int child : children_[i]) addTree(child, y, inFiltered || self);
}

void TrackLayout::layOut() {
  rows_.clear();
  members_.clear();
  ++generation_;
  rowByTrack_.assign(tracks_.size(), -1);
  if (!filter_.isEmpty() && filterIsGood()) {
    matches_.assign(tracks_.size(), 0);
    for (std::size_t i = tracks_.size(); i-- > 0;) {
      if (expression_.match(tracks_[i].label).hasMatch()) matches_[i] = 1;
      if (matches_[i] && tracks_[i].parent >= 0 && tracks_[i].parent < static_cast<int>(i))
        matches_[static_cast<std::size_t>(tracks_[i].parent)] = 1;
    }
  }
  double y = 0;
  for (const int track : pinned_) addRow(track, y, true);
  pinnedHeight_ = y;
  pinnedRows_ = rows_.size();
  y = 0;
  for (const int root : roots_) addTree(root, y, false);
  scrolledHeight_ = y;
  stretchRows(scale_);
}

void TrackLayout::stretchRows(double by) {
  for (auto i = pinnedRows_; i < rows_.size(); ++i) {
    TrackRow& row = rows_[i];
    row.y *= by;
    row.height *= by;
    row.levelHeight *= by;
    row.inset = kPadding / 2 * std::min(scale_, 1.0);
  }
  scrolledHeight_ *= by;
}

void TrackLayout::setScale(double scale) {
  const double before = std::exchange(scale_, std::clamp(scale, kMinScale, kMaxScale));
  if (scale_ != before) stretchRows(scale_ / before);
}

std::span<const TrackRow> TrackLayout::scrolledRows() const {
  return std::span(rows_).subspan(pinnedRows_);
}

const TrackRow* TrackLayout::rowOf(int track) const {
  for (; track >= 0; track = tracks_[static_cast<std::size_t>(track)].parent)
    if (const int row = rowByTrack_[static_cast<std::size_t>(track)]; row >= 0)
      return &rows_[static_cast<std::size_t>(row)];
  return nullptr;
}

bool TrackLayout::pinned(int track) const {
  return std::find(pinned_.begin(), pinned_.end(), track) != pinned_.end();
}

void TrackLayout::setCollapsed(int track, bool collapsed) {
  if (collapsed)
    collapsed_.insert(track);
  else
    collapsed_.erase(track);
  layOut();
}

void TrackLayout::collapseKind(TrackKind kind, bool collapsed) {
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    if (tracks_[i].kind != kind || children_[i].empty()) continue;
    if (collapsed)
      collapsed_.insert(static_cast<int>(i));
    else
      collapsed_.erase(static_cast<int>(i));
  }
  layOut();
}

void TrackLayout::collapseAll(bool collapsed) {
  collapsed_.clear();
  for (std::size_t i = 0; collapsed && i < tracks_.size(); ++i)
    if (!children_[i].empty() && tracks_[i].kind != TrackKind::Host) collapsed_.insert(static_cast<int>(i));
  layOut();
}

void TrackLayout::setPinned(int track, bool requested) {
  if (requested == pinned(track)) return;
  if (requested)
    pinned_.push_back(track);
  else
    std::erase(pinned_, track);
  layOut();
}

void TrackLayout::setHidden(int track, bool hidden) {
  if (hidden)
    hidden_.insert(track);
  else
    hidden_.erase(track);
  layOut();
}

void TrackLayout::hideKind(TrackKind kind) {
  for (std::size_t i = 0; i < tracks_.size(); ++i)
    if (tracks_[i].kind == kind) hidden_.insert(static_cast<int>(i));
  layOut();
}

void TrackLayout::showAll() {
  hidden_.clear();
  layOut();
}

std::vector<int>& TrackLayout::siblings(int track) {
  const int parent = tracks_[static_cast<std::size_t>(track)].parent;
  return parent >= 0 && parent < track ? children_[static_cast<std::size_t>(parent)] : roots_;
}

// A moved track and all its siblings are stored in their new order; tracks of a later import come after
// them.
void TrackLayout::keepOrder(const std::vector<int>& siblings) {
  for (const int each : siblings) order_.removeAll(key(each));
  for (const int each : siblings) order_ << key(each);
}

bool TrackLayout::move(int track, int steps, bool inPinned) {
  auto& list = inPinned ? pinned_ : siblings(track);
  const auto found = std::find(list.begin(), list.end(), track);
  if (found == list.end()) return false;
  auto at = static_cast<int>(found - list.begin());
  const int step = steps < 0 ? -1 : 1;
  int target = at;
  for (int left = std::abs(steps); left > 0;) { // skips hidden tracks
    target += step;
    if (target < 0 || target >= static_cast<int>(list.size())) return false;
    if (inPinned || !hidden(list[static_cast<std::size_t>(target)])) --left;
  }
  list.erase(list.begin() + at);
  list.insert(list.begin() + target, track);
  if (!inPinned) keepOrder(list);
  layOut();
  return true;
}

void TrackLayout::moveBefore(int track, int sibling) {
  auto& list = siblings(track);
  std::erase(list, track);
  const auto before = std::find(list.begin(), list.end(), sibling);
  list.insert(before, track);
  keepOrder(list);
  layOut();
}

void TrackLayout::setHeight(int track, double height) {
  if (height > 0)
    heights_[key(track)] = height;
  else
    heights_.remove(key(track));
  layOut();
}

bool TrackLayout::setFilter(const QString& filter) {
  filter_ = filter;
  expression_ = QRegularExpression(filter, QRegularExpression::CaseInsensitiveOption);
  layOut();
  return filterIsGood();
}

TrackArrangement TrackLayout::arrangement() const {
  TrackArrangement a = foreign_;
  for (const int track : collapsed_) a.collapsed << key(track);
  for (const int track : pinned_) a.pinned << key(track);
  for (const int track : hidden_) a.hidden << key(track);
  a.order = order_;
  a.heights = heights_;
  a.filter = filter_;
  return a;
}

void TrackLayout::sortChildren() {
  QHash<QString, int> place;
  for (int i = 0; i < order_.size(); ++i) place[order_[i]] = i;
  const auto by_place = [&](int a, int b) {
    const int last = static_cast<int>(order_.size());
    return std::pair(place.value(key(a), last), a) < std::pair(place.value(key(b), last), b);
  };
  std::sort(roots_.begin(), roots_.end(), by_place);
  for (auto& of : children_) std::sort(of.begin(), of.end(), by_place);
}

void TrackLayout::setArrangement(const TrackArrangement& requested) {
  QHash<QString, int> known;
  for (int track = 0; track < static_cast<int>(tracks_.size()); ++track) known[key(track)] = track;
  foreign_ = {};
  collapsed_.clear();
  hidden_.clear();
  pinned_.clear();
  const auto each = [&](const QStringList& names, QStringList& rest, auto&& use) {
    for (const auto& name : names) {
      if (const auto found = known.find(name); found != known.end())
        use(found.value());
      else
        rest << name;
    }
  };
  each(requested.collapsed, foreign_.collapsed, [&](int track) { collapsed_.insert(track); });
  each(requested.hidden, foreign_.hidden, [&](int track) { hidden_.insert(track); });
  each(requested.pinned, foreign_.pinned, [&](int track) {
    if (!pinned(track)) pinned_.push_back(track);
  });
  heights_ = requested.heights;
  order_ = requested.order;
  sortChildren();
  setFilter(requested.filter);
}

} // namespace jitterscope::views
