#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>

namespace jitterscope::analysis {

/// Cache of values by name; the least recently used ones are evicted when the room is exceeded.
template <class Value>
class Kept {
public:
  explicit Kept(std::int64_t room) : room_(room) {} ///< `room`: maximum bytes of all values

  /// Null if it is not cached; a hit becomes the most recently used entry.
  std::shared_ptr<Value> find(const std::string& key) {
    const auto found =
        std::find_if(items_.begin(), items_.end(), [&](const Item& each) { return each.key == key; });
    if (found == items_.end()) return nullptr;
    items_.splice(items_.begin(), items_, found);
    return items_.front().value;
  }
  void keep(const std::string& key, std::shared_ptr<Value> value, std::int64_t bytes) {
    std::erase_if(items_, [&](const Item& each) { return each.key == key; });
    items_.push_front({key, std::move(value), bytes});
    std::int64_t sum = 0;
    std::erase_if(items_, [&](const Item& each) { return (sum += each.bytes) > room_; });
  }
  void set_room(std::int64_t room) { room_ = room; }

private:
  struct Item {
    std::string key;
    std::shared_ptr<Value> value;
    std::int64_t bytes = 0;
  };
  std::list<Item> items_; ///< cached values, most recently used first
  std::int64_t room_;
};

} // namespace jitterscope::analysis
