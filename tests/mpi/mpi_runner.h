#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/engine/messages/session_options.h"
#include "core/engine/operations/operations.h"
#include "core/engine/ranks/mpi_communicator.h"
#include "core/import/import.h"
#include "core/store/format/store.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"

namespace jitterscope::test {

inline std::unique_ptr<engine::MpiCommunicator> g_mpi;

/// Stores that rank 0 makes and all ranks read.
struct SharedStores {
  std::unique_ptr<TemporaryFolder> folder;
  std::vector<std::string> paths;

  SharedStores() {
    std::string text;
    if (g_mpi->rank() == 0) {
      folder = std::make_unique<TemporaryFolder>();
      for (const std::uint64_t seed : {1, 2}) text += make(seed) + "\n";
    }
    text = g_mpi->broadcast(text);
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      paths.push_back(text.substr(at, text.find('\n', at) - at));
  }
  std::string make(std::uint64_t seed) const {
    generator::Options options;
    options.launches = 20'000;
    options.seed = seed;
    options.causes = {generator::Cause::Migration, generator::Cause::Stream};
    const auto name = folder->file("trace" + std::to_string(seed));
    if (!generator::generate(options, name + ".sqlite", {})) throw std::runtime_error("generator");
    auto data = import::import_files({name + ".sqlite"}, {});
    if (!data) throw std::runtime_error("import");
    add_counters(*data);
    if (!store::write_store(*data, name + ".jts")) throw std::runtime_error("store");
    return name + ".jts";
  }
  /// Adds recorded columns associated with the duration, each more weakly than the one before. Recorded
  /// columns precede those that the import adds.
  static void add_counters(store::TraceData& data) {
    auto& launches = *data.find("launches");
    const auto durations = launches.get<std::int64_t>("duration");
    for (int c = 0; c < 5; ++c) {
      std::vector<double> values;
      for (std::size_t i = 0; i < durations.size(); ++i)
        values.push_back(static_cast<double>(durations[i]) +
                         4'000.0 * (c + 1) *
                             static_cast<double>(i * (7 + 2 * static_cast<std::size_t>(c)) % 31));
      launches.columns.insert(launches.columns.begin() + 4,
                              {"counter_" + std::to_string(c), "", "recorded", std::move(values)});
    }
  }
};

/// One engine's view of the stores: all ranks together, or rank 0 alone.
struct Runner {
  Communicator& communicator;
  engine::Workspace workspace;
  Job job;

  Expected<engine::Answer> run(const engine::Request& request) {
    auto answer = engine::run_operation({workspace, communicator, job}, request);
    if (&communicator != g_mpi.get()) return answer;
    const auto problem = g_mpi->close_job(answer ? std::nullopt : std::optional<Error>(answer.error()));
    if (problem) return forward(*problem);
    return answer;
  }
};

inline SharedStores& stores() {
  static SharedStores shared;
  return shared;
}

inline void expect_equal(const engine::Answer& together, const engine::Answer& alone) {
  nlohmann::json a = together.document, b = alone.document;
  for (auto* document : {&a, &b}) document->erase("ranks");
  EXPECT_EQ(a.dump(), b.dump());
  EXPECT_EQ(together.type, alone.type);
  EXPECT_EQ(together.table, alone.table);
  ASSERT_EQ(together.arrays.size(), alone.arrays.size());
  for (std::size_t i = 0; i < alone.arrays.size(); ++i)
    EXPECT_EQ(together.arrays[i].values, alone.arrays[i].values);
}

} // namespace jitterscope::test
