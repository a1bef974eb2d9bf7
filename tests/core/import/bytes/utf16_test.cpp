// Text in UTF-16, as written by redirections of Windows PowerShell, is read like any other.

#include "core/import/bytes/encodings.h"
#include "tests/core/import/formats/table/table_support.h"

namespace jitterscope::import {
namespace {

using namespace std::string_literals;

std::string without_mark(std::u16string_view text, bool big_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    bytes += big_endian ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

std::string utf16(std::u16string_view text, bool big_endian) {
  return without_mark(u"\uFEFF" + std::u16string(text), big_endian);
}

// In steps of a few bytes, so that units and characters are cut anywhere.
std::string as_utf8(const std::string& bytes) {
  const auto stream = utf16_as_utf8(open_memory(bytes));
  std::string text;
  char some[3];
  for (;;) {
    const auto got = stream->read(some);
    if (!got || *got == 0) return text;
    text.append(some, *got);
  }
}

class Utf16 : public TableTest {};

TEST_F(Utf16, EveryCharacterIsKept) {
  for (const bool big_endian : {false, true})
    EXPECT_EQ(as_utf8(utf16(u"a,\u00E4\u20AC\U0001F600\n", big_endian)), "a,\u00E4\u20AC\U0001F600\n");
}

TEST_F(Utf16, HalfCharactersAreReplaced) {
  EXPECT_EQ(as_utf8("\xFF\xFE\x00\xD8x\0\x00\xDC"s), "\uFFFDx\uFFFD");
  EXPECT_EQ(as_utf8("\xFF\xFEx\0\x00\xD8"s), "x\uFFFD");
  EXPECT_EQ(as_utf8("\xFF\xFEx\0y"s), "x\uFFFD");
}

TEST_F(Utf16, TablesAndTracesOpen) {
  std::u16string rows;
  for (int i = 0; i < 40'000; ++i) rows += u"\u00E4,5,7\r\n"; // larger than one read
  for (const bool big_endian : {false, true}) {
    const auto data = import_good_text(utf16(u"kernel,time_ns,n\r\n" + rows, big_endian));
    EXPECT_EQ(launches_of(data), 40'000u);
    EXPECT_EQ(numbers(data, "n").back(), 7);
    EXPECT_EQ(reported(data, "utf-16"), 1);
  }
  const auto trace = import_good_text(
      utf16(uR"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,)"
            uR"("args":{"device":0,"stream":7}}]})",
            false),
      "trace.json");
  EXPECT_EQ(launches_of(trace), 1u);
}

TEST_F(Utf16, TextWithoutItsMarkIsReadToo) {
  for (const bool big_endian : {false, true}) {
    EXPECT_EQ(as_utf8(without_mark(u"a,\u00E4\u4E2D\n", big_endian)), "a,\u00E4\u4E2D\n");
    const auto data =
        import_good_text(without_mark(u"kernel,time_ns,n\r\n\u00E4,5,7\r\n\u4E2D,6,8\r\n", big_endian));
    EXPECT_EQ(launches_of(data), 2u);
    EXPECT_EQ(numbers(data, "n").back(), 8);
    EXPECT_EQ(reported(data, "utf-16"), 1);
  }
  EXPECT_FALSE(is_utf16("a\0b\0c\0\0\0"s)); // not a valid character
  EXPECT_FALSE(is_utf16("a\0b"s));
}

TEST_F(Utf16, Damage) {
  const auto text = utf16(u"kernel,time_ns,n\na,5,7\nb,6,8\n", false);
  expect_damage_is_survived(text);
}

} // namespace
} // namespace jitterscope::import
