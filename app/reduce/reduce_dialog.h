#pragma once

#include <QDialog>
#include <vector>

#include "app/session/session_controller.h"

class QCheckBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace jitterscope::app {

/// Dialog for a reduced trace, prefilled from the current selection; writes it through the engine, shows
/// a summary, and opens it on request. Problems are shown in the dialog, which then stays open.
class ReduceDialog : public QDialog {
  Q_OBJECT

public:
  enum class Kind { Cut, Filter };
  ReduceDialog(Kind kind, SelectionHub& hub, SessionController& session, QWidget* parent = nullptr);

  QLineEdit* outputEdit() { return output_; }
  QLineEdit* rangeEdit() { return range_; }
  QPlainTextEdit* summary() { return summary_; }
  QPushButton* openButton() { return open_; }
  QString problem() const;
  void accept() override;

signals:
  void open_requested(const QStringList& files);

private:
  void add_cut_fields(QFormLayout* form);
  void add_filter_fields(QFormLayout* form);
  void fill(const SelectionHub& hub);
  void written(const Expected<nlohmann::json>& document);

  Kind kind_;
  SessionController& session_;
  QLineEdit *output_, *range_, *ranks_, *devices_, *tracks_, *kernels_above_, *bursts_above_, *where_;
  QCheckBox *clip_, *from_zero_, *counters_;
  std::vector<QCheckBox*> kinds_; ///< in the order of efficiency::RowKind
  QLabel* problem_;
  QPlainTextEdit* summary_;
  QPushButton *write_, *open_;
  QString asked_output_; ///< file of the last request to write
  QString replaced_;     ///< existing file about which the user was warned
};

/// Shows the dialog, which deletes itself when it is closed.
ReduceDialog* show_reduce_dialog(ReduceDialog::Kind kind, SelectionHub& hub, SessionController& session,
                                 QWidget* parent);

} // namespace jitterscope::app
