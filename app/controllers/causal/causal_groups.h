#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/controllers/causal/causal_group_list.h"
#include "views/causal/causal_multiples.h"
#include "views/table/kernels_data.h"

namespace jitterscope::app {

class SelectionHub;
class SessionController;

/// One causal question for several groups of launches, requested one after the other: first all launches,
/// then each of the largest groups.
class CausalGroups : public QObject {
  Q_OBJECT

public:
  enum class By { None, Kernel, Rank, Run };

  CausalGroups(SelectionHub& hub, SessionController& session, views::CausalMultiples* view, QObject* parent);

  By by() const { return by_; }
  /// Requests the graphs of the current question's groups; None: stops.
  void show(By by);

private:
  void clear(const QString& message);
  void start();
  void ask_values(const std::string& column, const QString& word);
  void begin(std::vector<CausalGroupFilter> groups);
  void ask_next();
  void choose(int index);

  SelectionHub& hub_;
  SessionController& session_;
  views::CausalMultiples* view_;
  By by_ = By::None;
  views::KernelsData kernels_;
  std::vector<CausalGroupFilter> groups_; ///< groups to request; the first is all launches
  std::vector<views::CausalGroup> shown_;
  std::size_t next_ = 0;
  int round_ = 0; ///< late answers of an earlier round are dropped
};

} // namespace jitterscope::app
