#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "views/base/raster_view.h"
#include "views/evidence/whatif_data.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QSlider;

namespace jitterscope::views {

/// The expected change as a scale with marks and as text.
class WhatIfCanvas : public RasterView {
  Q_OBJECT

public:
  explicit WhatIfCanvas(QWidget* parent = nullptr);

  void show(WhatIfShown shown);
  const WhatIfShown& shown() const { return shown_; }
  /// Text of the answer, line by line.
  QStringList words() const;
  QSize minimumSizeHint() const override { return {260, 150}; }

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  WhatIfShown shown_;
};

/// Controls to select a feature and move the slider. Every move requests an answer; the slider extends
/// slightly beyond the observed range.
class WhatIfWidget : public QWidget {
  Q_OBJECT

public:
  explicit WhatIfWidget(QWidget* parent = nullptr);

  void setViewStyle(const ViewStyle& style);
  void setMessage(const QString& message);
  WhatIfCanvas* canvas() { return canvas_; }
  QSlider* slider() { return slider_; }
  QString feature() const;
  double value() const { return value_; }
  std::pair<double, double> reach() const; ///< values at the slider's ends
  std::vector<double> values() const;      ///< values of the feature if there are few; else empty
  QLineEdit* number() { return number_; }
  /// Reason why the typed text is not a valid value; empty while it is valid.
  QString problem() const;
  QStringList ends() const; ///< labels at the slider's ends

public slots:
  void setData(jitterscope::views::WhatIfData data); ///< keeps the feature and its value if still present
  void setFeature(const QString& key);
  void setValue(double value); ///< sets the value as the slider does; requests an answer
  void setAnswer(const std::optional<jitterscope::views::WhatIfAnswer>& answer,
                 const std::optional<jitterscope::views::WhatIfRow>& row);

  /// Sets the values of a column: the slider then offers only these if there are few, or only whole numbers.
  void setValues(const QString& key, jitterscope::views::WhatIfValues values);
  /// Sets the answers over the feature's reach(); used from the next answer on.
  void setCurve(std::vector<jitterscope::views::WhatIfPoint> curve);

signals:
  void asked(QString feature, double value);

private:
  void chosen();
  double valueAt(int position) const;
  int positionOf(double value) const;
  const WhatIfFeature& now() const; ///< requires a selected feature
  void showAll();

  WhatIfData data_;
  double value_ = 0;
  QComboBox* features_ = nullptr;
  QSlider* slider_ = nullptr;
  QLineEdit* number_ = nullptr;
  QLabel *low_ = nullptr, *high_ = nullptr, *problem_ = nullptr;
  WhatIfCanvas* canvas_ = nullptr;
  std::optional<WhatIfAnswer> answer_;
  std::optional<WhatIfRow> row_;
  std::vector<WhatIfPoint> curve_;
};

} // namespace jitterscope::views
