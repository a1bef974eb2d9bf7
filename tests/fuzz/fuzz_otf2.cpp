#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "core/import/formats/otf2/otf2_reader.h"
#include "tests/core/import/formats/otf2_archive.h"
#include "tests/fuzz/fuzz_reader.h"

namespace jitterscope::import {
namespace {

struct File {
  std::string path, content;
};

/// A small archive in a folder of this process. Each input changes its files.
class Archive {
public:
  Archive() {
    std::string folder = std::filesystem::temp_directory_path() / "fuzz_otf2.XXXXXX";
    if (!mkdtemp(folder.data())) std::abort();
    folder_ = folder;
    anchor_ = write_otf2_archive(folder + "/run");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder + "/run"))
      if (entry.is_regular_file()) {
        std::ifstream in(entry.path(), std::ios::binary);
        files_.push_back({entry.path(), std::string(std::istreambuf_iterator<char>(in), {})});
      }
    std::sort(files_.begin(), files_.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  }
  ~Archive() { std::filesystem::remove_all(folder_); }

  /// Groups of four bytes: number of the file, place (two bytes), value. If the highest bit of the first byte
  /// is set, the file is truncated at this place instead.
  std::string changed(const std::uint8_t* bytes, std::size_t size) {
    auto files = files_;
    for (; size >= 4; bytes += 4, size -= 4) {
      auto& content = files[(bytes[0] & 0x7F) % files.size()].content;
      const auto place = static_cast<std::size_t>(bytes[1] << 8 | bytes[2]);
      if (content.empty()) continue;
      if (bytes[0] & 0x80)
        content.resize(place % (content.size() + 1));
      else
        content[place % content.size()] = static_cast<char>(bytes[3]);
    }
    for (const auto& file : files) std::ofstream(file.path, std::ios::binary) << file.content;
    return anchor_;
  }

private:
  std::string folder_, anchor_;
  std::vector<File> files_;
};

} // namespace
} // namespace jitterscope::import

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace jitterscope::import;
  static Archive archive;
  const auto input = file_alone(archive.changed(bytes, size));
  return input ? fuzz_reader(otf2::kReader, {*input}) : 0;
}
