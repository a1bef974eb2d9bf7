// Content requests and track heights of the timeline, with tracks that share rows of pixels and the overview
// of all tracks.

#include <QScrollBar>
#include <algorithm>
#include <utility>

#include "views/timeline/timeline_widget.h"

namespace jitterscope::views {

void TimelineWidget::askContent() {
  const auto window = model_.viewport.window();
  if (std::exchange(windowWasMoved_, false)) emit windowChanged(window, pixelColumns());
  if (auto tracks = model_.requestedTracks(); !tracks.empty())
    emit contentRequested({window, pixelColumns(), std::move(tracks), model_.colour.value()});
  if (auto query = model_.mergedQuery(devicePixelRatioF()); !query.blocks.empty())
    emit mergedRequested(query);
  if (auto query = model_.mapQuery(devicePixelRatioF()); !query.blocks.empty() && query != askedMap_) {
    askedMap_ = query;
    emit mapRequested(query);
  }
}

// True if the content of the visible rows has arrived, for the current window or another one.
bool TimelineWidget::mergedIsComplete() const {
  const MergedQuery& have = model_.merged().query;
  const double scale = model_.layout().scale(), top = model_.scroll() / scale,
               bottom = (model_.scroll() + model_.scrolledRect().height()) / scale;
  if (!model_.merges()) {
    const auto blocks = model_.mergedQuery(devicePixelRatioF()).blocks;
    return blocks.empty() || (have.generation == model_.layout().generation() &&
                              std::ranges::all_of(blocks, [&](const MergedBlock& block) {
                                return std::ranges::find(have.blocks, block) != have.blocks.end();
                              }));
  }
  if (have.generation != model_.layout().generation() || have.blocks.empty()) return false;
  const MergedBlock& block = have.blocks.front();
  const double pixel = (block.bottom - block.top) / static_cast<double>(block.rows.size());
  constexpr double kSlack = 1; // in layout units: one pixel at scale 1
  return block.top <= top + kSlack &&
         block.bottom >= std::min(bottom, model_.layout().scrolledHeight() / scale) - kSlack / scale &&
         pixel * scale * devicePixelRatioF() < 1.05;
}

void TimelineWidget::setMerged(MergedCells cells) {
  if (cells.query.generation != model_.layout().generation()) return;
  model_.setMerged(std::move(cells));
  setMessage(QString());
  mergedStale_ = true;
  update();
  emit mergedArrived();
}

void TimelineWidget::setMap(MergedCells cells) {
  if (cells.query.generation != model_.layout().generation()) return;
  model_.setMap(std::move(cells));
  mapStale_ = true;
  update();
  emit mapArrived();
}

void TimelineWidget::setHeights(const TrackHeights& heights) {
  if (heights == model_.heights()) return;
  model_.setHeights(heights);
  updateScrollBar();
  contentChanged();
  if (!requestTimer_.isActive() && !model_.empty()) requestTimer_.start();
  emit arrangementChanged();
}

void TimelineWidget::scaleHeights(double factor, double y) {
  hideHoverCard();
  model_.scaleHeights(factor, y);
  updateScrollBar();
  contentChanged();
  ensureContent();
  emit arrangementChanged();
}

void TimelineWidget::fitAllTracks() {
  TrackHeights heights = model_.heights();
  heights.fit = true;
  setHeights(heights);
}

} // namespace jitterscope::views
