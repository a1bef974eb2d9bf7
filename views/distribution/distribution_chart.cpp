#include "views/distribution/distribution_chart.h"

#include <vtkAxis.h>
#include <vtkBrush.h>
#include <vtkChartXY.h>
#include <vtkColor.h>
#include <vtkColorSeries.h>
#include <vtkContextScene.h>
#include <vtkDoubleArray.h>
#include <vtkPen.h>
#include <vtkPlot.h>
#include <vtkPlotBar.h>
#include <vtkTable.h>

#include <algorithm>
#include <cmath>

#include "views/vtk/vtk_axis_style.h"

namespace jitterscope::views {

namespace {

vtkSmartPointer<vtkDoubleArray> column(const char* name, const std::vector<double>& values) {
  auto array = vtkSmartPointer<vtkDoubleArray>::New();
  array->SetName(name);
  for (const double value : values) array->InsertNextValue(value);
  return array;
}

vtkSmartPointer<vtkTable> table(const std::vector<double>& x, const std::vector<double>& y) {
  auto result = vtkSmartPointer<vtkTable>::New();
  result->AddColumn(column("x", x));
  result->AddColumn(column("y", y));
  return result;
}

// One stack per bin: selected rows below, the others on top. Together they are all rows, unless all rows have
// their own scale.
void addBars(vtkChartXY& chart, const DistributionModel& model, const ViewStyle& style) {
  const DistributionData& data = model.data;
  std::vector<double> middles;
  std::vector<double> chosen;
  std::vector<double> rest;
  const auto& all = model.heights();
  const auto& some = model.selectedHeights();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint64_t selected = i < some.size() ? std::min(some[i], all[i]) : 0;
    middles.push_back((model.drawn(data.edges[i]) + model.drawn(data.edges[i + 1])) / 2);
    chosen.push_back(model.drawnHeight(static_cast<double>(selected)));
    rest.push_back(std::max(model.drawnHeightOfAll(static_cast<double>(all[i])) - chosen.back(), 0.0));
  }
  auto input = table(middles, chosen);
  input->AddColumn(column("rest", rest));
  const QColor ground = data.selected.empty() ? style.focus : style.quiet;
  vtkNew<vtkColorSeries> colours;
  colours->ClearColors();
  for (const QColor& c : {style.accent, ground}) {
    colours->AddColor(vtkColor3ub(static_cast<unsigned char>(c.red()), static_cast<unsigned char>(c.green()),
                                  static_cast<unsigned char>(c.blue())));
  }
  auto* bars = vtkPlotBar::SafeDownCast(chart.AddPlot(vtkChart::BAR));
  bars->SetInputData(input, "x", "y");
  bars->SetInputArray(2, "rest");
  bars->SetColorSeries(colours);
  bars->GetPen()->SetLineType(vtkPen::NO_PEN);
}

void addLine(vtkChartXY& chart, const DistributionModel& model, const DistributionLine& line,
             const QColor& colour, double ratio) {
  if (line.value < model.data.edges.front() || line.value > model.data.edges.back()) return;
  const double x = model.drawn(line.value);
  const double top = model.drawnTop();
  vtkPlot* plot = chart.AddPlot(vtkChart::LINE);
  plot->SetInputData(table({x, x}, {0, top}), 0, 1);
  setColour(plot->GetPen(), colour);
  plot->SetWidth(static_cast<float>(1.5 * ratio));
  plot->GetPen()->SetLineType(line.dashed ? vtkPen::DASH_LINE : vtkPen::SOLID_LINE);
}

std::vector<AxisLabel> labels(const std::vector<Tick>& ticks, const DistributionModel& model,
                              bool horizontal) {
  std::vector<AxisLabel> result;
  for (const Tick& tick : ticks)
    if (!tick.label.isEmpty())
      result.push_back({horizontal ? model.drawn(tick.value) : model.drawnHeight(tick.value), tick.label});
  return result;
}

} // namespace

DistributionChart::DistributionChart(vtkContextScene* scene) : chart_(vtkSmartPointer<vtkChartXY>::New()) {
  chart_->SetAutoSize(false);
  chart_->SetShowLegend(false);
  chart_->SetHiddenAxisBorder(0);
  chart_->SetLayoutStrategy(vtkChart::AXES_TO_RECT);
  scene->AddItem(chart_);
}

DistributionChart::~DistributionChart() = default;

void DistributionChart::build(const DistributionModel& model, const ViewStyle& style, double ratio,
                              double height) {
  chart_->ClearPlots();
  const QRectF& plot = model.plot;
  const auto pixels = [ratio](double length) { return static_cast<float>(std::round(length * ratio)); };
  chart_->SetSize(vtkRectf(pixels(plot.left()), pixels(height - plot.bottom()), pixels(plot.width()),
                           pixels(plot.height())));
  // One logical pixel between bars, as in the export, unless they are too narrow for it.
  const double bar = plot.width() / static_cast<double>(std::max<std::size_t>(model.data.all.size(), 1));
  chart_->SetBarWidthFraction(static_cast<float>(bar > 4 ? 1 - 1 / bar : 1.0));
  addBars(*chart_, model, style);
  for (const DistributionLine& line : model.lines()) {
    addLine(*chart_, model, line, line.name == QLatin1String("mean") ? style.negative : style.text, ratio);
  }
  vtkAxis* bottom = chart_->GetAxis(vtkAxis::BOTTOM);
  vtkAxis* left = chart_->GetAxis(vtkAxis::LEFT);
  styleAxis(*bottom, style, ratio);
  styleAxis(*left, style, ratio);
  bottom->SetGridVisible(false);
  left->GetPen()->SetLineType(vtkPen::NO_PEN);
  bottom->SetRange(model.drawnLow(), model.drawnHigh());
  left->SetRange(0, model.drawnTop());
  setLabels(*bottom, labels(model.xTicks(), model, true));
  setLabels(*left, labels(model.yTicks(), model, false));
  chart_->RecalculateBounds();
}

} // namespace jitterscope::views
