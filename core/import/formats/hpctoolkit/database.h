#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/import/formats/hpctoolkit/bytes.h"

namespace jitterscope::import::hpctoolkit {

/// One function on a call path.
struct Function {
  std::uint32_t parent = kNone; ///< the function that calls it, a row of Contexts
  std::string name;
  std::uint32_t depth = 1; ///< number of functions on the path to this one, itself included
};

/// The functions of all call paths (meta.db, "Context Tree"). Loops and lines are mapped to the function
/// around them.
class Contexts {
public:
  /// Errors: Io; BadInput when the file holds no tree.
  Expected<void> read(const File& meta, const std::string& name);

  /// Row of the innermost function of a context, kNone for no activity and for unknown contexts.
  std::uint32_t function_of(std::uint64_t context) const;
  const Function& operator[](std::uint32_t row) const { return functions_[row]; }
  /// Rows from the outermost function to this one.
  std::vector<std::uint32_t> path_to(std::uint32_t row) const;
  bool damaged() const { return damaged_; }

private:
  struct Names {
    Bytes strings, modules, files, functions;
  };
  struct Children {
    std::uint64_t begin, end;
    std::uint32_t parent;
  };
  void walk(const Bytes& tree, const Names& names);
  void read_entry(std::uint64_t at, const Bytes& tree, const Names& names, std::vector<Children>& open);
  void read_context(std::uint64_t at, std::uint32_t parent, const Bytes& tree, const Names& names,
                    std::vector<Children>& open);
  std::uint32_t add(std::uint32_t parent, std::string name);
  static std::string name_of(std::uint64_t function, const Names& names);
  static std::string instruction_at(std::uint64_t context, std::uint64_t flags, const Bytes& tree,
                                    const Names& names);
  static std::string in_module(std::uint64_t module, std::uint64_t offset, const Names& names);

  std::vector<Function> functions_;
  std::unordered_map<std::uint64_t, std::uint32_t> function_of_;
  bool damaged_ = false;
};

/// Where a trace line was recorded.
struct Place {
  std::uint64_t node = 0;
  std::optional<std::uint32_t> rank, thread, device, gpu_context, stream;
  bool on_gpu() const { return stream || gpu_context || device; }
};

/// Indexed by profile number (profile.db); empty for summaries and damaged entries. Errors: Io.
Expected<std::vector<std::optional<Place>>> places_of(const File& profile,
                                                      const std::vector<std::string>& kinds);

/// Names of the kinds of identifiers (meta.db): "NODE", "RANK" … Errors: Io.
Expected<std::vector<std::string>> identifier_kinds(const File& meta);

} // namespace jitterscope::import::hpctoolkit
