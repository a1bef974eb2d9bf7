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

/// Properties of a picture on paper.
struct PaperSize {
  double width_mm = 170, height_mm = 90; ///< default: width of a text column
  double font_pt = 8;                    ///< size of normal text
  int dpi = 300;                         ///< resolution of PNG files
};

/// A view that can be painted at any size in any style.
using ViewPainter = std::function<void(QPainter&, const QRectF&, const views::ViewStyle&)>;

/// Returns the style with its fonts scaled to `font_pt` on paper.
views::ViewStyle with_font(views::ViewStyle style, double font_pt);
/// Writes .png, .svg or .pdf. Errors: BadUse, Io.
Expected<void> export_view(const QString& path, const QString& title, const ViewPainter& paint,
                           const PaperSize& size, const views::ViewStyle& style);

/// Dialog for view, size and file of an export. Accepting writes the files; problems are shown in the dialog,
/// which then stays open. A path that ends in .csv exports the view's numbers.
class ExportDialog : public QDialog {
  Q_OBJECT

public:
  ExportDialog(std::map<QString, ViewPainter> views, const QString& chosen, views::Theme screen,
               QWidget* parent = nullptr);
  /// Sets the function that writes the numbers of a view to a .csv file and reports the result.
  void set_tables(std::function<void(const QString& view, const QString& path)> save);
  /// Sets the function that suggests changes to a view before export at this size; empty: none.
  void set_advice(std::function<QString(const QString& view, const PaperSize& size)> advice);
  /// Sets the function that returns the height [mm] that shows all of a view at this width and font; 0: any.
  /// It is the height of the picture until the user chooses another.
  void set_needed_height(std::function<double(const QString& view, const PaperSize& size)> needed);
  /// Sets the function that returns whether all data for paper of this size are present, else requests them:
  /// saving waits for them, at most 10 s.
  void set_holding(std::function<bool(const QString& view, const PaperSize& size)> holds);
  QString advice() const;
  QDoubleSpinBox* widthBox() { return width_; }
  QDoubleSpinBox* heightBox() { return height_; }
  QComboBox* viewBox() { return view_; }
  QLineEdit* pathEdit() { return path_; }
  QString saved() const { return saved_; } ///< path of the picture; empty for tables
  void accept() override;

private:
  void browse();
  void advise();
  void fit_height();
  bool still_waiting();
  PaperSize size() const;

  std::map<QString, ViewPainter> views_;
  std::function<void(const QString&, const QString&)> save_table_;
  std::function<QString(const QString&, const PaperSize&)> advice_;
  std::function<bool(const QString&, const PaperSize&)> holds_;
  std::function<double(const QString&, const PaperSize&)> needed_height_;
  bool own_height_ = false; ///< the user chose the height
  QTimer retry_;            ///< retries saving while data are pending
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
  QString replaced_; ///< existing file about which the user was warned
};

} // namespace jitterscope::app
