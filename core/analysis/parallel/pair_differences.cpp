#include "core/analysis/parallel/pair_differences.h"

#include <algorithm>
#include <bit>

#include "core/base/agreement.h"
#include "core/base/vector_clones.h"

namespace jitterscope::analysis {
namespace {

JITTERSCOPE_VECTOR_CLONES
std::int64_t ones(const std::uint64_t* words, std::size_t count) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::popcount(words[i]);
  return sum;
}

JITTERSCOPE_VECTOR_CLONES
std::int64_t different(const std::uint64_t* a, const std::uint64_t* b, std::size_t count) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::popcount(a[i] ^ b[i]);
  return sum;
}

/// Estimated number of different bits: for large sets, from a sixteenth of the words.
std::int64_t about_different(const RowBits& a, const RowBits& b) {
  constexpr std::size_t kPart = 64, kEvery = 16;
  if (a.size() < kPart * kEvery * 4) return different(a.data(), b.data(), a.size());
  std::int64_t sum = 0;
  for (std::size_t first = 0; first < a.size(); first += kPart * kEvery)
    sum += different(a.data() + first, b.data() + first, std::min(kPart, a.size() - first));
  return sum * static_cast<std::int64_t>(kEvery);
}

/// Writes the indices of the set bits, ascending.
std::size_t list(const std::uint64_t* words, std::uint16_t* out) {
  std::size_t count = 0;
  for (std::size_t word = 0; word < kWordsOfBlock; ++word)
    for (std::uint64_t bits = words[word]; bits != 0; bits &= bits - 1)
      out[count++] = static_cast<std::uint16_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
  return count;
}

} // namespace

/// Buffers of one thread for a block.
struct PairDifferences::Thread {
  std::vector<PairCounter> counters; ///< by step: counter of its pairs
  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(kWordsOfBlock);
  std::vector<std::uint16_t> listed = std::vector<std::uint16_t>(static_cast<std::size_t>(RowSample::kBlock));
  std::vector<double> values;
  std::vector<std::vector<std::uint8_t>> buffers; ///< by axis: buffer for codes
};

PairDifferences::PairDifferences(const std::vector<AxisPair>& pairs, const std::vector<std::string>& keys,
                                 const RowSample& sample, ParallelCache* cache)
    : pairs_(pairs), keys_(keys), sample_(sample), cache_(cache), known_(pairs.size(), 0) {}

std::size_t PairDifferences::add(std::shared_ptr<const RowBits> bits) {
  Set set;
  set.bits = std::move(bits);
  set.of_rank.resize(pairs_.size());
  set.of_all.resize(pairs_.size());
  sets_.push_back(std::move(set));
  return sets_.size() - 1;
}

Expected<void> PairDifferences::plan_all(Communicator& communicator) {
  Set& all = sets_.front();
  all.rows = sample_.rows();
  std::vector<std::shared_ptr<PairCounts>> kept(pairs_.size());
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    if (cache_) kept[p] = cache_->pairs.find(keys_[p]);
    known_[p] = kept[p] != nullptr;
  }
  if (auto agreed = known_to_all(communicator, known_); !agreed) return agreed;
  Step step;
  for (std::size_t p = 0; p < pairs_.size(); ++p)
    if (known_[p])
      all.of_rank[p] = kept[p]->of_rank, all.of_all[p] = kept[p]->of_all;
    else
      step.pairs.push_back(p);
  if (!step.pairs.empty()) steps_.push_back(std::move(step));
  return {};
}

void PairDifferences::plan(std::size_t number) {
  Set& set = sets_[number];
  const std::size_t words = set.bits->size();
  set.rows = ones(set.bits->data(), words);
  std::vector<std::int64_t> differing;
  if (cache_)
    for (const auto& counted : cache_->counted)
      differing.push_back(
          counted.sample == std::to_string(sample_.every()) ? about_different(*set.bits, *counted.bits) : -1);
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    std::int64_t fewest = set.rows;
    Step step;
    step.set = number;
    if (const auto others = sets_.front().rows - set.rows; others < fewest)
      fewest = others, step.from_all = true;
    std::shared_ptr<const std::vector<std::int64_t>> start; // null: zeros
    for (std::size_t c = 0; c < differing.size(); ++c) {
      const auto& counted = cache_->counted[c];
      const auto own = counted.pairs.find(keys_[p]);
      if (differing[c] < 0 || differing[c] >= fewest || own == counted.pairs.end()) continue;
      fewest = differing[c];
      step.from_all = false;
      step.from = counted.bits;
      start = own->second;
    }
    set.of_rank[p] = start;
    if (step.from && fewest == 0 && (step.from == set.bits || *step.from == *set.bits)) continue;
    const auto same = std::find_if(steps_.begin(), steps_.end(), [&](const Step& each) {
      return each.set == number && each.from == step.from && each.from_all == step.from_all;
    });
    if (same != steps_.end()) {
      same->pairs.push_back(p);
    } else if (set.rows > 0 || step.from ||
               step.from_all) { // with from_all, count() copies the counts of all rows even if no row differs
      step.pairs.push_back(p);
      steps_.push_back(std::move(step));
    }
  }
}

Expected<void> PairDifferences::count(Communicator& communicator, const Job& job, std::size_t axes,
                                      const CodesOf& codes_of) {
  if (auto planned = plan_all(communicator); !planned) return planned;
  for (std::size_t s = 1; s < sets_.size(); ++s)
    if (sets_[s].bits) plan(s);
  if (steps_.empty()) return fill();
  std::vector<Thread> threads(threads_of_rank());
  for (auto& thread : threads) {
    thread.buffers.resize(axes);
    for (const auto& step : steps_) {
      std::vector<AxisPair> own;
      for (const auto p : step.pairs) own.push_back(pairs_[p]);
      thread.counters.emplace_back(std::move(own));
    }
  }
  auto walked =
      sample_.for_each(job, "parallel coordinates",
                       [&](std::size_t thread, std::size_t block, std::size_t rows, const auto& segments) {
                         count_block(threads[thread], block, rows, segments, codes_of);
                       });
  if (!walked) return walked;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    for (std::size_t i = 0; i < step.pairs.size(); ++i) {
      const std::size_t p = step.pairs[i];
      auto& counts = sets_[step.set].of_rank[p];
      const auto& start =
          step.from_all ? sets_.front().of_rank[p] : counts; // complete: the step of all rows comes first
      auto sums = start ? std::make_shared<std::vector<std::int64_t>>(*start)
                        : std::make_shared<std::vector<std::int64_t>>(pairs_[p].cells());
      for (const auto& thread : threads) thread.counters[s].add_to(i, *sums);
      counts = std::move(sums);
    }
  }
  return fill();
}

// Pairs that were neither counted nor known have no rows: their counts are 0.
Expected<void> PairDifferences::fill() {
  for (auto& set : sets_)
    for (std::size_t p = 0; p < pairs_.size(); ++p)
      if (!set.of_rank[p])
        set.of_rank[p] = std::make_shared<const std::vector<std::int64_t>>(pairs_[p].cells());
  return {};
}

void PairDifferences::count_block(Thread& thread, std::size_t block, std::size_t rows,
                                  const std::vector<Segment>& segments, const CodesOf& codes_of) const {
  std::vector<const std::uint8_t*> codes(thread.buffers.size(), nullptr);
  const auto need = [&](const Step& step) {
    const auto axis = [&](std::size_t a) {
      if (!codes[a]) codes[a] = codes_of(a, block, segments, thread.values, thread.buffers[a]);
    };
    for (const auto p : step.pairs) {
      axis(pairs_[p].left);
      if (pairs_[p].right >= 0) axis(static_cast<std::size_t>(pairs_[p].right));
    }
  };
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    PairCounter& counter = thread.counters[s];
    if (step.set == 0) {
      need(step);
      counter.add(codes, rows, 1);
      continue;
    }
    const std::uint64_t* to = sets_[step.set].bits->data() + block * kWordsOfBlock;
    const std::uint64_t* from = step.from ? step.from->data() + block * kWordsOfBlock : nullptr;
    const auto add = [&](auto&& bits_of, int times) {
      for (std::size_t word = 0; word < kWordsOfBlock; ++word) thread.words[word] = bits_of(word);
      const std::size_t listed = list(thread.words.data(), thread.listed.data());
      if (listed == 0) return;
      need(step);
      counter.add(codes, thread.listed.data(), listed, times);
    };
    if (step.from_all) {
      const auto rest = [&](std::size_t word) {
        const std::size_t first = word * 64;
        return first + 64 <= rows ? ~to[word]
               : first < rows     ? ~to[word] & ((std::uint64_t{1} << (rows - first)) - 1)
                                  : 0;
      };
      add(rest, -1);
    } else if (!from) {
      add([&](std::size_t word) { return to[word]; }, 1);
    } else {
      add([&](std::size_t word) { return to[word] & ~from[word]; }, 1);
      add([&](std::size_t word) { return from[word] & ~to[word]; }, -1);
    }
  }
}

Expected<void> PairDifferences::combine(Communicator& communicator) {
  const bool alone = communicator.size() == 1;
  std::vector<std::int64_t> flat;
  const auto walk = [&](auto&& rows, auto&& pair) {
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      if (same_as_all(s)) continue;
      rows(sets_[s]);
      for (std::size_t p = 0; p < pairs_.size(); ++p)
        if (s > 0 || !known_[p]) pair(*sets_[s].of_rank[p], sets_[s].of_all[p], sets_[s].of_rank[p]);
    }
  };
  walk([&](const Set& set) { flat.push_back(set.rows); },
       [&](const auto& mine, auto&, const auto&) {
         if (!alone) flat.insert(flat.end(), mine.begin(), mine.end());
       });
  if (auto done = communicator.sum(flat); !done) return done;
  auto at = flat.begin();
  walk([&](Set& set) { set.rows_of_all = *at++; },
       [&](const auto& mine, auto& all, const auto& same) {
         if (alone) {
           all = same;
           return;
         }
         const auto end = at + static_cast<std::ptrdiff_t>(mine.size());
         all = std::make_shared<const std::vector<std::int64_t>>(at, end);
         at = end;
       });
  if (cache_) keep();
  return {};
}

void PairDifferences::keep() {
  const Set& all = sets_.front();
  for (std::size_t p = 0; p < pairs_.size(); ++p)
    if (!known_[p])
      cache_->pairs.keep(keys_[p], std::make_shared<PairCounts>(PairCounts{all.of_rank[p], all.of_all[p]}),
                         static_cast<std::int64_t>(2 * pairs_[p].cells() * sizeof(std::int64_t)));
  for (std::size_t s = 1; s < sets_.size(); ++s) {
    if (!sets_[s].bits) continue;
    CountedRows counted{std::to_string(sample_.every()), sets_[s].bits, {}};
    for (std::size_t p = 0; p < pairs_.size(); ++p) counted.pairs[keys_[p]] = sets_[s].of_rank[p];
    cache_->keep(std::move(counted));
  }
}

} // namespace jitterscope::analysis
