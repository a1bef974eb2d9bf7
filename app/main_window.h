#pragma once

#include <QMainWindow>
#include <memory>

#include "app/selection_hub.h"
#include "app/session_controller.h"
#include "app/theme.h"
#include "views/timeline/timeline_data.h"

class QAction;
class QComboBox;
class QDockWidget;
class QLabel;
class QLineEdit;

namespace jitterscope::views {
class BinsWidget;
class CausalWidget;
class DistributionWidget;
class KernelsWidget;
class ParallelWidget;
class TimelineWidget;
} // namespace jitterscope::views

namespace jitterscope::app {

class CausalDesk;
class MessageBar;
class ParallelDesk;
class RequestBar;
class TimelineDocks;
class TimelineLink;

/// The window: timeline above, ranked bins, causal graph and parallel coordinates below, kernels and
/// distribution behind them. Views publish intents; this class turns them into changes of the hub and shows
/// the hub's state in all views.
class MainWindow : public QMainWindow {
  Q_OBJECT

public:
  /// `ranks` of the engine it will start.
  explicit MainWindow(int ranks, QWidget* parent = nullptr);
  ~MainWindow() override;

  void open(const QStringList& files, const QString& kernel_column = {});
  void set_theme(views::Theme theme);

  SelectionHub& hub() { return hub_; }
  SessionController& session() { return session_; }
  views::TimelineWidget* timeline() { return timeline_; }
  views::BinsWidget* bins() { return bins_; }
  views::CausalWidget* causal() { return causal_; }
  CausalDesk* causal_desk() { return desk_; }
  ParallelDesk* parallel_desk() { return parallel_desk_; }
  views::ParallelWidget* parallel() { return parallel_; }
  views::DistributionWidget* distribution() { return distribution_; }
  views::KernelsWidget* kernels() { return kernels_; }
  MessageBar* messages() { return messages_; }
  TimelineDocks* timeline_docks() { return timeline_docks_; }
  RequestBar* requests() { return requests_; }
  QLineEdit* filter_box() { return filter_; }

protected:
  void showEvent(QShowEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

private:
  void make_views();
  void make_docks();
  void make_menus();
  void make_keys();
  void make_status();
  /// Offers the columns that this session has, as metric of bins and as target of the causal graph.
  void fill_column_choices();
  QWidget* bins_panel();
  QWidget* causal_panel();
  void connect_timeline();
  void connect_other_views();
  void connect_session();

  void change(const std::function<void(SelectionState&)>& edit, const QString& merge = {});
  void show_state(const SelectionState& now, const SelectionState& before);
  void session_opened(const TrackList& tracks);
  void show_details(const nlohmann::json& launch, bool for_hover);
  void show_error(const Error& error, const QString& doing);
  void filter_entered();
  void set_messages(const QString& text);
  void choose_files();
  void choose_folder();
  void choose_kernel_column();
  void export_picture();
  void show_import_report();
  void show_page(const QString& title, const QString& html);

  SelectionHub hub_;
  SessionController session_;
  views::ViewStyle style_;
  views::TimelineWidget* timeline_ = nullptr;
  views::BinsWidget* bins_ = nullptr;
  views::CausalWidget* causal_ = nullptr;
  CausalDesk* desk_ = nullptr; ///< evidence, what-if and knowledge around the causal graph
  views::ParallelWidget* parallel_ = nullptr;
  ParallelDesk* parallel_desk_ = nullptr; ///< its columns, scales, colours, brushes
  views::DistributionWidget* distribution_ = nullptr;
  views::KernelsWidget* kernels_ = nullptr;
  MessageBar* messages_ = nullptr;
  RequestBar* requests_ = nullptr;
  QLineEdit* filter_ = nullptr;
  QAction* kernel_names_ = nullptr; ///< for tables without time
  QComboBox* metric_ = nullptr;     ///< of bins
  QComboBox* target_ = nullptr;     ///< of the causal graph
  QLineEdit* bin_width_ = nullptr;
  QLabel* selection_label_ = nullptr;
  QLabel* engine_label_ = nullptr;
  QList<QDockWidget*> default_docks_; ///< to be sized when first shown: bins, parallel, causal
  TimelineLink* timeline_link_ = nullptr;
  TimelineDocks* timeline_docks_ = nullptr;
  Interval span_;
  std::uint32_t hover_track_ = 0;
};

} // namespace jitterscope::app
