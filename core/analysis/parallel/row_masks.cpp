#include "core/analysis/parallel/row_masks.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/core.h>

#include "core/analysis/filter/condition_values.h"
#include "core/analysis/filter/filter_node.h"
#include "core/analysis/parallel/parallel_cache.h"
#include "core/base/agreement.h"

namespace jitterscope::analysis {
namespace {

using Node = FilterNode;
using Kind = Node::Kind;

constexpr double kEnd = std::numeric_limits<double>::infinity();

std::string text_of(const Node& node) {
  std::string text = fmt::format("({} {} {} {} {:a}", static_cast<int>(node.kind), node.column, node.other,
                                 node.comparison, node.number);
  for (const double member : node.members) text += fmt::format(" {:a}", member);
  for (const auto& child : node.children) text += text_of(*child);
  return text + ")";
}

std::string text_of(const std::string& column, const ValueSet& values) {
  std::string text = column + (values.has_missing() ? " missing" : "");
  for (const auto& range : values.ranges()) text += fmt::format(" {:a}:{:a}", range.low, range.high);
  return text;
}

// Packs eight bytes of 0 or 1 into eight bits: the product moves byte i to bit 56 + i, without
// carries.
void pack(const std::uint8_t* bytes, std::size_t rows, std::uint64_t* words) {
  for (std::size_t word = 0; word < kWordsOfBlock; ++word) {
    std::uint64_t bits = 0;
    if ((word + 1) * 64 <= rows) {
      for (std::size_t eight = 0; eight < 8; ++eight) {
        std::uint64_t x;
        std::memcpy(&x, bytes + word * 64 + eight * 8, 8);
        bits |= (x * 0x0102040810204080u >> 56) << (eight * 8);
      }
    } else {
      for (std::size_t row = word * 64; row < rows; ++row) bits |= std::uint64_t{bytes[row]} << (row % 64);
    }
    words[word] = bits;
  }
}

} // namespace

RowMasks::Tree RowMasks::part(Part made) {
  const auto found =
      std::find_if(parts_.begin(), parts_.end(), [&](const Part& each) { return each.key == made.key; });
  const auto place = static_cast<std::size_t>(found - parts_.begin());
  if (found == parts_.end()) parts_.push_back(std::move(made));
  return {Tree::Kind::Part, place, {}};
}

RowMasks::Tree RowMasks::tree_of(const std::shared_ptr<const Node>& node) {
  if (const std::string column = only_column(*node); !column.empty()) {
    Part made;
    made.values = accepted_values(*node);
    made.key = text_of(column, made.values);
    made.column = column;
    made.reader = std::make_shared<LaunchReader>(session_, columns_, column);
    for (std::size_t t = 0; t < session_.traces().size(); ++t) {
      auto& accepted = made.accepted.emplace_back();
      if (const auto* table = made.reader->table(t))
        for (const double value : *table) accepted.push_back(made.values.contains(value));
    }
    return part(std::move(made));
  }
  if (node->children.empty()) { // comparison of two columns
    Part made;
    made.key = text_of(*node);
    made.whole.filter = Filter::of(node);
    return part(std::move(made));
  }
  Tree tree;
  tree.kind = node->kind == Kind::And  ? Tree::Kind::And
              : node->kind == Kind::Or ? Tree::Kind::Or
                                       : Tree::Kind::Not;
  for (const auto& child : node->children) tree.children.push_back(tree_of(child));
  return tree;
}

std::size_t RowMasks::add(const std::vector<const Selection*>& all_of) {
  Mask mask;
  for (const Selection* selection : all_of) {
    if (!selection->filter.everything()) mask.all_of.push_back(tree_of(selection->filter.root()));
    if (!selection->intervals.empty()) {
      Part made;
      made.key = "intervals";
      for (const auto& interval : selection->intervals)
        made.key += fmt::format(" {}:{}", interval.begin.count, interval.end.count);
      made.whole.intervals = selection->intervals;
      mask.all_of.push_back(part(std::move(made)));
    }
    if (!selection->streams.empty()) {
      Part made;
      made.key = "streams";
      for (const auto& of : selection->streams) {
        made.key += ";";
        for (const auto stream : of) made.key += fmt::format(" {}", stream);
      }
      made.whole.streams = selection->streams;
      mask.all_of.push_back(part(std::move(made)));
    }
  }
  masks_.push_back(std::move(mask));
  return masks_.size() - 1;
}

void RowMasks::read(std::size_t number, const std::vector<Segment>& segments, std::size_t block,
                    Buffers& own) const {
  const Part& part = parts_[number];
  own.bytes.resize(RowSample::kBlock);
  std::size_t at = 0;
  for (const auto& segment : segments) {
    const std::size_t place = block * static_cast<std::size_t>(RowSample::kBlock) + at;
    std::uint8_t* out = own.bytes.data() + at;
    at += static_cast<std::size_t>(segment.rows());
    if (!part.reader) {
      const auto mask = part.whole.select(session_, columns_, segment);
      std::copy(mask.begin(), mask.end(), out);
    } else if (part.stepped) {
      read_steps(part, segment, place, own, own.seen[number], out);
    } else {
      read_values(part, segment, place, own, out);
    }
  }
  pack(own.bytes.data(), at, part.bits->data() + block * kWordsOfBlock);
}

void RowMasks::read_values(const Part& part, const Segment& segment, std::size_t place, Buffers& own,
                           std::uint8_t* out) const {
  const auto rows = static_cast<std::size_t>(segment.rows());
  if (part.reader->table(segment.trace)) {
    constexpr std::size_t kPiece = 1'024;
    std::uint32_t ids[kPiece];
    const auto& accepted = part.accepted[segment.trace];
    for (std::size_t from = 0; from < rows; from += kPiece) {
      const auto count = std::min(kPiece, rows - from),
                 first = static_cast<std::size_t>(segment.first) + from;
      part.reader->ids(segment.trace).read(first, first + count, ids);
      for (std::size_t i = 0; i < count; ++i) out[from + i] = accepted[ids[i]];
    }
    return;
  }
  own.values.resize(rows);
  part.reader->read(segment, own.values.data());
  part.values.test(own.values.data(), rows, out);
  if (part.steps) part.steps->put({own.values.data(), rows}, place);
}

void RowMasks::read_steps(const Part& part, const Segment& segment, std::size_t place, Buffers& own,
                          std::map<std::uint16_t, ValueSet::Range>& seen, std::uint8_t* out) const {
  const auto rows = static_cast<std::size_t>(segment.rows());
  const std::uint16_t* steps = part.steps->rows(place);
  ColumnSteps::test(steps, rows, part.cut, out);
  for (const auto edge : part.cut.edges) {
    own.places.resize(rows);
    const std::size_t found = ColumnSteps::find(steps, rows, edge, own.places.data());
    if (found == 0) continue;
    const bool many = found > rows / 64; // above this, reading all rows is faster
    own.values.resize(rows);
    if (many) part.reader->read(segment, own.values.data());
    auto& range = seen.try_emplace(edge, ValueSet::Range{kEnd, -kEnd}).first->second;
    for (std::size_t f = 0; f < found; ++f) {
      const std::size_t row = own.places[f];
      double value = own.values[row];
      if (!many) {
        Segment one = segment;
        one.first += static_cast<std::int64_t>(row);
        one.last = one.first + 1;
        part.reader->read(one, &value);
      }
      out[row] = part.values.contains(value);
      range = {std::min(range.low, value), std::max(range.high, value)};
    }
  }
}

std::string RowMasks::steps_key(const Part& part) const {
  return fmt::format("{} {}", sample_.every(), part.column);
}

// Uses the cached steps of the column; if there are none, creates steps that are filled while the values of
// one part are read.
void RowMasks::find_steps(Part& part) {
  constexpr std::size_t kMaxRanges = 6; // above this, values are tested one by one
  const auto* range = part.reader ? columns_.known_range(part.column) : nullptr;
  if (!cache_ || !range || part.reader->table(0)) return;
  part.steps = cache_->steps.find(steps_key(part));
  if (part.steps) {
    part.stepped = part.values.ranges().size() <= kMaxRanges;
    if (part.stepped)
      part.cut = part.steps->cut(part.values);
    else
      part.steps = nullptr;
    return;
  }
  const bool made = std::any_of(parts_.begin(), parts_.end(), [&](const Part& each) {
    return &each != &part && each.steps && each.column == part.column;
  });
  if (made || static_cast<std::int64_t>(sample_.room() * sizeof(std::uint16_t)) > ParallelCache::kRoomOfSteps)
    return;
  part.steps = std::make_shared<ColumnSteps>(range->low, range->high, sample_.room());
}

void RowMasks::keep_steps(const std::vector<Buffers>& threads) {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    if (part.known || !part.steps) continue;
    if (!part.stepped) cache_->steps.keep(steps_key(part), part.steps, part.steps->bytes());
    for (const auto edge : part.cut.edges) {
      ValueSet::Range all{kEnd, -kEnd};
      for (const auto& thread : threads)
        if (const auto seen = thread.seen[p].find(edge); seen != thread.seen[p].end())
          all = {std::min(all.low, seen->second.low), std::max(all.high, seen->second.high)};
      part.steps->set_range(edge, all);
    }
  }
}

void RowMasks::join(const Tree& tree, std::size_t block, std::size_t rows, std::uint64_t* words) const {
  if (tree.kind == Tree::Kind::Part) {
    const auto* from = parts_[tree.part].bits->data() + block * kWordsOfBlock;
    std::copy(from, from + kWordsOfBlock, words);
    return;
  }
  join(tree.children.front(), block, rows, words);
  if (tree.kind == Tree::Kind::Not) {
    for (std::size_t word = 0; word < kWordsOfBlock; ++word) words[word] = ~words[word];
    for (std::size_t word = rows / 64; word < kWordsOfBlock; ++word)
      words[word] &= word == rows / 64 ? (std::uint64_t{1} << (rows % 64)) - 1 : 0;
    return;
  }
  std::vector<std::uint64_t> next(kWordsOfBlock);
  for (std::size_t c = 1; c < tree.children.size(); ++c) {
    join(tree.children[c], block, rows, next.data());
    for (std::size_t word = 0; word < kWordsOfBlock; ++word)
      words[word] = tree.kind == Tree::Kind::And ? words[word] & next[word] : words[word] | next[word];
  }
}

std::string RowMasks::bits_key(const Part& part) const {
  return fmt::format("{} {}", sample_.every(), part.key);
}

/// Finds the bits of all parts. Returns the buffers of the threads, with the ranges of the values in edge
/// steps that they read; empty if nothing had to be read.
Expected<std::vector<RowMasks::Buffers>> RowMasks::find_bits(std::size_t words, const Job& job) {
  bool any = false;
  for (auto& part : parts_) {
    if (cache_) part.bits = cache_->masks.find(bits_key(part));
    part.known = part.bits != nullptr;
    if (part.known) continue;
    if (job.cancelled()) return Job::cancelled_error();
    part.bits = std::make_shared<RowBits>(words);
    find_steps(part);
    any = true;
  }
  for (auto& mask : masks_) {
    if (mask.all_of.size() == 1 && mask.all_of.front().kind == Tree::Kind::Part) {
      mask.bits = parts_[mask.all_of.front().part].bits;
    } else if (!mask.all_of.empty()) {
      mask.bits = mask.made = std::make_shared<RowBits>(words);
      any = true;
    }
  }
  if (!any) return std::vector<Buffers>();
  std::vector<Buffers> threads(threads_of_rank());
  for (auto& own : threads) own.words.resize(kWordsOfBlock), own.seen.resize(parts_.size());
  auto walked =
      sample_.for_each(job, "selected rows",
                       [&](std::size_t thread, std::size_t block, std::size_t rows, const auto& segments) {
                         Buffers& own = threads[thread];
                         for (std::size_t part = 0; part < parts_.size(); ++part)
                           if (!parts_[part].known) read(part, segments, block, own);
                         for (auto& mask : masks_) {
                           if (!mask.made) continue;
                           std::uint64_t* out = mask.made->data() + block * kWordsOfBlock;
                           join(mask.all_of.front(), block, rows, out);
                           for (std::size_t i = 1; i < mask.all_of.size(); ++i) {
                             join(mask.all_of[i], block, rows, own.words.data());
                             for (std::size_t word = 0; word < kWordsOfBlock; ++word)
                               out[word] &= own.words[word];
                           }
                         }
                       });
  if (!walked) return forward(walked.error());
  return threads;
}

Expected<void> RowMasks::make(Communicator& communicator, const Job& job) {
  const std::size_t words = static_cast<std::size_t>(sample_.blocks()) * kWordsOfBlock;
  const auto threads = find_bits(words, job);
  if (!threads) return forward(threads.error());
  if (auto agreed = all_ranks_succeeded(communicator); !agreed || !cache_) return agreed;
  keep_steps(*threads);
  for (const auto& part : parts_)
    if (!part.known)
      cache_->masks.keep(bits_key(part), part.bits, static_cast<std::int64_t>(words * sizeof(std::uint64_t)));
  return {};
}

} // namespace jitterscope::analysis
