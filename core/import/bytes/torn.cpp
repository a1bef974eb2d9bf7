#include "core/import/bytes/torn.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace jitterscope::import {
namespace {

constexpr std::size_t kAtOnce = std::size_t{256} << 10;
constexpr std::size_t kLongestLine = std::size_t{4} << 20; // longer ones are returned in pieces

class UntilCutOff final : public ByteStream {
public:
  UntilCutOff(ByteStreamPointer stream, std::shared_ptr<Torn> torn)
      : stream_(std::move(stream)), torn_(std::move(torn)) {}

  Expected<std::size_t> read(std::span<char> into) override {
    if (into.empty()) return std::size_t{0};
    while (given_ == complete_ && !over_)
      if (auto done = fill(); !done) return forward(done.error());
    const auto count = std::min(into.size(), complete_ - given_);
    std::memcpy(into.data(), held_.data() + given_, count);
    given_ += count, any_ = any_ || count > 0;
    return count;
  }

  std::int64_t consumed() const override { return stream_->consumed(); }

private:
  // Keeps the last line, which may be incomplete, after the part that may be returned.
  Expected<void> fill() {
    held_.erase(0, std::exchange(given_, 0));
    const auto before = held_.size();
    held_.resize(before + kAtOnce);
    const auto got = stream_->read(std::span(held_).subspan(before));
    held_.resize(before + (got ? *got : 0));
    if (begins_ == '\0')
      if (const auto first = held_.find_first_not_of(" \t\r\n\xEF\xBB\xBF"); first != std::string::npos)
        begins_ = held_[first];
    const bool json = begins_ == '{' || begins_ == '[';
    if (!got && (!stream_->cut_off() || (!any_ && (!json || held_.empty())))) return forward(got.error());
    over_ = !got || *got == 0;
    if (!got) torn_->note(got.error());
    const auto line = held_.rfind('\n');
    if (json || (over_ && got) || (!over_ && held_.size() > kLongestLine && line == std::string::npos))
      complete_ = held_.size();
    else
      complete_ = line == std::string::npos ? 0 : line + 1;
    return {};
  }

  ByteStreamPointer stream_;
  std::shared_ptr<Torn> torn_;
  std::string held_;
  // Bytes at the front of `held_` that may be returned, and that were returned.
  std::size_t complete_ = 0, given_ = 0;
  char begins_ = '\0'; ///< the first character of the text
  bool any_ = false, over_ = false;
};

} // namespace

ByteStreamPointer until_cut_off(ByteStreamPointer stream, std::shared_ptr<Torn> torn) {
  return std::make_unique<UntilCutOff>(std::move(stream), std::move(torn));
}

} // namespace jitterscope::import
