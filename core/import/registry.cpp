#include "core/import/registry.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/import/formats/ascend/ascend_reader.h"
#include "core/import/formats/caliper/caliper_reader.h"
#include "core/import/formats/chrome/chrome_reader.h"
#include "core/import/formats/device_log/device_log_reader.h"
#include "core/import/formats/enter_leave/enter_leave_reader.h"
#include "core/import/formats/gpu_trace/gpu_trace_reader.h"
#include "core/import/formats/hpctoolkit/hpctoolkit_reader.h"
#include "core/import/formats/kernel_tuner/kernel_tuner_reader.h"
#include "core/import/formats/machine/machine_readers.h"
#include "core/import/formats/ncu/ncu_reader.h"
#include "core/import/formats/otf2/otf2_reader.h"
#include "core/import/formats/paraver/paraver_reader.h"
#include "core/import/formats/perfetto/perfetto_reader.h"
#include "core/import/formats/rocm/csv/rocm_csv.h"
#include "core/import/formats/rocm/json/json_reader.h"
#include "core/import/formats/table/json_records.h"
#include "core/import/formats/table/shape.h"
#include "core/import/formats/table/table_reader.h"
#include "core/import/formats/tau/tau_reader.h"
#include "core/import/formats/unitrace/unitrace_reader.h"
#include "core/import/formats/xplane/xplane_reader.h"
#include "core/import/sqlite_reader.h"
#include "core/import/text/text.h"

namespace jitterscope::import {
namespace {

using namespace std::string_view_literals;

// The table that the records form must be recognised by a reader of this registry.
bool recognises_json_records(const Input& input) {
  return table::recognises_json_records(input, reader_for);
}
Expected<void> read_json_records(std::span<const Input> inputs, Draft& draft, store::Source& source,
                                 const Progress& progress) {
  return table::read_json_records(inputs, draft, source, progress, reader_for);
}

constexpr Reader kJsonRecords = {"table", recognises_json_records, read_json_records};

constexpr const Reader* kReaders[] = {&sqlite::kReader,
                                      &xplane::kReader,
                                      &perfetto::kReader,
                                      &otf2::kReader,
                                      &hpctoolkit::kReader,
                                      &caliper::kReader,
                                      &tau::kReader,
                                      &machine::kMt4gReader,
                                      &machine::kOsuReader,
                                      &machine::kBabelStreamReader,
                                      &device_log::kDmonReader,
                                      &device_log::kHeaderlessReader,
                                      &ncu::kReader,
                                      &gpu_trace::kNvprofReader,
                                      &gpu_trace::kNsysReader,
                                      &gpu_trace::kSummaryReader,
                                      &kernel_tuner::kReader,
                                      &paraver::kReader,
                                      &rocm::kJsonReader,
                                      &chrome::kReader,
                                      &kJsonRecords,
                                      &rocm::kCsvReader,
                                      &enter_leave::kReader,
                                      &ascend::kReader,
                                      &unitrace::kReader,
                                      &table::kReader};

constexpr auto kConvert = "Convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW — or save it as CSV UTF-8."sv;
constexpr auto kSupported =
    "Supported formats include exports of Nsight Systems and Nsight Compute, nvprof, rocprof, rocprofv3, "
    "PyTorch, Chrome and Perfetto traces, OTF2, Paraver, HPCToolkit, Caliper and TAU. Tables: JSON, and CSV "
    "with a header line and fields separated by commas, semicolons, tabs or vertical bars. All formats: "
    "jitterscope help formats."sv;
constexpr auto kNotKnown = "this kind of file is unknown"sv;
constexpr auto kAsText = "Write the table as CSV with a line of column names and open the CSV file."sv;
constexpr auto kOfLaunches =
    "Record the program with a profiler that lists launches (Nsight Systems, rocprofv3, PyTorch's profiler …) and open its trace."sv;
constexpr auto kAsSqlite =
    "Nsight Systems: nsys export --type sqlite REPORT.nsys-rep. Other tools: write the table as CSV with a line of column names and open the CSV file."sv;

/// A common kind of file that cannot be imported as it is.
struct Foreign {
  std::string_view magic;
  std::string_view message;
  std::string_view hint;
  std::string_view code = "not-exported"; ///< in the import report: the remedy is stated once for each code
};

constexpr Foreign kForeign[] = {
    {"NVIDIA Tegra Profiler Report"sv,
     "this is an Nsight Systems report (.nsys-rep or .qdrep) that has not been exported",
     "Export it: nsys export --type sqlite --output REPORT.sqlite REPORT.nsys-rep — then open "
     "REPORT.sqlite."},
    {"NVR\0"sv, "this is an Nsight Compute report (.ncu-rep), which has no published format",
     "Export it: ncu --import REPORT.ncu-rep --page raw --csv --print-units base > REPORT.csv. For a "
     "timeline, record with Nsight Systems.",
     "not-exported-ncu-rep"},
    {"version https://git-lfs"sv, "this is a Git LFS pointer, not the file itself",
     "Fetch the file: git lfs pull — then open it again.", "git-lfs-pointer"},
    {"\x89HDF\r\n\x1a\n"sv, "this is an HDF5 file, which is not imported",
     "Nsight Systems: nsys export --type sqlite REPORT.nsys-rep. A Jitterscope store (.jts) is opened "
     "directly, "
     "without import.",
     "hdf5"},
    {"PK\x03\x04"sv, "this is a zip archive inside an archive",
     "Unpack the outer archive and open the files in it.", "inner-archive"},
    {"7z\xBC\xAF\x27\x1C"sv, "this is a 7-Zip archive", "Unpack it and open the files in it.",
     "inner-archive"},
    {"\xFF\xFE\0\0"sv, "this text is encoded in UTF-32",
     "Convert it: iconv -f UTF-32 -t UTF-8 FILE > NEW — or save it as CSV UTF-8."},
    {"\0\0\xFE\xFF"sv, "this text is encoded in UTF-32",
     "Convert it: iconv -f UTF-32 -t UTF-8 FILE > NEW — or save it as CSV UTF-8."},
    {"\xFF\xFE"sv, "this text is encoded in UTF-16", kConvert},
    {"\xFE\xFF"sv, "this text is encoded in UTF-16", kConvert},
    {"QDSTRM"sv, "this is the raw stream of Nsight Systems (.qdstrm)",
     "Convert it with QdstrmImporter, then: nsys export --type sqlite REPORT.nsys-rep",
     "not-exported-qdstrm"},
    {"PAR1"sv, "this is an Apache Parquet file, as written by nsys export --type parquetdir", kAsSqlite,
     "parquet"},
    {"ARROW1"sv, "this is an Apache Arrow file, as written by nsys export --type arrowdir", kAsSqlite,
     "arrow"},
    {"HPCRUN-"sv, "this is a measurement file of HPCToolkit's hpcrun",
     "Create a database from the measurements: hpcstruct FOLDER; hpcprof FOLDER. Then open it.",
     "hpctoolkit"},
    {"PROJECTIONS_ID"sv, "this is the description of a Projections trace (Charm++), which is not read",
     "Record the program with Score-P (OTF2) or Extrae (Paraver).", "projections"},
    {"PROJECTIONS-RECORD"sv, "this is a log of Projections (Charm++), which is not read",
     "Record the program with Score-P (OTF2) or Extrae (Paraver).", "projections"},
    {"\0P\0P\0K"sv, "this is a packed TAU profile (.ppk), which is not read",
     "Export it from ParaProf as TAU profiles (files profile.*) and open their folder.", "tau-packed"},
    {"<profile_xml>"sv, "this is a TAU profile in XML (a snapshot or a merged profile), which is not read",
     "Record with TAU_PROFILE_FORMAT=profile and open the folder of the files profile.*.", "tau-xml"},
    {"\x93NUMPY"sv, "this is a NumPy array", kAsText},
    {"\x80\x04\x95"sv, "this is a Python pickle, which is never opened: it may execute code", kAsText},
    {"\x80\x05\x95"sv, "this is a Python pickle, which is never opened: it may execute code", kAsText},
    {"\xD0\xCF\x11\xE0"sv, "this is an old Excel or Office file", kAsText},
};

tl::unexpected<Error> bad(const Input& input, std::string_view message, std::string_view hint) {
  return failure(ErrorKind::BadInput, std::string(message), input.name(), {}, std::string(hint));
}

constexpr Foreign kTar = {"ustar"sv, "this is a tar archive inside an archive"sv,
                          "Unpack the outer archive and open the files in it."sv, "inner-archive"sv};

constexpr Foreign kHpcToolkitXml = {
    "<HPCToolkitExperiment"sv, "this is an XML database of an HPCToolkit version before 2022.10"sv,
    "Create it again from the measurements with hpcprof of HPCToolkit 2022.10 or later."sv,
    "hpctoolkit-xml"sv};

std::string_view without_blanks(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

const Foreign* foreign(const Input& input) {
  for (const auto& kind : kForeign)
    if (input.head.starts_with(kind.magic)) return &kind;
  if (without_blanks(input.head).starts_with('<') &&
      input.head.find(kHpcToolkitXml.magic) != std::string::npos)
    return &kHpcToolkitXml;
  constexpr std::size_t kTarMagic = 257; // POSIX.1-1988, header of the first member
  return input.head.size() > kTarMagic &&
                 std::string_view(input.head).substr(kTarMagic).starts_with(kTar.magic)
             ? &kTar
             : nullptr;
}

bool has_line(std::string_view text, std::string_view beginning) {
  return text.starts_with(beginning) || text.find("\n" + std::string(beginning)) != std::string_view::npos;
}

bool is_binary(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x09 || (byte > 0x0D && byte < 0x20 && byte != 0x1B);
  });
}

bool is_json(std::string_view text) {
  const auto inside = without_blanks(text.substr(1));
  if (text[0] == '{') return inside.empty() || inside[0] == '"' || inside[0] == '}';
  return text[0] == '[' && (inside.empty() || inside.find_first_of("{[]\"0123456789-") == 0);
}

/// The kind of a text that no reader recognises: a sentence and a hint.
std::pair<std::string_view, std::string_view> kind_of_text(std::string_view head) {
  const auto text = without_blanks(head);
  if (text.empty()) return {"the file contains only white space", "Export it again."};
  if (text.starts_with("%PDF-")) return {"this is a PDF document", "Open the data that it was created from."};
  if (text.starts_with("\x7F"
                       "ELF"))
    return {"this is a program, not a profile of a program", "Run it under a profiler and open the export."};
  if (text.find("brain.Event:") < 64)
    return {"this is an event file of TensorBoard: curves of a training run, not launches",
            "Open the trace (*.pt.trace.json, trace.json.gz) that the profiler wrote next to it."};
  if (is_binary(text)) {
    if (head.starts_with('\n'))
      return {
          "this looks like a Perfetto trace (.pftrace) or another file in protobuf",
          "rocprofv3: record with --output-format csv or json. Perfetto: traceconv json FILE NEW. JAX: open "
          "the trace.json.gz next to it."};
    return {"the file is binary, of an unknown kind", kSupported};
  }
  if (text.starts_with("SKIPPED:"))
    return {"nsys stats found no data for this report and wrote no table",
            "Record with nsys profile --trace=cuda,nvtx, or choose another --report."};
  if (text[0] == '[' && text.find("\"frame\"") < kHeadBytes && text.find("\"metrics\"") < kHeadBytes)
    return {"this is a Proton profile (Triton): sums over a tree of calls, not launches",
            "Record launches: proton.start(name, data=\"trace\"), which writes a Chrome trace, or Nsight "
            "Systems."};
  if (text[0] == '[' && text.find("(ns)\"") < 4096)
    return {"this is a report of nsys stats in JSON", "Write it as CSV: nsys stats --format csv …"};
  if (has_line(text, " ** CUDA") || has_line(text, " ** NVTX") || has_line(text, "** CUDA"))
    return {"this is a human-readable report of nsys stats, not CSV",
            "Write it as CSV: nsys stats --format csv …"};
  if (has_line(text, "==") && text.find("NVPROF is profiling") < text.size())
    return {"this is the human-readable output of nvprof, or it contains no table",
            "Record with: nvprof --csv --print-gpu-trace --log-file FILE PROGRAM"};
  if (has_line(text, "    Section: ") && text.find("Metric Unit") < kHeadBytes)
    return {
        "this is the human-readable output of Nsight Compute, not CSV",
        "Write it as CSV: ncu --csv --page raw --print-units base --log-file FILE.csv PROGRAM — or, from a "
        "report: ncu --import REPORT.ncu-rep --page raw --csv --print-units base > FILE.csv."};
  if (has_line(text, "ROCPROFV3 ") && text.find("SUMMARY:") < kHeadBytes)
    return {"this is a human-readable summary of rocprofv3, not CSV",
            "Record with: rocprofv3 --kernel-trace --stats --output-format csv -- PROGRAM — and open "
            "kernel_trace.csv."};
  if (text[0] == '{' &&
      (text.find("\"CudaEvent\"") < kHeadBytes || text.find("\"GlobalThread\"") < kHeadBytes ||
       text.find("\"TraceProcessEvent\"") < kHeadBytes || text.find("\"startNs\"") < kHeadBytes))
    return {"this is an export of Nsight Systems in JSON",
            "Export the report again: nsys export --type sqlite "
            "--output REPORT.sqlite REPORT.nsys-rep."};
  if (text[0] == '{' && text.find("\"dlbVersion\"") < kHeadBytes)
    return {"this is a report of TALP (DLB): efficiencies of regions, not launches", kOfLaunches};
  if (text[0] == '{' && text.find("\"ctrl_deps\"") < kHeadBytes)
    return {"this is an execution trace of PyTorch (Chakra): operators and their dependences, without times "
            "of kernels",
            "Open the trace that torch.profiler wrote next to it: export_chrome_trace(\"trace.json\")."};
  if (is_json(text))
    return {
        "this is JSON, but not a known kind of trace, report or tuning cache",
        "Supported: PyTorch and Chrome traces (\"traceEvents\"), rocprofv3 JSON, results of Kernel Tuner, "
        "KTT, CLTune, Google Benchmark and nsys stats, and lists of flat records with times ([{\"kernel\": "
        "…, \"duration_ns\": …}, …])."};
  if (has_line(text, "# callgrind format") || (has_line(text, "events: Ir") && has_line(text, "fn=")))
    return {"this is a callgrind or cachegrind profile (Valgrind): instruction counts of host functions, not "
            "launches",
            kOfLaunches};
  if (text[0] == '<' && (text.find("nvvp") < kHeadBytes || text.find("com.nvidia.viper") < kHeadBytes))
    return {
        "this is an XML session of the Visual Profiler, which refers to the data instead of containing it",
        "Open the database that the session names (written by nvprof --export-profile FILE)."};
  if (text.starts_with("#Entity"))
    return {"this is the output of dcgmi dmon, which states no times",
            "Record a log with times: nvidia-smi "
            "--query-gpu=timestamp,index,clocks.sm,power.draw,temperature.gpu "
            "--format=csv -lms 10 > clocks.csv"};
  if (text[0] == '<') return {"this is an HTML or XML document", "Download or export the data itself."};
  if (table::is_settings(text))
    return {
        "these are lines of the form \"key: value\" (settings such as YAML or INI, or a log), not a table",
        kOfLaunches};
  const auto end = line_end(text);
  if (without_blanks(text.substr(end)).empty() && text.find_first_of(",;\t|") < end)
    return {"the file has only one line: if it is the header, the rows are missing",
            "Export the table again."};
  return {kNotKnown, kSupported};
}

} // namespace

Expected<const Reader*> reader_for(const Input& input) {
  if (input.head.empty())
    return bad(input, "the file is empty",
               "The export may have been interrupted or the disk full: export again.");
  if (const auto* kind = foreign(input)) return bad(input, kind->message, kind->hint);
  for (const auto* reader : kReaders)
    if (reader->recognises(input)) return reader;
  if (std::string_view("SQLite format 3\0", 16).starts_with(input.head))
    return bad(input, "the SQLite file is truncated in its first bytes", "Copy or export the file again.");
  const auto [message, hint] = kind_of_text(input.head);
  if (message == kNotKnown)
    if (const auto almost = table::almost_number(input))
      return bad(input,
                 fmt::format("this is a table, but none of its columns contains numbers: \"{}\" in column "
                             "\"{}\" is not a number",
                             clean_text(almost->cell.substr(0, 40)), clean_text(almost->title.substr(0, 80))),
                 "Write units into the column names, as in \"Duration (us)\", and only numbers below.");
  if (message == kNotKnown && table::is_aligned_by_blanks(input))
    return bad(input, "this looks like a table whose columns are separated by spaces",
               "Replace them by commas: tr -s ' ' ',' < FILE > NEW.csv (if no name contains a space).");
  if (message == kNotKnown && table::holds_only_texts(input))
    return bad(input, "this is a table, but none of its columns contains numbers",
               "Export launches with numeric measurements: kernel,duration_us,…");
  return bad(input, message, hint);
}

bool is_foreign(const Input& input) {
  return foreign(input) != nullptr;
}

std::string foreign_code(const Input& input) {
  const auto* kind = foreign(input);
  return kind ? std::string(kind->code) : std::string();
}

} // namespace jitterscope::import
