#include "core/import/formats/machine/parsers.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/import/formats/machine/machine_text.h"
#include "core/import/text/text.h"

namespace jitterscope::import::machine {
namespace {

constexpr double kMega = 1e6; // B per MB
constexpr std::array<std::string_view, 7> kFunctions{"copy", "mul",     "add",  "triad",
                                                     "dot",  "nstream", "scale"};

std::optional<std::string> function_of(std::string_view word) {
  if (word.ends_with(':')) word.remove_suffix(1);
  const auto name = lower(word);
  if (std::find(kFunctions.begin(), kFunctions.end(), name) == kFunctions.end()) return {};
  return clean_text(word);
}

class BabelStreamReading {
public:
  void line(std::string_view text) {
    const auto plain = trimmed(text);
    if (plain == "BabelStream" || plain == "GPU-STREAM" || contains(plain, "STREAM version")) begin(plain);
    if (plain.starts_with("Using ") && contains(plain, "device")) device(plain);
    if (plain.starts_with("Array size:")) array(plain.substr(11));
    if (plain == kBabelStreamCsv) csv_ = true;
    if (csv_)
      csv_row(plain);
    else
      row(plain);
  }
  std::vector<BandwidthMeasurement> end() { return std::move(out_); }

private:
  void begin(std::string_view title) {
    const bool host = contains(title, "version"); // STREAM measures the memory of the host
    title_ = host ? "STREAM" : std::string(title);
    device_ = host ? "host" : "";
    array_bytes_ = 0;
    csv_ = false;
  }
  // "Using CUDA device NVIDIA A100", "Using OpenCL device gfx90a"
  void device(std::string_view text) {
    const auto at = text.find("device");
    device_ = clean_text(trimmed(text.substr(std::min(text.size(), text.find_first_of(" :", at) + 1))));
  }
  // "268.4 MB (=0.3 GB)"
  void array(std::string_view text) {
    const auto words = words_of(text);
    const auto value = words.empty() ? std::nullopt : number_of(words.front());
    if (value && *value > 0 && words.size() > 1 && words[1] == "MB") array_bytes_ = *value * kMega;
  }
  void row(std::string_view text) {
    const auto words = words_of(text);
    if (words.size() < 4) return;
    const auto function = function_of(words[0]);
    const auto rate = number_of(words[1]);
    if (function && rate && number_of(words[2])) add(*function, *rate);
  }
  void csv_row(std::string_view text) {
    std::vector<std::string_view> fields;
    for (;;) {
      const auto end = text.find(',');
      fields.push_back(trimmed(text.substr(0, end)));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
    if (fields.size() != 8) return;
    const auto function = function_of(fields[0]);
    const auto rate = number_of(fields[4]), elements = number_of(fields[2]), size = number_of(fields[3]);
    if (!function || !rate) return;
    array_bytes_ = elements && size && *elements > 0 && *size > 0 ? *elements * *size : 0;
    add(*function, *rate);
  }
  void add(const std::string& function, double rate) {
    if (rate > 0) out_.push_back({title_ + " " + function, device_, rate * kMega, array_bytes_});
  }

  std::string title_ = "BabelStream", device_;
  double array_bytes_ = 0;
  bool csv_ = false;
  std::vector<BandwidthMeasurement> out_;
};

} // namespace

Expected<std::vector<BandwidthMeasurement>> babelstream_of(std::string_view text,
                                                           store::ImportReport& report) {
  BabelStreamReading reading;
  for_each_line(text, [&](std::string_view line) {
    reading.line(line);
    return true;
  });
  auto found = reading.end();
  if (found.empty())
    return failure(ErrorKind::BadInput, "the output of BabelStream contains no bandwidths", {}, {},
                   "The run may have failed. Run it again: babelstream --csv > stream.csv");
  if (std::any_of(found.begin(), found.end(), [](const auto& b) { return b.device.empty(); }))
    report.add(store::Severity::Info, "device-unknown",
               "the output does not name the device: name it with predict --gpu");
  return found;
}

} // namespace jitterscope::import::machine
