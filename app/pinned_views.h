#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <vector>

#include "app/session_controller.h"
#include "views/base/view_style.h"

class QDockWidget;
class QMainWindow;

namespace jitterscope::views {
struct AreaData;
struct EvidenceData;
} // namespace jitterscope::views

namespace jitterscope::app {

class CursorTime;

enum class PinnedKind { Timeline, Distribution, HeatMap, Kernels, Launches, Bins, Causal, Parallel };
inline constexpr PinnedKind kPinnedKinds[] = {PinnedKind::Timeline, PinnedKind::Distribution, PinnedKind::HeatMap, PinnedKind::Kernels,
                                              PinnedKind::Launches, PinnedKind::Bins,         PinnedKind::Causal,  PinnedKind::Parallel};

/// Views opened once more, that stay with the selection they were opened with, to compare it with what is selected
/// later.
class PinnedViews : public QObject {
  Q_OBJECT

public:
  PinnedViews(QMainWindow& window, SessionController& session, CursorTime& cursor, QObject* parent = nullptr);

  /// A new dock with what is selected now. Closing it removes it.
  QDockWidget* pin(PinnedKind kind);
  /// Copies of what these show now.
  QDockWidget* pin_evidence(views::EvidenceData data);
  QDockWidget* pin_area(const views::AreaData& data);
  void set_style(const views::ViewStyle& style);
  int count() const;
  /// Another session is open: pinned selections mean nothing there.
  void clear();
  static QString title(PinnedKind kind);

private:
  struct View {
    QPointer<QDockWidget> dock;
    std::function<void(const views::ViewStyle&)> style;
    std::function<void()> ask;
  };
  void place(QDockWidget* dock);
  template <class Widget>
  QDockWidget* show(const QString& name, Widget* widget, std::function<void()> ask);
  /// A view that shows one answer of the engine.
  template <class Widget, class Take>
  QDockWidget* show_answer(PinnedKind kind, Widget* widget, const std::string& operation, nlohmann::json options, Take take);
  nlohmann::json selection(); ///< what is selected now, on a channel of its own
  QDockWidget* pin_timeline();
  QDockWidget* pin_distribution();
  QDockWidget* pin_heat_map();
  QDockWidget* pin_launches();
  QDockWidget* pin_bins();
  QDockWidget* pin_causal();

  QMainWindow& window_;
  SessionController& session_;
  CursorTime& cursor_;
  views::ViewStyle style_;
  std::vector<View> views_;
  int next_ = 1;
};

} // namespace jitterscope::app
