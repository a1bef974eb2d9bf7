#include "core/store/hdf5/guarded_mapping.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace jitterscope::store {

struct GuardedMapping::Guard {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  std::size_t unit = kGuardUnit; // size of a check [B]
  std::size_t page = 4096;       // size of a page [B]
  std::optional<BlockSums> sums;
  std::unique_ptr<std::atomic<bool>[]> checked; // by unit
  std::atomic<std::uint64_t> damaged_at{kNowhere};
  std::atomic<bool> lost{false};
  std::size_t slot = kNoSlot;

  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  static constexpr std::size_t kNoSlot = ~std::size_t{0};

  std::size_t units() const { return (bytes + unit - 1) / unit; }
  bool accessed(std::uintptr_t address);
  bool page_is_gone(std::uintptr_t address);
  void check(std::size_t which);
  bool populate(std::size_t first, std::size_t last);
};

namespace {

using Guard = GuardedMapping::Guard;

// Maximum number of units of a mapping: the kernel allows a process about 65,000 memory areas, and each
// border between readable and other units adds one.
constexpr std::size_t kMaxUnits = 8192;

// The mappings known to the signal handlers; those without a free slot are checked in full when created.
constexpr std::size_t kSlots = 4096;
std::array<std::atomic<Guard*>, kSlots> known_guards;
std::atomic<std::size_t> used_slots{0};

struct sigaction before_segv, before_bus;

Guard* guard_at(std::uintptr_t address) {
  for (std::size_t slot = 0, used = used_slots; slot < used; ++slot) {
    Guard* const guard = known_guards[slot];
    if (guard && address - reinterpret_cast<std::uintptr_t>(guard->begin) < guard->bytes) return guard;
  }
  return nullptr;
}

void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& before = signal == SIGBUS ? before_bus : before_segv;
  if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  std::signal(signal, SIG_DFL); // the access is repeated and then ends the process
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error_before = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  Guard* const guard = guard_at(address);
  const bool handled = guard && (signal == SIGBUS ? guard->page_is_gone(address) : guard->accessed(address));
  errno = error_before;
  if (!handled) pass_on(signal, info, context);
}

void install_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGSEGV, &action, &before_segv);
    ::sigaction(SIGBUS, &action, &before_bus);
  });
}

void make_known(Guard& guard) {
  static std::mutex lock;
  const std::lock_guard guarded(lock);
  for (std::size_t slot = 0; slot < kSlots; ++slot)
    if (!known_guards[slot]) {
      guard.slot = slot;
      known_guards[slot] = &guard;
      used_slots = std::max(used_slots.load(), slot + 1);
      return;
    }
}

} // namespace

void GuardedMapping::Guard::check(std::size_t which) {
  if (checked[which].exchange(true)) return; // already checked, or being checked by another thread
  const auto first = which * unit, last = std::min(first + unit, bytes);
  if (!populate(first, last)) return; // nothing to compare
  const auto end = (last + kSumBlock - 1) / kSumBlock;
  const auto wrong = sums->first_mismatch(first / kSumBlock, end, begin + first);
  if (wrong == end) return;
  auto known = damaged_at.load();
  while (wrong * kSumBlock < known && !damaged_at.compare_exchange_weak(known, wrong * kSumBlock)) {
  }
}

// Reads the pages from `first` to `last` with one call instead of one fault for every few pages. Pages that
// are gone are replaced here, without a second signal in the signal handler; then it returns false.
bool GuardedMapping::Guard::populate(std::size_t first, std::size_t last) {
#ifdef MADV_POPULATE_READ
  const auto gone = [&](std::size_t from, std::size_t size) {
    return ::madvise(begin + from, size, MADV_POPULATE_READ) != 0 && errno == EFAULT;
  };
  if (!gone(first, last - first)) return true;
  for (std::size_t at = first; at < last; at += page)
    if (gone(at, std::min(page, last - at))) {
      page_is_gone(reinterpret_cast<std::uintptr_t>(begin + at));
      return false;
    }
#endif
  return true;
}

// Returns false for an access that fails for another reason: a repeated fault at an address that is
// readable.
bool GuardedMapping::Guard::accessed(std::uintptr_t address) {
  if (!sums) return false;
  static thread_local std::uintptr_t last_address = 0;
  const auto which = (address - reinterpret_cast<std::uintptr_t>(begin)) / unit;
  if (checked[which]) { // checked by another thread meanwhile
    if (std::exchange(last_address, address) == address) return false;
    return true;
  }
  last_address = 0;
  const auto first = which * unit;
  if (::mprotect(begin + first, std::min(unit, bytes - first), PROT_READ) == 0) {
    check(which);
    return true;
  }
  // Out of memory areas: making everything readable at once needs none.
  if (::mprotect(begin, bytes, PROT_READ) != 0) return false;
  for (std::size_t each = 0; each < units(); ++each) check(each);
  return true;
}

bool GuardedMapping::Guard::page_is_gone(std::uintptr_t address) {
  lost = true;
  const auto offset = (address - reinterpret_cast<std::uintptr_t>(begin)) / page * page;
  const auto end = std::min((offset / unit + 1) * unit, bytes); // the data after it are usually lost as well
  return ::mmap(begin + offset, end - offset, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

GuardedMapping::GuardedMapping() = default;
GuardedMapping::GuardedMapping(GuardedMapping&&) noexcept = default;

GuardedMapping& GuardedMapping::operator=(GuardedMapping&& other) noexcept {
  std::swap(guard_, other.guard_);
  return *this;
}

GuardedMapping::~GuardedMapping() {
  if (!guard_) return;
  if (guard_->slot != Guard::kNoSlot) known_guards[guard_->slot] = nullptr;
  ::munmap(guard_->begin, guard_->bytes);
}

GuardedMapping GuardedMapping::map(int descriptor, std::size_t bytes, std::optional<BlockSums> sums) {
  GuardedMapping mapping;
  if (bytes == 0) return mapping;
  install_handlers();
  void* const place = ::mmap(nullptr, bytes, sums ? PROT_NONE : PROT_READ, MAP_SHARED, descriptor, 0);
  if (place == MAP_FAILED) return mapping;
  auto guard = std::make_unique<Guard>();
  guard->begin = static_cast<std::byte*>(place);
  guard->bytes = bytes;
  guard->page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  guard->unit = std::max({kGuardUnit, std::bit_ceil((bytes + kMaxUnits - 1) / kMaxUnits), guard->page});
  guard->sums = std::move(sums);
  guard->checked = std::make_unique<std::atomic<bool>[]>(guard->units());
  make_known(*guard);
  if (guard->sums && guard->slot == Guard::kNoSlot) {
    ::mprotect(place, bytes, PROT_READ);
    for (std::size_t each = 0; each < guard->units(); ++each) guard->check(each);
  }
  mapping.guard_ = std::move(guard);
  return mapping;
}

const std::byte* GuardedMapping::data() const {
  return guard_ ? guard_->begin : nullptr;
}

std::size_t GuardedMapping::bytes() const {
  return guard_ ? guard_->bytes : 0;
}

std::optional<std::uint64_t> GuardedMapping::damaged_at() const {
  if (!guard_ || guard_->damaged_at == Guard::kNowhere) return std::nullopt;
  return guard_->damaged_at.load();
}

bool GuardedMapping::lost() const {
  return guard_ && guard_->lost;
}

} // namespace jitterscope::store
