// Requests that are repeated when the selection changes, and the use of their answers.

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/engine/typed_answers.h"
#include "app/session/chosen_group.h"
#include "app/session/questions.h"
#include "app/session/session_controller.h"
#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/selection.h"
#include "views/base/format.h"

namespace jitterscope::app {

void SessionController::refresh_rows() {
  request_parallel(axes_);
  refresh_others();
}

void SessionController::refresh_others() {
  if (!open_) return;
  emit rows_changed();
  auto any_kernel = hub_.state(); // the selected kernels are marked among all others
  any_kernel.kernels.clear();
  ask(with_selection(engine::KernelsOptions(), options_of(any_kernel)), tr("Kernels"),
      reading([this, range = range_of(any_kernel)](const engine::answers::KernelsAnswer& answer) {
        const auto data = kernels_data(answer, range);
        for (const auto& row : data.rows) kernel_names_[row.id] = row.name;
        emit kernels(data);
      }));
  refresh_distribution();
}

void SessionController::refresh_distribution() {
  if (!open_ || opening_) return;
  const auto round = ++distribution_round_;
  const auto group =
      chosen_group(hub_.state(), QString::fromStdString(distribution_.group_by), tracks_.names);
  if (!group) return ask_distribution({}, {});
  // If one group is selected, the others stay in the legend, dimmed.
  auto requested = distribution_question(group->others);
  requested.group_by = distribution_.group_by;
  ask({requested, "all groups"}, tr("Distribution"),
      [this, round, chosen = group->group](const engine::Answer& answer) {
        auto all = decode_distribution(answer, {});
        if (!all || round != distribution_round_) return;
        for (auto& each : all->groups) each.dimmed = each.filter != chosen;
        ask_distribution(std::move(all->edges), std::move(all->groups));
      });
}

engine::DistributionOptions SessionController::distribution_question(const SelectionState& state) const {
  engine::DistributionOptions requested{
      .column = distribution_.column, .log = distribution_.log, .time = distribution_.time};
  if (const auto kernel = one_kernel(state, tracks_.names))
    requested.base = "kernel = " + std::to_string(*kernel);
  return with_selection(std::move(requested), options_of(state));
}

void SessionController::ask_distribution(std::vector<double> edges,
                                         std::vector<views::DistributionGroup> groups) {
  const auto& state = hub_.state();
  auto requested = distribution_question(state);
  if (groups.empty()) requested.group_by = distribution_.group_by;
  QString title = title_of_column(distribution_.column);
  const auto kernel = one_kernel(state, tracks_.names);
  title = kernel ? tr("%1 of %2").arg(title, tracks_.names.value(static_cast<int>(*kernel)))
                 : tr("%1 of all launches").arg(title);
  ask(requested, tr("Distribution"),
      [this, title, asked = distribution_, edges = std::move(edges),
       groups = std::move(groups)](const engine::Answer& answer) {
        auto data = decode_distribution(answer, title);
        if (!data)
          return emit failed(data.error(), tr("Distribution"), operation_text<engine::DistributionOptions>());
        if (!groups.empty()) data->groups = groups;
        if (!groups.empty() && edges != data->edges) // the groups were counted over bins with other edges
          for (auto& each : data->groups) each.counts.clear();
        data->logHeights = asked.log_heights;
        data->groupedBy = words(asked.group_by);
        emit distribution(*data);
      });
}

engine::ParallelOptions SessionController::parallel_question(const QStringList& axes) const {
  auto options = with_selection(parallel_options_, selection_options());
  options.within = hub_.state().where.trimmed().toStdString(); // excluded rows are omitted
  options.most_axes = max_axes_;
  options.axes = texts_of(axes);
  return options;
}

void SessionController::request_parallel(const QStringList& axes) {
  if (!open_ || parallel_held_) return;
  axes_ = axes;
  auto options = parallel_question(axes);
  parallel_questions_.ask(std::move(options), launch_count());
}

// Their order along an axis may depend on the filter. Brushes are places along the axis.
void SessionController::show_categories(const std::vector<engine::answers::ParallelAxisAnswer>& axes) {
  auto shown = codes_;
  add_categories(axes, shown);
  for (const auto& [column, now] : shown) {
    const auto before = codes_.find(column);
    if (before == codes_.end() || before->second.codes == now.codes) continue;
    std::map<double, std::size_t> places;
    for (std::size_t place = 0; place < now.codes.size(); ++place) places.emplace(now.codes[place], place);
    std::vector<std::optional<std::size_t>> place_of;
    for (const double code : before->second.codes) {
      const auto found = places.find(code);
      place_of.push_back(found == places.end() ? std::nullopt : std::optional(found->second));
    }
    hub_.move_categories(column, place_of);
  }
  codes_ = std::move(shown);
}

void SessionController::show_parallel(const engine::Answer& answer) {
  auto read = engine::table_of<engine::answers::ParallelAnswer>(answer);
  if (!read)
    return emit failed(read.error(), tr("Parallel coordinates"), operation_text<engine::ParallelOptions>());
  parallel_questions_.show(*read);
  if (parallel_questions_.superseded()) return;
  show_categories(read->axes);
  if (axes_.isEmpty()) // chosen by the engine: the next request uses the same axes
    for (const auto& axis : read->axes) axes_ << QString::fromStdString(axis.column);
  emit parallel(parallel_data(std::move(*read)));
}

engine::BinsOptions SessionController::bins_question() const {
  return {.where = hub_.state().filter(codes_).toStdString(),
          .metric = bin_choices_.metric,
          .width_ns = bin_choices_.width_ns,
          .rank_by = bin_choices_.rank_by,
          .top_share = bin_choices_.top_share,
          .top_count = bin_choices_.top_count,
          .all = true,
          .partial = true};
}

void SessionController::refresh_bins() {
  if (!open_ || opening_) return;
  const auto number = std::make_shared<quint64>(0);
  const auto show = [this](const engine::Answer& answer) {
    bins_request_ = 0;
    auto data = decode_bins(answer, tracks_.launch_span);
    if (!data) return emit failed(data.error(), tr("Bins"), operation_text<engine::BinsOptions>());
    bins_ = std::move(*data);
    overview_.bins = marks_of(bins_);
    if (!overview_.cells.empty()) emit overview(overview_);
    emit bins(bins_);
    emit bin_table(answer);
    ask_bin_reasons(0, hub_.state().filter(codes_).toStdString());
    if (causal_choices_.rows == CausalRows::KeptBins || long_run_unselected()) causal_timer_.start();
  };
  bins_request_ = *number = ask(bins_question(), tr("Bins"), show, {}, [this, number] {
    if (bins_request_ == *number) bins_request_ = 0; // it failed
  });
}

// Requests reasons in batches, so that the best bins get their reasons first.
void SessionController::ask_bin_reasons(std::size_t first, const std::string& where) {
  constexpr std::size_t kFirst = 20, kMore = 200, kMaxBins = 2'000;
  if (launch_order() || first >= kMaxBins) return;
  engine::ReasonsOptions question{.where = where};
  std::vector<std::uint32_t> asked;
  for (std::size_t i = first;
       i < bins_.bins.size() && bins_.bins[i].kept && asked.size() < (first == 0 ? kFirst : kMore); ++i) {
    question.moments.push_back({bins_.bins[i].start, bins_.bins[i].start + bins_.width});
    asked.push_back(bins_.bins[i].index);
  }
  if (asked.empty()) return;
  const auto number = std::make_shared<quint64>(0);
  *number = ask(
      question, tr("Reasons of bins"),
      [this, first, where, asked](const engine::Answer& answer) {
        auto reasons = decode_reasons(answer, asked);
        if (!reasons)
          return emit failed(reasons.error(), tr("Reasons of bins"),
                             operation_text<engine::ReasonsOptions>());
        reasons_known_ = true;
        emit bin_reasons(*reasons);
        ask_bin_reasons(first + asked.size(), where);
      },
      [](const Error&) {}, // there may be nothing to compare with
      [this, number] {
        if (bin_reasons_ && bin_reasons_->request == *number) bin_reasons_.reset();
      });
  bin_reasons_ = {*number, first, where};
}

// The launches of the kept bins, with the filter of the ranking.
engine::SelectionOptions SessionController::kept_bin_options() const {
  engine::SelectionOptions launches{.where = hub_.state().filter(codes_).toStdString()};
  for (const auto& mark : marks_of(bins_)) launches.intervals.push_back(mark.interval);
  return launches;
}

// True if the run is so long that a causal question about all launches can take minutes, and nothing is
// selected: the question then covers only the kept bins, and the answer states this.
bool SessionController::long_run_unselected() const {
  constexpr std::int64_t kMany = 5'000'000;
  const auto& now = hub_.state();
  return causal_choices_.rows == CausalRows::Selection && now.intervals().empty() &&
         now.filter(codes_).isEmpty() && launch_count() > kMany;
}

void SessionController::refresh_causal() {
  if (!open_ || opening_) return;
  if (contrast_request_) questions_.cancel(std::exchange(contrast_request_, 0));
  const bool long_run = long_run_unselected();
  auto rows =
      causal_choices_.rows == CausalRows::Selection ? selection_options() : engine::SelectionOptions();
  QString remark;
  if (causal_choices_.rows == CausalRows::KeptBins || long_run) {
    if (launch_count() == 0) return emit causal_impossible(tr("no kernel was launched in this trace"));
    if (bins_.bins.empty() && bins_request_) return emit causal_waiting(); // the answer repeats this call
    rows = kept_bin_options();
    if (rows.intervals.empty()) return emit causal_impossible(tr("no bin is kept"));
  }
  if (long_run)
    remark = tr("This answer is about the launches of the %1 kept bins, because the run is long. Choose "
                "\"%2\" for the whole run.")
                 .arg(QString::number(rows.intervals.size()), tr("rows: all launches"));
  const bool selects =
      causal_choices_.rows == CausalRows::Selection && (!rows.intervals.empty() || !rows.where.empty());
  emit causal_waiting();
  ask_causal(rows, remark);
  if (selects) ask_contrast(contrast_question(rows, causal_choices_.against));
}

// For many launches a provisional answer from a small sample comes first, until the engine has the model of
// all launches. A running request for reasons of bins needs that model, so it is repeated after this request.
void SessionController::ask_contrast(const engine::ContrastOptions& question) {
  const bool chosen_peers = !question.against.empty();
  // If all launches of a kernel are selected, there are no peers elsewhere, and this is not worth a sentence.
  const bool states_none = chosen_peers || !question.intervals.empty();
  using ContrastAnswer = engine::answers::ContrastAnswer;
  const auto use = [this, states_none](const ContrastAnswer& answer) {
    contrast_request_ = 0;
    if (answer.n == 0 && !states_none) return;
    const auto sentences = list_of_texts(answer.sentences);
    const auto advice = sentences.size() - static_cast<qsizetype>(answer.advice_sentences);
    auto reasons = sentences.mid(0, advice);
    if (answer.provisional) reasons << first_answer_from(answer.sampled);
    emit contrast(reasons, sentences.mid(advice));
  };
  const auto ask_all = [this, question, chosen_peers, use] {
    contrast_request_ =
        ask(question, tr("Why this moment"), reading([this, use](const ContrastAnswer& answer) {
              reasons_known_ = true;
              use(answer);
            }),
            [this, chosen_peers](const Error& error) { // the graph's own answer reports the other errors
              if (chosen_peers)
                emit failed(error, tr("Why this moment"), operation_text<engine::ContrastOptions>());
            });
  };
  if (launch_count() < provisional_from_ || reasons_known_ || questions_.keeps(question)) return ask_all();
  auto first = question;
  first.provisional = true;
  contrast_request_ =
      ask(first, tr("Why this moment, first answer"), reading([use, ask_all](const ContrastAnswer& answer) {
            use(answer);
            ask_all();
          }),
          [ask_all](const Error&) { ask_all(); });
  if (const auto running = std::exchange(bin_reasons_, {})) {
    questions_.cancel(running->request);
    ask_bin_reasons(running->first, running->where);
  }
}

std::int64_t SessionController::launch_count() const {
  return info_.value("launches", nlohmann::json::object()).value("count", std::int64_t{0});
}

QString SessionController::first_answer_from(std::int64_t sampled) const {
  return tr("This first answer is from %1 of %2 launches; its intervals are wide.")
      .arg(views::formatCount(static_cast<std::uint64_t>(sampled)),
           views::formatCount(static_cast<std::uint64_t>(launch_count())));
}

// A bin often has too few launches to identify a cause. Then the question is extended to all launches of the
// same kernels, and if these are too few as well, to all launches; the remark states this.
void SessionController::ask_causal(const engine::SelectionOptions& rows, const QString& remark) {
  auto options = with_selection(
      engine::CausalOptions{.target = causal_choices_.target, .reading = causal_choices_.reading}, rows);
  if (!causal_knowledge_.empty()) {
    options.knowledge = causal_knowledge_.dump();
    options.knowledge_must_match = false; // a selection may lack a column that the run has
  }
  if (causal_request_) questions_.cancel(causal_request_);
  const bool all = rows.intervals.empty() && rows.where.empty();
  const bool widen = causal_choices_.rows == CausalRows::Selection && !all && !long_run_unselected();
  const bool to_kernels = widen && remark.isEmpty() && !hub_.state().intervals().empty();
  const auto use = [this, remark, question = options](const engine::Answer& answer) {
    causal_request_ = 0;
    causal_question_ = question;
    show_causal(answer, remark);
  };
  const auto refuse = [this, widen, to_kernels](const Error& error) {
    causal_request_ = 0;
    const QString why = QString::fromStdString(error.message);
    if (!widen) return emit causal_impossible(why);
    if (to_kernels) return widen_causal(why);
    auto all_launches = about_all_launches(why);
    ask_causal(all_launches.rows, all_launches.remark);
  };
  if (launch_count() == 0) return emit causal_impossible(tr("no kernel was launched in this trace"));
  // For many launches a provisional answer from a sample comes first; both are cached, so that the final
  // answer is shown immediately when the selection returns.
  const auto ask_all = [this, options, use, refuse] {
    causal_request_ = ask(options, tr("Causal graph"), use, refuse, {}, ErrorKind::BadUse);
  };
  if (launch_count() < provisional_from_ || !rows.intervals.empty() || questions_.keeps(options))
    return ask_all();
  auto first = options;
  first.provisional = true;
  causal_request_ = ask(
      first, tr("First causal graph"),
      [this, remark, options, ask_all](const engine::Answer& answer) {
        causal_question_ = options; // the graph is that of these rows
        const auto result = decode_causal(answer);
        const QString of = first_answer_from(result ? result->n : 0);
        show_causal(answer, remark.isEmpty() ? of : of + " " + remark);
        emit causal_refined();
        ask_all();
      },
      [ask_all](const Error&) { ask_all(); });
}

// The kernels of the selection are requested here, because the table of kernels may not have been answered
// yet.
void SessionController::widen_causal(const QString& why) {
  causal_request_ = ask({with_selection(engine::KernelsOptions(), selection_options()), "causal"},
                        tr("Kernels"), reading([this, why](const engine::answers::KernelsAnswer& kernels) {
                          causal_request_ = 0;
                          auto wider = about_kernels(kernels, selection_options().where, why);
                          ask_causal(wider.rows, wider.remark);
                        }),
                        [this, why](const Error&) {
                          causal_request_ = 0;
                          auto wider = about_all_launches(why);
                          ask_causal(wider.rows, wider.remark);
                        });
}

void SessionController::show_causal(const engine::Answer& answer, const QString& remark) {
  if (auto result = decode_causal(answer))
    emit causal(*result, remark);
  else
    emit failed(result.error(), tr("Causal graph"), operation_text<engine::CausalOptions>());
}

} // namespace jitterscope::app
