#pragma once

namespace jitterscope::generator {

/// "jitterscope-generate tau …" with the arguments after "tau"; returns the exit code.
int run_tau(int count, char** arguments);

} // namespace jitterscope::generator
