#include "core/import/assemble/checksums.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace jitterscope::import {
namespace {

std::string written(const test::TemporaryFolder& folder, const char* name, const std::string& text) {
  const auto path = folder.file(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

// SHA-256 sums of the examples in FIPS 180-4.
TEST(Checksums, AreThoseOfTheFilesInAnyOrderOfRequests) {
  const test::TemporaryFolder folder;
  const auto abc = written(folder, "abc", "abc"), empty = written(folder, "empty", "");
  Checksums checksums({abc, empty});
  EXPECT_EQ(checksums.of(empty, Job{}).value(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(checksums.of(abc, Job{}).value(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Checksums, StateWhatIsWrongWithAFile) {
  Checksums checksums({"/nowhere/at/all"});
  const auto sum = checksums.of("/nowhere/at/all", Job{});
  ASSERT_FALSE(sum);
  EXPECT_EQ(sum.error().kind, ErrorKind::BadInput);
}

TEST(Checksums, WaitingCanBeCancelled) {
  const test::TemporaryFolder folder;
  Checksums checksums({written(folder, "one", "1")});
  Job job;
  job.cancelled = [] { return true; };
  const auto sum = checksums.of("a path that nobody computes", job);
  ASSERT_FALSE(sum);
  EXPECT_EQ(sum.error().kind, ErrorKind::Cancelled);
}

} // namespace
} // namespace jitterscope::import
