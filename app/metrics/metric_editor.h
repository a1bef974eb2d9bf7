#pragma once

#include <QDialog>
#include <QTimer>
#include <functional>

#include "app/session/session_controller.h"
#include "views/base/view_style.h"
#include "views/metrics/metrics_data.h"

class QLabel;
class QPushButton;

namespace jitterscope::views {
class MetricsCanvas;
}

namespace jitterscope::app {

class MetricTextEdit;

/// Editor of a metric: completion, a preview of the visible range while typing, errors marked in the text.
class MetricEditor : public QDialog {
  Q_OBJECT

public:
  MetricEditor(SessionController& session, SelectionHub& hub, const views::ViewStyle& style,
               QWidget* parent = nullptr);
  void set_style(const views::ViewStyle& style);

  /// Edits a text; `use` is called with the accepted text, and `action` is the label of the button.
  void edit(const std::string& text, const QString& action, std::function<void(const std::string&)> use);
  MetricTextEdit* text_edit() { return text_; }
  QLabel* problem_label() { return problem_; }
  QPushButton* use_button() { return use_button_; }
  const views::MetricPanel& preview() const;
  /// Closes the editor; asks first if the text was changed and neither used nor saved.
  void reject() override;

private:
  void begin(const std::string& text, const QString& action, std::function<void(const std::string&)> use);
  /// Calls `go_on`, after a question if the text would be lost.
  void leave(std::function<void()> go_on);
  void changed();
  void ask();
  void ask_names();
  void show_problem(const Error& error);
  void refuse(const Error& error); ///< the definition has this error
  void open_file();
  void save_file();
  std::string text() const;

  SessionController& session_;
  SelectionHub& hub_;
  views::ViewStyle style_;
  MetricTextEdit* text_;
  QLabel* problem_;
  QPushButton* use_button_;
  views::MetricsCanvas* preview_;
  QTimer timer_;
  std::string kept_;  ///< text that is stored elsewhere: as it was opened or saved
  quint64 round_ = 0; ///< counts the texts requested: late answers to earlier texts are dropped
  std::function<void(const std::string&)> use_;
};

} // namespace jitterscope::app
