#pragma once

namespace jitterscope::generator {

/// "jitterscope-generate paraver …" with the arguments after "paraver"; returns the exit code.
int run_paraver(int count, char** arguments);

} // namespace jitterscope::generator
