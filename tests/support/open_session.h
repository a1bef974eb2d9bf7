#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "core/analysis/columns/columns.h"
#include "core/analysis/session/session.h"
#include "core/store/format/store.h"
#include "tests/support/small_trace.h"
#include "tests/support/temporary_folder.h"

namespace jitterscope::test {

/// A session, on one rank, of stores that are written to a temporary folder.
struct OpenSession {
  TemporaryFolder folder;
  std::unique_ptr<Communicator> communicator = local_communicator();
  std::unique_ptr<analysis::Session> session;
  std::unique_ptr<analysis::LaunchColumns> columns;

  explicit OpenSession(const std::vector<store::TraceData>& traces) {
    std::vector<std::string> paths;
    for (const auto& trace : traces) {
      paths.push_back(folder.file(std::to_string(paths.size()) + ".jts"));
      const auto written = store::write_store(trace, paths.back());
      if (!written) throw std::runtime_error(describe(written.error()));
    }
    auto opened = analysis::Session::open(paths);
    if (!opened) throw std::runtime_error(describe(opened.error()));
    session = std::make_unique<analysis::Session>(std::move(*opened));
    columns = std::make_unique<analysis::LaunchColumns>(*session);
  }
};

} // namespace jitterscope::test
