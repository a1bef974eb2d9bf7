#pragma once

#include "app/export/picture_request.h"

namespace jitterscope::app {

/// Parallel coordinates of launches, or of bins if the request's state contains bins. Errors: those of the
/// engine.
Expected<Picture> parallel_picture(BlockingEngine& engine, const PictureRequest& request, const Job& job);

} // namespace jitterscope::app
