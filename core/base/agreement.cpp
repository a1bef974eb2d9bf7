#include "core/base/agreement.h"

namespace jitterscope {

Expected<void> all_ranks_succeeded(Communicator& communicator) {
  return communicator.minimum({});
}

Expected<void> known_to_all(Communicator& communicator, std::span<std::int64_t> known) {
  return communicator.minimum(known);
}

} // namespace jitterscope
