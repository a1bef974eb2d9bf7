#include "app/window/views/bins_panel.h"

#include <QComboBox>
#include <QLineEdit>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/engine/engine_questions.h"
#include "app/engine/time_text.h"
#include "app/session/column_choices.h"
#include "app/session/session_controller.h"
#include "app/widgets/message_bar.h"
#include "app/window/spec/choice_row.h"
#include "views/bins/bins_widget.h"

namespace jitterscope::app {
namespace {

// Largest unit that needs no fraction, so that typing the text gives the same width.
QString width_text(std::int64_t width, bool launches) {
  if (launches) return QString::number(width);
  const char* unit = "ns";
  for (const char* larger : {"us", "ms", "s"})
    if (width % 1'000 == 0)
      width /= 1'000, unit = larger;
    else
      break;
  return QString::number(width) + unit;
}

} // namespace

BinsPanel::BinsPanel(SessionController& session, MessageBar& messages, views::BinsWidget& bins,
                     QWidget* parent)
    : QWidget(parent), session_(session), messages_(messages),
      metric_(choice_box(this, tr("Metric that is summarised per bin"), {})),
      rank_by_(choice_box(this, tr("Statistic that ranks the bins"),
                          {{tr("sum"), "sum"},
                           {tr("variance"), "variance"},
                           {tr("CV"), "cv"},
                           {tr("IQR"), "iqr"},
                           {tr("max"), "max"},
                           {tr("mean"), "mean"}})),
      width_(new QLineEdit(this)), top_(new QLineEdit(this)) {
  add_widgets(bins);
  for (auto* box : {metric_, rank_by_}) connect(box, &QComboBox::activated, this, &BinsPanel::choose);
  for (auto* edit : {width_, top_}) connect(edit, &QLineEdit::returnPressed, this, &BinsPanel::choose);
  connect(&bins, &views::BinsWidget::keptCountChosen, this, [this](std::uint32_t count) {
    top_->setText(QString::number(count));
    choose();
  });
}

void BinsPanel::add_widgets(views::BinsWidget& bins) {
  width_->setPlaceholderText(tr("2,000 bins"));
  width_->setToolTip(tr("Length of a bin, e.g. 10ms; empty: the width that gives 2,000 bins"));
  top_->setPlaceholderText(tr("top 1 %"));
  top_->setToolTip(
      tr("Bins to keep: a share like 5% or a number like 30; empty: 1 %, at least 20. The dashed line "
         "over the strip can be dragged too."));
  width_->setFixedWidth(width_->fontMetrics().horizontalAdvance(tr("2,000 bins")) + 16);
  top_->setFixedWidth(top_->fontMetrics().horizontalAdvance(tr("top 10 %")) + 16);
  add_with_choices(this, {metric_, rank_by_, width_, top_}, &bins);
}

void BinsPanel::fill() {
  const auto& bins = session_.bin_choices();
  const bool launches = session_.launch_order();
  fill_box(metric_, metric_choices(session_), QString::fromStdString(bins.metric));
  rank_by_->setCurrentIndex(std::max(rank_by_->findData(QString::fromStdString(bins.rank_by)), 0));
  show_width();
  top_->setText(bins.top_count > 0                         ? QString::number(bins.top_count)
                : bins.top_share != BinChoices().top_share ? QString("%1%").arg(100 * bins.top_share)
                                                           : QString());
  width_->setPlaceholderText(launches ? tr("automatic") : tr("2,000 bins"));
  width_->setToolTip(launches ? tr("Number of launches in a bin, e.g. 20; empty: about a hundred bins")
                              : tr("Length of a bin, e.g. 10ms; empty: the width that gives 2,000 bins"));
}

void BinsPanel::choose() {
  BinChoices requested;
  requested.metric = metric_->currentData().toString().toStdString();
  requested.rank_by = rank_by_->currentData().toString().toStdString();
  if (const QString width = width_->text().trimmed(); !width.isEmpty()) {
    const auto time = parse_time(width.toStdString(), "width");
    if (!time || *time <= 0)
      return refuse(session_.launch_order()
                        ? tr("\"%1\" is not a number of launches. Example: 20.").arg(width)
                        : tr("\"%1\" is not a length of time. Examples: 10ms, 250us.").arg(width));
    requested.width_ns = *time;
  }
  if (QString top = top_->text().trimmed(); !top.isEmpty()) {
    const bool share = top.endsWith('%');
    if (share) top.chop(1);
    bool number = false;
    const double value = top.trimmed().toDouble(&number);
    if (!number || value <= 0 || (share && value > 100) || (!share && value != std::floor(value)))
      return refuse(
          tr("\"%1\" is neither a share nor a number of bins. Examples: 5%, 30.").arg(top_->text()));
    if (share)
      requested.top_share = value / 100;
    else
      requested.top_count = static_cast<std::int64_t>(value);
  }
  messages_.forget_error(operation_text<engine::BinsOptions>());
  session_.set_bin_choices(requested);
  show_width();
}

// With its unit, also if it was typed without one.
void BinsPanel::show_width() {
  const auto width = session_.bin_choices().width_ns;
  width_->setText(width > 0 ? width_text(width, session_.launch_order()) : QString());
}

void BinsPanel::refuse(const QString& text) {
  messages_.error(tr("Bins"), text, operation_text<engine::BinsOptions>());
}

} // namespace jitterscope::app
