#include "core/engine/messages/messages.h"

#include <cstring>

#include "core/engine/messages/selection_options.h"
#include "protocol_generated.h"

namespace jitterscope::engine {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

template <class Table>
Bytes finished(FlatBufferBuilder& builder, Offset<Table> root) {
  builder.Finish(root);
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

template <class Table>
Expected<const Table*> verified(std::span<const std::uint8_t> bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), 64, 1'000'000);
  if (bytes.size() < 8 || !verifier.VerifyBuffer<Table>(nullptr))
    return failure(ErrorKind::Engine, "a message of the engine link is damaged");
  return flatbuffers::GetRoot<Table>(bytes.data());
}

std::string text(const flatbuffers::String* string) {
  return string ? string->str() : std::string();
}

// Invalid UTF-8 in names of a trace must not stop an answer.
std::string dumped(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Expected<nlohmann::json> parsed(const flatbuffers::String* string) {
  auto json = nlohmann::json::parse(text(string), nullptr, false);
  if (!json.is_object())
    return failure(ErrorKind::Engine, "a message of the engine link contains no JSON object");
  return json;
}

Offset<wire::Array> pack(FlatBufferBuilder& builder, const Answer::Array& array) {
  const auto name = builder.CreateString(array.name);
  if (const auto* v = std::get_if<std::vector<std::int64_t>>(&array.values)) {
    const auto data = builder.CreateVector(*v);
    return wire::CreateArray(builder, name, data);
  }
  if (const auto* v = std::get_if<std::vector<double>>(&array.values)) {
    const auto data = builder.CreateVector(*v);
    return wire::CreateArray(builder, name, 0, data);
  }
  if (const auto* v = std::get_if<std::vector<float>>(&array.values)) {
    const auto data = builder.CreateVector(*v);
    return wire::CreateArray(builder, name, 0, 0, data);
  }
  if (const auto* v = std::get_if<std::vector<std::uint32_t>>(&array.values)) {
    const auto data = builder.CreateVector(*v);
    return wire::CreateArray(builder, name, 0, 0, 0, data);
  }
  const auto data = builder.CreateVector(std::get<std::vector<std::uint8_t>>(array.values));
  return wire::CreateArray(builder, name, 0, 0, 0, 0, data);
}

// The verifier checks the bounds of a vector, but not the alignment of its elements.
template <class T, class Vector>
std::vector<T> copied(const Vector* vector) {
  std::vector<T> values(vector->size());
  if (!values.empty()) std::memcpy(values.data(), vector->Data(), values.size() * sizeof(T));
  return values;
}

Answer::Array unpack(const wire::Array& array) {
  Answer::Array out;
  out.name = text(array.name());
  if (array.f64())
    out.values = copied<double>(array.f64());
  else if (array.f32())
    out.values = copied<float>(array.f32());
  else if (array.u32())
    out.values = copied<std::uint32_t>(array.u32());
  else if (array.u8())
    out.values = copied<std::uint8_t>(array.u8());
  else if (array.i64())
    out.values = copied<std::int64_t>(array.i64());
  return out;
}

} // namespace

std::string operation_name_of(std::string_view table) {
  std::string name;
  for (const char letter : table.substr(table.rfind('.') + 1)) {
    const bool capital = letter >= 'A' && letter <= 'Z';
    if (capital && !name.empty()) name += '_';
    name += capital ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return name;
}

Bytes encode(const Request& request) {
  FlatBufferBuilder builder;
  const auto operation = builder.CreateString(request.operation);
  const auto options = builder.CreateVector(request.options);
  const auto channel = builder.CreateString(request.channel);
  return finished(builder, wire::CreateRequest(builder, operation, options, channel));
}

Bytes encode(const Answer& answer) {
  std::size_t bytes = 4096;
  for (const auto& array : answer.arrays)
    bytes += std::visit([](const auto& v) { return v.size() * sizeof(v[0]); }, array.values) + 64;
  FlatBufferBuilder builder(bytes + answer.table.size());
  if (!answer.type.empty()) {
    const auto type = builder.CreateString(answer.type);
    const auto table = builder.CreateVector(answer.table);
    return finished(builder, wire::CreateAnswer(builder, 0, 0, type, table));
  }
  std::vector<Offset<wire::Array>> arrays;
  for (const auto& array : answer.arrays) arrays.push_back(pack(builder, array));
  const auto list = builder.CreateVector(arrays);
  const auto document = builder.CreateString(dumped(answer.document));
  return finished(builder, wire::CreateAnswer(builder, document, list));
}

Bytes encode(const Progress& progress) {
  FlatBufferBuilder builder;
  const auto what = builder.CreateString(progress.what);
  return finished(builder, wire::CreateProgress(builder, progress.done, progress.total, what));
}

Bytes encode(const Error& error) {
  FlatBufferBuilder builder;
  const auto kind = builder.CreateString(to_string(error.kind));
  const auto message = builder.CreateString(error.message);
  const auto file = builder.CreateString(error.file);
  const auto place = builder.CreateString(error.place);
  const auto hint = builder.CreateString(error.hint);
  return finished(builder, wire::CreateFailure(builder, kind, message, file, place, hint));
}

Bytes encode(const Hello& hello) {
  FlatBufferBuilder builder;
  const auto host = builder.CreateString(hello.host);
  return finished(builder, wire::CreateHello(builder, hello.protocol, hello.ranks, host, hello.process));
}

Expected<Request> decode_request(std::span<const std::uint8_t> bytes) {
  auto table = verified<wire::Request>(bytes);
  if (!table) return forward(table.error());
  Request request;
  request.operation = text((*table)->operation());
  if (const auto* options = (*table)->options()) request.options = copied<std::uint8_t>(options);
  request.channel = text((*table)->channel());
  return request;
}

Expected<Answer> decode_answer(std::span<const std::uint8_t> bytes) {
  auto table = verified<wire::Answer>(bytes);
  if (!table) return forward(table.error());
  Answer answer;
  if (const auto* values = (*table)->table()) {
    answer.type = text((*table)->type());
    answer.table = copied<std::uint8_t>(values);
    return answer;
  }
  auto document = parsed((*table)->document());
  if (!document) return forward(document.error());
  answer.document = std::move(*document);
  if (const auto* arrays = (*table)->arrays())
    for (const auto* array : *arrays) answer.arrays.push_back(unpack(*array));
  return answer;
}

Expected<Progress> decode_progress(std::span<const std::uint8_t> bytes) {
  auto table = verified<wire::Progress>(bytes);
  if (!table) return forward(table.error());
  return Progress{(*table)->done(), (*table)->total(), text((*table)->what())};
}

Expected<Error> decode_failure(std::span<const std::uint8_t> bytes) {
  auto table = verified<wire::Failure>(bytes);
  if (!table) return forward(table.error());
  const auto* f = *table;
  return Error{error_kind_from(text(f->kind())), text(f->message()), text(f->file()), text(f->place()),
               text(f->hint())};
}

Expected<Hello> decode_hello(std::span<const std::uint8_t> bytes) {
  auto table = verified<wire::Hello>(bytes);
  if (!table) return forward(table.error());
  return Hello{(*table)->protocol(), (*table)->ranks(), text((*table)->host()), (*table)->process()};
}

} // namespace jitterscope::engine

namespace flatbuffers {

jitterscope::engine::TimeRange Pack(const jitterscope::Interval& interval) {
  return {interval.begin.count, interval.end.count};
}

jitterscope::Interval UnPack(const jitterscope::engine::TimeRange& range) {
  return {{range.begin()}, {range.end()}};
}

} // namespace flatbuffers
