#include "core/import/formats/hpctoolkit/database.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/import/text/text.h"

namespace jitterscope::import::hpctoolkit {
namespace {

// Offsets and sizes in B: "meta.db version 4.0" and "profile.db version 4.0" in HPCToolkit's description of
// its formats.
namespace meta {
constexpr std::uint64_t kIdentifierNames = 0x20, kContexts = 0x40, kStrings = 0x50, kModules = 0x60,
                        kFiles = 0x70, kFunctions = 0x80;
}
namespace context {
constexpr std::uint64_t kChildren = 0x08, kId = 0x10, kEntryName = 0x18, kFlags = 0x14, kRelation = 0x15,
                        kLexicalType = 0x16, kFlexWords = 0x17, kFlex = 0x20;
/// Flags, in the order of the values at kFlex.
constexpr std::uint64_t kHasFunction = 1, kHasPlace = 2, kHasInstruction = 4;
constexpr std::uint64_t kIsFunction = 0, kIsInstruction = 3; ///< values of kLexicalType
constexpr std::uint64_t kIsPart =
    0; ///< value of kRelation: part of the parent; other values: called by the parent
} // namespace context
namespace function {
constexpr std::uint64_t kName = 0x00, kModule = 0x08, kOffset = 0x10, kFile = 0x18, kLine = 0x20;
}
constexpr std::uint64_t kPath = 0x08; ///< offset of the path of a load module or a source file
namespace profile {
constexpr std::uint64_t kInfos = 0x10, kTuples = 0x20, kTuple = 0x20, kFlags = 0x28, kSmallest = 0x2c;
constexpr std::uint64_t kIdentifiers = 0x08, kIdentifierSize = 0x10;
} // namespace profile

constexpr std::uint32_t kMaxDepth = 10'000; // maximum depth of call paths
constexpr std::string_view kUnknown = "<unknown function>";

std::string_view file_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

void set(Place& place, std::string_view kind, std::uint32_t logical, std::uint64_t physical) {
  if (kind == "NODE") place.node = physical;
  if (kind == "RANK") place.rank = logical;
  if (kind == "THREAD") place.thread = logical;
  if (kind == "GPUDEVICE") place.device = logical;
  if (kind == "GPUCONTEXT") place.gpu_context = logical;
  if (kind == "GPUSTREAM") place.stream = logical;
}

std::optional<Place> place_at(std::uint64_t offset, const Bytes& tuples,
                              const std::vector<std::string>& kinds) {
  const auto count = tuples.number(offset, 2);
  if (!count || !tuples.holds(offset, profile::kIdentifiers + *count * profile::kIdentifierSize)) return {};
  Place place;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto at = offset + profile::kIdentifiers + i * profile::kIdentifierSize;
    const auto kind = tuples.number_or(at, 1, 0);
    if (kind < kinds.size())
      set(place, kinds[kind], static_cast<std::uint32_t>(tuples.number_or(at + 4, 4, 0)),
          tuples.number_or(at + 8, 8, 0));
  }
  return place;
}

} // namespace

Expected<void> Contexts::read(const File& file, const std::string& name) {
  Names names;
  Bytes tree;
  for (const auto& [bytes, at] :
       {std::pair(&tree, meta::kContexts), std::pair(&names.strings, meta::kStrings),
        std::pair(&names.modules, meta::kModules), std::pair(&names.files, meta::kFiles),
        std::pair(&names.functions, meta::kFunctions)}) {
    auto section = file.section(at);
    if (!section) return forward(section.error());
    *bytes = std::move(*section);
  }
  walk(tree, names);
  if (function_of_.empty())
    return failure(ErrorKind::BadInput, "the database contains no calling contexts", name, {},
                   "Copy the whole database again, or create it again with hpcprof.");
  return {};
}

// Every context is visited once: a cycle in the tree is damage.
void Contexts::walk(const Bytes& tree, const Names& names) {
  const auto begin = tree.begin(), size = tree.end() - begin;
  const auto entries = tree.number_or(begin, 8, 0), count = tree.number_or(begin + 8, 2, 0),
             stride = tree.number_or(begin + 10, 1, 0);
  std::vector<Children> open;
  for (std::uint64_t i = 0; i < count && tree.holds(entries + i * stride, context::kFlex); ++i)
    read_entry(entries + i * stride, tree, names, open);
  auto left = size / context::kFlex;
  while (!open.empty()) {
    auto& next = open.back();
    if (next.begin >= next.end) {
      open.pop_back();
      continue;
    }
    const auto at = next.begin;
    const auto parent = next.parent;
    const auto bytes = context::kFlex + 8 * tree.number_or(at + context::kFlexWords, 1, 0);
    damaged_ = damaged_ || left == 0 || !tree.holds(at, bytes);
    if (damaged_) return;
    --left;
    next.begin = at + bytes;
    read_context(at, parent, tree, names, open);
  }
}

void Contexts::read_entry(std::uint64_t at, const Bytes& tree, const Names& names,
                          std::vector<Children>& open) {
  function_of_[tree.number_or(at + context::kId, 4, 0)] =
      add(kNone, clean_text(names.strings.text(tree.number_or(at + context::kEntryName, 8, 0))));
  const auto children = tree.number_or(at + context::kChildren, 8, 0), size = tree.number_or(at, 8, 0);
  if (size > 0 && tree.holds(children, size)) open.push_back({children, children + size, kNone});
}

void Contexts::read_context(std::uint64_t at, std::uint32_t parent, const Bytes& tree, const Names& names,
                            std::vector<Children>& open) {
  const auto flags = tree.number_or(at + context::kFlags, 1, 0),
             type = tree.number_or(at + context::kLexicalType, 1, 0);
  if (type == context::kIsFunction)
    parent =
        add(parent, flags & context::kHasFunction ? name_of(tree.number_or(at + context::kFlex, 8, 0), names)
                                                  : std::string(kUnknown));
  else if (type == context::kIsInstruction && flags & context::kHasInstruction &&
           tree.number_or(at + context::kRelation, 1, 0) != context::kIsPart)
    parent = add(parent, instruction_at(at, flags, tree, names));
  function_of_[tree.number_or(at + context::kId, 4, 0)] = parent;
  const auto children = tree.number_or(at + context::kChildren, 8, 0), size = tree.number_or(at, 8, 0);
  if (size == 0) return;
  if (tree.holds(children, size))
    open.push_back({children, children + size, parent});
  else
    damaged_ = true;
}

std::uint32_t Contexts::add(std::uint32_t parent, std::string name) {
  const auto depth = parent == kNone ? 1 : functions_[parent].depth + 1;
  damaged_ = damaged_ || depth > kMaxDepth;
  if (depth > kMaxDepth) return parent;
  functions_.push_back({parent, name.empty() ? std::string(kUnknown) : std::move(name), depth});
  return static_cast<std::uint32_t>(functions_.size() - 1);
}

// Programs without analysed structure have no functions: the instruction identifies the called function.
std::string Contexts::instruction_at(std::uint64_t at, std::uint64_t flags, const Bytes& tree,
                                     const Names& names) {
  auto point = at + context::kFlex;
  if (flags & context::kHasFunction) point += 8;
  if (flags & context::kHasPlace) point += 16;
  return in_module(tree.number_or(point, 8, 0), tree.number_or(point + 8, 8, 0), names);
}

// "libm.so@0x1f40"; empty where the module is not known.
std::string Contexts::in_module(std::uint64_t module, std::uint64_t offset, const Names& names) {
  const auto path = names.strings.text(names.modules.number_or(module + kPath, 8, 0));
  return path.empty() ? std::string() : clean_text(fmt::format("{}@0x{:x}", file_name(path), offset));
}

// A function without a name is identified by its offset in a module, or by its line in a source file.
std::string Contexts::name_of(std::uint64_t at, const Names& names) {
  const auto& functions = names.functions;
  const auto name = names.strings.text(functions.number_or(at + function::kName, 8, 0));
  if (!name.empty()) return clean_text(name);
  auto place = in_module(functions.number_or(at + function::kModule, 8, 0),
                         functions.number_or(at + function::kOffset, 8, 0), names);
  if (!place.empty()) return place;
  const auto file = names.files.number_or(functions.number_or(at + function::kFile, 8, 0) + kPath, 8, 0);
  if (const auto path = names.strings.text(file); !path.empty())
    return clean_text(fmt::format("{}:{}", file_name(path), functions.number_or(at + function::kLine, 4, 0)));
  return {};
}

std::uint32_t Contexts::function_of(std::uint64_t context) const {
  const auto found = context == 0 ? function_of_.end() : function_of_.find(context);
  return found == function_of_.end() ? kNone : found->second;
}

std::vector<std::uint32_t> Contexts::path_to(std::uint32_t row) const {
  std::vector<std::uint32_t> path;
  for (; row != kNone; row = functions_[row].parent) path.push_back(row);
  std::reverse(path.begin(), path.end());
  return path;
}

Expected<std::vector<std::optional<Place>>> places_of(const File& file,
                                                      const std::vector<std::string>& kinds) {
  const auto infos = file.section(profile::kInfos), tuples = file.section(profile::kTuples);
  if (!infos) return forward(infos.error());
  if (!tuples) return forward(tuples.error());
  const auto begin = infos->begin();
  const auto profiles = infos->number_or(begin, 8, 0), count = infos->number_or(begin + 8, 4, 0),
             stride = infos->number_or(begin + 12, 1, 0);
  std::vector<std::optional<Place>> places;
  for (std::uint64_t i = 0; i < count && infos->holds(profiles + i * stride, profile::kSmallest); ++i) {
    const auto at = profiles + i * stride;
    const bool summary = infos->number_or(at + profile::kFlags, 4, 0) & 1;
    places.push_back(summary ? std::nullopt
                             : place_at(infos->number_or(at + profile::kTuple, 8, 0), *tuples, kinds));
    if (stride == 0) break;
  }
  return places;
}

Expected<std::vector<std::string>> identifier_kinds(const File& file) {
  const auto section = file.section(meta::kIdentifierNames);
  if (!section) return forward(section.error());
  const auto begin = section->begin();
  const auto names = section->number_or(begin, 8, 0), count = section->number_or(begin + 8, 1, 0);
  std::vector<std::string> kinds;
  for (std::uint64_t i = 0; i < count; ++i)
    kinds.emplace_back(section->text(section->number_or(names + 8 * i, 8, 0)));
  return kinds;
}

} // namespace jitterscope::import::hpctoolkit
