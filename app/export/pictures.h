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

/// Asks the engine for what the view needs (a session must be open) and returns the function that paints it.
/// Errors: BadUse for an unknown view, and whatever the engine says.
Expected<Picture> picture(BlockingEngine& engine, const PictureRequest& request, const Job& job);

} // namespace jitterscope::app
