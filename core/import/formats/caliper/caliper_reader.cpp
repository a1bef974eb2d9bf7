#include "core/import/formats/caliper/caliper_reader.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <simdjson.h>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/formats/caliper/profile.h"
#include "core/import/formats/paraver/lines.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::caliper {
namespace {

using store::Severity;

constexpr std::size_t kMaxDepth = 1024; // maximum depth of nested regions
constexpr std::size_t kMaxNodes = 50'000'000;
constexpr std::size_t kMaxJson = std::size_t{1} << 30; // maximum size of a JSON file [B]
constexpr std::uint64_t kNone64 = ~std::uint64_t{0};

// Nodes that exist implicitly in every file: types, and properties of attributes.
constexpr std::uint64_t kInteger = 1, kUnsigned = 2, kDouble = 5, kBool = 6, kLastType = 7, kName = 8,
                        kProperty = 10, kLastImplicit = 10;
constexpr std::uint64_t kNestedProperty = 256;

struct Node {
  std::uint64_t attribute = kNone64, parent = kNone64;
  std::string data;
};

/// One record of a .cali file: "__rec=ctx,ref=44=45,attr=32=50,data=0=2.5", with backslashes before
/// separators in texts.
class Line {
public:
  explicit Line(std::string_view text) {
    std::string part;
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= text.size(); ++at) {
      if (at == text.size() || text[at] == ',' || text[at] == '=') {
        parts.push_back(std::move(part));
        part.clear();
        if (at == text.size() || text[at] == ',') {
          if (!parts.empty()) members_.push_back(std::move(parts));
          parts.clear();
        }
        continue;
      }
      if (text[at] == '\\' && at + 1 < text.size()) {
        ++at;
        part += text[at] == 'n' ? '\n' : text[at];
        continue;
      }
      part += text[at];
    }
  }
  /// The values of a member after its key; empty where there is none.
  std::span<const std::string> values(std::string_view key) const {
    for (const auto& member : members_)
      if (member.front() == key) return std::span(member).subspan(1);
    return {};
  }
  std::string_view value(std::string_view key) const {
    const auto all = values(key);
    return all.empty() ? std::string_view() : std::string_view(all.front());
  }

private:
  std::vector<std::vector<std::string>> members_;
};

// Meta attributes with the unit of an attribute; time.unit until Caliper 2.9.
bool is_unit(std::string_view attribute) {
  return attribute == "attribute.unit" || attribute == "time.unit";
}

std::uint64_t number(std::string_view text) {
  const auto value = parse_integer(text);
  return value && *value >= 0 ? static_cast<std::uint64_t>(*value) : kNone64;
}

class CaliFile {
public:
  CaliFile(Profile& profile, RowIssues& issues) : profile_(profile), issues_(issues) {}

  /// False if the record of globals, which ends a file since Caliper 1.7, is missing.
  bool ended() const { return ended_; }

  void read_line(std::string_view text, std::int64_t line_number) {
    const Line line(text);
    const auto kind = line.value("__rec");
    if (kind == "node") return read_node(line, line_number);
    if (kind == "ctx") return read_record(line, line_number);
    if (kind == "globals")
      ended_ = true;
    else if (!text.empty())
      issues_.count(Severity::Drop, "other-records",
                    [&] { return fmt::format("line {} is not a known kind of record", line_number); });
  }

private:
  void read_node(const Line& line, std::int64_t line_number) {
    const auto id = number(line.value("id"));
    if (id == kNone64 || nodes_.size() >= kMaxNodes) {
      issues_.count(Severity::Drop, "broken-records", [&] {
        return fmt::format("line {} is a node without an id, or exceeds the maximum number of nodes",
                           line_number);
      });
      return;
    }
    auto& node = nodes_[id];
    node.attribute = number(line.value("attr"));
    node.parent = line.values("parent").empty() ? kNone64 : number(line.value("parent"));
    node.data = std::string(line.value("data"));
    known_.erase(id);
    // Caliper before 1.6 writes the implicit nodes, and before 1.7 its version in each record.
    ended_ = ended_ || id <= kLastImplicit || node.data == "cali.caliper.version";
  }

  const Node* node(std::uint64_t id) const {
    const auto found = nodes_.find(id);
    return found == nodes_.end() ? nullptr : &found->second;
  }

  // The node that a record or another node refers to.
  const Node* referred(std::uint64_t id) {
    const auto* found = node(id);
    missing_ = missing_ || (!found && id > kLastImplicit && id != kNone64);
    return found;
  }

  // Attributes are nodes whose ancestors define their type and properties.
  std::uint32_t attribute(std::uint64_t id) {
    if (const auto known = known_.find(id); known != known_.end()) {
      missing_ = missing_ || !known->second.complete;
      return known->second.number;
    }
    const bool missed = std::exchange(missing_, false);
    const Known known{profile_.add(described(id)), !missing_};
    missing_ = missing_ || missed;
    return known_.emplace(id, known).first->second.number;
  }

  Attribute described(std::uint64_t id) {
    Attribute made;
    made.text = true;
    const auto* own = referred(id);
    made.name = own && own->attribute == kName ? clean_text(own->data) : fmt::format("attribute {}", id);
    std::uint64_t at = id;
    for (std::size_t step = 0; step < kMaxDepth; ++step) {
      if (at <= kLastType) {
        made.text = at != kInteger && at != kUnsigned && at != kDouble && at != kBool;
        break;
      }
      const auto* ancestor = referred(at);
      if (!ancestor) break;
      if (ancestor->attribute == kProperty)
        made.nested = (number(ancestor->data) & kNestedProperty) != 0 && number(ancestor->data) != kNone64;
      if (const auto* what = node(ancestor->attribute); what && is_unit(what->data))
        made.unit = ancestor->data;
      at = ancestor->parent;
    }
    return made;
  }

  void put(Record& record, std::uint32_t of, std::string_view value) {
    if (profile_.at(of).text) return record.texts.emplace_back(of, value), void();
    const auto number = value == "true"    ? std::optional(1.0)
                        : value == "false" ? std::optional(0.0)
                                           : parse_number(value);
    if (number) return record.numbers.emplace_back(of, *number), void();
    issues_.count(Severity::Drop, "not-a-number", [&] {
      return fmt::format("\"{}\" of {} is not a number", clean_text(value.substr(0, 80)),
                         profile_.at(of).name);
    });
  }

  void read_record(const Line& line, std::int64_t line_number) {
    record_ = {};
    missing_ = false;
    const auto attributes = line.values("attr"), data = line.values("data");
    if (attributes.size() != data.size())
      return issues_.count(Severity::Drop, "broken-records", [&] {
        return fmt::format("line {} has {} attributes and {} values: such records are left out", line_number,
                           attributes.size(), data.size());
      });
    for (const auto& reference : line.values("ref")) {
      auto at = number(reference);
      for (std::size_t step = 0; step < kMaxDepth && at != kNone64; ++step) {
        const auto* here = referred(at);
        if (!here || here->attribute == kNone64) break;
        const auto of = attribute(here->attribute);
        if (profile_.at(of).nested)
          record_.regions.push_back(here->data);
        else
          put(record_, of, here->data);
        at = here->parent;
      }
    }
    std::reverse(record_.regions.begin(), record_.regions.end());
    for (std::size_t i = 0; i < attributes.size(); ++i)
      if (const auto id = number(attributes[i]); id != kNone64) put(record_, attribute(id), data[i]);
    if (missing_)
      issues_.count(Severity::Doubt, "unknown-nodes", [&] {
        return fmt::format("line {} refers to a node that the file does not contain: names, regions or "
                           "attributes of such records are incomplete",
                           line_number);
      });
    profile_.add_record(record_);
  }

  Profile& profile_;
  RowIssues& issues_;
  Record record_;
  struct Known {
    std::uint32_t number; ///< in the profile
    bool complete;        ///< the file contains all nodes that describe the attribute
  };
  std::unordered_map<std::uint64_t, Node> nodes_;
  std::unordered_map<std::uint64_t, Known> known_; ///< attributes by node number
  bool missing_ = false; ///< the current record refers to a node that the file does not contain
  bool ended_ = false;
};

/// Counts the line ends of a stream while it is read.
class LineEnds final : public ByteStream {
public:
  explicit LineEnds(ByteStream& stream) : stream_(stream) {}
  Expected<std::size_t> read(std::span<char> into) override {
    auto got = stream_.read(into);
    if (got) count_ += std::count(into.data(), into.data() + *got, '\n');
    return got;
  }
  std::int64_t consumed() const override { return stream_.consumed(); }
  std::int64_t count() const { return count_; }

private:
  ByteStream& stream_;
  std::int64_t count_ = 0;
};

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

bool is_cali(std::string_view head) {
  head = without_mark(head);
  return head.starts_with("__rec=node,") || head.starts_with("__rec=ctx,") ||
         head.starts_with("__rec=globals,");
}

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

// True for an object whose first member is "data", an array of arrays.
bool is_json_split(std::string_view text, bool whole) {
  text = without_mark(text);
  for (const std::string_view expected : {"{", "\"data\"", ":", "[", "["}) {
    text = without_blanks(text);
    if (!text.starts_with(expected)) return false;
    text.remove_prefix(expected.size());
  }
  return !whole || (text.find("\"column_metadata\"") != std::string_view::npos &&
                    text.find("\"columns\"") != std::string_view::npos);
}

Expected<void> read_cali(const Input& input, Profile& profile, RowIssues& issues, const Progress& progress) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  LineEnds ends(**stream);
  paraver::Lines lines(ends);
  CaliFile file(profile, issues);
  bool cut = false; // the last line has no end, so that its last number may be incomplete
  for (;;) {
    const auto line = lines.next();
    if (!line) return forward(line.error());
    if (!*line) break;
    if (lines.number() % 4096 == 0 && !progress.report((*stream)->consumed(), input.disk_bytes, "records"))
      return Job::cancelled_error();
    const auto text = lines.number() == 1 ? without_mark(**line) : **line;
    cut = lines.number() > ends.count() && !text.starts_with("__rec=globals,");
    if (!cut) file.read_line(text, lines.number());
  }
  if (cut || !file.ended())
    issues.count(Severity::Drop, "cut-off-file", [&] {
      return fmt::format(
          "{} is truncated after line {}: its closing record is missing, and others may be lost",
          input.file_name(), cut ? lines.number() - 1 : lines.number());
    });
  return {};
}

// Nodes have labels, columns and parents; cells are numbers, or indices of nodes.
class JsonSplit {
public:
  JsonSplit(simdjson::dom::object root, Profile& profile, RowIssues& issues)
      : root_(root), profile_(profile), issues_(issues) {}

  bool read(const Progress& progress) {
    simdjson::dom::array columns, rows;
    if (root_["columns"].get_array().get(columns) || root_["data"].get_array().get(rows)) return true;
    simdjson::dom::array metadata, nodes;
    const bool described = !root_["column_metadata"].get_array().get(metadata);
    std::vector<simdjson::dom::element> about;
    if (described)
      for (auto one : metadata) about.push_back(one);
    for (auto column : columns) {
      std::string_view name, unit;
      if (column.get_string().get(name)) name = "";
      Attribute made;
      made.name = clean_text(name);
      bool is_value = true;
      if (columns_.size() < about.size()) {
        if (about[columns_.size()]["is_value"].get_bool().get(is_value)) is_value = true;
        for (const auto* key : {"attribute.unit", "time.unit"})
          if (!about[columns_.size()][key].get_string().get(unit)) made.unit = std::string(unit);
      }
      made.text = !is_value;
      made.nested = !is_value && is_region(name);
      columns_.push_back(profile_.add(std::move(made)));
    }
    if (!root_["nodes"].get_array().get(nodes))
      for (auto node : nodes) read_node(node);
    std::int64_t row = 0;
    for (auto cells : rows) {
      if (row++ % 4096 == 0 && !progress.report(row, static_cast<std::int64_t>(rows.size()), "records"))
        return false;
      read_row(cells);
    }
    return true;
  }

private:
  static bool is_region(std::string_view name) {
    return name == "path" || name == "function" || name == "annotation" || name == "loop" ||
           name == "region" || name.starts_with("source.function");
  }

  void read_node(simdjson::dom::element node) {
    std::string_view label;
    std::uint64_t parent = 0;
    if (node["label"].get_string().get(label)) label = "";
    labels_.push_back(label);
    parents_.push_back(node["parent"].get_uint64().get(parent) ? kNone64 : parent);
  }

  void read_row(simdjson::dom::element row) {
    simdjson::dom::array cells;
    if (row.get_array().get(cells)) {
      issues_.count(Severity::Drop, "broken-records", [] { return "rows that are not lists were left out"; });
      return;
    }
    Record record;
    std::size_t column = 0;
    for (auto cell : cells) {
      if (column >= columns_.size()) break;
      const auto of = columns_[column++];
      const auto& attribute = profile_.at(of);
      double value = 0;
      std::uint64_t node = 0;
      std::string_view text;
      if (!attribute.text) {
        if (cell.is_number() && !cell.get_double().get(value)) record.numbers.emplace_back(of, value);
      } else if (!cell.get_uint64().get(node)) {
        put_node(record, of, node);
      } else if (!cell.get_string().get(text)) {
        record.texts.emplace_back(of, text);
      }
    }
    profile_.add_record(record);
  }

  void put_node(Record& record, std::uint32_t of, std::uint64_t node) {
    if (node >= labels_.size()) return;
    if (!profile_.at(of).nested) return record.texts.emplace_back(of, labels_[node]), void();
    const auto first = record.regions.size();
    for (std::size_t step = 0; step < kMaxDepth && node < labels_.size(); ++step) {
      record.regions.push_back(labels_[node]);
      node = parents_[node];
    }
    std::reverse(record.regions.begin() + static_cast<std::ptrdiff_t>(first), record.regions.end());
  }

  simdjson::dom::object root_;
  Profile& profile_;
  RowIssues& issues_;
  SpillVector<std::uint32_t> columns_;
  std::vector<std::string_view> labels_;
  SpillVector<std::uint64_t> parents_;
};

Expected<void> read_json(const Input& input, Profile& profile, RowIssues& issues, const Progress& progress) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  std::string text;
  for (std::size_t got = 1; got > 0;) {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    const auto size = text.size();
    if (size > kMaxJson)
      return failure(ErrorKind::BadInput, "the JSON profile is larger than 1 GiB", input.name(), {},
                     "Write the profile in Caliper's own format (.cali).");
    text.resize(size + kPiece);
    const auto read = read_fully(**stream, std::span(text).subspan(size));
    if (!read) return forward(read.error());
    got = *read;
    text.resize(size + got);
  }
  simdjson::dom::parser parser;
  simdjson::dom::object root;
  if (const auto error = parser.parse(text).get_object().get(root))
    return failure(ErrorKind::BadInput,
                   fmt::format("the profile is not valid JSON: {}", simdjson::error_message(error)),
                   input.name(), {},
                   "The file may be truncated: write it again with cali-query -q \"format json-split\".");
  if (!JsonSplit(root, profile, issues).read(progress)) return Job::cancelled_error();
  return {};
}

bool recognises(const Input& input) {
  return is_cali(input.head) || is_json_split(input.head, input.whole());
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  const auto& input = inputs.front();
  RowIssues issues;
  Profile profile(draft, issues, input.file_name());
  auto done = is_cali(input.head) ? read_cali(input, profile, issues, progress)
                                  : read_json(input, profile, issues, progress);
  if (!done) return done;
  if (profile.rows() == 0)
    return failure(ErrorKind::BadInput, "the profile contains no record with a numeric value", input.name(),
                   {},
                   "Record with a configuration that takes measurements: "
                   "CALI_CONFIG=hatchet-region-profile,output.format=cali,output=FILE.cali");
  profile.finish();
  issues.count(Severity::Doubt, "sums-over-launches", [&] {
    return fmt::format(
        "{} contains sums over regions, not individual launches: it cannot show how they vary over time",
        input.file_name());
  });
  source.timeless = true;
  issues.move_to(draft.report);
  return {};
}

} // namespace

const Reader kReader = {"Caliper profile", recognises, read};

} // namespace jitterscope::import::caliper
