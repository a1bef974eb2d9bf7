#pragma once

#include <string>

#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>

namespace jitterscope::app {

/// Texts of answers; throw nlohmann::json::exception for any other value.
inline QString text_of(const nlohmann::json& value) {
  return QString::fromStdString(value.get<std::string>());
}
inline QString text_of(const nlohmann::json& object, const char* key) {
  return text_of(object.at(key));
}

/// Converts texts to a list.
inline nlohmann::json list_of(const QStringList& texts) {
  auto list = nlohmann::json::array();
  for (const auto& text : texts) list.push_back(text.toStdString());
  return list;
}

} // namespace jitterscope::app
