// The menu of a track and of the view.

#include <QActionGroup>
#include <QLineEdit>
#include <QMenu>
#include <algorithm>

#include "views/base/text.h"
#include "views/timeline/timeline_arrange.h"
#include "views/timeline/timeline_colours.h"

namespace jitterscope::views {

namespace {

QString kindName(TrackKind kind) {
  switch (kind) {
  case TrackKind::Host:
    return Text::tr("hosts");
  case TrackKind::Process:
    return Text::tr("processes");
  case TrackKind::Device:
    return Text::tr("devices");
  case TrackKind::Stream:
    return Text::tr("streams");
  case TrackKind::Copies:
    return Text::tr("copies");
  case TrackKind::Migrations:
    return Text::tr("unified memory");
  case TrackKind::Calls:
    return Text::tr("calls");
  case TrackKind::Ranges:
    return Text::tr("ranges and states");
  case TrackKind::Counter:
    return Text::tr("counters");
  case TrackKind::Active:
    return Text::tr("numbers of active kernels");
  case TrackKind::Collective:
    return Text::tr("collectives");
  case TrackKind::Idle:
    return Text::tr("idle times");
  case TrackKind::MpiCalls:
    return Text::tr("MPI calls");
  case TrackKind::Messages:
    return Text::tr("messages");
  }
  return {};
}

constexpr int kMaxListed = 30; // so that the menu fits on a screen

} // namespace

QMenu* TimelineWidget::makeMenu(int track) {
  auto* menu = new QMenu(this);
  if (track >= 0) addTrackActions(menu, track);
  const TrackLayout& layout = model_.layout();
  menu->addAction(tr("Expand All Tracks"), this,
                  [this] { arrange([](TrackLayout& l) { l.collapseAll(false); }); });
  menu->addAction(tr("Fold All Tracks"), this,
                  [this] { arrange([](TrackLayout& l) { l.collapseAll(true); }); });
  const auto hidden = layout.hiddenTracks();
  auto* show = menu->addMenu(tr("Show Hidden (%1)").arg(hidden.size()));
  show->setEnabled(!hidden.empty());
  show->addAction(tr("All Hidden Tracks\tShift+H"), this,
                  [this] { arrange([](TrackLayout& l) { l.showAll(); }); });
  show->addSeparator();
  for (std::size_t i = 0; i < std::min<std::size_t>(hidden.size(), kMaxListed); ++i)
    show->addAction(layout.key(hidden[i]), this,
                    [this, one = hidden[i]] { arrange([&](TrackLayout& l) { l.setHidden(one, false); }); });
  menu->addAction(tr("Reset Tracks"), this, [this] {
    const auto tracks = model_.tracks();
    filterBox_->clear();
    arrange([&](TrackLayout& l) { l.setTracks(tracks); });
  });
  menu->addSeparator();
  addHeightActions(menu);
  menu->addSeparator();
  addColourActions(menu->addMenu(colourTitle(model_)));
  auto* measure = menu->addAction(tr("Measure\tR"), this, [this] { setMeasuring(!model_.measuring); });
  measure->setCheckable(true);
  measure->setChecked(model_.measuring);
  auto* name = menu->addAction(tr("Name the Selected Range\tN"), this, &TimelineWidget::nameRange);
  name->setEnabled(model_.brush || model_.selectedInterval || model_.selectedBin);
  return menu;
}

void TimelineWidget::addTrackActions(QMenu* menu, int track) {
  const TrackLayout& layout = model_.layout();
  const auto kind = model_.tracks()[static_cast<std::size_t>(track)].kind;
  QString kinds = kindName(kind);
  kinds[0] = kinds[0].toUpper();
  menu->addSection(model_.tracks()[static_cast<std::size_t>(track)].label);
  if (layout.hasChildren(track)) {
    const bool folded = layout.collapsed(track);
    menu->addAction(folded ? tr("Expand\tEnter") : tr("Fold\tEnter"), this, [this, track] { toggle(track); });
    menu->addAction(tr("Expand All %1").arg(kinds), this,
                    [this, kind] { arrange([&](TrackLayout& l) { l.collapseKind(kind, false); }); });
    menu->addAction(tr("Fold All %1").arg(kinds), this,
                    [this, kind] { arrange([&](TrackLayout& l) { l.collapseKind(kind, true); }); });
  }
  menu->addAction(layout.pinned(track) ? tr("Unpin\tP") : tr("Pin Above\tP"), this,
                  [this, track] { arrange([&](TrackLayout& l) { l.setPinned(track, !l.pinned(track)); }); });
  menu->addAction(tr("Hide\tH"), this,
                  [this, track] { arrange([&](TrackLayout& l) { l.setHidden(track, true); }); });
  menu->addAction(tr("Hide All %1").arg(kinds), this,
                  [this, kind] { arrange([&](TrackLayout& l) { l.hideKind(kind); }); });
  menu->addAction(tr("Move Up\tAlt+Up"), this,
                  [this, track] { arrange([&](TrackLayout& l) { l.move(track, -1); }); });
  menu->addAction(tr("Move Down\tAlt+Down"), this,
                  [this, track] { arrange([&](TrackLayout& l) { l.move(track, 1); }); });
  menu->addAction(tr("Default Height"), this,
                  [this, track] { arrange([&](TrackLayout& l) { l.setHeight(track, 0); }); });
  menu->addSeparator();
}

void TimelineWidget::addHeightActions(QMenu* menu) {
  const TrackHeights now = model_.heights();
  const auto add = [&](QMenu* to, const QString& text, bool on, const TrackHeights& requested) {
    auto* action = to->addAction(text, this, [this, requested] { setHeights(requested); });
    action->setCheckable(true);
    action->setChecked(on);
    return action;
  };
  TrackHeights requested = now;
  requested.fit = !now.fit;
  add(menu, tr("Fit All Tracks\tShift+F"), now.fit, requested)->setObjectName(QStringLiteral("timeline.fit"));
  requested = now;
  requested.fit = false;
  requested.scale = 1;
  menu->addAction(tr("Default Track Heights"), this, [this, requested] { setHeights(requested); });
  requested = now;
  requested.overview = !now.overview;
  add(menu, tr("Overview of All Tracks"), now.overview, requested);
  auto* merging = menu->addMenu(tr("Tracks in One Pixel"));
  auto* group = new QActionGroup(merging);
  const std::pair<Merging, QString> kinds[] = {{Merging::Dominant, tr("Dominant Name")},
                                               {Merging::Mean, tr("Mean of the Tracks")},
                                               {Merging::Maximum, tr("Maximum of the Tracks")}};
  for (const auto& [kind, text] : kinds) {
    requested = now;
    requested.merging = kind;
    group->addAction(add(merging, text, now.merging == kind, requested));
  }
}

void TimelineWidget::addColourActions(QMenu* menu) {
  auto* group = new QActionGroup(menu);
  const auto add = [&](QMenu* to, const QString& text, ColourBy by, const QString& column) {
    auto* action = to->addAction(text, this, [this, by, column] { chooseColour(by, column); });
    action->setCheckable(true);
    action->setChecked(model_.colour.by == by && model_.colour.column == column);
    group->addAction(action);
  };
  add(menu, tr("Kernel"), ColourBy::Kernel, {});
  add(menu, tr("Duration Relative to Mean"), ColourBy::RelativeToMean, {});
  add(menu, tr("Stream"), ColourBy::Stream, {});
  if (colourColumns_.empty()) return;
  auto* columns = menu->addMenu(tr("Column"));
  for (const auto& column : colourColumns_) add(columns, column.title, ColourBy::Column, column.name);
}

void TimelineWidget::chooseColour(ColourBy by, const QString& column) {
  if (by == ColourBy::Column) {
    emit colourColumnChosen(column);
    return;
  }
  TimelineColour colour;
  colour.by = by;
  setColour(colour);
  emit arrangementChanged();
}

} // namespace jitterscope::views
