#include "core/engine/messages/texts.h"

namespace jitterscope::engine {

void add_texts(Answer& answer, const std::string& name, const std::vector<std::string_view>& texts) {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> ends;
  for (const auto text : texts) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    ends.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  answer.add(name + "/bytes", std::move(bytes));
  answer.add(name + "/ends", std::move(ends));
}

std::vector<std::string_view> texts_of(const Answer& answer, const std::string& name) {
  const auto& bytes = answer.get<std::uint8_t>(name + "/bytes");
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<std::string_view> texts;
  std::int64_t begin = 0;
  for (const auto end : answer.get<std::int64_t>(name + "/ends")) {
    if (end < begin || end > static_cast<std::int64_t>(all.size())) return {};
    texts.push_back(all.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    begin = end;
  }
  return texts;
}

} // namespace jitterscope::engine
