#include "core/base/output_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace jitterscope {
namespace {

namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class OutputFileTest : public testing::Test {
protected:
  const test::TemporaryFolder folder_;
  const std::string file_ = folder_.file("out");
  long entries() const {
    return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  }
};

TEST_F(OutputFileTest, NeverReplacesAnInputWhileItIsOpen) {
  std::ofstream(file_) << "read";
  fs::create_symlink(file_, folder_.file("link"));
  {
    InputFiles session;
    {
      const InputFiles opened({file_, folder_.file("missing")});
      session = opened;
    }
    for (const auto& path : {file_, folder_.file("link"), (folder_.path() / "." / "out").string()}) {
      const auto refused = OutputFile::create(path);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().kind, ErrorKind::BadUse);
      EXPECT_EQ(refused.error().file, path);
    }
    EXPECT_TRUE(write_output(folder_.file("other"), "x"));
    EXPECT_TRUE(write_output("/dev/null", "x"));
  }
  EXPECT_EQ(content(file_), "read");
  EXPECT_TRUE(write_output(file_, "new"));
  EXPECT_EQ(content(file_), "new");
}

TEST_F(OutputFileTest, ExistingFilesAreReplacedOnRequest) {
  std::ofstream(file_) << "old";
  EXPECT_TRUE(refuse_existing({folder_.file("a"), folder_.file("b")}, false));
  EXPECT_TRUE(refuse_existing({folder_.file("a"), file_}, true));
  const auto refused = refuse_existing({folder_.file("a"), file_}, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().file, file_);
}

TEST_F(OutputFileTest, AppearsWhenCommittedAndNotBefore) {
  std::ofstream(file_) << "old";
  {
    auto output = OutputFile::create(file_);
    ASSERT_TRUE(output && output->write("half"));
    EXPECT_EQ(content(file_), "old");
  }
  EXPECT_EQ(content(file_), "old");
  EXPECT_EQ(entries(), 1);
  ASSERT_TRUE(write_output(file_, "new"));
  EXPECT_EQ(content(file_), "new");
  EXPECT_EQ(entries(), 1);
}

TEST_F(OutputFileTest, RemovesWhatKilledProcessesLeft) {
  std::ofstream(file_ + ".partial-999999999") << "left by a killed process";
  ASSERT_TRUE(write_output(file_, "whole"));
  EXPECT_EQ(entries(), 1);
}

TEST_F(OutputFileTest, KeepsPermissions) {
  std::ofstream(file_) << "old";
  ASSERT_EQ(::chmod(file_.c_str(), 0640), 0);
  ASSERT_TRUE(write_output(file_, "new"));
  struct stat status {};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST_F(OutputFileTest, FollowsLinksToFilesAndToFreeNames) {
  fs::create_symlink("second", folder_.file("first"));
  fs::create_symlink(file_, folder_.file("second"));
  for (const char* text : {"to a free name", "to a file"}) {
    ASSERT_TRUE(write_output(folder_.file("first"), text));
    EXPECT_EQ(content(file_), text);
    EXPECT_TRUE(fs::is_symlink(folder_.file("first")) && fs::is_symlink(folder_.file("second")));
  }
}

TEST_F(OutputFileTest, ARingOfLinksIsAnError) {
  fs::create_symlink("second", folder_.file("first"));
  fs::create_symlink("first", folder_.file("second"));
  const auto written = write_output(folder_.file("first"), "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::Io);
}

// A device node made by the test: a wrong implementation would replace it.
TEST_F(OutputFileTest, DevicesAreWrittenThrough) {
  constexpr unsigned kFull = 7, kNull = 3; // minor numbers of /dev/full and /dev/null
  const auto null = folder_.file("null"), full = folder_.file("full");
  if (::mknod(null.c_str(), S_IFCHR | 0600, makedev(1, kNull)) != 0 ||
      ::mknod(full.c_str(), S_IFCHR | 0600, makedev(1, kFull)) != 0 || ::access(full.c_str(), W_OK) != 0 ||
      ::open(null.c_str(), O_WRONLY | O_CLOEXEC) < 0)
    GTEST_SKIP() << "this user may not create device nodes";
  EXPECT_TRUE(write_output(null, "text"));
  const auto written = write_output(full, "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::Io);
  EXPECT_NE(written.error().message.find("No space left"), std::string::npos) << written.error().message;
  EXPECT_TRUE(fs::is_character_file(null) && fs::is_character_file(full));
  EXPECT_EQ(entries(), 2);
}

TEST_F(OutputFileTest, PipesAreWrittenThrough) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  auto read = std::async(std::launch::async, [&] { return content(file_); });
  EXPECT_TRUE(write_output(file_, "text"));
  EXPECT_EQ(read.get(), "text");
  EXPECT_TRUE(fs::is_fifo(file_));
}

TEST_F(OutputFileTest, OpenDescriptorsAreWrittenThrough) {
  const int open = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_TRUE(write_output("/dev/fd/" + std::to_string(open), "one "));
  ASSERT_TRUE(write_output("/proc/self/fd/" + std::to_string(open), "two"));
  ::close(open);
  EXPECT_EQ(content(file_), "one two");
}

TEST_F(OutputFileTest, FoldersAreRefused) {
  const auto written = write_output(folder_.path(), "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::BadUse);
  EXPECT_EQ(write_output(folder_.file("none/out"), "text").error().kind, ErrorKind::Io);
}

TEST_F(OutputFileTest, TheLimitOfFileSizesIsAnErrorThatLeavesNoFile) {
  const auto write_too_much = [&] {
    report_file_size_limit_as_error();
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto written = write_output(file_, std::string(2000, 'x'));
    std::exit(!written && written.error().kind == ErrorKind::Io ? 7 : 8);
  };
  EXPECT_EXIT(write_too_much(), testing::ExitedWithCode(7), "");
  EXPECT_EQ(entries(), 0);
}

} // namespace
} // namespace jitterscope
