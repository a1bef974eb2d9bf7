#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <memory>

#include "app/controllers/efficiency_text.h"
#include "app/session/reference_run.h"
#include "app/session/session_controller.h"
#include "core/engine/messages/efficiency_options.h"
#include "views/efficiency/efficiency_data.h"

class QMenu;

namespace jitterscope::views {
class EfficiencyWidget;
}

namespace jitterscope::app {

/// Supplies the efficiency view: requests the brushed range, the selected bin or the visible range while the
/// view is visible; a click zooms to the interval and row with the largest cost.
class EfficiencyController : public QObject {
  Q_OBJECT

public:
  EfficiencyController(SelectionHub& hub, SessionController& session, views::EfficiencyWidget* view,
                       QObject* parent = nullptr);

  /// Adds the actions of the view's context menu: efficiencies as columns of launches.
  void fill_menu(QMenu* menu);
  /// Compares with a file; empty: with no run.
  void set_reference_file(const QString& file);

  /// Choices stored in a session: collectives, ranks, devices, ideal time, reference run, granularity.
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);

signals:
  void changed(); ///< of state()
  /// Request to scroll a device's or thread's track into view.
  void track_requested(std::uint32_t track);

private:
  void session_opened();
  void hub_changed(const SelectionState& now, const SelectionState& before);
  void ask();
  void ask_as_chosen();
  void go_to_factor(int factor);
  void go_to_row(int row);
  void go_to_part(int part);
  void ask_timeline();
  void set_columns(nlohmann::json windows);
  /// The chosen collectives, ranks and devices. Errors: BadUse for a bad list.
  Expected<engine::EfficiencyOptions> chosen_options() const;
  QStringList choices() const;
  void limit_rows();
  void read_ideal_time();
  Expected<void> add_run(engine::EfficiencyOptions& options) const;
  void choose_reference(int entry);
  void fill_references();
  /// Asks for the sums of the reference run, with which `options` are completed for ask_about().
  void ask_reference(const engine::EfficiencyOptions& options, const QString& words, int asked);
  void ask_about(const engine::EfficiencyOptions& options, const QString& words, int asked,
                 const nlohmann::json& reference);
  void refuse(const Error& error, int asked);
  bool eventFilter(QObject* watched, QEvent* event) override;

  SelectionHub& hub_;
  SessionController& session_;
  views::EfficiencyWidget* view_;
  bool useful_ = false;     ///< collectives count as useful
  QString ranks_, devices_; ///< lists of ranks and devices as asked last
  QString ideal_;           ///< elapsed time on an ideal network as asked last; empty: unknown
  QString reference_trace_; ///< trace of the session that is the reference run; empty: none
  ReferenceRun reference_;  ///< reference run in a file
  bool stale_ = true;       ///< true if the view shows a range other than the hub's
  int asked_ = 0;           ///< counts ask(): answers to earlier calls are dropped
  QTimer timer_, timeline_timer_;
  std::vector<std::string> factors_;       ///< ids of the factors that are shown
  std::vector<std::string> parts_factors_; ///< the same of the timeline that is shown
  QStringList parts_choices_;              ///< choices() of that timeline
};

/// Range of the efficiencies in words, and in time: what is brushed and in the selected bin, else the visible
/// range; nullopt: all activity, which also a visible range means that covers all launches or all events.
std::pair<std::optional<Interval>, QString>
efficiency_range(const SelectionState& state, const Interval& launch_span, const Interval& span);

/// Converts a timeline answer of the operation "efficiency" to parts, for these factors.
std::vector<views::EfficiencyPart> efficiency_parts_of(const nlohmann::json& document,
                                                       const std::vector<std::string>& factors);

/// Converts an answer of the operation "efficiency" for the view.
views::EfficiencyData efficiency_data_of(const nlohmann::json& document, const QString& range_text,
                                         efficiency_text::Advice advice = efficiency_text::Advice::Window);

} // namespace jitterscope::app
