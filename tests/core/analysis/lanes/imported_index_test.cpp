#include <gtest/gtest.h>

#include "core/import/import.h"
#include "core/store/tracks/track_index.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"

using namespace jitterscope;

TEST(Import, LeavesATrackIndexThatFitsItsTables) {
  const test::TemporaryFolder folder;
  generator::Options options;
  options.launches = 20'000;
  options.causes = {generator::Cause::Migration};
  ASSERT_TRUE(generator::generate(options, folder.file("a.sqlite"), {}));
  auto data = import::import_files({folder.file("a.sqlite")}, {});
  ASSERT_TRUE(data);
  ASSERT_TRUE(store::write_store(*data, folder.file("a.jts")));
  const auto store = store::Store::open(folder.file("a.jts"));
  ASSERT_TRUE(store);
  const store::TrackIndex index(*store);
  EXPECT_FALSE(index.rebuilt());
  std::size_t tiles = 0;
  for (const auto& series : index.series())
    for (const auto& level : series.levels) tiles += level.size();
  EXPECT_GT(tiles, 500u);
}
