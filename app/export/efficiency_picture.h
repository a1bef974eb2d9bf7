#pragma once

#include "app/export/picture_request.h"

namespace jitterscope::app {

/// Efficiencies of the requested range with their timeline, devices and host threads. Errors: those of the
/// engine.
Expected<Picture> efficiency_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job);

} // namespace jitterscope::app
