// The operation "bins", divided by kernel.

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "core/engine/messages/session_options.h"
#include "core/engine/messages/statistics_options.h"
#include "core/engine/operations/operations.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/core/import/temporary_files.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;

TEST(Bins, KernelsOfOneShortNameAreGroupsOfTheirOwn) {
  const import::TemporaryFolder folder;
  std::ofstream(folder.path("k.csv")) << "kernel,start_ns,end_ns\n\"<script>alert(1)</script>\",1,5\n"
                                         "f<int>(a),6,9\nf<long>(b),10,19\ng(int),20,30\n";
  const auto data = import::import_files({folder.path("k.csv")}, Job{});
  ASSERT_TRUE(data) << describe(data.error());
  ASSERT_TRUE(store::write_store(*data, folder.path("k.jts")));
  Workspace workspace;
  const auto communicator = local_communicator();
  const Job job;
  const Context context{workspace, *communicator, job, {}};
  ASSERT_TRUE(run_operation(context, OpenOptions{.stores = {folder.path("k.jts")}}));
  const auto answer = run_operation(context, BinsOptions{.metric = "duration", .by = "kernel"});
  ASSERT_TRUE(answer) << describe(answer.error());
  EXPECT_EQ(answer->document.at("groups"),
            (json{"<script>alert(1)</script>", "f<int>(a)", "f<long>(b)", "g"}));
}

} // namespace
} // namespace jitterscope::engine
