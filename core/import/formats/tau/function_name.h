#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jitterscope::import::tau {

/// Kind of a row of a profile; the text is a value of the column row_kind.
enum class RowKind : std::uint8_t {
  function,
  mpi,             ///< call of MPI
  kernel,          ///< GPU kernel
  copy,            ///< memory operation of a GPU
  gpu_call,        ///< call of a GPU runtime on the host
  synchronisation, ///< synchronisation with a GPU
  idle,            ///< thread of a GPU between its activities
  sample,          ///< found by sampling; its time is also contained in other rows
  event            ///< user event: a quantity without a time
};
const char* to_string(RowKind kind);

/// The parts of a name such as "main => foo() [ <size> = <100> ]".
struct FunctionName {
  std::vector<std::string> path; ///< callers, outermost first: "main"; empty for a sum over all callers
  std::string function;          ///< "foo()"
  std::vector<std::pair<std::string, std::string>> parameters; ///< ("size", "100")

  /// Path and function, separated by '/'.
  std::string whole_path() const;
  /// "size = 100, n = 4"; empty without parameters.
  std::string variant() const;
};
FunctionName function_name(std::string_view name);

/// The parts of a name (FunctionName) as views of the name.
struct NameParts {
  std::string_view callers;    ///< "main"; empty for a sum over all callers
  std::string_view function;   ///< "foo()"
  std::string_view parameters; ///< "<size> = <100> ]"; empty without parameters
};
NameParts parts_of(std::string_view name);

/// "int foo(int) C [{foo.c} {3,1}-{7,1}]" without the source location: "int foo(int)".
std::string_view without_place(std::string_view function);

/// True if `groups` ("TAU_CALLPATH | MPI") contains this one.
bool has_group(std::string_view groups, std::string_view group);

/// Kind by group, else by name; `on_gpu`: row of a thread that represents a GPU's stream.
RowKind kind_of(std::string_view function, std::string_view groups, bool on_gpu);

/// "MPI_Send()" → "MPI_Send".
std::string_view operation_of(std::string_view function);

} // namespace jitterscope::import::tau
