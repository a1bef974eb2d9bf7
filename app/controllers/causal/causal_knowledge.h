#pragma once

#include <QObject>
#include <QStringList>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/causal/base/knowledge.h"
#include "views/causal/causal_data.h"

namespace jitterscope::app {

/// What the user stated about causes: the same content as a knowledge file of `jitterscope causal --tiers`.
class CausalKnowledge : public QObject {
  Q_OBJECT

public:
  explicit CausalKnowledge(QObject* parent = nullptr) : QObject(parent) {}

  const causal::Knowledge& value() const { return known_; }
  /// The file's JSON form; an empty object when nothing is stated. For the session file, too.
  nlohmann::json document() const { return causal::to_json(known_); }
  /// Replaces all of it. BadInput names what is wrong; then nothing changes.
  Expected<void> set_document(const nlohmann::json& document);
  Expected<void> load(const QString& file);
  Expected<void> save(const QString& file) const;

  /// `from` causes `to`; what contradicts it is taken back.
  void require(const std::string& from, const std::string& to);
  void forbid(const std::string& from, const std::string& to);
  void ignore(const std::vector<std::string>& columns);
  void set_tier(const std::string& column, int tier);

  /// Everything in words, in the order that remove() counts in.
  QStringList statements() const;
  void remove(int statement);
  void clear();

signals:
  void changed();

private:
  void replace(causal::Knowledge known);
  causal::Knowledge known_;
};

/// Marks in the graph what was stated and not found.
void mark_stated(views::CausalGraph& graph, const causal::Knowledge& known);
/// "run-time context" for 2.
QString tier_name(int tier);

} // namespace jitterscope::app
