#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/import/records/draft.h"

namespace jitterscope::import {

/// Description of one GPU in a source.
struct Gpu {
  std::string name, uuid;
  std::int64_t compute_units = 0;
  std::map<std::string, std::string> properties;
};

/// The resources of one source, created on first use. Devices with the same number are the same hardware
/// in all processes.
class Places {
public:
  /// `host_ids` identify a host seen before (Draft::host_of); the host is created on first use.
  Places(Draft& draft, std::uint32_t host) : draft_(draft), host_(host) {}
  explicit Places(Draft& draft, std::vector<std::string> host_ids = {})
      : draft_(draft), host_ids_(std::move(host_ids)) {}

  /// Also describes devices that rows referred to before.
  void describe(std::int64_t device_number, Gpu gpu);
  /// Sets the description of the devices created from now on for which describe() was not called.
  void describe_any(Gpu gpu) { any_ = std::move(gpu); }
  const Gpu& any_device() const { return any_; }

  std::uint32_t process(std::int64_t pid, const std::string& name = {});
  std::uint32_t thread(std::uint32_t process, std::int64_t tid, const std::string& name = {});
  std::uint32_t device(std::uint32_t process, std::int64_t number, const std::string& name = {});
  std::uint32_t stream(std::uint32_t device, std::int64_t number, const std::string& name = {});

  /// The only process so far, kNone when there are none or several.
  std::uint32_t only_process() const { return processes_.size() == 1 ? processes_.begin()->second : kNone; }
  /// The first device with this number, of any process; kNone when there is none.
  std::uint32_t first_device(std::int64_t number) const;
  /// The smallest device number so far, `otherwise` when there is none.
  std::int64_t min_device(std::int64_t otherwise) const;
  std::uint32_t host();

private:
  using Children = std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t>;
  std::uint32_t device_on_host(const Gpu& gpu) const;
  std::uint32_t child(Children& children, store::ResourceKind kind, std::uint32_t parent, std::int64_t number,
                      const std::string& name);

  Draft& draft_;
  std::vector<std::string> host_ids_;
  std::uint32_t host_ = kNone;
  Gpu any_;
  std::map<std::int64_t, Gpu> gpus_;
  std::map<std::int64_t, std::uint32_t> processes_, first_devices_;
  Children threads_, devices_, streams_;
};

} // namespace jitterscope::import
