#include "core/import/text/json/loose_objects.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace jitterscope::import::json {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10; // bytes read per step

class AsArray : public ByteStream {
public:
  explicit AsArray(ByteStreamPointer objects) : objects_(std::move(objects)), text_(kPiece) {}

  Expected<std::size_t> read(std::span<char> into) override {
    while (given_ == written_.size() && !ended_)
      if (auto done = go_on(); !done) return forward(done.error());
    const auto size = std::min(into.size(), written_.size() - given_);
    std::memcpy(into.data(), written_.data() + given_, size);
    given_ += size;
    return size;
  }
  std::int64_t consumed() const override { return objects_->consumed(); }

private:
  Expected<void> go_on() {
    written_.clear();
    given_ = 0;
    if (!begun_) written_.push_back('[');
    begun_ = true;
    const auto got = objects_->read(text_);
    if (!got) return forward(got.error());
    ended_ = *got == 0;
    if (ended_ && depth_ == 0 && !quoted_) written_.push_back(']');
    for (const char c : std::span(text_).first(*got)) put(c);
    return {};
  }

  void put(char c) {
    if (quoted_) {
      quoted_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
    } else if (c == '"') {
      quoted_ = true;
    } else if (depth_ == 0 && (c == ',' || c == '[' || c == ']')) {
      return;
    } else if (c == '{' || c == '[') {
      if (depth_++ == 0 && behind_object_) written_.push_back(',');
      behind_object_ = true;
    } else if ((c == '}' || c == ']') && depth_ > 0) {
      --depth_;
    }
    written_.push_back(c);
  }

  ByteStreamPointer objects_;
  std::vector<char> text_, written_;
  std::size_t given_ = 0; ///< number of bytes of written_ that were returned
  std::int64_t depth_ = 0;
  bool begun_ = false, ended_ = false, quoted_ = false, escaped_ = false, behind_object_ = false;
};

} // namespace

ByteStreamPointer as_array(ByteStreamPointer objects) {
  return std::make_unique<AsArray>(std::move(objects));
}

} // namespace jitterscope::import::json
