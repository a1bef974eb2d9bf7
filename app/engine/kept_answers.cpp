#include "app/engine/kept_answers.h"

#include <variant>

namespace jitterscope::app {

namespace {

std::size_t bytes_of(const nlohmann::json& value) {
  constexpr std::size_t kNode = 48; // bytes of a value with its node in a tree or a list
  std::size_t bytes = kNode;
  if (value.is_string()) bytes += value.get_ref<const std::string&>().size();
  if (value.is_object())
    for (const auto& [name, item] : value.items()) bytes += name.size() + bytes_of(item);
  if (value.is_array())
    for (const auto& item : value) bytes += bytes_of(item);
  return bytes;
}

} // namespace

std::size_t KeptAnswers::bytes_of(const engine::Answer& answer) {
  std::size_t bytes = answer.table.size() + app::bytes_of(answer.document);
  for (const auto& array : answer.arrays)
    bytes += std::visit([](const auto& values) { return values.size() * sizeof(values[0]); }, array.values);
  return bytes;
}

KeptAnswers::Kept KeptAnswers::find(const engine::Request& request) {
  const auto of = operations_.find(request.operation);
  if (of == operations_.end()) return nullptr;
  const auto found = of->second.by_question.find(request.options);
  if (found == of->second.by_question.end()) return nullptr;
  of->second.items.splice(of->second.items.begin(), of->second.items, found->second);
  return found->second->answer;
}

void KeptAnswers::drop(Operation& operation, std::list<Item>::iterator item) {
  operation.bytes -= item->bytes;
  operation.by_question.erase(item->question);
  operation.items.erase(item);
}

void KeptAnswers::keep(const engine::Request& request, Kept answer) {
  const auto bytes = bytes_of(*answer);
  if (bytes > kMaxBytes) return;
  Operation& of = operations_[request.operation];
  if (const auto old = of.by_question.find(request.options); old != of.by_question.end())
    drop(of, old->second);
  while (!of.items.empty() && (of.bytes + bytes > kMaxBytes || of.items.size() >= kMaxAnswers))
    drop(of, std::prev(of.items.end()));
  of.items.push_front({request.options, std::move(answer), bytes});
  of.by_question.emplace(request.options, of.items.begin());
  of.bytes += bytes;
}

} // namespace jitterscope::app
