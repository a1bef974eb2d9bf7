#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/import/records/draft.h"

namespace jitterscope::import {

/// The name under which a kernel's launches are found together: without what the code object's format puts
/// behind it ("[clone .kd]", "(.kd)", ".kd") and, where it is mangled, in the words of the source.
std::string readable_kernel_name(std::string_view recorded);

/// The name without namespaces, template arguments, parameters and return type; the whole name where nothing
/// is left of it.
std::string short_kernel_name(std::string_view readable);

/// Copies and fills that the runtime carries out by kernels of its own.
std::optional<store::TransferKind> memory_operation_of(std::string_view readable);

/// The kind of memory operation that a row among kernels is by its name, as profilers write it: "[CUDA memcpy
/// HtoD]", "Memcpy DtoH (Device -> Pageable)", "CopyHostToDevice", "FillBuffer", and memory_operation_of().
/// Nothing for kernels, also those of people ("memcpy_kernel", "Memset2D").
std::optional<store::TransferKind> named_memory_operation(std::string_view name);

/// Kernels of a draft by the names that files record, each looked at once.
class KernelNames {
public:
  explicit KernelNames(Draft& draft) : draft_(draft) {}

  struct Known {
    std::uint32_t kernel = 0; ///< row of Draft::kernels
    std::optional<store::TransferKind> memory_operation;
  };
  const Known& of(std::string_view recorded);

private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  Draft& draft_;
  std::unordered_map<std::string, Known, TextHash, std::equal_to<>> known_;
};

} // namespace jitterscope::import
