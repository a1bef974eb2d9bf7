#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "core/base/similar_names.h"
#include "core/base/text_pattern.h"
#include "core/efficiency/metrics/parser.h"

namespace jitterscope::efficiency::metrics {
namespace {

constexpr double kLongestWindow = 1e16; // ns; nested windows do not overflow

/// Functions of numbers, in timelines and in attributes.
const std::map<std::string_view, PointwiseFunction> kPointwise = {
    {"sign", {Op::Sign, 1, 1}},    {"abs", {Op::Abs, 1, 1}},   {"floor", {Op::Floor, 1, 1}},
    {"round", {Op::Round, 1, 1}},  {"sqrt", {Op::Sqrt, 1, 1}}, {"if", {Op::If, 3, 3}},
    {"within", {Op::Within, 3, 3}}};
/// Functions whose first argument is a set of records.
const std::map<std::string_view, Op> kOfRecords = {
    {"count", Op::Count},   {"active", Op::Active},       {"value", Op::Value},
    {"total", Op::Total},   {"rate", Op::Rate},           {"recorded", Op::Recorded},
    {"starts", Op::Starts}, {"frequency", Op::Frequency}, {"interval", Op::BorderInterval}};
const std::map<std::string_view, Op> kOfCounters = {{"counter", Op::Counter},
                                                    {"next_counter", Op::NextCounter},
                                                    {"counter_to_next", Op::CounterToNext},
                                                    {"counter_interval", Op::CounterInterval}};
const std::map<std::string_view, Op> kWindows = {
    {"average", Op::WindowAverage}, {"maximum", Op::WindowMaximum}, {"minimum", Op::WindowMinimum}};
const std::map<std::string_view, Op> kOverRecord = {
    {"mean", Op::MeanOver}, {"maximum", Op::MaximumOver}, {"minimum", Op::MinimumOver}};

} // namespace

std::optional<Source> source_named(std::string_view name) {
  for (int source = 0; source < kSources; ++source)
    if (to_string(static_cast<Source>(source)) == name) return static_cast<Source>(source);
  return {};
}

std::optional<Aggregator> aggregator_named(std::string_view name) {
  for (int a = 0; a < kAggregators; ++a)
    if (to_string(static_cast<Aggregator>(a)) == name) return static_cast<Aggregator>(a);
  return {};
}

Parser::Result Parser::primary() {
  const auto token = peek();
  if (token.kind == TokenKind::Number) {
    ++at_;
    Node node;
    node.number = token.number;
    node.place = token.place;
    return finish(std::move(node));
  }
  if (consume("(")) {
    auto inner = expression();
    if (!inner) return inner;
    if (auto closed = need(")"); !closed) return forward(closed.error());
    return inner;
  }
  if (token.kind != TokenKind::Name)
    return expected(source_ ? "an attribute or a number" : "a timeline or a number");
  const bool call = tokens_[at_ + 1].kind == TokenKind::Symbol && tokens_[at_ + 1].text == "(";
  if (call) return function(token);
  return source_ ? attribute(token) : name(token);
}

Parser::Result Parser::name(const Token& token) {
  if (source_named(token.text))
    return wrong_at(token.place,
                    fmt::format("\"{}\" is a set of records, but a timeline is expected", token.text),
                    fmt::format("Example: active({0}), count({0}) or value({0}, duration)", token.text));
  const auto found = std::ranges::find(definition_.names, token.text);
  if (found == definition_.names.end()) {
    auto known = definition_.names;
    for (const auto& word : words()) known.push_back(word.text);
    return wrong_at(token.place, fmt::format("\"{}\" is unknown", printable(token.text)),
                    did_you_mean(token.text, known, "Names are defined with let."));
  }
  ++at_;
  Node node;
  node.op = Op::Let;
  node.place = token.place;
  node.index = static_cast<std::size_t>(found - definition_.names.begin());
  node.level = definition_.lets[node.index].level;
  return finish(std::move(node));
}

Parser::Result Parser::attribute(const Token& token) {
  ++at_;
  Node node;
  node.op = Op::Field;
  node.place = token.place;
  node.text = token.text;
  const auto sign = peek();
  const auto& operand = tokens_[std::min(at_ + 1, tokens_.size() - 1)];
  const bool match = sign.kind == TokenKind::Symbol && (sign.text == "~" || sign.text == "!~");
  const bool equal = sign.kind == TokenKind::Symbol && (sign.text == "==" || sign.text == "!=") &&
                     operand.kind == TokenKind::Text;
  if (!match && !equal) {
    const bool compares = sign.kind == TokenKind::Symbol && (sign.text == "==" || sign.text == "!=");
    if (compares && operand.kind == TokenKind::Name)
      node.operand = operand.text, node.operand_place = operand.place, node.inverted = sign.text == "!=";
    return finish(std::move(node));
  }
  ++at_;
  if (match && peek().kind != TokenKind::Pattern)
    return expected("a pattern between slashes",
                    fmt::format("Example: {} {} /{}/", token.text, sign.text,
                                peek().kind == TokenKind::End || peek().kind == TokenKind::Symbol
                                    ? "gemm"
                                    : printable(peek().text)));
  node.op = match ? Op::TextMatch : Op::TextEqual;
  node.pattern = match;
  node.operand = peek().text;
  if (match)
    if (auto checked = check_pattern(peek()); !checked) return forward(checked.error());
  node.inverted = sign.text.front() == '!';
  ++at_;
  return finish(std::move(node));
}

Expected<void> Parser::check_pattern(const Token& token) {
  const auto pattern = TextPattern::of(token.text);
  if (pattern) return {};
  return wrong_at(token.place, pattern.error().message, pattern.error().hint);
}

Parser::Result Parser::function(const Token& token) {
  const std::string_view name = token.text;
  at_ += 2;
  if (const auto found = kPointwise.find(name); found != kPointwise.end())
    return pointwise(token, found->second);
  if (source_) return function_of_record(token);
  if (const auto found = kOfRecords.find(name); found != kOfRecords.end())
    return of_records(token, found->second);
  if (const auto found = kWindows.find(name); found != kWindows.end()) return window_of(token, found->second);
  if (const auto found = kOfCounters.find(name); found != kOfCounters.end())
    return counter(token, found->second);
  if (aggregator_named(name)) return across(token);
  std::vector<std::string> known;
  for (const auto& word : words())
    if (word.syntax.starts_with(word.text + "(")) known.push_back(word.text);
  return wrong_at(token.place, fmt::format("there is no function \"{}\"", printable(token.text)),
                  did_you_mean(name, known, "The help page metrics lists the functions."));
}

Parser::Result Parser::operands(Node node, int minimum, int maximum) {
  do {
    auto operand = expression();
    if (!operand) return operand;
    node.children.push_back(std::move(*operand));
  } while (static_cast<int>(node.children.size()) < maximum && consume(","));
  if (static_cast<int>(node.children.size()) < minimum) return expected("\",\" and another operand");
  if (auto closed = need(")"); !closed) return forward(closed.error());
  return finish(std::move(node));
}

Parser::Result Parser::pointwise(const Token& token, const PointwiseFunction& function) {
  Node node;
  node.op = function.op;
  node.place = token.place;
  return operands(std::move(node), function.minimum, function.maximum);
}

Expected<std::shared_ptr<const Records>> Parser::records() {
  const auto token = peek();
  const auto source = token.kind == TokenKind::Name ? source_named(token.text) : std::nullopt;
  if (!source)
    return expected("a set of records",
                    "Records: kernels, queued, copies, migrations, calls, mpi, sends, ranges, states.");
  ++at_;
  if (is("where"))
    return expected("\"[\" and a condition", fmt::format("Example: {}[duration > 1ms]", token.text));
  auto set = std::make_shared<Records>();
  set->source = *source;
  set->place = token.place;
  if (!consume("[")) return set;
  auto condition = of_record(*source, nullptr);
  if (!condition) return forward(condition.error());
  set->condition = std::make_shared<const Node>(std::move(*condition));
  if (auto closed = need("]"); !closed) return forward(closed.error());
  return set;
}

Parser::Result Parser::of_record(Source source, std::shared_ptr<const Records> of) {
  const auto outer_source = std::exchange(source_, source);
  if (!of) {
    auto all = std::make_shared<Records>();
    all->source = source;
    of = std::move(all);
  }
  const auto outer_group = std::exchange(group_, std::move(of));
  auto read = expression();
  source_ = outer_source;
  group_ = outer_group;
  return read;
}

Expected<std::int64_t> Parser::width() {
  const auto token = peek();
  if (token.kind != TokenKind::Number || !token.has_unit)
    return expected("a width with its unit", "Example: 1ms");
  const double whole = token.number;
  if (!(whole >= 1) || whole > kLongestWindow)
    return wrong_at(token.place, "the width of a window must be from 1 ns to 1e7 s");
  ++at_;
  const auto found = static_cast<std::int64_t>(whole);
  definition_.longest_window = std::max(definition_.longest_window, found);
  return found;
}

Parser::Result Parser::of_records(const Token& token, Op op) {
  auto set = records();
  if (!set) return forward(set.error());
  Node node;
  node.op = op;
  node.place = token.place;
  node.records = *set;
  node.level = level_of(node.records->source);
  if (op == Op::Value || op == Op::Total || op == Op::Rate) {
    if (!consume(",")) return expected("\",\" and an attribute", "Example: value(kernels, duration)");
    auto attribute = of_record(node.records->source, node.records);
    if (!attribute) return attribute;
    node.children.push_back(std::move(*attribute));
  }
  if (op == Op::Starts || op == Op::Frequency) {
    if (!consume(",")) return expected("\",\" and a width", "Example: starts(kernels, 1ms)");
    auto read = width();
    if (!read) return forward(read.error());
    node.window = *read;
  }
  if (auto closed = need(")"); !closed) return forward(closed.error());
  return add(std::move(node));
}

Parser::Result Parser::add(Node node) {
  if (nodes_ == kMaxNodes)
    return wrong_at(node.place, fmt::format("the definition has more than {} expressions", kMaxNodes));
  node.id = nodes_++;
  return node;
}

Parser::Result Parser::window_of(const Token& token, Op op) {
  auto inner = expression();
  if (!inner) return inner;
  if (!consume(",")) return expected("\",\" and a width", "Example: average(…, 1ms)");
  auto read = width();
  if (!read) return forward(read.error());
  if (auto closed = need(")"); !closed) return forward(closed.error());
  Node node;
  node.op = op;
  node.place = token.place;
  node.window = *read;
  node.children.push_back(std::move(*inner));
  return finish(std::move(node));
}

Parser::Result Parser::counter(const Token& token, Op op) {
  const auto& named = peek();
  if (named.kind != TokenKind::Text && named.kind != TokenKind::Pattern)
    return expected("the name of a counter in double quotes, or a pattern between slashes");
  Node node;
  node.op = op;
  node.place = token.place;
  node.text = named.text;
  node.pattern = named.kind == TokenKind::Pattern;
  node.level = Level::Device;
  if (node.pattern)
    if (auto checked = check_pattern(named); !checked) return forward(checked.error());
  ++at_;
  if (consume(",")) {
    auto read = level();
    if (!read) return forward(read.error());
    node.level = *read;
  }
  if (auto closed = need(")"); !closed) return forward(closed.error());
  return add(std::move(node));
}

Parser::Result Parser::across(const Token& token) {
  Node node;
  node.place = token.place;
  node.aggregator = *aggregator_named(token.text);
  auto inner = expression();
  if (!inner) return inner;
  node.children.push_back(std::move(*inner));
  const bool extremes = node.aggregator == Aggregator::Minimum || node.aggregator == Aggregator::Maximum;
  if (extremes && consume(",")) {
    node.op = node.aggregator == Aggregator::Minimum ? Op::Smallest : Op::Largest;
    return operands(std::move(node), 2, static_cast<int>(kMaxNodes));
  }
  const auto place = peek().place;
  if (!consume("per"))
    return expected(extremes ? "\"per\" and a level, or \",\"" : "\"per\" and a level",
                    fmt::format("Example: {}(… per device)", token.text));
  auto to = level();
  if (!to) return forward(to.error());
  if (auto closed = need(")"); !closed) return forward(closed.error());
  node.op = Op::Across;
  node.level = *to;
  const auto from = node.children.front().level;
  if (!covers(*to, from))
    return wrong_at(
        place,
        fmt::format("a timeline per {} cannot become a timeline per {}", to_string(from), to_string(*to)),
        "Name a coarser level after \"per\".");
  return add(std::move(node));
}

Parser::Result Parser::function_of_record(const Token& token) {
  Node node;
  node.place = token.place;
  if (const auto found = kOverRecord.find(token.text); found != kOverRecord.end())
    return over_record(std::move(node), found->second);
  if (token.text == "min" || token.text == "max") {
    node.op = token.text == "min" ? Op::Smallest : Op::Largest;
    return operands(std::move(node), 2, static_cast<int>(kMaxNodes));
  }
  const bool deviation = token.text == "deviation";
  if (!deviation && token.text != "group_mean")
    return wrong_at(token.place,
                    fmt::format("there is no function \"{}\" of a record", printable(token.text)),
                    did_you_mean(token.text, {"mean", "maximum", "minimum", "group_mean", "deviation", "min",
                                              "max", "if", "abs"}));
  node.op = deviation ? Op::Deviation : Op::GroupMean;
  node.records = group_;
  return operands(std::move(node), 1, 1);
}

Parser::Result Parser::over_record(Node node, Op op) {
  node.op = op;
  const auto source = std::exchange(source_, std::nullopt);
  auto inner = expression();
  source_ = source;
  if (!inner) return inner;
  if (auto closed = need(")"); !closed) return forward(closed.error());
  if (!covers(inner->level, level_of(*source_)))
    return wrong_at(node.place,
                    fmt::format("a timeline per {} has no value over {} of a {}", to_string(inner->level),
                                to_string(*source_), to_string(level_of(*source_))),
                    "Aggregate it to a common level first, for example sum(… per process).");
  node.children.push_back(std::move(*inner));
  return add(std::move(node));
}

} // namespace jitterscope::efficiency::metrics
