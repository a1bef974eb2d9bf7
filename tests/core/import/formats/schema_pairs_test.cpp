// The same capture written by two versions of the exporter is the same trace.

#include <filesystem>

#include <sqlite3.h>

#include "tests/core/import/import_support.h"
#include "tests/core/import/temporary_files.h"
#include "tests/core/import/trace_text.h"

namespace jitterscope::import {
namespace {

void expect_same(const store::TraceData& a, const store::TraceData& b) {
  EXPECT_EQ(resources_text(a), resources_text(b));
  ASSERT_EQ(a.tables.size(), b.tables.size());
  for (std::size_t i = 0; i < a.tables.size(); ++i) {
    SCOPED_TRACE(a.tables[i].name);
    EXPECT_TRUE(table_text(a, a.tables[i]) == table_text(b, b.tables[i]));
  }
}

struct Pair {
  const char* older;
  const char* newer;
};

class SameCapture : public testing::TestWithParam<Pair> {};

TEST_P(SameCapture, AtTwoSchemaVersionsIsTheSameTrace) {
  REQUIRE_REAL_DATA(older, GetParam().older);
  REQUIRE_REAL_DATA(newer, GetParam().newer);
  expect_same(import_good({older}), import_good({newer}));
}

INSTANTIATE_TEST_SUITE_P(Nsys, SameCapture,
                         testing::Values(Pair{"nsys/gtls-cupy/report1.sqlite",
                                              "nsys/gtls-cupy/report1.schema372.sqlite"},
                                         Pair{"nsys/oldest-schema/report1.b.sqlite",
                                              "nsys/oldest-schema/report1.b.schema372.sqlite"}));

TEST(SameSamples, InTheOldJsonFormAndInTheTable) {
  REQUIRE_REAL_DATA(table_form, "nsys/gpu-metrics/vector_add_profile_v3.schema372.sqlite");
  TemporaryFolder folder;
  const auto json_form = folder.path("json.sqlite");
  std::filesystem::copy_file(table_form, json_form);
  std::filesystem::permissions(json_form, std::filesystem::perms::owner_all);
  run_sql(json_form, "DROP TABLE GPU_METRICS; DROP TABLE TARGET_INFO_GPU_METRICS");
  expect_same(import_good({table_form}), import_good({json_form}));
}

} // namespace
} // namespace jitterscope::import
