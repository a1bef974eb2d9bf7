#include "core/causal/discovery.h"

#include <fmt/format.h>

namespace jitterscope::causal {

Expected<Method> method_from(const std::string& text) {
  if (text == "boss") return Method::boss;
  if (text == "pc" || text == "ges" || text == "lingam")
    return failure(ErrorKind::BadUse, fmt::format("the method \"{}\" is not available in this version", text),
                   {}, {}, "use the method boss");
  return failure(ErrorKind::BadUse, fmt::format("there is no method \"{}\"", text), {}, {},
                 "use the method boss");
}

std::string to_string(Method method) {
  switch (method) {
  case Method::boss:
    return "boss";
  case Method::pc:
    return "pc";
  case Method::ges:
    return "ges";
  case Method::lingam:
    return "lingam";
  }
  return {};
}

} // namespace jitterscope::causal
