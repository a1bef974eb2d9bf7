#pragma once

#include "app/export/picture_request.h"

namespace jitterscope::app {

/// The metrics of the request over one time axis, below each other. Errors: those of the engine, with the
/// first metric that has no values.
Expected<Picture> metrics_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job);
/// The time that each object has at the values of the first metric of the request.
Expected<Picture> histogram_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job);

} // namespace jitterscope::app
