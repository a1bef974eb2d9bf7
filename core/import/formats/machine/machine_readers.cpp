#include "core/import/formats/machine/machine_readers.h"

#include <iterator>

#include "core/import/formats/machine/machine_text.h"
#include "core/import/formats/machine/parsers.h"

namespace jitterscope::import::machine {
namespace {

bool has_line(std::string_view text, std::string_view beginning) {
  return text.starts_with(beginning) || contains(text, "\n" + std::string(beginning));
}

std::string_view head_of(const Input& input) {
  std::string_view head = input.head;
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  return trimmed(head);
}

/// A parser's error with the file it refers to.
tl::unexpected<Error> in(const Input& input, Error error) {
  if (error.file.empty()) error.file = input.name();
  return forward(std::move(error));
}

/// Reads every input's text and passes it to `parse`.
template <class Parse>
Expected<void> read_each(std::span<const Input> inputs, Draft& draft, store::Source& source,
                         const Progress& progress, Parse parse) {
  source.timeless = true;
  for (const auto& input : inputs) {
    const auto text = text_of(input, progress);
    if (!text) return forward(text.error());
    if (auto done = parse(*text, input, draft); !done) return in(input, done.error());
  }
  return {};
}

template <class T>
void append(std::vector<T>& to, std::vector<T>&& more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

} // namespace

bool recognises_mt4g(const Input& input) {
  const auto head = head_of(input);
  if (head.starts_with("GPU_INFORMATION;")) return true;
  return head.starts_with('{') && contains(head, "\"multiProcessorCount\"") &&
         contains(head, "\"warpSize\"") && !contains(head, "\"traceEvents\"");
}

Expected<void> read_mt4g(std::span<const Input> inputs, Draft& draft, store::Source& source,
                         const Progress& progress) {
  return read_each(inputs, draft, source, progress,
                   [&source](const std::string& text, const Input&, Draft& to) -> Expected<void> {
                     const bool json = trimmed(text).starts_with('{');
                     source.schema = json ? "2025" : "2022";
                     auto gpu = json ? mt4g_of_json(text, to.report) : mt4g_of_2022(text, to.report);
                     if (!gpu) return forward(gpu.error());
                     to.machine.gpus.push_back(std::move(*gpu));
                     return {};
                   });
}

bool recognises_osu(const Input& input) {
  return has_line(head_of(input), "# OSU MPI");
}

Expected<void> read_osu(std::span<const Input> inputs, Draft& draft, store::Source& source,
                        const Progress& progress) {
  return read_each(inputs, draft, source, progress,
                   [&source](const std::string& text, const Input& input, Draft& to) -> Expected<void> {
                     auto found = osu_of(text, input.file_name(), to.report);
                     if (!found) return forward(found.error());
                     source.tool = found->front().tool;
                     append(to.machine.networks, std::move(*found));
                     return {};
                   });
}

bool recognises_babelstream(const Input& input) {
  const auto head = head_of(input);
  return has_line(head, "BabelStream") || has_line(head, "GPU-STREAM") || has_line(head, "STREAM version") ||
         has_line(head, kBabelStreamCsv);
}

Expected<void> read_babelstream(std::span<const Input> inputs, Draft& draft, store::Source& source,
                                const Progress& progress) {
  return read_each(inputs, draft, source, progress,
                   [](const std::string& text, const Input&, Draft& to) -> Expected<void> {
                     auto found = babelstream_of(text, to.report);
                     if (!found) return forward(found.error());
                     append(to.machine.bandwidths, std::move(*found));
                     return {};
                   });
}

} // namespace jitterscope::import::machine
