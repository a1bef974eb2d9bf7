#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "views/base/raster_view.h"
#include "views/model/model_painter.h"
#include "views/model/model_table.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QSpinBox;
class QSplitter;
class QTableView;
class QTextBrowser;

namespace jitterscope::views {

/// A what-if question; default values mean "as recorded".
struct ModelQuestion {
  QString gpu;         ///< GPU name; empty: as recorded
  int block = 0;       ///< threads per block; 0: as recorded
  QString level;       ///< level that the hit rate applies to
  double hitRate = -1; ///< hit rate 0 … 1; negative: as measured
  int nodes = 4;     ///< maximum factor of the number of nodes; powers of two up to this factor are predicted
  bool weak = false; ///< true: the problem size grows with the number of nodes
  double messageSize = 1; ///< factor applied to the bytes of messages
  bool operator==(const ModelQuestion&) const = default;
  /// True if there is no what-if question about kernels.
  bool nothing() const { return gpu.isEmpty() && block == 0 && hitRate < 0; }
};

/// Canvas of the chart.
class ModelCanvas : public RasterView {
  Q_OBJECT

public:
  explicit ModelCanvas(QWidget* parent = nullptr);
  const ModelData& data() const { return data_; }
  model::Chart chart() const { return chart_; }
  std::size_t device() const { return device_; }
  int firstLine() const { return first_; }
  const model::Layout& layout() const { return layout_; }
  const model::Marked& marked() const { return marked_; }
  void setData(ModelData data);
  void setChart(model::Chart chart, std::size_t device);
  void setChosen(std::vector<int> chosen);
  void setCurrent(std::optional<int> index);
  QSize sizeHint() const override { return {420, 340}; }
  QSize minimumSizeHint() const override { return {240, 150}; }

signals:
  void chosen(int index);  ///< an item was clicked, or Enter pressed on it
  void reached(int index); ///< an item was reached by keyboard
  void cleared();          ///< click on the background

protected:
  void styleChanged() override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  void relayout();
  void step(int by);
  void scroll(int lines);

  ModelData data_;
  model::Chart chart_ = model::Chart::Scatter;
  std::size_t device_ = 0;
  int first_ = 0;
  model::Layout layout_;
  model::Marked marked_;
};

/// Predictions of the performance model: a chart, the table of its items, and the terms of the
/// selected item.
class ModelWidget : public QWidget {
  Q_OBJECT

public:
  explicit ModelWidget(QWidget* parent = nullptr);

  ModelCanvas* canvas() { return canvas_; }
  QTableView* table() { return table_; }
  QTextBrowser* details() { return details_; }
  QComboBox* chartBox() { return charts_; }
  QComboBox* gpuBox() { return gpus_; }
  QComboBox* nodesBox() { return nodes_; }
  QDoubleSpinBox* messageSizeBox() { return messageSize_; }
  QSpinBox* blockBox() { return block_; }
  QComboBox* levelBox() { return levels_; }
  QDoubleSpinBox* hitRateBox() { return hitRate_; }
  QPushButton* resetButton() { return reset_; }
  QLabel* errorLabel() { return error_; }
  const ModelData& data() const { return canvas_->data(); }
  model::Chart chart() const { return canvas_->chart(); }
  ModelQuestion question() const;
  std::optional<int> opened() const { return opened_; }
  void setViewStyle(const ViewStyle& style);
  /// Sets the GPUs offered for what-if questions.
  void setGpus(const QStringList& names);
  /// Whether questions about kernels are possible; otherwise only those about messages and the run are
  /// offered.
  void setKernelQuestions(bool possible);
  /// Disables further questions, for a copy of the view.
  void freeze();

public slots:
  void setData(const jitterscope::views::ModelData& data);
  void setMessage(const QString& message);
  void setChart(jitterscope::views::model::Chart chart);
  void setQuestion(const jitterscope::views::ModelQuestion& question); ///< emits no signal
  /// Sets the kernels selected in all views; emits no signal.
  void setSelected(const std::vector<std::uint32_t>& kernels);
  /// Text of the model about the selected launch; empty: no launch.
  void setLaunch(const QString& sentences);
  /// Shows the terms of a kernel, message class or run.
  void open(int index);

signals:
  void kernelChosen(int index); ///< index into data().kernels
  void selectionCleared();
  void questionChanged(jitterscope::views::ModelQuestion question);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  QWidget* makeBars();
  void makeTable();
  void fillCharts();
  void fillTable();
  void showDetails();
  void choose(int index);
  void ask();
  int rowOf(int index) const; ///< row in the sorted table

  QComboBox *charts_, *devices_, *nodes_, *scaling_, *gpus_, *levels_;
  QSpinBox* block_;
  QDoubleSpinBox *hitRate_, *messageSize_;
  QPushButton* reset_;
  std::vector<QWidget*> kernelQuestions_;
  QLabel* error_;
  QSplitter* splitter_;
  ModelCanvas* canvas_;
  QTableView* table_;
  ModelTable* model_;
  QSortFilterProxyModel* proxy_;
  std::vector<int> selected_; ///< kernels of the selection, as indices of data().kernels
  QTextBrowser* details_;
  QString launch_;
  std::optional<int> opened_;
  bool quiet_ = false;
};

} // namespace jitterscope::views

Q_DECLARE_METATYPE(jitterscope::views::ModelQuestion)
