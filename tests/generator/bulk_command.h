#pragma once

namespace jitterscope::generator {

/// "jitterscope-generate bulk …" with the arguments after "bulk"; returns the exit code.
int run_bulk(int count, char** arguments);

} // namespace jitterscope::generator
