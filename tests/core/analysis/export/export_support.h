#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "core/import/import.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"

namespace jitterscope::test {

inline store::TraceData imported(const std::string& path) {
  auto data = import::import_files({path}, {}, {});
  if (!data) throw std::runtime_error(describe(data.error()));
  return std::move(*data);
}

/// 20,000 launches.
inline store::TraceData generated(const TemporaryFolder& folder, int devices,
                                  std::vector<generator::Cause> causes) {
  generator::Options options;
  options.launches = 20'000;
  options.devices = devices;
  options.causes = std::move(causes);
  const auto path = folder.file("trace.sqlite");
  if (const auto done = generator::generate(options, path, {}); !done)
    throw std::runtime_error(describe(done.error()));
  return imported(path);
}

} // namespace jitterscope::test
