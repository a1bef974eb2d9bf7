#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/import/import_support.h"
#include "tests/core/import/temporary_files.h"
#include "tests/core/import/trace_text.h"

namespace jitterscope::import {

/// Number of launches linked to a call.
inline std::int64_t linked(const store::TraceData& data) {
  const auto& call = column<std::uint32_t>(data, "launches", "call");
  return std::count_if(call.begin(), call.end(), [](std::uint32_t row) { return row != kNone; });
}

inline std::vector<const store::Resource*> of_kind(const store::TraceData& data, store::ResourceKind kind) {
  std::vector<const store::Resource*> found;
  for (const auto& resource : data.resources)
    if (resource.kind == kind) found.push_back(&resource);
  return found;
}

/// Traces written by a test.
class Chrome : public testing::Test {
protected:
  store::TraceData import_events(const std::string& events, const std::string& members = {}) {
    return import_text("{" + members + R"("traceEvents":[)" + events + "]}");
  }
  store::TraceData import_text(const std::string& text, const std::string& name = "trace.json") {
    write_bytes(folder_.path(name), text);
    return import_good({folder_.path(name)});
  }
  static std::string name_of(const store::TraceData& data, const char* table, std::size_t row) {
    return data.strings[StringId{column<std::uint32_t>(data, table, "name")[row]}];
  }
  TemporaryFolder folder_;
};

inline const std::string kKernel = R"j({"ph":"X","cat":"kernel","name":"void axpy<float>(float*)", "pid" : 0,
                  "tid" : 7, "ts" : 100.5, "dur" : 2.25, "args" : {
  "External id" : 3, "queued" : 0, "device" : 0, "context" : 1, "stream" : 7, "correlation" : 11,
      "registers per thread" : 32, "shared memory" : 1024, "blocks per SM" : 0.5, "warps per SM" : 2,
      "grid" : [ 4, 2, 1 ], "block" : [ 128, 1, 1 ], "est. achieved occupancy %" : 50
}
})j";
inline const std::string kLaunch =
    R"({"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","pid":5,"tid":6,"ts":90,"dur":1,"args":{"correlation":11}})";

} // namespace jitterscope::import
