#pragma once

#include <stdlib.h>

#include "tests/support/temporary_folder.h"

namespace jitterscope::app {

/// Settings, autosaved sessions and imported stores of this test program alone, from before its main to its
/// end: neither those of the user nor those of a program that runs beside it.
struct OwnPlaces {
  test::TemporaryFolder folder;
  OwnPlaces() {
    ::setenv("JITTERSCOPE_STATE", folder.file("state").c_str(), 1);
    ::setenv("JITTERSCOPE_CACHE", folder.file("cache").c_str(), 1);
  }
};

inline const OwnPlaces own_places;

} // namespace jitterscope::app
