#pragma once

#include <QObject>
#include <QStringList>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/causal/base/knowledge.h"
#include "views/causal/causal_data.h"

namespace jitterscope::app {

/// Causal knowledge stated by the user: same content as a knowledge file of `jitterscope causal --tiers`.
class CausalKnowledge : public QObject {
  Q_OBJECT

public:
  explicit CausalKnowledge(QObject* parent = nullptr) : QObject(parent) {}

  const causal::Knowledge& value() const { return known_; }
  /// The JSON form of the file; an empty object if nothing is stated. Also used in session files.
  nlohmann::json document() const { return causal::to_json(known_); }
  /// Replaces the whole content. BadInput states the problem; then nothing changes.
  Expected<void> set_document(const nlohmann::json& document);
  Expected<void> load(const QString& file);
  Expected<void> save(const QString& file) const;

  /// States that `from` causes `to`; contradicting statements are removed.
  void require(const std::string& from, const std::string& to);
  void forbid(const std::string& from, const std::string& to);
  void ignore(const std::vector<std::string>& columns);
  void set_tier(const std::string& column, int tier);

  /// All statements as text, in the index order of remove().
  QStringList statements() const;
  void remove(int statement);
  void clear();

signals:
  void changed();

private:
  void replace(causal::Knowledge known);
  causal::Knowledge known_;
};

/// Marks the edges that background knowledge requires and the nodes whose tier it states.
void mark_stated(views::CausalGraph& graph, const causal::Knowledge& known);
/// Name of a tier: "run-time context" for 2.
QString tier_name(int tier);

} // namespace jitterscope::app
