#pragma once

#include <QDialog>
#include <QTimer>
#include <functional>
#include <map>

#include "core/base/error.h"
#include "views/base/export.h"
#include "views/base/view_style.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace jitterscope::app {

/// What a picture on paper is like.
struct PaperSize {
  double width_mm = 170, height_mm = 90; ///< a text column's width
  double font_pt = 8;                    ///< of normal text
  int dpi = 300;                         ///< of PNG files
};

/// A view that can be painted at any size in any style.
using ViewPainter = std::function<void(QPainter&, const QRectF&, const views::ViewStyle&)>;

/// The style with its fonts at `font_pt` on paper.
views::ViewStyle with_font(views::ViewStyle style, double font_pt);
/// Writes .png, .svg or .pdf. Errors: BadUse, Io.
Expected<void> export_view(const QString& path, const QString& title, const ViewPainter& paint,
                           const PaperSize& size, const views::ViewStyle& style);

/// Which view, how large, where to. Files are written when it is accepted; problems are said in the dialog,
/// which then stays. A file that ends in .csv gets the view's numbers.
class ExportDialog : public QDialog {
  Q_OBJECT

public:
  ExportDialog(std::map<QString, ViewPainter> views, const QString& chosen, views::Theme screen,
               QWidget* parent = nullptr);
  /// Who writes the numbers of a view to a .csv file, and says so itself.
  void set_tables(std::function<void(const QString& view, const QString& path)> save);
  /// Who says of a view what should be another way before it is put on paper of this size; empty: nothing.
  void set_advice(std::function<QString(const QString& view, const PaperSize& size)> advice);
  /// Who says whether all is here that a view shows on paper, and asks for it else: saving waits for that, 10
  /// s at most.
  void set_holding(std::function<bool(const QString& view)> holds);
  QString advice() const;
  QDoubleSpinBox* widthBox() { return width_; }
  QComboBox* viewBox() { return view_; }
  QLineEdit* pathEdit() { return path_; }
  QString saved() const { return saved_; } ///< the picture; empty for tables
  void accept() override;

private:
  void browse();
  void advise();
  bool still_waiting();
  PaperSize size() const;

  std::map<QString, ViewPainter> views_;
  std::function<void(const QString&, const QString&)> save_table_;
  std::function<QString(const QString&, const PaperSize&)> advice_;
  std::function<bool(const QString&)> holds_;
  QTimer retry_; ///< of saving, while something is on its way
  int retries_ = 0;
  views::Theme screen_;
  QComboBox* view_;
  QComboBox* style_;
  QDoubleSpinBox* width_;
  QDoubleSpinBox* height_;
  QDoubleSpinBox* font_;
  QSpinBox* dpi_;
  QLineEdit* path_;
  QLabel *problem_, *advice_text_;
  QString saved_;
  QString replaced_; ///< a file that is there, which the user has been told of
};

} // namespace jitterscope::app
