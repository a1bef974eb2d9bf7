#include "core/engine/model/message_list.h"

#include <cctype>

namespace jitterscope::engine {

std::optional<model::Collective> collective_kind(std::string_view name) {
  const auto text = lower_case(name);
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  if (has("allreduce")) return model::Collective::all_reduce;
  if (has("reduce_scatter") || has("reducescatter")) return model::Collective::reduce_scatter;
  if (has("allgather") || has("alltoall")) return model::Collective::all_gather;
  if (has("bcast") || has("broadcast") || has("reduce") || has("gather") || has("scatter") || has("barrier"))
    return model::Collective::broadcast;
  return std::nullopt;
}

std::string lower_case(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_nonblocking_send(std::string_view operation) {
  const auto text = lower_case(operation);
  return text.starts_with("mpi_start") ||
         (text.starts_with("mpi_i") && text.find("send") != std::string::npos);
}

double ThreadSum::total_ns() const {
  double sum = computation_ns;
  for (const auto& [name, operation] : operations) sum += operation.time_ns;
  return sum;
}

} // namespace jitterscope::engine
