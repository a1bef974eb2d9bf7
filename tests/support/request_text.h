#pragma once

#include <string>

#include <flatbuffers/minireflect.h>

#include "core/engine/operations/operations.h"

namespace jitterscope::test {

/// The options of a request in one line, for messages.
inline std::string text_of(const engine::Request& request) {
  flatbuffers::ToStringVisitor visitor(" ", true, "");
  flatbuffers::IterateFlatBuffer(request.options.data(), engine::find_operation(request.operation)->fields,
                                 &visitor);
  return visitor.s;
}

} // namespace jitterscope::test
