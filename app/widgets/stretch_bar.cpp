#include "app/widgets/stretch_bar.h"

#include <QLabel>
#include <QToolButton>
#include <algorithm>

#include "views/base/flow_layout.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

constexpr std::size_t kMaxButtons = 12;
constexpr double kSparse = 0.2; ///< maximum share of the span covered by stretches for which the bar is shown

} // namespace

Nanoseconds length_of(const std::vector<Interval>& stretches) {
  Nanoseconds sum{0};
  for (const auto& each : stretches) sum.count += each.length().count;
  return sum;
}

StretchBar::StretchBar(QWidget* parent)
    : QFrame(parent), words_(new QLabel(this)), row_(new views::FlowLayout(6)) {
  setObjectName("stretchBar");
  row_->setContentsMargins(10, 3, 6, 3);
  words_->setContentsMargins(0, 4, 0, 4);
  row_->addWidget(words_);
  setLayout(row_);
  hide();
}

void StretchBar::set_stretches(std::vector<Interval> stretches, Interval span) {
  stretches_ = std::move(stretches);
  qDeleteAll(buttons_);
  buttons_.clear();
  const double filled = span.empty() ? 1
                                     : static_cast<double>(length_of(stretches_).count) /
                                           static_cast<double>(span.length().count);
  if (stretches_.size() < 2 || filled > kSparse) return hide();
  words_->setText(tr("Launches run in %1 stretches that cover %2 % of the axis:")
                      .arg(stretches_.size())
                      .arg(QString::number(100 * filled, 'g', 2)));
  words_->setToolTip(tr("Stretches are separated by gaps without launches that are longer than 2 % of the "
                        "axis. E goes to the next "
                        "stretch and Shift+E to the previous stretch; Home shows the whole axis."));
  for (std::size_t i = 0; i < stretches_.size() && i < kMaxButtons; ++i) {
    auto* button = new QToolButton(this);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    const Interval stretch = stretches_[i];
    const QString at =
        views::formatPlace(stretch.begin, Nanoseconds{std::max<std::int64_t>(span.length().count / 1'000, 1)},
                           views::AxisUnit::Time);
    button->setText(tr("at %1: %2").arg(at, views::formatLength(stretch.length(), views::AxisUnit::Time)));
    button->setToolTip(tr("Stretch %1: starts at %2 and lasts %3")
                           .arg(i + 1)
                           .arg(at, views::formatLength(stretch.length(), views::AxisUnit::Time)));
    connect(button, &QToolButton::clicked, this, [this, stretch] { emit requested(stretch); });
    row_->addWidget(button);
    button->show();
    buttons_.append(button);
  }
  show();
}

void StretchBar::set_window(Interval window) {
  for (qsizetype i = 0; i < buttons_.size(); ++i) {
    const Interval& stretch = stretches_[static_cast<std::size_t>(i)];
    const bool is_visible = window.begin < stretch.end && stretch.begin < window.end;
    const auto others = std::count_if(stretches_.begin(), stretches_.end(), [&](const Interval& each) {
      return window.begin < each.end && each.begin < window.end;
    });
    static_cast<QToolButton*>(buttons_[i])->setChecked(is_visible && others == 1);
  }
}

const Interval* StretchBar::next(Interval window) const {
  const bool all = std::all_of(stretches_.begin(), stretches_.end(), [&](const Interval& each) {
    return window.begin <= each.begin && each.end <= window.end;
  });
  for (const auto& each : stretches_) // if all stretches are visible, the first stretch
    if (all || each.begin >= window.end) return &each;
  return nullptr;
}

const Interval* StretchBar::previous(Interval window) const {
  const bool all = std::all_of(stretches_.begin(), stretches_.end(), [&](const Interval& each) {
    return window.begin <= each.begin && each.end <= window.end;
  });
  for (auto each = stretches_.rbegin(); each != stretches_.rend(); ++each)
    if (all || each->end <= window.begin) return &*each;
  return nullptr;
}

} // namespace jitterscope::app
