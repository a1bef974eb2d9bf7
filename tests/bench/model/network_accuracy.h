#pragma once

#include <string>

namespace jitterscope::bench {

/// Prints the errors of held-out sizes of all OSU latency curves in a folder.
void network_accuracy(const std::string& folder);

} // namespace jitterscope::bench
