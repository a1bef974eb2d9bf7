#include "core/engine/operations/same_stores.h"

#include <string>
#include <string_view>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace jitterscope::engine {
namespace {

/// 64-bit FNV-1a (Fowler, Noll, Vo; offset basis and prime as published).
class Checksum {
public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) sum_ = (sum_ ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
    sum_ = (sum_ ^ 0xFFu) * 0x100000001B3u; // terminates a text
  }
  void add(std::int64_t number) { add(std::to_string(number)); }
  std::int64_t value() const { return static_cast<std::int64_t>(sum_); }

private:
  std::uint64_t sum_ = 0xCBF29CE484222325u;
};

std::int64_t checksum_of(const store::Store& store) {
  Checksum sum;
  struct stat file {};
  if (::stat(store.path().c_str(), &file) == 0) {
    sum.add(file.st_size);
    sum.add(file.st_mtim.tv_sec);
    sum.add(file.st_mtim.tv_nsec);
  }
  sum.add(store::to_json(store.manifest()).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  for (const auto& table : store.tables()) {
    sum.add(table.name);
    sum.add(static_cast<std::int64_t>(table.rows));
    sum.add(table.extent.begin.count);
    sum.add(table.extent.end.count);
    for (const auto& column : table.columns) sum.add(column.name);
  }
  sum.add(static_cast<std::int64_t>(store.resources().size()));
  sum.add(static_cast<std::int64_t>(store.strings()));
  return sum.value();
}

} // namespace

Expected<void> same_stores(const analysis::Session& session, Communicator& communicator) {
  std::vector<std::int64_t> mine;
  for (const auto& trace : session.traces()) mine.push_back(checksum_of(trace.store));
  const auto all = communicator.all_gather<std::int64_t>(mine);
  if (!all) return forward(all.error());
  for (std::size_t i = 0; i < all->size(); ++i)
    if ((*all)[i] != (*all)[i % mine.size()])
      return failure(ErrorKind::BadInput,
                     fmt::format("the file that rank {} of the engine opened differs from that of rank 0",
                                 i / mine.size()),
                     session.traces()[i % mine.size()].store.path(), {},
                     "Put the store into a folder that all nodes share, and open it when it is complete.");
  return {};
}

} // namespace jitterscope::engine
