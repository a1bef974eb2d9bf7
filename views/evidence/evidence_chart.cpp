#include "views/evidence/evidence_chart.h"

#include <vtkAxis.h>
#include <vtkBrush.h>
#include <vtkChartXY.h>
#include <vtkColorTransferFunction.h>
#include <vtkContextScene.h>
#include <vtkDoubleArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPen.h>
#include <vtkPlot.h>
#include <vtkPlotArea.h>
#include <vtkPlotHistogram2D.h>
#include <vtkPlotPoints.h>
#include <vtkTable.h>

#include <algorithm>
#include <cmath>

#include "views/evidence/evidence_painter.h"

namespace jitterscope::views {

namespace {

vtkSmartPointer<vtkTable> table(std::initializer_list<std::vector<double>> columns) {
  auto result = vtkSmartPointer<vtkTable>::New();
  int number = 0;
  for (const auto& values : columns) {
    vtkNew<vtkDoubleArray> array;
    array->SetName(std::to_string(number++).c_str());
    for (const double value : values) array->InsertNextValue(value);
    result->AddColumn(array);
  }
  return result;
}

template <class Pencil>
void setColour(Pencil* pencil, const QColor& c) {
  pencil->SetColor(static_cast<unsigned char>(c.red()), static_cast<unsigned char>(c.green()),
                   static_cast<unsigned char>(c.blue()), static_cast<unsigned char>(c.alpha()));
}

void bareAxis(vtkAxis& axis, double low, double high) {
  axis.SetBehavior(vtkAxis::FIXED);
  axis.SetRange(low, high > low ? high : low + 1);
  axis.SetTitle("");
  axis.SetLabelsVisible(false);
  axis.SetTicksVisible(false);
  axis.SetGridVisible(false);
  axis.GetPen()->SetLineType(vtkPen::NO_PEN);
}

void place(vtkChartXY& chart, const QRectF& plot, double ratio, double height) {
  const auto pixels = [ratio](double length) { return static_cast<float>(std::round(length * ratio)); };
  chart.SetSize(vtkRectf(pixels(plot.left()), pixels(height - plot.bottom()), pixels(plot.width()),
                         pixels(plot.height())));
}

// Charts get positions between 0 and 1: for values far from zero with a small spread (17.70 to 17.77 GB) VTK
// draws no points and lines.
double placeOn(const EvidenceAxis& axis, double value) {
  const double low = axis.scaled(axis.minimum), length = axis.scaled(axis.maximum) - low;
  return length > 0 ? (axis.scaled(value) - low) / length : 0.5;
}

std::vector<double> scaled(const EvidenceAxis& axis, const std::vector<double>& values) {
  std::vector<double> result;
  for (const double value : values) result.push_back(placeOn(axis, value));
  return result;
}

void addCells(vtkChartXY& chart, const EvidenceModel& model, const ViewStyle& style) {
  const EvidenceScatter& s = model.scatter();
  const std::uint32_t densest = model.densest();
  const double width = 1.0 / std::max(s.columns, 1), height = 1.0 / std::max(s.rows, 1);
  vtkNew<vtkImageData> image;
  image->SetDimensions(s.columns, s.rows, 1);
  image->SetOrigin(0, 0, 0);
  image->SetSpacing(width, height, 1);
  image->AllocateScalars(VTK_DOUBLE, 1);
  auto* shades = static_cast<double*>(image->GetScalarPointer());
  for (int c = 0; c < s.columns; ++c)
    for (int r = 0; r < s.rows; ++r) {
      const auto count = s.counts[static_cast<std::size_t>(c) * static_cast<std::size_t>(s.rows) +
                                  static_cast<std::size_t>(r)];
      shades[r * s.columns + c] = count == 0 ? -1 : evidence::cellShade(count, densest);
    }
  vtkNew<vtkColorTransferFunction> colours;
  const auto add = [&](double at, const QColor& c) {
    colours->AddRGBPoint(at, c.redF(), c.greenF(), c.blueF());
  };
  add(-1, style.background);
  add(-1e-6, style.background);
  for (int i = 0; i <= 16; ++i) add(i / 16.0, evidence::cellColour(i / 16.0, style));
  vtkNew<vtkPlotHistogram2D> cells;
  cells->SetInputData(image);
  cells->SetTransferFunction(colours);
  chart.AddPlot(cells);
}

void addPoints(vtkChartXY& chart, const EvidenceModel& model, const ViewStyle& style, double ratio) {
  const EvidenceScatter& s = model.scatter();
  auto* points = vtkPlotPoints::SafeDownCast(chart.AddPlot(vtkChart::POINTS));
  points->SetInputData(table({scaled(s.x, s.pointX), scaled(s.y, s.pointY)}), 0, 1);
  points->SetMarkerStyle(vtkPlotPoints::CIRCLE);
  points->SetMarkerSize(static_cast<float>(5.6 * ratio));
  QColor colour = style.focus;
  colour.setAlpha(170);
  setColour(points->GetPen(), colour);
  setColour(points->GetBrush(), colour);
}

void addLine(vtkChartXY& chart, const EvidenceModel& model, const ViewStyle& style, double ratio) {
  const EvidenceData& data = model.data();
  const EvidenceScatter& s = model.scatter();
  const bool partial = model.partial();
  const auto &xs = partial ? data.lineX : data.curveX, &ys = partial ? data.lineY : data.curveY;
  if (xs.size() < 2) return;
  if (partial) {
    auto* band = vtkPlotArea::SafeDownCast(chart.AddPlot(vtkChart::AREA));
    band->SetInputData(table({scaled(s.x, xs), scaled(s.y, data.lineLow), scaled(s.y, data.lineHigh)}));
    band->SetInputArray(0, "0");
    band->SetInputArray(1, "1");
    band->SetInputArray(2, "2");
    QColor fill = style.accent;
    fill.setAlpha(70);
    setColour(band->GetBrush(), fill);
    band->GetPen()->SetLineType(vtkPen::NO_PEN);
  }
  vtkPlot* line = chart.AddPlot(vtkChart::LINE);
  line->SetInputData(table({scaled(s.x, xs), scaled(s.y, ys)}), 0, 1);
  setColour(line->GetPen(), style.accent);
  line->SetWidth(static_cast<float>(2 * ratio));
  line->GetPen()->SetLineType(partial ? vtkPen::SOLID_LINE : vtkPen::DASH_LINE);
}

// Adds the steps of a histogram as an area: two corners per bin.
void addSide(vtkChartXY& chart, const EvidenceModel& model, bool with, const ViewStyle& style) {
  const EvidenceData& data = model.data();
  std::vector<double> x, bottom, top;
  for (std::size_t i = 0; i + 1 < data.edges.size(); ++i) {
    const double share = with ? model.shareWith(i) : model.shareWithout(i);
    for (const std::size_t edge : {i, i + 1}) {
      x.push_back(placeOn(data.histogramAxis, data.edges[edge]));
      bottom.push_back(0);
      top.push_back(share);
    }
  }
  auto* area = vtkPlotArea::SafeDownCast(chart.AddPlot(vtkChart::AREA));
  area->SetInputData(table({x, bottom, top}));
  area->SetInputArray(0, "0");
  area->SetInputArray(1, "1");
  area->SetInputArray(2, "2");
  QColor fill = with ? style.accent : style.quiet;
  if (with) fill.setAlpha(170);
  setColour(area->GetBrush(), fill);
  area->GetPen()->SetLineType(vtkPen::NO_PEN);
}

} // namespace

EvidenceChart::EvidenceChart(vtkContextScene* scene)
    : scatter_(vtkSmartPointer<vtkChartXY>::New()), sides_(vtkSmartPointer<vtkChartXY>::New()) {
  for (auto& chart : {scatter_, sides_}) {
    chart->SetAutoSize(false);
    chart->SetShowLegend(false);
    chart->SetHiddenAxisBorder(0);
    chart->SetLayoutStrategy(vtkChart::AXES_TO_RECT);
    scene->AddItem(chart);
  }
}

EvidenceChart::~EvidenceChart() = default;

void EvidenceChart::build(const EvidenceModel& model, const ViewStyle& style, double ratio, double height) {
  const EvidenceScatter& s = model.scatter();
  for (auto& chart : {scatter_, sides_}) chart->ClearPlots();
  place(*scatter_, model.scatterRect(), ratio, height);
  place(*sides_, model.histogramRect(), ratio, height);
  if (s.pointX.empty())
    addCells(*scatter_, model, style);
  else
    addPoints(*scatter_, model, style, ratio);
  addLine(*scatter_, model, style, ratio);
  addSide(*sides_, model, false, style);
  addSide(*sides_, model, true, style);
  bareAxis(*scatter_->GetAxis(vtkAxis::BOTTOM), 0, 1);
  bareAxis(*scatter_->GetAxis(vtkAxis::LEFT), 0, 1);
  bareAxis(*sides_->GetAxis(vtkAxis::BOTTOM), 0, 1);
  bareAxis(*sides_->GetAxis(vtkAxis::LEFT), 0, std::max(model.greatestShare(), 1e-9) * 1.08);
  for (auto& chart : {scatter_, sides_}) chart->RecalculateBounds();
}

} // namespace jitterscope::views
