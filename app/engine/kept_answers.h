#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>

#include "core/engine/messages/messages.h"

namespace jitterscope::app {

/// Cache of a session's answers by request, so that going back sends no request. The least
/// recently used are evicted per operation: panning the timeline does not evict a causal graph.
class KeptAnswers {
public:
  using Kept = std::shared_ptr<const engine::Answer>;
  static constexpr std::size_t kMaxAnswers = 64;       ///< maximum number of answers per operation
  static constexpr std::size_t kMaxBytes = 32u << 20u; ///< maximum per operation [B], approximate

  /// The cached answer; null if there is none.
  Kept find(const engine::Request& request);
  void keep(const engine::Request& request, Kept answer);
  void forget() { operations_.clear(); }

  static std::size_t bytes_of(const engine::Answer& answer); ///< approximate memory of an answer [B]

private:
  struct Item {
    engine::Bytes question; ///< encoded options
    Kept answer;
    std::size_t bytes = 0;
  };
  struct Operation {
    std::list<Item> items; ///< most recently used first
    std::map<engine::Bytes, std::list<Item>::iterator> by_question;
    std::size_t bytes = 0;
  };
  static void drop(Operation& operation, std::list<Item>::iterator item);

  std::map<std::string, Operation> operations_;
};

} // namespace jitterscope::app
