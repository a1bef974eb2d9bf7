#pragma once

#include <QStringList>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/messages/tables.h"

namespace jitterscope::app {

/// Type of the argument of a function object.
template <class Function>
struct ArgumentOf : ArgumentOf<decltype(&Function::operator())> {};
template <class Function, class Result, class Argument>
struct ArgumentOf<Result (Function::*)(const Argument&) const> {
  using Type = Argument;
};

/// Makes a function that uses a typed answer into one that accepts any answer (EngineQuestions::Use). It does
/// not pass on answers of another type, which an engine of the same version does not send.
template <class Use>
auto reading(Use use) {
  return [use = std::move(use)](const engine::Answer& answer) {
    if (const auto table = engine::table_of<typename ArgumentOf<Use>::Type>(answer)) use(*table);
  };
}

inline QStringList list_of_texts(const std::vector<std::string>& texts) {
  QStringList list;
  for (const auto& text : texts) list << QString::fromStdString(text);
  return list;
}

} // namespace jitterscope::app
