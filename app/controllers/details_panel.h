#pragma once

#include <QTextBrowser>
#include <QWidget>
#include <functional>
#include <optional>

#include "app/controllers/details_html.h"
#include "app/session/selection_hub.h"
#include "app/session/session_controller.h"
#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/launch_answers.h"
#include "views/base/view_style.h"

class QMenu;
class QToolButton;

namespace jitterscope::views {
class TimelineWidget;
}

namespace jitterscope::engine {
struct EventOptions;
} // namespace jitterscope::engine

namespace jitterscope::app {

/// Details of the selection: a launch with the contribution of each cause and the share of its peers that are
/// shorter, else an event of the timeline or a bin; with possible actions. Requests the details of a selected
/// launch only while visible.
class DetailsPanel : public QWidget {
  Q_OBJECT

public:
  DetailsPanel(SelectionHub& hub, SessionController& session, views::TimelineWidget& timeline,
               QWidget* parent = nullptr);

  void set_style(const views::ViewStyle& style);
  /// Sets the function that describes a bin by its index.
  void set_bin_text(std::function<QString(std::uint32_t)> text) { bin_text_ = std::move(text); }
  /// Shows a copy, call or range of the timeline.
  void show_event(std::uint32_t track, std::uint64_t row, Interval interval);
  /// Shows the selected launch again, after one of its copies or calls.
  void show_launch();
  /// Shows the sample of a counter's track at this time.
  void show_sample(std::uint32_t track, Nanoseconds time);
  /// Menu of actions on the selected launch or the shown event. The caller owns it.
  QMenu* make_menu(QWidget* parent);
  static QPalette palette_of(const views::ViewStyle& style);
  /// Copies the current content to `other`, where later selections do not change it.
  void copy_to(QTextBrowser& other) const;
  QString text() const { return browser_->toPlainText(); }
  QTextBrowser* browser() { return browser_; }

signals:
  void reveal_requested(std::uint32_t track, jitterscope::Interval interval);
  void partner_requested();
  void reported(const QString& text);

protected:
  void showEvent(QShowEvent* event) override;

private:
  struct Event {
    std::uint32_t track = 0;
    std::uint64_t row = 0; ///< for samples: the requested time
    Interval interval;
    bool sample = false;
    std::optional<engine::answers::EventAnswer> details; ///< answer of the engine, once it arrived
  };

  void changed(const SelectionState& now, const SelectionState& before);
  void forget_launch();
  void ask();
  void ask_event(const engine::EventOptions& question);
  void show();
  QString launch_html() const;
  QString excess_html() const;
  QImage histogram() const;
  /// Calls use() with the details of the selected launch, immediately or when they arrive.
  void with_launch(std::function<void(const engine::answers::LaunchAnswer&)> use);
  void next_slower(const engine::answers::LaunchAnswer& launch);
  void follow(const QString& link);
  void go_to(const LinkedEvent& linked);
  void add_note(Interval interval);
  QString event_name() const;

  SelectionHub& hub_;
  SessionController& session_;
  views::TimelineWidget& timeline_;
  QTextBrowser* browser_;
  QToolButton* actions_;
  views::ViewStyle style_ = views::ViewStyle::light();
  std::function<QString(std::uint32_t)> bin_text_;
  std::optional<Event> event_;
  std::optional<engine::answers::LaunchAnswer> launch_; ///< the selected launch, once it arrived
  std::optional<engine::answers::LaunchLinksAnswer> links_;
  std::optional<engine::answers::LaunchExcessAnswer> excess_;
  QString no_excess_; ///< reason for a missing excess
};

} // namespace jitterscope::app
