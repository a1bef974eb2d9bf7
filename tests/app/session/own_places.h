#pragma once

#include <stdlib.h>

#include "tests/support/temporary_folder.h"

namespace jitterscope::app {

/// Settings, autosaved sessions and imported stores for this test program only, from before its main to its
/// end: separate from those of the user and of programs that run at the same time.
struct OwnPlaces {
  test::TemporaryFolder folder;
  OwnPlaces() {
    ::setenv("JITTERSCOPE_STATE", folder.file("state").c_str(), 1);
    ::setenv("JITTERSCOPE_CACHE", folder.file("cache").c_str(), 1);
  }
};

inline const OwnPlaces own_places;

} // namespace jitterscope::app
