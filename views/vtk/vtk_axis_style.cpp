#include "views/vtk/vtk_axis_style.h"

#include <vtkAxis.h>
#include <vtkDoubleArray.h>
#include <vtkNew.h>
#include <vtkPen.h>
#include <vtkStringArray.h>
#include <vtkTextProperty.h>

#include "views/vtk/vtk_host.h"

namespace jitterscope::views {

void setColour(vtkPen* pen, const QColor& c) {
  pen->SetColor(static_cast<unsigned char>(c.red()), static_cast<unsigned char>(c.green()),
                static_cast<unsigned char>(c.blue()), static_cast<unsigned char>(c.alpha()));
}

void styleAxis(vtkAxis& axis, const ViewStyle& style, double ratio) {
  setColour(axis.GetPen(), style.mutedText);
  setColour(axis.GetGridPen(), style.grid);
  axis.GetPen()->SetWidth(static_cast<float>(ratio));
  axis.GetGridPen()->SetWidth(static_cast<float>(ratio));
  axis.SetBehavior(vtkAxis::FIXED);
  axis.SetTitle("");
  vtkTextProperty* text = axis.GetLabelProperties();
  text->SetColor(style.mutedText.redF(), style.mutedText.greenF(), style.mutedText.blueF());
  // The window's dpi is 72·ratio: one point is one logical pixel.
  text->SetFontSize(style.smallPixels);
  if (const QString font = vtkFontFile(); !font.isEmpty()) {
    text->SetFontFamily(VTK_FONT_FILE);
    text->SetFontFile(font.toUtf8().constData());
  }
}

void setLabels(vtkAxis& axis, const std::vector<AxisLabel>& labels) {
  vtkNew<vtkDoubleArray> positions;
  vtkNew<vtkStringArray> texts;
  for (const auto& label : labels) {
    positions->InsertNextValue(label.position);
    texts->InsertNextValue(label.text.toUtf8().constData());
  }
  axis.SetCustomTickPositions(positions, texts);
}

} // namespace jitterscope::views
