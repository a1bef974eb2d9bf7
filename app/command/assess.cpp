#include "app/command/assess.h"

#include <QBuffer>
#include <QFileInfo>

#include "app/export/pictures.h"
#include "core/engine/messages/efficiency_options.h"
#include "core/engine/messages/table_options.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

/// Whether an error states what the trace lacks, so that the page omits it.
bool is_answer(const Error& error) {
  return error.kind == ErrorKind::BadInput || error.kind == ErrorKind::BadUse;
}

/// Sets the range from the start of the first step to the end of the last one.
void set_range_of_steps(engine::EfficiencyOptions& options, const json& steps) {
  options.begin_ns = steps.at("ranges").front().at("begin_ns").get<std::int64_t>();
  options.end_ns = steps.at("ranges").back().at("end_ns").get<std::int64_t>();
}

/// Efficiencies of the focus of a run: the requested range, else the range of its steps, else the whole run.
/// Also stores the steps in `steps` or, if there are none, the reason in `no_steps`.
Expected<json> focus_of(BlockingEngine& engine, const AssessmentRequest& request,
                        engine::EfficiencyOptions options, const Job& job, json& steps, QString& no_steps) {
  if (request.range) options.begin_ns = request.range->at(0), options.end_ns = request.range->at(1);
  auto found = engine.run(engine::EfficiencyOptions{.begin_ns = options.begin_ns,
                                                    .end_ns = options.end_ns,
                                                    .collectives_as = request.collectives,
                                                    .most_rows = 0,
                                                    .by = "step",
                                                    .step = request.step},
                          job);
  if (found) {
    steps = found->document.at("steps");
    if (!request.range) set_range_of_steps(options, steps);
  } else if (found.error().kind != ErrorKind::BadUse || !request.step.empty()) {
    return forward(found.error());
  } else {
    no_steps = QString::fromStdString(found.error().message);
  }
  auto answer = engine.run(options, job);
  if (!answer) return forward(answer.error());
  return std::move(answer->document);
}

Expected<void> add_references(const AssessmentRequest& request, const CommonOptions& common, const Job& job,
                              AssessmentContent& content, json& sums) {
  for (const auto& file : request.references) {
    BlockingEngine other(1);
    auto info = open_session(other, {file}, common, job);
    if (!info) return forward(info.error());
    AssessmentRequest of = request;
    of.range.reset(); // the range does not apply to other runs
    json steps;
    QString none;
    engine::EfficiencyOptions options{.collectives_as = request.collectives, .most_rows = 100, .sums = true};
    if (!sums.is_null()) options.reference = sums.dump(); // of the first one
    auto focus = focus_of(other, of, std::move(options), job, steps, none);
    if (!focus) return forward(focus.error());
    if (sums.is_null()) sums = focus->at("sums");
    content.references.push_back(
        {QFileInfo(QString::fromStdString(file)).fileName(), std::move(*focus), info->at("inputs")});
  }
  return {};
}

Expected<void> add_figure(BlockingEngine& engine, const json& range, const Job& job,
                          AssessmentContent& content) {
  PictureRequest request;
  request.view = "timeline";
  request.size = {1060, 0};
  request.range = Interval{{range.at("begin").get<std::int64_t>()}, {range.at("end").get<std::int64_t>()}};
  auto made = picture(engine, request, job);
  if (!made) return forward(made.error());
  constexpr int kMaxHeight = 2'000; // pixels; with thousands of ranks the picture would be metres high
  if (made->size.height() > kMaxHeight) return {};
  QByteArray png;
  QBuffer buffer(&png);
  buffer.open(QIODevice::WriteOnly);
  views::renderImage(made->size, 2, made->paint).save(&buffer, "PNG");
  content.figures.push_back(
      {"timeline", "Timeline", "The timeline shows all tracks during the focus of analysis.", png});
  return {};
}

} // namespace

Expected<AssessmentContent> assess(BlockingEngine& engine, json info, const AssessmentRequest& request,
                                   const CommonOptions& common, const Job& job) {
  if (info.at("axis") != "time")
    return failure(ErrorKind::BadUse, "tables without times have no efficiencies to assess",
                   request.files.front(), "--assessment",
                   "Omit --assessment for a report without efficiencies.");
  AssessmentContent content;
  content.files = request.files;
  content.title =
      "Performance assessment of " + QFileInfo(QString::fromStdString(request.files.front())).fileName();
  content.info = std::move(info);
  content.range_given = request.range.has_value();
  json sums;
  if (auto added = add_references(request, common, job, content, sums); !added) return forward(added.error());
  auto whole = engine.run(engine::EfficiencyOptions{.collectives_as = request.collectives}, job);
  if (!whole) return forward(whole.error());
  content.whole = std::move(whole->document);
  engine::EfficiencyOptions options{.collectives_as = request.collectives, .by = "rank", .sums = true};
  if (!sums.is_null()) options.reference = sums.dump();
  auto focus = focus_of(engine, request, options, job, content.steps, content.no_steps);
  if (!focus) return forward(focus.error());
  content.focus = std::move(*focus);
  const auto& range = content.focus.at("range_ns");
  const std::vector<Interval> within{
      {{range.at("begin").get<std::int64_t>()}, {range.at("end").get<std::int64_t>()}}};
  auto late =
      engine.run(engine::ArrivalsOptions(), job).and_then(engine::table_of<engine::answers::ArrivalsAnswer>);
  if (late)
    content.collectives = std::move(*late);
  else if (!is_answer(late.error()))
    return forward(late.error());
  auto causes = engine.run(engine::CausalOptions{.intervals = within}, job).and_then(decode_causal);
  if (causes)
    content.causal = std::move(*causes);
  else if (!is_answer(causes.error()))
    return forward(causes.error());
  auto kernels = engine.run(engine::KernelsOptions{.intervals = within}, job)
                     .and_then(engine::table_of<engine::answers::KernelsAnswer>);
  if (kernels)
    content.kernels = std::move(kernels->kernels);
  else if (!is_answer(kernels.error()))
    return forward(kernels.error());
  if (auto drawn = add_figure(engine, range, job, content); !drawn) return forward(drawn.error());
  return content;
}

} // namespace jitterscope::app
