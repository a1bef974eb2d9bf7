#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "core/import/text/text_table.h"

namespace jitterscope::import::chrome {

/// The keys of events and of their arguments that readers look up by name.
enum class Key : std::uint8_t {
  Phase, // members of the event
  CategoryName,
  Name,
  Time,
  Duration,
  Pid,
  Tid,
  Id,
  Arguments,
  Device, // arguments from here on; "name", "pid" and "tid" are keys of both
  Context,
  Stream,
  Correlation,
  CorrelationId,
  CorrelationInWords,
  DeviceOfQueue,
  Queue,
  RegistersPerThread,
  SharedMemory,
  GraphNode,
  Bytes,
  Kind,
  KernelDetails,
  MemcpyDetails,
  BeginNs,
  EndNs,
  Description,
  Labels,
  Grid,
  Block,
  Rank,
  Direction,
  Size,
  TaskType, // CANN and torch_npu
  CopyDirection,
  CopySize,
  GraphLaunch, // Jitterscope's export
  Count
};

/// The key with this name, if it is one that readers look up.
std::optional<Key> known_key(std::string_view text);

/// Numbers of keys as written: those of Key, then all other keys in a file. Events of one kind
/// list the same keys in the same order, so that the key that followed last time is nearly always the next,
/// and one comparison finds it.
class Keys {
public:
  Keys();

  static constexpr std::uint32_t kMaxKeys = 4096;
  static constexpr std::uint32_t kUnnumbered = kMaxKeys; ///< number of all keys after the first kMaxKeys

  /// Position of a key in an object: after which other key, in which kind of event.
  struct Place {
    std::uint32_t previous = kMaxKeys; ///< number of the preceding key, kMaxKeys for the first
    std::uint32_t kind = 0;            ///< kind of the event, below kKinds
  };
  static constexpr std::uint32_t kKinds = 16;

  struct Found {
    std::string_view text;
    std::uint32_t number = kUnnumbered;
  };
  /// The key whose first byte (after the quote) is at `begin`; kLongestGuess bytes from there on must be
  /// readable, and an unescaped quote must follow.
  Found at(const char* begin, Place place) {
    auto& guess = next_guesses_[place.previous][place.kind];
    if (guess != kUnnumbered && texts_[guess].is_at(begin)) return {{begin, texts_[guess].size}, guess};
    return read(begin, guess);
  }

  static constexpr std::size_t kLongestGuess =
      48; ///< maximum length of a key that can be guessed, with the closing quote [B]

private:
  /// A key with its closing quote, padded with zeros: compared by words and without a call.
  struct Text {
    static constexpr std::size_t kWords = kLongestGuess / 8;
    std::array<std::uint64_t, kWords> words{};
    std::array<std::uint64_t, kWords> mask{}; ///< 0xFF for each byte of `words` that is compared
    std::uint32_t size = 0;                   ///< length of the key without the quote [B]
    bool is_at(const char* begin) const {
      std::uint64_t different = 0;
      for (std::size_t word = 0; word * 8 <= size; ++word) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, begin + 8 * word, 8);
        different |= (bytes ^ words[word]) & mask[word];
      }
      return different == 0;
    }
  };
  Found read(const char* begin, std::uint32_t& guess);
  std::uint32_t number_of(std::string_view text);

  TextTable<std::uint32_t> numbers_;
  std::vector<Text> texts_; ///< by number of the key
  std::vector<std::array<std::uint32_t, kKinds>>
      next_guesses_; ///< by number of the preceding key and kind of event
};

} // namespace jitterscope::import::chrome
