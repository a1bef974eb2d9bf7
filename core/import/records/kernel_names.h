#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/import/records/draft.h"

namespace jitterscope::import {

/// The name that identifies a kernel's launches: without suffixes of the code object's format
/// ("[clone .kd]", "(.kd)", ".kd") and, if mangled, demangled.
std::string readable_kernel_name(std::string_view recorded);

/// The name without namespaces, template arguments, parameters and return type; the whole name where that
/// would be empty, and of names that are no signatures of C++ functions: "copy #2", "conv(3x3)".
std::string short_kernel_name(std::string_view readable);

/// The kind of copies and fills that the runtime executes as kernels; nothing for others.
std::optional<store::TransferKind> memory_operation_of(std::string_view readable);

/// The kind of memory operation of a row listed among kernels, from its name in profilers: "[CUDA memcpy
/// HtoD]", "Memcpy DtoH (Device -> Pageable)", "CopyHostToDevice", "FillBuffer", and memory_operation_of().
/// Nothing for kernels, including users' kernels ("memcpy_kernel", "Memset2D").
std::optional<store::TransferKind> named_memory_operation(std::string_view name);

/// Kernels of a draft by recorded name; each name is analysed once.
class KernelNames {
public:
  explicit KernelNames(Draft& draft) : draft_(draft) {}

  struct Known {
    std::uint32_t kernel = 0; ///< row of the kernel in Draft::kernels
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
