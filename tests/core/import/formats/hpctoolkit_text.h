#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jitterscope::import::hpctoolkit {

/// Writes little-endian numbers and texts, and fills in offsets that were left open.
class Blob {
public:
  std::uint64_t size() const { return bytes_.size(); }
  Blob& number(std::uint64_t value, unsigned size) {
    for (unsigned byte = 0; byte < size; ++byte) bytes_ += static_cast<char>(value >> (8 * byte) & 0xFF);
    return *this;
  }
  Blob& text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  Blob& align() {
    while (size() % 8 != 0) bytes_ += '\0';
    return *this;
  }
  void set(std::uint64_t at, std::uint64_t value) {
    for (unsigned byte = 0; byte < 8; ++byte)
      bytes_[at + byte] = static_cast<char>(value >> (8 * byte) & 0xFF);
  }
  const std::string& bytes() const { return bytes_; }

private:
  std::string bytes_;
};

/// A context of a function; line contexts have no name.
struct Node {
  std::uint32_t id;
  std::string name;
  std::vector<Node> children = {};
  std::uint64_t instruction = 0; ///< offset in kModule of a called function without a name
};
inline constexpr std::string_view kModule = "/usr/lib/libsolve.so";

struct Identifier {
  std::uint8_t kind; ///< index in kKinds
  std::uint32_t logical;
  std::uint64_t physical = 0;
};
inline const std::vector<std::string> kKinds = {"SUMMARY",   "NODE",       "RANK",     "THREAD",
                                                "GPUDEVICE", "GPUCONTEXT", "GPUSTREAM"};
enum : std::uint8_t { kSummary, kNode, kRank, kThread, kGpuDevice, kGpuContext, kGpuStream };

struct Sample {
  std::uint64_t time;
  std::uint32_t context;
};

inline Blob header(std::string_view format, std::uint64_t sections, char major = 4) {
  Blob blob;
  blob.text("HPCTOOLKIT").text(format).number(static_cast<std::uint64_t>(major), 1).number(0, 1);
  for (std::uint64_t i = 0; i < 2 * sections; ++i) blob.number(0, 8);
  return blob;
}

class MetaFile {
public:
  explicit MetaFile(const std::vector<Node>& roots) {
    blob_ = header("meta", 8);
    put_kinds();
    put_names(roots);
    section(6, [&] { put_tree(roots); });
  }
  std::string bytes() const { return blob_.bytes(); }

private:
  template <class Put>
  void section(std::uint64_t place, Put&& put) {
    blob_.align();
    const auto begin = blob_.size();
    put();
    blob_.set(0x10 + 8 * place, blob_.size() - begin);
    blob_.set(0x18 + 8 * place, begin);
  }
  void put_kinds() {
    section(2, [&] {
      const auto begin = blob_.size();
      blob_.number(begin + 16, 8).number(kKinds.size(), 8);
      const auto names = blob_.size();
      for (std::size_t i = 0; i < kKinds.size(); ++i) blob_.number(0, 8);
      for (std::size_t i = 0; i < kKinds.size(); ++i) {
        blob_.set(names + 8 * i, blob_.size());
        blob_.text(kKinds[i]).number(0, 1);
      }
    });
  }
  void put_names(const std::vector<Node>& roots) {
    section(8, [&] {
      put_strings(roots);
      module_ = blob_.size();
      blob_.text(kModule).number(0, 1);
    });
    section(10, [&] {
      const auto path = module_;
      module_ = blob_.size();
      blob_.number(0, 8).number(path, 8);
    });
    section(14, [&] {
      for (auto& [name, at] : functions_) {
        const auto string = at;
        at = blob_.size();
        blob_.number(string, 8).number(0, 8).number(0, 8).number(0, 8).number(0, 8);
      }
    });
  }
  void put_strings(const std::vector<Node>& nodes) {
    for (const auto& node : nodes) {
      if (!node.name.empty()) {
        functions_.emplace_back(node.name, blob_.size());
        blob_.text(node.name).number(0, 1);
      }
      put_strings(node.children);
    }
  }
  std::uint64_t function(const std::string& name) const {
    for (const auto& [known, at] : functions_)
      if (known == name) return at;
    return 0;
  }
  void put_tree(const std::vector<Node>& roots) {
    const auto begin = blob_.size();
    blob_.number(begin + 16, 8).number(1, 2).number(32, 1).align();
    const auto entry = blob_.size();
    blob_.number(0, 8).number(0, 8).number(1, 4).number(1, 4).number(0, 8);
    put_children(entry, roots);
  }
  void put_children(std::uint64_t of, const std::vector<Node>& nodes) {
    if (nodes.empty()) return;
    const auto begin = blob_.size();
    std::vector<std::uint64_t> at;
    for (const auto& node : nodes) {
      at.push_back(blob_.size());
      const bool named = !node.name.empty(), called = node.instruction > 0;
      blob_.number(0, 8)
          .number(0, 8)
          .number(node.id, 4)
          .number(called ? 4 : named, 1)
          .number(called, 1)
          .number(called  ? 3
                  : named ? 0
                          : 2,
                  1)
          .number(called ? 2 : 1, 1)
          .number(0, 8);
      if (called)
        blob_.number(module_, 8).number(node.instruction, 8);
      else
        blob_.number(function(node.name), 8);
    }
    blob_.set(of, blob_.size() - begin);
    blob_.set(of + 8, begin);
    for (std::size_t i = 0; i < nodes.size(); ++i) put_children(at[i], nodes[i].children);
  }

  Blob blob_;
  std::vector<std::pair<std::string, std::uint64_t>> functions_;
  std::uint64_t module_ = 0;
};

/// The first profile is a summary, as in files of hpcprof.
inline std::string profile_file(const std::vector<std::vector<Identifier>>& places) {
  auto blob = header("prof", 2);
  const auto infos = blob.size(), profiles = infos + 16;
  blob.number(profiles, 8).number(places.size() + 1, 4).number(48, 4);
  for (std::size_t i = 0; i <= places.size(); ++i)
    blob.number(0, 8).number(0, 8).number(0, 8).number(0, 8).number(0, 8).number(i == 0, 8);
  blob.set(0x10, blob.size() - infos);
  blob.set(0x18, infos);
  const auto tuples = blob.size();
  for (std::size_t i = 0; i < places.size(); ++i) {
    blob.set(profiles + 48 * (i + 1) + 32, blob.size());
    blob.number(places[i].size(), 8);
    for (const auto& id : places[i])
      blob.number(id.kind, 2).number(0, 2).number(id.logical, 4).number(id.physical, 8);
  }
  blob.set(0x20, blob.size() - tuples);
  blob.set(0x28, tuples);
  return blob.bytes();
}

/// A trace line for each profile except the summary.
inline std::string trace_file(const std::vector<std::vector<Sample>>& lines, std::uint64_t first,
                              char major = 4) {
  auto blob = header("trce", 1, major);
  const auto headers = blob.size(), traces = headers + 32;
  blob.number(traces, 8).number(lines.size(), 4).number(24, 4).number(first, 8).number(first, 8);
  for (std::size_t i = 0; i < lines.size(); ++i) blob.number(i + 1, 8).number(0, 8).number(0, 8);
  blob.set(0x10, blob.size() - headers);
  blob.set(0x18, headers);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    blob.align();
    blob.set(traces + 24 * i + 8, blob.size());
    for (const auto& sample : lines[i]) blob.number(sample.time, 8).number(sample.context, 4);
    blob.set(traces + 24 * i + 16, blob.size());
  }
  blob.text("trace.db");
  return blob.bytes();
}

} // namespace jitterscope::import::hpctoolkit
