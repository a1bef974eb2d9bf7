#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/core.h>

#include "core/import/formats/paraver/trace.h"

namespace jitterscope::import::paraver {
namespace {

// Values of MPI's event types in traces without .pcf (Extrae's numbers).
constexpr std::array kMpiCalls = {"",
                                  "MPI_Send",
                                  "MPI_Recv",
                                  "MPI_Isend",
                                  "MPI_Irecv",
                                  "MPI_Wait",
                                  "MPI_Waitall",
                                  "MPI_Bcast",
                                  "MPI_Barrier",
                                  "MPI_Reduce",
                                  "MPI_Allreduce",
                                  "MPI_Alltoall",
                                  "MPI_Alltoallv",
                                  "MPI_Gather",
                                  "MPI_Gatherv",
                                  "MPI_Scatter",
                                  "MPI_Scatterv",
                                  "MPI_Allgather",
                                  "MPI_Allgatherv",
                                  "MPI_Comm_rank",
                                  "MPI_Comm_size"};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool within(std::int64_t type, std::int64_t first, std::int64_t last) {
  return type >= first && type <= last;
}

// Types with the source location or the parameters of an event: no rows of their own.
bool is_detail(std::int64_t type, const std::string& label) {
  return within(type, 30'000'000, 39'999'999) || within(type, 70'000'000, 89'999'999) ||
         within(type, 50'100'000, 50'199'999) || within(type, 9101, 9299) || type == 41'999'999 ||
         (within(type, 40'000'004, 41'999'999)) || label.find(" line") != std::string::npos;
}

// Details that are read together with the row of their event: sizes, launch parameters, correlation.
bool is_read_with_its_row(std::int64_t type) {
  return type == 50'100'001 || type == 50'100'002 || within(type, 9101, 9110) || type == 9200 ||
         type == 63'000'002;
}

} // namespace

// Type ranges of Extrae and nsys2prv; other types are successive ranges where the .pcf names their value 0.
Meaning Trace::meaning_of(std::int64_t type, bool gpu, const EventType* named, bool& known) const {
  const auto label = named ? lower(named->label) : std::string();
  const auto has = [&](std::string_view word) { return label.find(word) != std::string::npos; };
  known = true;
  if (is_detail(type, label)) return Meaning::Nothing;
  if (gpu) {
    const bool kernel = type == 63'000'006 || type == 63'000'007 || type == 63'000'019 || has("kernel");
    if (kernel) return Meaning::Kernel;
    return type == 63'000'001 || ((has("memcpy") || has("memset")) && named->names_zero()) ? Meaning::Copy
                                                                                           : Meaning::Nothing;
  }
  const bool ends = !named || named->names_zero();
  if (within(type, 50'000'001, 50'000'099)) return Meaning::Message;
  if (within(type, 42'000'000, 44'999'999) || within(type, 9400, 9499) ||
      within(type, 66'500'000, 66'599'999))
    return Meaning::Counter;
  if (within(type, 40'000'001, 40'000'003)) return Meaning::Following;
  if (within(type, 63'000'000, 63'999'999))
    return named ? (named->values ? Meaning::Call : Meaning::Nothing)
                 : (type == 63'000'000 ? Meaning::Call : Meaning::Nothing);
  if (type == 9003 || type == 9004 || within(type, 9500, 99'999) || within(type, 66'000'000, 66'499'999))
    return Meaning::Nested;
  if (within(type, 60'000'000, 60'999'999)) {
    if (!ends && !(named && named->values)) return Meaning::Nothing;
    return type == 60'000'019 || has("function") || has("task") ? Meaning::Nested : Meaning::Following;
  }
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
  use.left_out = use.known && use.meaning == Meaning::Nothing && !is_read_with_its_row(type);
  const auto label = use.type ? use.type->label : fmt::format("event {}", type);
  use.label = draft_.strings.intern(label).value;
  return use;
}

std::uint32_t Trace::value_name(const TypeUse& use, std::int64_t type, std::int64_t value) {
  const auto [place, added] = value_names_.try_emplace({type, value}, 0);
  if (!added) return place->second;
  auto name = use.type ? use.type->value_name(value) : std::string();
  const bool mpi =
      use.meaning == Meaning::Message && value > 0 && value < static_cast<std::int64_t>(kMpiCalls.size());
  if (name.empty() && mpi) name = kMpiCalls[static_cast<std::size_t>(value)];
  if (name.empty()) name = fmt::format("{} {}", draft_.strings[StringId{use.label}], value);
  return place->second = draft_.strings.intern(name).value;
}

} // namespace jitterscope::import::paraver
