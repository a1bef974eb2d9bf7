#pragma once

#include <QImage>
#include <QRectF>
#include <QSize>
#include <QString>
#include <functional>

#include "core/base/error.h"

class QPainter;

namespace jitterscope::views {

/// Paints a view into the rectangle; the painter's clip and state are restored by the caller.
using PaintFunction = std::function<void(QPainter&, const QRectF&)>;

/// Renders the view as an image of size·scale device pixels.
QImage renderImage(QSize size, double scale, const PaintFunction& paint);

/// Writes .png, .svg or .pdf (by the file name's extension), `size` in logical pixels; `scale` applies to PNG
/// only. Needs a QGuiApplication but no window. Errors: BadUse (unknown extension, empty size), Io.
Expected<void> exportPicture(const QString& path, QSize size, double scale, const QString& title,
                             const PaintFunction& paint);

} // namespace jitterscope::views
