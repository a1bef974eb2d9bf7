#pragma once

#include <QWidget>

class QComboBox;
class QLineEdit;

namespace jitterscope::views {
class BinsWidget;
}

namespace jitterscope::app {

class MessageBar;
class SessionController;

/// The ranked bins with their controls: metric, statistic, width, and number of bins kept.
class BinsPanel : public QWidget {
  Q_OBJECT

public:
  BinsPanel(SessionController& session, MessageBar& messages, views::BinsWidget& bins, QWidget* parent);
  /// Fills the choices with the columns and the settings of this session.
  void fill();

private:
  void add_widgets(views::BinsWidget& bins);
  void choose();
  void show_width();
  void refuse(const QString& text);

  SessionController& session_;
  MessageBar& messages_;
  QComboBox* metric_;
  QComboBox* rank_by_;
  QLineEdit* width_;
  QLineEdit* top_; ///< number of bins kept
};

} // namespace jitterscope::app
