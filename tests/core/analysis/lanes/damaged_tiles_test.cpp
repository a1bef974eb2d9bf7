#include <gtest/gtest.h>

#include <cmath>

#include "core/analysis/timeline/timeline.h"
#include "tests/core/store/random_trace.h"
#include "tests/support/open_session.h"

using namespace jitterscope;
using namespace jitterscope::analysis;

namespace {

template <class T>
std::vector<T> hostile_values() {
  if constexpr (std::is_same_v<T, double>)
    return {-1e308, std::nan("")};
  else
    return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(1)};
}

// Draws a damaged store in several windows: for any content, each answer must have the right size.
void draw(const store::TraceData& data) {
  const test::OpenSession open({data});
  const NameTable names(*open.session);
  const Tracks tracks(*open.session);
  for (const std::int64_t length : {100, 30'000, 600'000, 1'000'000'000}) {
    TimelineRequest request;
    request.window = {{40'000}, {40'000 + length}};
    request.columns = 120;
    request.max_bars = 20;
    const auto drawn = timeline(*open.session, *open.columns, names, tracks, {}, request);
    ASSERT_EQ(drawn.tracks.size(), tracks.list().size());
    for (const auto& content : drawn.tracks) {
      ASSERT_EQ(content.cells.size() % 120, 0u);
      for (const auto& cell : content.cells) {
        ASSERT_TRUE(cell.name == kNone || cell.name < names.names().size());
      }
    }
    for (const auto& track : tracks.list()) range_statistics(*open.session, tracks, track.id, request.window);
  }
  ASSERT_EQ(overview(*open.session, names, tracks, open.session->span(), 77).size(), 77u);
}

} // namespace

TEST(DamagedTiles, AreDrawnWithoutLeadingOutside) {
  std::mt19937_64 random(12);
  auto data = test::random_trace(random, {2, 4, 6'000, 200, 300, 500, 500, 200, 9'000});
  ASSERT_TRUE(store::add_track_index(data, {}));
  for (const char* name : store::kTrackIndexTables)
    for (auto& column : data.find(name)->columns)
      std::visit(
          [&](auto& values) {
            using T = typename std::decay_t<decltype(values)>::value_type;
            const auto sound = values;
            for (const T value : hostile_values<T>()) {
              for (std::size_t i = 0; i < 1 + sound.size() / 3; ++i) values[random() % sound.size()] = value;
              draw(data);
              values = sound;
            }
          },
          column.values);
}
