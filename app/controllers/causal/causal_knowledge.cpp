#include "app/controllers/causal/causal_knowledge.h"

#include <QFile>
#include <algorithm>

#include "app/engine/decode.h"
#include "core/base/output_file.h"
#include "views/base/text.h"

namespace jitterscope::app {

namespace {

using views::Text;

using Pair = std::pair<std::string, std::string>;

bool erase(std::vector<Pair>& pairs, const Pair& pair) {
  return std::erase(pairs, pair) > 0;
}

void add(std::vector<Pair>& pairs, const Pair& pair) {
  if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) pairs.push_back(pair);
}

} // namespace

QString tier_name(int tier) {
  static const QStringList kNames = {
      Text::tr("environment"), Text::tr("configuration"), Text::tr("run-time context"), Text::tr("activity"),
      Text::tr("duration"),    Text::tr("variability"),   Text::tr("unknown")};
  return kNames.value(tier);
}

void CausalKnowledge::replace(causal::Knowledge known) {
  known_ = std::move(known);
  emit changed();
}

Expected<void> CausalKnowledge::set_document(const nlohmann::json& document) {
  auto known = causal::parse_knowledge(document.dump());
  if (!known) return forward(known.error());
  replace(std::move(*known));
  return {};
}

Expected<void> CausalKnowledge::load(const QString& file) {
  auto known = causal::read_knowledge(QFile::encodeName(file).toStdString());
  if (!known) return forward(known.error());
  replace(std::move(*known));
  return {};
}

Expected<void> CausalKnowledge::save(const QString& file) const {
  return write_output(QFile::encodeName(file).toStdString(), document().dump(2) + "\n");
}

void CausalKnowledge::require(const std::string& from, const std::string& to) {
  auto known = known_;
  erase(known.forbidden, {from, to});
  erase(known.required, {to, from});
  add(known.required, {from, to});
  replace(std::move(known));
}

void CausalKnowledge::forbid(const std::string& from, const std::string& to) {
  auto known = known_;
  erase(known.required, {from, to});
  add(known.forbidden, {from, to});
  replace(std::move(known));
}

void CausalKnowledge::ignore(const std::vector<std::string>& columns) {
  auto known = known_;
  for (const auto& column : columns)
    if (std::find(known.ignored.begin(), known.ignored.end(), column) == known.ignored.end())
      known.ignored.push_back(column);
  replace(std::move(known));
}

void CausalKnowledge::set_tier(const std::string& column, int tier) {
  auto known = known_;
  std::erase_if(known.tiers, [&](const auto& each) { return each.first == column; });
  known.tiers.emplace_back(column, tier);
  replace(std::move(known));
}

QStringList CausalKnowledge::statements() const {
  QStringList all;
  for (const auto& [from, to] : known_.required) all << tr("%1 causes %2").arg(words(from), words(to));
  for (const auto& [from, to] : known_.forbidden) all << tr("%1 cannot cause %2").arg(words(from), words(to));
  for (const auto& column : known_.ignored) all << tr("%1 is ignored").arg(words(column));
  for (const auto& [column, tier] : known_.tiers)
    all << tr("%1 belongs to the tier \"%2\"").arg(words(column), tier_name(tier));
  return all;
}

void CausalKnowledge::remove(int statement) {
  auto known = known_;
  auto at = static_cast<std::size_t>(std::max(statement, 0));
  const auto erase_from = [&](auto& list) {
    if (at < list.size()) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
      return true;
    }
    at -= list.size();
    return false;
  };
  if (statement >= 0 && (erase_from(known.required) || erase_from(known.forbidden) ||
                         erase_from(known.ignored) || erase_from(known.tiers)))
    replace(std::move(known));
}

void CausalKnowledge::clear() {
  if (!known_.empty()) replace({});
}

void mark_stated(views::CausalGraph& graph, const causal::Knowledge& known) {
  for (auto& edge : graph.edges) {
    const auto *from = graph.node(edge.from), *to = graph.node(edge.to);
    if (!from || !to) continue;
    const Pair pair{from->key.toStdString(), to->key.toStdString()};
    edge.stated = std::find(known.required.begin(), known.required.end(), pair) != known.required.end();
  }
  for (auto& node : graph.nodes)
    for (const auto& [column, tier] : known.tiers)
      if (const auto key = node.key.toStdString(); key == column || key.starts_with(column + " "))
        node.stated = Text::tr("tier: %1").arg(tier_name(tier));
}

} // namespace jitterscope::app
