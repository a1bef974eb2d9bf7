#include "core/base/communicator.h"

#include <bit>

namespace jitterscope {
namespace {

class LocalCommunicator final : public Communicator {
public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  Expected<void> sum(std::span<std::int64_t>) override { return {}; }
  Expected<void> minimum(std::span<std::int64_t>) override { return {}; }
  Expected<std::vector<std::byte>> all_gather_bytes(std::span<const std::byte> mine) override {
    return std::vector<std::byte>(mine.begin(), mine.end());
  }
  Expected<std::vector<std::byte>> gather_bytes(std::span<const std::byte> mine) override {
    return std::vector<std::byte>(mine.begin(), mine.end());
  }
  bool finish(bool ok) override { return ok; }
};

std::int64_t tree_depth(int ranks) {
  return ranks <= 1 ? 0 : std::bit_width(static_cast<unsigned>(ranks - 1));
}

} // namespace

std::unique_ptr<Communicator> local_communicator() {
  return std::make_unique<LocalCommunicator>();
}

// Recursive doubling: one message of the full length per level of the tree.
void DryRunCommunicator::count_reduction(std::size_t bytes) {
  ++counts_.collectives;
  counts_.messages_per_rank += tree_depth(counts_.ranks);
  counts_.bytes_per_rank += tree_depth(counts_.ranks) * static_cast<std::int64_t>(bytes);
}

Expected<void> DryRunCommunicator::sum(std::span<std::int64_t> values) {
  count_reduction(values.size_bytes());
  return {};
}

Expected<void> DryRunCommunicator::minimum(std::span<std::int64_t> values) {
  count_reduction(values.size_bytes());
  return {};
}

// Ring: every rank passes every other rank's part on once.
Expected<std::vector<std::byte>> DryRunCommunicator::all_gather_bytes(std::span<const std::byte> mine) {
  ++counts_.collectives;
  counts_.messages_per_rank += counts_.ranks - 1;
  counts_.bytes_per_rank += static_cast<std::int64_t>(mine.size()) * (counts_.ranks - 1);
  return std::vector<std::byte>(mine.begin(), mine.end());
}

// Linear to the root: what a rank sends is its own part.
Expected<std::vector<std::byte>> DryRunCommunicator::gather_bytes(std::span<const std::byte> mine) {
  ++counts_.collectives;
  counts_.messages_per_rank += 1;
  counts_.bytes_per_rank += static_cast<std::int64_t>(mine.size());
  counts_.bytes_to_root += static_cast<std::int64_t>(mine.size()) * (counts_.ranks - 1);
  return std::vector<std::byte>(mine.begin(), mine.end());
}

} // namespace jitterscope
