#include <fmt/core.h>

#include "core/import/formats/paraver/trace.h"
#include "core/import/text/text.h"
#include "core/paraver/event_types.h"
#include "core/paraver/extrae_names.h"

namespace jitterscope::import::paraver {
namespace {

// Types with the source location or the parameters of an event: no rows of their own.
bool is_detail(std::int64_t type, const std::string& label) {
  return prv::is_within(type, 30'000'000, 39'999'999) || prv::is_within(type, 70'000'000, 89'999'999) ||
         prv::is_within(type, 50'100'000, 50'199'999) || prv::is_within(type, 9101, 9299) ||
         type == 41'999'999 || (prv::is_within(type, 40'000'004, 41'999'999)) ||
         label.find(" line") != std::string::npos;
}

// Details that are read together with the row of their event: sizes, launch parameters, correlation.
bool is_read_with_its_row(std::int64_t type) {
  return type == prv::kMpiBytes || type == prv::kMpiBytesReceived ||
         prv::is_within(type, prv::kGridX, prv::kRegisters) || type == prv::kCorrelation ||
         type == prv::kCopyBytes;
}

// Extrae's types of MPI calls, or others that the .pcf defines with names of calls. The types between, such
// as 50000061 (alias of a communicator), are no calls.
bool is_mpi_call(std::int64_t type, const EventType* named) {
  return prv::is_within(type, prv::kMpiPointToPoint, prv::kMpiIo) ||
         (prv::is_within(type, prv::kMpiIo + 1, prv::kMpiLast) && named && named->values);
}

} // namespace

// Type ranges of Extrae and nsys2prv; other types are successive ranges where the .pcf names their value 0.
Meaning Trace::meaning_of(std::int64_t type, bool gpu, const EventType* named, bool& known) const {
  const auto label = named ? lower(named->label) : std::string();
  const auto has = [&](std::string_view word) { return label.find(word) != std::string::npos; };
  known = true;
  if (is_detail(type, label)) return Meaning::Nothing;
  if (gpu) {
    if (prv::is_kernel(type) || has("kernel")) return Meaning::Kernel;
    return type == prv::kCopy || ((has("memcpy") || has("memset")) && named->names_zero()) ? Meaning::Copy
                                                                                           : Meaning::Nothing;
  }
  const bool ends = !named || named->names_zero();
  if (is_mpi_call(type, named)) return Meaning::Message;
  if (prv::is_counter(type)) return Meaning::Counter;
  if (prv::is_within(type, 40'000'001, 40'000'003)) return Meaning::Following;
  if (prv::is_within(type, 63'000'000, 63'999'999))
    return named ? (named->values ? Meaning::Call : Meaning::Nothing)
                 : (type == prv::kCall ? Meaning::Call : Meaning::Nothing);
  const bool of_program = prv::is_within(type, 60'000'000, 60'999'999);
  if (of_program && !ends && !(named && named->values)) return Meaning::Nothing;
  if (prv::may_be_nested(type, label)) return Meaning::Nested;
  if (of_program) return Meaning::Following;
  if (named && named->names_zero()) return Meaning::Following;
  known = false;
  return Meaning::Nothing;
}

const TypeUse& Trace::find_or_make_use(std::int64_t type, bool gpu) {
  const auto [place, added] = uses_.try_emplace({type, gpu});
  auto& use = place->second;
  if (!added) return use;
  use.type = labels_.type(type);
  use.meaning = meaning_of(type, gpu, use.type, use.known);
  mpi_ = mpi_ || use.meaning == Meaning::Message;
  use.left_out = use.known && use.meaning == Meaning::Nothing && !is_read_with_its_row(type);
  auto label = use.type ? use.type->label : prv::counter_name(type);
  if (label.empty()) label = fmt::format("event {}", type);
  if (use.meaning == Meaning::Following || use.meaning == Meaning::Nested)
    draft_.paraver.range_types.emplace(type, label);
  use.label = draft_.strings.intern(label).value;
  return use;
}

std::uint32_t Trace::value_name(const TypeUse& use, std::int64_t type, std::int64_t value) {
  const auto [place, added] = value_names_.try_emplace({type, value}, 0);
  if (!added) return place->second;
  auto name = use.type ? use.type->value_name(value) : std::string();
  if (name.empty() && use.meaning == Meaning::Message) name = prv::mpi_call(value);
  if (name == "Begin") name = draft_.strings[StringId{use.label}]; // "Application", "Flushing Traces"
  if (name.empty()) name = fmt::format("{} {}", draft_.strings[StringId{use.label}], value);
  return place->second = draft_.strings.intern(name).value;
}

} // namespace jitterscope::import::paraver
