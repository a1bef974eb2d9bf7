#pragma once

#include <QSize>
#include <QString>
#include <optional>

#include "app/engine/blocking_engine.h"
#include "app/engine/decode.h"
#include "app/export/picture_request.h"
#include "views/base/export.h"
#include "views/base/view_style.h"
#include "views/parallel/parallel_data.h"

namespace jitterscope::app {

/// Names of the views of pictures: timeline, bins …
QStringList picture_views();

/// Requests the data of the view from the engine (a session must be open) and returns its paint function.
/// Errors: BadUse for an unknown view, and any error of the engine.
Expected<Picture> picture(BlockingEngine& engine, const PictureRequest& request, const Job& job);

} // namespace jitterscope::app
