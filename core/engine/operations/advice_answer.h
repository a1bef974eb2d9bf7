#pragma once

#include <vector>

#include "core/causal/answer/advice.h"
#include "core/engine/messages/causal_answers.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {

/// Advice as a part of a typed answer, worded for the rows of the session.
inline std::vector<answers::AdviceAnswer> packed(const std::vector<causal::Advice>& advice,
                                                 const Context& context) {
  using Kind = causal::Advice::Kind;
  std::vector<answers::AdviceAnswer> list;
  for (const auto& each : advice)
    list.push_back(
        {.kind = each.kind == Kind::remedy ? answers::AdviceKind::Remedy : answers::AdviceKind::Record,
         .feature = each.feature,
         .text = row_words(context, each.text),
         .command = each.command,
         .source = each.source});
  return list;
}

} // namespace jitterscope::engine
