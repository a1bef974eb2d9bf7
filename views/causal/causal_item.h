#pragma once

#include <QTransform>
#include <vtkContextItem.h>

#include "views/base/view_style.h"
#include "views/causal/causal_scene.h"

class vtkTextProperty;

namespace jitterscope::views {

/// Draws a CausalScene in a VTK context scene.
class CausalItem : public vtkContextItem {
public:
  static CausalItem* New();
  vtkTypeMacro(CausalItem, vtkContextItem)

      /// `transform` maps layout coordinates to device pixels, y downwards; `height` is the picture's height.
      void show(CausalScene scene, const ViewStyle& style, const QTransform& transform, double height,
                double ratio);
  bool Paint(vtkContext2D* painter) override;

private:
  CausalItem() = default;
  void drawShape(vtkContext2D& painter, const SceneShape& shape) const;
  void drawLine(vtkContext2D& painter, const SceneLine& line) const;
  void drawText(vtkContext2D& painter, const SceneText& text, const QString& shown) const;
  QStringList shownTexts() const;
  QFont drawnFont(const SceneText& text) const;
  std::vector<float> mapped(const QPolygonF& points) const;

  CausalScene scene_;
  QStringList shown_; ///< the part of each text that fits
  ViewStyle style_;
  QTransform transform_;
  double height_ = 1;
  double ratio_ = 1;
};

} // namespace jitterscope::views
