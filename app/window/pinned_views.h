#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <memory>
#include <vector>

#include "app/session/session_controller.h"
#include "views/base/view_style.h"

class QDockWidget;
class QMainWindow;

namespace jitterscope::app {

class CursorTime;
class WindowViews;

enum class PinnedKind {
  Timeline,
  Distribution,
  HeatMap,
  Kernels,
  Launches,
  Bins,
  Causal,
  Parallel,
  Evidence,
  WhatIf,
  Area,
  Knowledge,
  Marks,
  Activity,
  Details,
  Efficiency,
  Model,
  Metrics,
  MetricHistogram
};
inline constexpr PinnedKind kPinnedKinds[] = {
    PinnedKind::Timeline, PinnedKind::Distribution, PinnedKind::HeatMap,        PinnedKind::Kernels,
    PinnedKind::Launches, PinnedKind::Bins,         PinnedKind::Causal,         PinnedKind::Parallel,
    PinnedKind::Evidence, PinnedKind::WhatIf,       PinnedKind::Area,           PinnedKind::Knowledge,
    PinnedKind::Marks,    PinnedKind::Activity,     PinnedKind::Details,        PinnedKind::Efficiency,
    PinnedKind::Model,    PinnedKind::Metrics,      PinnedKind::MetricHistogram};

/// Duplicates of views that keep the selection they were opened with, for comparison with
/// later selections. Views independent of the selection (knowledge, marks, activity) are duplicated
/// without one.
class PinnedViews : public QObject {
  Q_OBJECT

public:
  /// The other views of the window may be created later, but before the first pin().
  PinnedViews(QMainWindow& window, WindowViews& shown, SessionController& session, CursorTime& cursor,
              QObject* parent = nullptr);

  /// Opens a new dock with the current selection. Closing it removes it. Null if the view shows nothing to
  /// keep.
  QDockWidget* pin(PinnedKind kind);
  /// The docks that are open, in the order in which they were opened.
  QList<QDockWidget*> docks() const;
  QDockWidget* dock_of(const QString& title) const; ///< first dock with this title; null if none
  /// "where" and "intervals" kept by the view in a dock; for other docks, the current selection.
  nlohmann::json selection_of(const QDockWidget* dock) const;
  void set_style(const views::ViewStyle& style);
  int count() const;
  /// Another session was opened: removes pinned views, because their selections refer to the previous one.
  void clear();
  /// Title of a view in English, by which its help page is found.
  static const char* english_title(PinnedKind kind);
  static QString title(PinnedKind kind); ///< in the language of the window

private:
  struct View {
    QPointer<QDockWidget> dock;
    std::function<void(const views::ViewStyle&)> style;
    std::function<void()> ask;
    nlohmann::json selection;
  };
  void place(QDockWidget* dock);
  /// Adds a dock with this name, next to or behind the others. `style` is called when the theme changes,
  /// `ask` when the engine was restarted.
  QDockWidget* show(const QString& name, QWidget* widget, std::function<void(const views::ViewStyle&)> style,
                    std::function<void()> ask);
  /// As show(), with the current selection in the name.
  QDockWidget* show_pinned(const QString& name, QWidget* widget,
                           std::function<void(const views::ViewStyle&)> style, std::function<void()> ask);
  template <class Widget>
  QDockWidget* show(
      const QString& name, Widget* widget, std::function<void()> ask = [] {}) {
    return show_pinned(
        name, widget,
        [styled = QPointer(widget)](const views::ViewStyle& style) {
          if (styled) styled->setViewStyle(style);
        },
        std::move(ask));
  }
  /// Adds a second view of content independent of the selection.
  QDockWidget* show_twin(PinnedKind kind, QWidget* widget,
                         std::function<void(const views::ViewStyle&)> style = {});
  /// Adds a view that shows one answer of the engine.
  template <class Widget, class Receive>
  QDockWidget* show_answer(PinnedKind kind, Widget* widget, const std::string& operation,
                           std::shared_ptr<nlohmann::json> options, Receive receive);
  nlohmann::json selection(); ///< current selection, with its own channel
  QDockWidget* pin_timeline();
  QDockWidget* pin_distribution();
  QDockWidget* pin_heat_map();
  QDockWidget* pin_launches();
  QDockWidget* pin_bins();
  QDockWidget* pin_causal();
  QDockWidget* pin_parallel();
  // Copies of visible content, and second views: pinned_copies.cpp.
  QDockWidget* pin_causal_groups();
  QDockWidget* pin_bin_coordinates();
  QDockWidget* pin_evidence();
  QDockWidget* pin_what_if();
  QDockWidget* pin_area();
  QDockWidget* pin_knowledge();
  QDockWidget* pin_marks();
  QDockWidget* pin_activity();
  QDockWidget* pin_details();
  QDockWidget* pin_efficiency();
  QDockWidget* pin_model();
  QDockWidget* pin_metrics();
  QDockWidget* pin_metric_histogram();

  QMainWindow& window_;
  WindowViews& shown_;
  SessionController& session_;
  CursorTime& cursor_;
  views::ViewStyle style_;
  std::vector<View> views_;
  int next_ = 1;
};

} // namespace jitterscope::app
