// The streaming JSON layer: numbers as text, borders of elements, texts that end anywhere.

#include <limits>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "core/base/pieces_in_order.h"
#include "core/import/text/json/cursor.h"
#include "core/import/text/json/elements_piece.h"
#include "core/import/text/json/structure.h"
#include "core/import/text/json/values.h"

namespace jitterscope::import::json {
namespace {

constexpr auto kMax = std::numeric_limits<std::int64_t>::max();

TEST(Values, DecimalsAreScaledExactly) {
  EXPECT_EQ(scaled("1712195495519689.047", 3), 1712195495519689047);
  EXPECT_EQ(scaled("\"773902396463\"", 3), 773902396463000);
  EXPECT_EQ(scaled("68.0", 3), 68000);
  EXPECT_EQ(scaled("0.0005", 3), 1); // half away from zero
  EXPECT_EQ(scaled("-0.0005", 3), -1);
  EXPECT_EQ(scaled("0.00049", 3), 0);
  EXPECT_EQ(scaled("1e3", 3), 1000000);
  EXPECT_EQ(scaled("1.5E-3", 3), 2);
  EXPECT_EQ(scaled("9223372036854775.807", 3), kMax);
  EXPECT_EQ(scaled("9223372036854775.808", 3), std::nullopt);
  EXPECT_EQ(scaled("123456789012345678901234567890", 0), std::nullopt);
  EXPECT_EQ(scaled("0.1234567890123456789012345678901234567890", 3), 123);
  EXPECT_EQ(scaled("1e-400", 3), 0);
  for (const auto* bad : {"", "-", ".", "nan", "1.2.3", "12x", "1e", "1e99999", "true", "\"\"", "0x10"})
    EXPECT_EQ(scaled(bad, 3), std::nullopt) << bad;
}

TEST(Values, IntegersHandlesAndReals) {
  EXPECT_EQ(integer("12.9"), 12);
  EXPECT_EQ(integer("-7"), -7);
  EXPECT_EQ(integer("\"42\""), 42);
  EXPECT_EQ(integer("{"), std::nullopt);
  EXPECT_EQ(handle("0xff"), 255u);
  EXPECT_EQ(handle("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(real("1.5e-3"), 1.5e-3);
  EXPECT_EQ(real("inf"), std::nullopt);
}

TEST(Values, TextsAreUnescapedAsFarAsTheyCanBe) {
  EXPECT_EQ(text_of(R"("a\"b\\c\/\n\u00e9\ud83d\ude00")"), "a\"b\\c/\n\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(text_of(R"("C:\Users\x\u12")"), R"(C:\Users\x\u12)");
  EXPECT_EQ(text_of(R"("\ud800x")"), "\xEF\xBF\xBDx");
}

// The fast scan agrees with a plain one for any text and any division into blocks.
TEST(Structure, FindsTheSameAsAPlainScan) {
  std::string text;
  std::uint32_t seed = 7;
  const auto random = [&] { return seed = seed * 1664525u + 1013904223u; };
  for (int round = 0; round < 3000; ++round) {
    text.clear();
    const auto length = (random() >> 20) % 300;
    for (std::uint32_t i = 0; i < length; ++i) text += "\"\"\\{}[],,a    "[(random() >> 24) % 14];
    Scan expected;
    std::int64_t depth = 0;
    bool quoted = false, escaped = false; // a backslash escapes quotes and backslashes, nothing else
    for (std::size_t at = 0; at < text.size(); ++at) {
      const char c = text[at];
      const bool hidden = escaped;
      escaped = c == '\\' && !hidden;
      if (c == '"' && !hidden) quoted = !quoted;
      if (quoted) continue;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth < 0) {
        expected.end = at;
        break;
      }
      if (c == ',' && depth == 0) expected.last_comma = at;
    }
    ScanState state;
    const auto cut = text.empty() ? 0 : (random() >> 16) % text.size();
    auto found = scan(std::string_view(text).substr(0, cut), state);
    if (found.end == kNowhere) {
      const auto rest = scan(std::string_view(text).substr(cut), state);
      if (rest.last_comma != kNowhere) found.last_comma = cut + rest.last_comma;
      if (rest.end != kNowhere) found.end = cut + rest.end;
    }
    EXPECT_EQ(found.end, expected.end) << text;
    EXPECT_EQ(found.last_comma, expected.last_comma) << text << " cut at " << cut;
  }
}

std::size_t elements_in(const std::string& text, bool& cut_off, std::size_t& chunks) {
  const auto stream = open_memory(text);
  Cursor cursor(*stream, "test");
  std::size_t commas = 0;
  chunks = 0;
  EXPECT_TRUE(cursor.open().has_value());
  for (;;) {
    const auto chunk = cursor.elements();
    EXPECT_TRUE(chunk.has_value());
    if (!chunk || !*chunk) break;
    ++chunks;
    EXPECT_EQ((**chunk).text().front(), '[');
    EXPECT_EQ((**chunk).text().back(), ']');
    for (std::size_t at = 1; at + 1 < (**chunk).size; ++at) commas += (**chunk).data[at] == ';' ? 1 : 0;
  }
  cut_off = cursor.cut_off();
  return commas;
}

TEST(Cursor, CutsElementsIntoChunksAndLosesNone) {
  std::string text = "\xEF\xBB\xBF [";
  for (int i = 0; i < 200'000; ++i) text += std::string(i ? "," : "") + R"({"a":";","b":[1,{"c":"]}\""}]})";
  bool cut = false;
  std::size_t chunks = 0;
  EXPECT_EQ(elements_in(text + "]", cut, chunks), 200'000u);
  EXPECT_FALSE(cut);
  EXPECT_GT(chunks, 4u);
  EXPECT_EQ(elements_in(text, cut, chunks), 200'000u); // without the closing bracket
  EXPECT_TRUE(cut);
  EXPECT_EQ(elements_in(text.substr(0, text.size() - 3), cut, chunks), 199'999u);
  EXPECT_TRUE(cut);
}

TEST(Cursor, TakesSkipsAndRefusesMembers) {
  const std::string text =
      R"( {"a":1,"big":")" + std::string(3'000'000, 'x') + R"(","b":{"c":[1,2]},"d" : "e\"f" })";
  const auto stream = open_memory(text);
  Cursor cursor(*stream, "test");
  ASSERT_TRUE(cursor.open().has_value());
  EXPECT_EQ(**cursor.member(), "a");
  EXPECT_EQ(**cursor.value(10), "1");
  EXPECT_EQ(**cursor.member(), "big");
  EXPECT_EQ(*cursor.value(1000), std::nullopt);
  EXPECT_EQ(**cursor.member(), "b");
  EXPECT_EQ(**cursor.value(1000), R"({"c":[1,2]})");
  EXPECT_EQ(**cursor.member(), "d");
  EXPECT_EQ(**cursor.value(1000), R"("e\"f")");
  EXPECT_EQ(*cursor.member(), std::nullopt);
  EXPECT_FALSE(cursor.cut_off());
}

TEST(Cursor, ElementsBeyondTheLimitAreAnError) {
  const std::string text = R"([{"a":")" + std::string(kMaxElement + 100, 'x') + R"("}])";
  const auto stream = open_memory(text);
  Cursor cursor(*stream, "test");
  ASSERT_TRUE(cursor.open().has_value());
  const auto chunk = cursor.elements();
  ASSERT_FALSE(chunk.has_value());
  EXPECT_EQ(chunk.error().kind, ErrorKind::BadInput);
}

// All chunks from elements() or from a thread that reads ahead, and how reading ended.
struct Cut {
  std::vector<std::string> chunks;
  std::string error;
  bool cut_off = false;
  std::string next_member;
  bool operator==(const Cut&) const = default;
};

Cut cut(const std::string& text, int threads) {
  Cut all;
  const auto stream = open_memory(text);
  Cursor cursor(*stream, "test");
  EXPECT_TRUE(cursor.open().has_value());
  EXPECT_TRUE(cursor.member().has_value());
  EXPECT_TRUE(cursor.open().has_value());
  {
    PiecesInOrder<ElementsPiece> pieces(
        threads, [&](ElementsPiece& piece) { return piece.cut(cursor, *stream); }, [](ElementsPiece&) {});
    for (;;) {
      const auto chunk = threads > 0 ? pieces.next()->chunk() : cursor.elements();
      if (!chunk) all.error = describe(chunk.error());
      if (!chunk || !*chunk) break;
      all.chunks.emplace_back((*chunk)->text());
    }
  }
  if (all.error.empty())
    if (const auto key = cursor.member(); key && *key) all.next_member = **key;
  all.cut_off = cursor.cut_off();
  return all;
}

TEST(ElementsPiece, GivesTheSameChunksForAnyNumberOfThreads) {
  std::string text = R"({"events":[)";
  for (int i = 0; i < 300'000; ++i)
    text += fmt::format(R"({}{{"name":"event {}","ts":{}}})", i ? "," : "", i, i * 17);
  const std::string whole = text + R"(],"after":1})";
  for (const auto& each :
       {whole, text, text.substr(0, 5'000'000), text + "," + std::string(kMaxElement + 9, '1') + "]}",
        std::string(R"({"events":[],"after":1})"), std::string(R"({"events":[1,2)")}) {
    SCOPED_TRACE(each.size());
    const auto direct = cut(each, 0);
    for (const int threads : {1, 2, 7}) EXPECT_EQ(direct, cut(each, threads));
    if (each == whole) {
      EXPECT_EQ(direct.next_member, "after");
      EXPECT_GT(direct.chunks.size(), 8u);
    }
  }
}

TEST(ElementsPiece, MayBeStoppedEarly) {
  std::string text = "[";
  for (int i = 0; i < 2'000'000; ++i) text += "1234567,";
  const auto stream = open_memory(text);
  Cursor cursor(*stream, "test");
  ASSERT_TRUE(cursor.open().has_value());
  PiecesInOrder<ElementsPiece> pieces(
      3, [&](ElementsPiece& piece) { return piece.cut(cursor, *stream); }, [](ElementsPiece&) {});
  for (int chunk = 0; chunk < 6; ++chunk) EXPECT_GT(pieces.next()->consumed(), 0);
}

} // namespace
} // namespace jitterscope::import::json
