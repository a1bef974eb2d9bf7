#include "app/controllers/details_panel.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QImage>
#include <QInputDialog>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/controllers/details_html.h"
#include "app/controllers/details_text.h"
#include "app/engine/group_filter.h"
#include "app/engine/typed_answers.h"
#include "core/causal/base/wording.h"
#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/launch_answers.h"
#include "core/engine/messages/launch_options.h"
#include "core/engine/messages/table_answers.h"
#include "core/engine/messages/table_options.h"
#include "views/base/format.h"
#include "views/timeline/timeline_widget.h"

namespace jitterscope::app {

namespace {

QString signed_time(double ns) {
  return (ns < 0 ? QStringLiteral("−") : QStringLiteral("+")) + views::formatDuration(std::abs(ns), 3);
}

} // namespace

DetailsPanel::DetailsPanel(SelectionHub& hub, SessionController& session, views::TimelineWidget& timeline,
                           QWidget* parent)
    : QWidget(parent), hub_(hub), session_(session), timeline_(timeline), browser_(new QTextBrowser(this)),
      actions_(new QToolButton(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(actions_, 0, Qt::AlignLeft);
  layout->addWidget(browser_, 1);
  browser_->setFrameShape(QFrame::NoFrame);
  browser_->setOpenLinks(false);
  browser_->setAccessibleName(tr("Details of the selection"));
  connect(browser_, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) { follow(url.toString()); });
  actions_->setText(tr("Actions"));
  actions_->setPopupMode(QToolButton::InstantPopup);
  actions_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  auto* menu = new QMenu(actions_);
  actions_->setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] {
    menu->clear();
    auto* made = make_menu(menu);
    menu->addActions(made->actions());
  });
  connect(&hub_, &SelectionHub::changed, this, &DetailsPanel::changed);
  connect(&session_, &SessionController::opened, this, [this] {
    event_.reset();
    forget_launch();
    show();
  });
  connect(&session_, &SessionController::repeated, this, [this] {
    if (event_ && !event_->details)
      event_->sample ? show_sample(event_->track, event_->interval.begin)
                     : show_event(event_->track, event_->row, event_->interval);
    else if (isVisible() && !launch_)
      ask();
  });
  show();
}

void DetailsPanel::set_style(const views::ViewStyle& style) {
  style_ = style;
  const QPalette palette = palette_of(style);
  setPalette(palette);
  setAutoFillBackground(true);
  browser_->setPalette(palette);
  browser_->setFont(style.font());
  show();
}

QPalette DetailsPanel::palette_of(const views::ViewStyle& style) {
  QPalette palette;
  for (const auto role : {QPalette::Base, QPalette::Window}) palette.setColor(role, style.background);
  for (const auto role : {QPalette::Text, QPalette::WindowText}) palette.setColor(role, style.text);
  palette.setColor(QPalette::Link, style.focus);
  return palette;
}

void DetailsPanel::copy_to(QTextBrowser& other) const {
  other.document()->addResource(QTextDocument::ImageResource, QUrl("histogram"), histogram());
  other.setHtml(browser_->toHtml());
}

void DetailsPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!launch_) ask();
}

void DetailsPanel::forget_launch() {
  launch_.reset();
  links_.reset();
  excess_.reset();
}

void DetailsPanel::changed(const SelectionState& now, const SelectionState& before) {
  if (now.launch == before.launch && now.bin == before.bin) return;
  if (now.launch != before.launch) {
    event_.reset();
    forget_launch();
    if (isVisible()) ask();
  }
  show();
}

void DetailsPanel::show_launch() {
  event_.reset();
  show();
}

void DetailsPanel::show_event(std::uint32_t track, std::uint64_t row, Interval interval) {
  event_ = Event{track, row, interval, false, {}};
  ask_event({.track = track, .row = static_cast<std::int64_t>(row)});
}

void DetailsPanel::show_sample(std::uint32_t track, Nanoseconds time) {
  event_ = Event{track, static_cast<std::uint64_t>(time.count), {time, time + Nanoseconds{1}}, true, {}};
  ask_event({.track = track, .time_ns = time.count});
}

void DetailsPanel::ask_event(const engine::EventOptions& question) {
  const auto same = [this, track = event_->track, row = event_->row] {
    return event_ && event_->track == track && event_->row == row;
  };
  session_.ask(question, tr("Details"), reading([this, same](const engine::answers::EventAnswer& answer) {
                 if (!same()) return;
                 event_->details = answer;
                 if (event_->sample) event_->interval.begin = {answer.begin_ns};
                 show();
               }));
  show();
}

// Answers to an earlier selection are dropped, recognised by their row.
void DetailsPanel::ask() {
  const auto& chosen = hub_.state().launch;
  if (!chosen || !session_.has_session()) return;
  no_excess_.clear();
  const auto requested = [this](std::uint64_t row) {
    return hub_.state().launch && hub_.state().launch->row == row;
  };
  const auto number = static_cast<std::int64_t>(chosen->row);
  session_.ask({engine::LaunchOptions{.row = number}, "details"}, tr("Details"),
               reading([this, requested, row = chosen->row](const engine::answers::LaunchAnswer& answer) {
                 if (!requested(row)) return;
                 launch_ = answer;
                 show();
               }));
  session_.ask(
      engine::LaunchLinksOptions{.row = number}, tr("Linked events"),
      reading([this, requested, row = chosen->row](const engine::answers::LaunchLinksAnswer& answer) {
        if (!requested(row)) return;
        links_ = answer;
        show();
      }));
  if (session_.launch_order()) return;
  session_.ask(
      engine::LaunchExcessOptions{.row = number}, tr("Excess time of the launch"),
      reading([this, requested, row = chosen->row](const engine::answers::LaunchExcessAnswer& answer) {
        if (!requested(row)) return;
        excess_ = answer;
        show();
      }),
      [this, requested, row = chosen->row](const Error& error) {
        if (!requested(row)) return;
        no_excess_ = QString::fromStdString(error.message);
        show();
      });
}

QString DetailsPanel::event_name() const {
  if (!event_) return {};
  if (event_->details) return QString::fromStdString(event_->details->name);
  return event_text(timeline_.model(), event_->track, event_->row).section('\n', 0, 0);
}

void DetailsPanel::show() {
  const auto& state = hub_.state();
  actions_->setEnabled(event_ || state.launch);
  if (event_)
    return browser_->setHtml(event_->details
                                 ? event_html(*event_->details, event_->sample)
                                 : lines_html(event_text(timeline_.model(), event_->track, event_->row)));
  if (state.launch && launch_) {
    browser_->document()->addResource(QTextDocument::ImageResource, QUrl("histogram"), histogram());
    return browser_->setHtml(launch_html());
  }
  if (state.launch) return browser_->setHtml(tr("Waiting for the engine …"));
  if (state.bin && bin_text_)
    return browser_->setHtml("<p>" + bin_text_(state.bin->index).toHtmlEscaped().replace('\n', "<br>") +
                             "</p>");
  browser_->setHtml(
      tr("<p>Click a launch, a copy, a call, a range, a counter or a bin to see its attributes here.</p>"));
}

QString DetailsPanel::launch_html() const {
  QString html = "<h3>" + QString::fromStdString(launch_->name).toHtmlEscaped() + "</h3>";
  html += "<p><a href='before'>" + tr("◂ previous on its stream") + "</a> &nbsp; <a href='after'>" +
          tr("next ▸") + "</a>";
  if (const auto& call = launch_->call)
    html += " &nbsp; <a href='call'>" +
            tr("its call: %1").arg(QString::fromStdString(call->name)).toHtmlEscaped() + "</a>";
  html += "</p>" + excess_html() + (links_ ? links_html(*links_) : QString()) + "<h4>" + tr("Attributes") +
          "</h4><table>";
  QStringList lines = launch_card(*launch_, true).split('\n');
  lines.removeFirst();
  for (const auto& line : lines) html += row_html(line.section('\t', 0, 0), line.section('\t', 1));
  return html + "</table>";
}

// Lines such as "+15 µs ± 0.4 µs of +18 µs: migration, 64 KiB".
QString DetailsPanel::excess_html() const {
  if (!no_excess_.isEmpty())
    return "<p>" + (no_excess_.left(1).toUpper() + no_excess_.mid(1) + '.').toHtmlEscaped() + "</p>";
  if (!excess_) return {};
  const double typical = excess_->typical_ns, excess = excess_->duration_ns - typical;
  const QString comparison =
      excess_->waits
          ? tr("This launch is %1 %2 than typical (%3, the median of the configuration and call site without "
               "waiting for other devices). With waiting, it is longer than %4 of the %5 others.")
          : tr("This launch is %1 %2 than typical (%3, the median of the configuration and call site). It is "
               "longer than %4 of the %5 others.");
  QString html = "<p>" +
                 comparison
                     .arg(views::formatDuration(std::abs(excess), 3),
                          excess < 0 ? tr("shorter") : tr("longer"), views::formatDuration(typical),
                          QString::fromStdString(causal::share_in_words(100 * excess_->rank)),
                          views::formatCount(static_cast<std::uint64_t>(excess_->peers)))
                     .toHtmlEscaped() +
                 "</p>";
  html += "<p><a href='help:moment#individual-launches'>" + tr("How was this computed?") + "</a></p>";
  if (!excess_->counts.empty()) html += "<p><img src='histogram'></p>";
  html += "<table>";
  const auto of_excess = [excess](const QString& part) {
    return tr("%1 of %2").arg(part, signed_time(excess));
  };
  for (const auto& part : excess_->parts) {
    const double ns = part.ns, error = part.error_ns;
    if (std::abs(ns) < 0.005 * std::abs(excess)) continue;
    const QString value = QString::fromStdString(part.value);
    const QString range =
        error > 0 ? QString(" ± %1").arg(views::formatDuration(1.96 * error, 2)) : QString();
    html += row_html(of_excess(signed_time(ns) + range),
                     QString::fromStdString(part.label) + (value.isEmpty() ? QString() : ", " + value));
  }
  return html + row_html(of_excess(signed_time(excess_->unexplained_ns)), tr("not explained")) +
         "</table><p></p>";
}

// Histogram of the durations of the launch's peers, with the launch marked.
QImage DetailsPanel::histogram() const {
  constexpr int kWidth = 320, kHeight = 70, kText = 16;
  const double ratio = devicePixelRatioF();
  QImage image(static_cast<int>(kWidth * ratio), static_cast<int>(kHeight * ratio),
               QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(ratio);
  image.fill(style_.background);
  if (!excess_ || excess_->counts.empty() || excess_->edges.size() != excess_->counts.size() + 1)
    return image;
  const auto& counts = excess_->counts;
  const auto& edges = excess_->edges;
  QPainter painter(&image);
  const double plot = kHeight - kText,
               maximum = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  const double wide = static_cast<double>(kWidth) / static_cast<double>(counts.size());
  const auto x_of = [&](double ns) {
    return std::clamp((ns - edges.front()) / (edges.back() - edges.front()), 0.0, 1.0) * kWidth;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const double height = std::max(1.0, std::sqrt(static_cast<double>(counts[i]) / maximum) * (plot - 4));
    painter.fillRect(QRectF(static_cast<double>(i) * wide, plot - height, wide - 1, height), style_.quiet);
  }
  const double own = x_of(excess_->duration_ns);
  painter.fillRect(QRectF(std::clamp(own - 1, 0.0, kWidth - 2.0), 0, 2, plot), style_.accent);
  painter.setFont(style_.font(views::FontRole::Small));
  painter.setPen(style_.mutedText);
  const QRectF below(0, plot, kWidth, kText);
  painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, views::formatDuration(edges.front(), 3));
  painter.drawText(below, Qt::AlignHCenter | Qt::AlignVCenter, tr("durations of peers"));
  painter.drawText(below, Qt::AlignRight | Qt::AlignVCenter, views::formatDuration(edges.back(), 3));
  return image;
}

void DetailsPanel::with_launch(std::function<void(const engine::answers::LaunchAnswer&)> use) {
  const auto& chosen = hub_.state().launch;
  if (!chosen) return;
  if (launch_) return use(*launch_);
  session_.ask({engine::LaunchOptions{.row = static_cast<std::int64_t>(chosen->row)}, "action"},
               tr("Details"),
               reading([use = std::move(use)](const engine::answers::LaunchAnswer& launch) { use(launch); }));
}

void DetailsPanel::follow(const QString& link) {
  if (link.startsWith("help:")) return QDesktopServices::openUrl(QUrl(link)), void();
  if (link == "before") return emit timeline_.stepRequested(views::StepBy::Stream, -1);
  if (link == "after") return emit timeline_.stepRequested(views::StepBy::Stream, 1);
  if (const auto linked = linked_event(link)) return go_to(*linked);
  with_launch([this](const engine::answers::LaunchAnswer& launch) {
    const auto& call = launch.call;
    if (!call) return emit reported(tr("No call is recorded for this launch."));
    const Nanoseconds start{call->start_ns};
    emit reveal_requested(call->track,
                          {start, start + Nanoseconds{std::max<std::int64_t>(call->duration_ns, 1)}});
  });
}

void DetailsPanel::go_to(const LinkedEvent& linked) {
  if (linked.launch) {
    SelectionState state = hub_.state();
    state.launch = LaunchChoice{linked.track, linked.row, linked.interval};
    if (state.launch == hub_.state().launch) { // its copy or call is shown
      timeline_.setSelection(linked.track, linked.row, linked.interval);
      emit timeline_.launchClicked(linked.track, linked.row, linked.interval);
    }
    hub_.apply(state);
  } else {
    timeline_.setSelection(linked.track, linked.row, linked.interval);
    show_event(linked.track, linked.row, linked.interval);
  }
  emit reveal_requested(linked.track, linked.interval);
}

// Adds a named range, so that it is listed, edited and stored with the other marks.
void DetailsPanel::add_note(Interval interval) {
  bool accepted = false;
  const auto text =
      QInputDialog::getText(this, tr("Add a Note"), tr("Note:"), QLineEdit::Normal, {}, &accepted).trimmed();
  if (!accepted || text.isEmpty()) return;
  auto ranges = timeline_.model().ranges;
  ranges.push_back({interval, text});
  timeline_.setRanges(std::move(ranges));
  emit timeline_.marksChanged();
}

void DetailsPanel::next_slower(const engine::answers::LaunchAnswer& launch) {
  if (!launch.duration_ns) return;
  const auto where = QString("kernel = %1 and duration > %2").arg(launch.kernel).arg(*launch.duration_ns);
  session_.ask({engine::LaunchesOptions{
                    .where = where.toStdString(), .sort = "duration", .count = 1, .columns = {"duration"}},
                "slower"},
               tr("Next slower launch"), reading([this](const engine::answers::LaunchesAnswer& answer) {
                 const auto& rows = answer.numbers;
                 if (rows.empty()) return emit reported(tr("This is the slowest launch of its kernel."));
                 session_.ask({engine::LaunchOptions{.row = rows.front()}, "slower"},
                              tr("Next slower launch"),
                              reading([this](const engine::answers::LaunchAnswer& found) {
                                SelectionState state = hub_.state();
                                state.launch = choice_of(found);
                                hub_.apply(state);
                                emit reveal_requested(state.launch->track, state.launch->interval);
                              }));
               }));
}

QMenu* DetailsPanel::make_menu(QWidget* parent) {
  auto* menu = new QMenu(parent);
  if (event_) {
    const auto name = event_name();
    const auto interval = event_->interval;
    menu->addAction(tr("&Zoom to Event"), this,
                    [this, track = event_->track, interval] { emit reveal_requested(track, interval); });
    menu->addAction(tr("&Copy the Name"), this, [name] { QGuiApplication::clipboard()->setText(name); });
    menu->addAction(tr("Set a &Mark at the Start"), this,
                    [this, interval] { emit timeline_.flagRequested(interval.begin); });
    menu->addAction(tr("Add a &Note…"), this, [this, interval] { add_note(interval); });
    return menu;
  }
  const auto filter = [this](auto&& change) {
    with_launch([this, change](const engine::answers::LaunchAnswer& launch) {
      SelectionState state = hub_.state();
      change(state, launch);
      hub_.apply(state);
    });
  };
  menu->addAction(tr("Filter to This &Kernel"), this, [filter] {
    filter([](SelectionState& state, const engine::answers::LaunchAnswer& launch) {
      state.kernels = {launch.kernel};
    });
  });
  menu->addAction(tr("Filter to This Con&figuration"), this, [filter] {
    filter([](SelectionState& state, const engine::answers::LaunchAnswer& launch) {
      for (const auto& field : launch.fields)
        if (field.name == "configuration")
          state.where = with_condition(state.where, "configuration",
                                       QString("configuration = %1").arg(field.value, 0, 'f', 0));
    });
  });
  menu->addSeparator();
  menu->addAction(tr("Go to the C&all"), this, [this] { follow("call"); });
  menu->addAction(tr("&Next Slower Launch of the Kernel"), this, [this] {
    with_launch([this](const engine::answers::LaunchAnswer& launch) { next_slower(launch); });
  });
  menu->addAction(tr("Previous on the &Stream"), this, [this] { follow("before"); });
  menu->addAction(tr("Next on the S&tream"), this, [this] { follow("after"); });
  menu->addAction(tr("The Same Collective on the Next &Device"), this, &DetailsPanel::partner_requested);
  menu->addSeparator();
  menu->addAction(tr("&Copy the Name"), this, [this] {
    with_launch([](const engine::answers::LaunchAnswer& launch) {
      QGuiApplication::clipboard()->setText(QString::fromStdString(launch.name));
    });
  });
  menu->addAction(tr("Set a &Mark at the Start"), this, [this] {
    if (const auto& launch = hub_.state().launch) emit timeline_.flagRequested(launch->interval.begin);
  });
  menu->addAction(tr("Add a &Note…"), this, [this] {
    if (const auto& launch = hub_.state().launch) add_note(launch->interval);
  });
  return menu;
}

} // namespace jitterscope::app
