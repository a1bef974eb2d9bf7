#include "views/heatmap/heat_map_chart.h"

#include <vtkAxis.h>
#include <vtkChartHistogram2D.h>
#include <vtkColorTransferFunction.h>
#include <vtkContextScene.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPen.h>

#include <cmath>

#include "views/base/colour_maps.h"
#include "views/vtk/vtk_axis_style.h"

namespace jitterscope::views {
namespace {

vtkSmartPointer<vtkImageData> image_of(const HeatMapModel& model) {
  auto image = vtkSmartPointer<vtkImageData>::New();
  image->SetDimensions(model.data.columns, model.data.rows(), 1);
  image->AllocateScalars(VTK_DOUBLE, 1);
  auto* shade = static_cast<double*>(image->GetScalarPointer());
  for (int row = 0; row < model.data.rows(); ++row)
    for (int column = 0; column < model.data.columns; ++column)
      *shade++ = model.shade(model.countAt({column, row}));
  return image;
}

// Background colour for empty cells, the sequential map for all others.
vtkSmartPointer<vtkColorTransferFunction> colours(const ViewStyle& style) {
  auto function = vtkSmartPointer<vtkColorTransferFunction>::New();
  const auto add = [&](double at, const QColor& c) {
    function->AddRGBPoint(at, c.redF(), c.greenF(), c.blueF());
  };
  add(0, style.background);
  add(0.1, style.background);
  for (int i = 0; i <= 32; ++i) {
    const double t = 0.1001 + 0.8999 * i / 32;
    add(t, sequentialColour(t, style.theme));
  }
  return function;
}

} // namespace

HeatMapChart::HeatMapChart(vtkContextScene* scene) : chart_(vtkSmartPointer<vtkChartHistogram2D>::New()) {
  chart_->SetAutoSize(false);
  chart_->SetShowLegend(false);
  chart_->SetHiddenAxisBorder(0);
  chart_->SetLayoutStrategy(vtkChart::AXES_TO_RECT);
  scene->AddItem(chart_);
}

HeatMapChart::~HeatMapChart() = default;

void HeatMapChart::build(const HeatMapModel& model, const ViewStyle& style, double ratio, double height) {
  const QRectF& plot = model.plot;
  const auto pixels = [ratio](double length) { return static_cast<float>(std::round(length * ratio)); };
  chart_->SetSize(vtkRectf(pixels(plot.left()), pixels(height - plot.bottom()), pixels(plot.width()),
                           pixels(plot.height())));
  chart_->SetInputData(image_of(model));
  chart_->SetTransferFunction(colours(style));
  auto* bottom = chart_->GetAxis(vtkAxis::BOTTOM);
  auto* left = chart_->GetAxis(vtkAxis::LEFT);
  for (auto* axis : {bottom, left}) {
    styleAxis(*axis, style, ratio);
    axis->SetGridVisible(false);
  }
  bottom->SetRange(0, model.data.columns);
  left->SetRange(0, model.data.rows());
  std::vector<AxisLabel> times, values;
  for (const Tick& tick : model.xTicks())
    if (!tick.label.isEmpty()) times.push_back({tick.position * model.data.columns, tick.label});
  for (const Tick& tick : model.yTicks())
    if (!tick.label.isEmpty())
      values.push_back(
          {(plot.bottom() - model.yAt(tick.value)) / plot.height() * model.data.rows(), tick.label});
  setLabels(*bottom, times);
  setLabels(*left, values);
  for (const int place : {vtkAxis::TOP, vtkAxis::RIGHT})
    if (auto* axis = chart_->GetAxis(place)) axis->SetVisible(false);
  chart_->RecalculateBounds();
}

} // namespace jitterscope::views
