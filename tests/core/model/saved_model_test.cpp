#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/model/correction/saved_model.h"
#include "tests/core/model/correction_support.h"

namespace jitterscope::model {
namespace {

Correction fitted() {
  CorrectionOptions options;
  options.boosting.rounds = 12;
  auto c = *fitted_correction(explained_rows(120, 0.02), "kernels", never, options);
  c.provenance.program = "jitterscope 1";
  c.provenance.inputs = {"0123 run.csv"};
  c.provenance.gpus = {"MI100"};
  return c;
}

TEST(SavedModel, ComesBackWithEveryBitAndItsProvenance) {
  const auto before = fitted();
  const auto after = parse_correction(saved(before), "m.json");
  ASSERT_TRUE(after) << describe(after.error());
  EXPECT_EQ(saved(*after), saved(before));
  EXPECT_EQ(after->provenance.inputs, before.provenance.inputs);
  EXPECT_EQ(after->provenance.gpus, before.provenance.gpus);
  EXPECT_NE(after->provenance.library.find("xgboost"), std::string::npos);
  Random random;
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> row{random.next() * 5, random.next() * 2, random.next()};
    EXPECT_EQ(factor_of(*after, row).value, factor_of(before, row).value);
    EXPECT_EQ(factor_of(*after, row).extrapolated, factor_of(before, row).extrapolated);
  }
}

TEST(SavedModel, OfARefusedCorrectionComesBackRefused) {
  const auto refused = fitted_correction(explained_rows(12, 0), "messages", never);
  ASSERT_TRUE(refused);
  const auto after = parse_correction(saved(*refused), "m.json");
  ASSERT_TRUE(after) << describe(after.error());
  EXPECT_EQ(after->refusal, refused->refusal);
  EXPECT_EQ(after->kind, "messages");
}

TEST(SavedModel, DamageIsFoundBeforeAnyTreeIsUsed) {
  const auto good = nlohmann::json::parse(saved(fitted()));
  const auto refused = [&](auto change) {
    auto document = good;
    change(document);
    const auto c = parse_correction(document.dump(), "m.json");
    return !c && c.error().kind == ErrorKind::BadInput && c.error().file == "m.json" &&
           !c.error().hint.empty();
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& d) { d["format"] = "other"; }));
  EXPECT_TRUE(refused([](auto& d) { d["format"] = 3; }));
  EXPECT_TRUE(refused([](auto& d) { d["version"] = 1; }));
  EXPECT_TRUE(refused([](auto& d) { d.erase("trees"); }));
  EXPECT_TRUE(refused([](auto& d) { d["features"] = nlohmann::json::array(); }));
  EXPECT_TRUE(refused([](auto& d) { d["lowest"].erase(0); }));
  EXPECT_TRUE(refused([](auto& d) { d["important"][0] = 3; }));
  EXPECT_TRUE(refused([](auto& d) { d["important"][0] = -1; }));
  EXPECT_TRUE(refused([](auto& d) { d["machine"] = {7}; }));
  EXPECT_TRUE(refused([](auto& d) { d["clip_high"] = 1e9; }));
  EXPECT_TRUE(refused([](auto& d) { d["clip_low"] = "low"; }));
  EXPECT_TRUE(refused([](auto& d) { d["trees"][0] = nlohmann::json::array(); }));
  EXPECT_TRUE(refused([](auto& d) { d["trees"][0][0][2] = 0; }));         // a loop
  EXPECT_TRUE(refused([](auto& d) { d["trees"][0][0][3] = 1'000'000; })); // outside
  EXPECT_TRUE(refused([](auto& d) { d["trees"][0][0][0] = 3; }));         // no such feature
  EXPECT_TRUE(refused([](auto& d) { d["trees"][0][0][0] = 1e300; }));
  EXPECT_TRUE(refused([](auto& d) { d["trees"][0][0][1] = nullptr; }));
  EXPECT_TRUE(refused([](auto& d) { d["trees"][0][0] = {1, 2}; }));
  EXPECT_TRUE(refused([](auto& d) { d["trees"] = 7; }));
}

TEST(SavedModel, NoCutOrFlipOfAFileDoesHarm) {
  const auto text = saved(fitted());
  EXPECT_FALSE(parse_correction("", "m.json"));
  EXPECT_FALSE(parse_correction(std::string(100'000, '['), "m.json"));
  for (std::size_t size = 0; size + 2 < text.size(); size += 97)
    EXPECT_FALSE(parse_correction(text.substr(0, size), "m.json"));
  for (std::size_t at = 0; at < text.size(); at += 61)
    for (const char damage : {'"', '-', '9', '\0', '\xFF', ',', '['}) {
      auto bytes = text;
      bytes[at] = damage;
      const auto c = parse_correction(bytes, "m.json");
      if (c) (void)factor_of(*c, std::vector<double>(c->features.size(), 0.5));
    }
  EXPECT_FALSE(read_correction("/absent/model.json"));
}

} // namespace
} // namespace jitterscope::model
