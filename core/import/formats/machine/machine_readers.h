#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::machine {

/// Results of MT4G: JSON of 2025, text output of 2022.
bool recognises_mt4g(const Input& input);
Expected<void> read_mt4g(std::span<const Input> inputs, Draft& draft, store::Source& source,
                         const Progress& progress);

/// Outputs of OSU micro-benchmarks.
bool recognises_osu(const Input& input);
Expected<void> read_osu(std::span<const Input> inputs, Draft& draft, store::Source& source,
                        const Progress& progress);

/// Outputs of BabelStream and STREAM.
bool recognises_babelstream(const Input& input);
Expected<void> read_babelstream(std::span<const Input> inputs, Draft& draft, store::Source& source,
                                const Progress& progress);

inline constexpr Reader kMt4gReader{"MT4G", recognises_mt4g, read_mt4g, nullptr, nullptr, true};
inline constexpr Reader kOsuReader{"OSU micro-benchmark", recognises_osu, read_osu, nullptr, nullptr, true};
inline constexpr Reader kBabelStreamReader{
    "BabelStream", recognises_babelstream, read_babelstream, nullptr, nullptr, true};

} // namespace jitterscope::import::machine
