#pragma once

#include "app/export/picture_request.h"

namespace jitterscope::app {

/// The timeline with all tracks. Its content has one column per device pixel of a picture of the request's
/// scale. Errors: BadUse if nothing was recorded in the request's range, and those of the engine.
Expected<Picture> timeline_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job);

} // namespace jitterscope::app
