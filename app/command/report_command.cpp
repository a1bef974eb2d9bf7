#include <QBuffer>
#include <QFileInfo>

#include <fmt/core.h>

#include "app/command/assess.h"
#include "app/command/bin_reasons.h"
#include "app/command/chosen_columns.h"
#include "app/command/command.h"
#include "app/command/session_use.h"
#include "app/engine/decode.h"
#include "app/engine/row_texts.h"
#include "app/export/pictures.h"
#include "app/report/report_page.h"
#include "core/engine/messages/selection.h"
#include "core/engine/messages/table_options.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

class ReportCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    auto* app = parser.add_subcommand("report", "The whole analysis as one self-contained HTML page");
    app_ = app;
    app->add_option("FILES", files_, "Stores, profiler files or one session file")->required();
    app->add_option("-o,--output", output_, "Page to write (.html)")->required();
    app->add_flag("--assessment", assessment_,
                  "A performance assessment as the POP centre writes it: focus, structure, efficiencies, "
                  "observations by "
                  "cost, recommendations");
    app->add_option("--reference", assessed_.references,
                    "With --assessment: runs to compare with; may be repeated")
        ->type_name("RUN");
    app->add_option("--range", range_,
                    "With --assessment: focus of analysis, A:B; default: from the first step to the last")
        ->type_name("A:B");
    app->add_option("--step", assessed_.step,
                    "With --assessment: text that the names of step ranges contain");
    app->add_option("--collectives-as", assessed_.collectives,
                    "With --assessment: count kernels of NCCL, RCCL and NVSHMEM as comm (communication, "
                    "default) or useful")
        ->check(CLI::IsMember({"comm", "useful"}));
    add_causal_question(*app, causal_);
    add_engine(*app, common, engine::Divides::in_ranks);
    add_open(*app, common);
    add_metrics(*app, common);
    add_efficiencies(*app, common);
    add_json(*app, common);
    return app;
  }
  bool paints() const override { return true; }

  Expected<void> run() override {
    if (auto kept = keep_inputs(files_, {output_, common.json}); !kept) return kept;
    if (auto kept = keep_inputs(assessed_.references, {output_, common.json}); !kept) return kept;
    if (auto page = check_output(); !page) return page;
    const auto used = assessment_
                          ? refuse_options(*app_, {"--where", "--tiers", "--reading"},
                                           "with --assessment, which covers all rows")
                          : refuse_options(*app_, {"--reference", "--range", "--step", "--collectives-as"},
                                           "without --assessment");
    if (!used) return used;
    const std::string named = files_.front();
    QString title = QFileInfo(QString::fromStdString(named)).fileName();
    if (const QString suffix = QString(".") + kSessionSuffix; title.endsWith(suffix))
      title.chop(suffix.size());
    if (auto chosen = use_session(); !chosen) return chosen;
    if (assessment_ && !selection_words().isEmpty())
      fmt::print(stderr,
                 "jitterscope: the assessment covers all launches, not the selection of the session\n");
    const Job job = terminal_job();
    BlockingEngine engine(common.ranks);
    auto info = open_session(engine, files_, common, job);
    if (!info) return forward(info.error());
    if (auto chosen = choose_columns(engine, common, *info, job); !chosen) return end_progress(), chosen;
    if (assessment_) return write_assessment(engine, std::move(*info), job);
    if (ranking_)
      if (auto kept = restrict_to_kept_bins(engine, question_, *ranking_, job); !kept) return kept;
    ReportContent content;
    content.info = std::move(*info);
    const bool launches = content.info.value("rows", std::string("launches")) == "launches";
    content.title = (launches ? "Kernel variability of " : "Variability of ") + title;
    if (files_.size() > 1 && named == files_.front())
      content.title += QString(" and %1 more").arg(files_.size() - 1);
    content.selection = selection_words();
    auto bins = engine.run(with_selection(engine::BinsOptions(bins_), selection_), job);
    if (!bins) return forward(bins.error());
    content.bins = std::move(bins->document);
    auto kernels = engine.run(with_selection(engine::KernelsOptions(), selection_), job)
                       .and_then(engine::table_of<engine::answers::KernelsAnswer>);
    if (!kernels) return forward(kernels.error());
    content.kernels = std::move(kernels->kernels);
    if (auto causes = add_causes(engine, content, job); !causes) return causes;
    if (axis_of(content.info) == views::AxisUnit::Time) {
      if (auto added = add_reasons(engine, selection_, content.bins, job);
          !added && added.error().kind != ErrorKind::BadInput)
        return added;
      auto late = engine.run(engine::ArrivalsOptions(), job)
                      .and_then(engine::table_of<engine::answers::ArrivalsAnswer>);
      if (!late) return forward(late.error());
      content.collectives = std::move(*late);
    }
    if (auto drawn = add_figures(engine, content, job); !drawn) return drawn;
    end_progress();
    if (auto written = write_text(output_, report_page(content).toStdString()); !written) return written;
    if (common.json != "-" && output_ != "-") fmt::print("{}\n", output_);
    return write_json(common,
                      {{"schema_version", 1}, {"output", output_}, {"inputs", content.info.at("inputs")}});
  }

private:
  /// Error if the name of the output is that of another kind of document.
  Expected<void> check_output() const {
    static const QStringList kOther{"pdf", "txt", "md", "docx", "json", "csv", "png", "jpg", "svg"};
    const auto ending = QFileInfo(QFile::decodeName(output_.c_str())).suffix().toLower();
    if (!kOther.contains(ending)) return {};
    return failure(ErrorKind::BadUse, "a report is an HTML page, not a file of type " + ending.toStdString(),
                   output_, "-o", "Let the name end in .html. Browsers can print the page to a PDF file.");
  }

  Expected<void> write_assessment(BlockingEngine& engine, nlohmann::json info, const Job& job) {
    assessed_.files = files_;
    if (!range_.empty()) {
      auto range = parse_range(range_);
      if (!range) return forward(range.error());
      assessed_.range = *range;
    }
    auto content = assess(engine, std::move(info), assessed_, common, job);
    end_progress();
    if (!content) return forward(content.error());
    content->left_out_selection = selection_words();
    if (auto written = write_text(output_, assessment_page(*content).toStdString()); !written) return written;
    if (common.json != "-" && output_ != "-") fmt::print("{}\n", output_);
    nlohmann::json list = nlohmann::json::array();
    for (const auto& one : observations(content->focus))
      list.push_back({{"factor", one.factor.toStdString()},
                      {"cost_ns", one.cost_ns},
                      {"text", one.text.toStdString()},
                      {"begin_ns", one.begin},
                      {"end_ns", one.end},
                      {"recommendation", one.recommendation.toStdString()}});
    nlohmann::json references = nlohmann::json::array();
    for (const auto& one : content->references)
      references.push_back({{"name", one.name.toStdString()},
                            {"inputs", one.inputs},
                            {"focus_ns", one.efficiency.at("range_ns")}});
    return write_json(common, {{"schema_version", 1},
                               {"output", output_},
                               {"inputs", content->info.at("inputs")},
                               {"references", references},
                               {"focus_ns", content->focus.at("range_ns")},
                               {"observations", list}});
  }

  Expected<void> add_causes(BlockingEngine& engine, ReportContent& content, const Job& job) {
    auto contrast = answer_contrast(engine, selection_in(question_), rows_, against_, job);
    if (!contrast) return forward(contrast.error());
    content.contrast = std::move(*contrast);
    auto asked = answer_causal(engine, question_, rows_, job);
    if (asked) {
      content.causal = std::move(asked->result);
      content.causal.sentences = sentences_beyond(content.contrast, content.causal);
      content.remark = QString::fromStdString(asked->remark);
      question_ = std::move(asked->question);
    } else if (asked.error().kind == ErrorKind::BadInput) {
      content.no_causes =
          QString::fromStdString(asked.error().message); // the report is still useful without causes
    } else {
      return forward(asked.error());
    }
    return {};
  }

  /// The page covers the rows of the session; its causes cover the rows of the session's causal question.
  Expected<void> use_session() {
    selection_.where = common.where;
    causal_.add_to(question_);
    question_.where = common.where;
    auto session = extract_session(files_, common);
    if (!session) return forward(session.error());
    if (!*session) return {};
    if (common.where.empty())
      selection_ = {.where = (*session)->filter.toStdString(), .intervals = (*session)->intervals};
    rows_ = use_causal_choices(**session, question_);
    against_ = (*session)->causal.against;
    use_bin_choices(**session, bins_);
    bins_.where.clear(); // the selection has it
    if (rows_ == QuestionRows::KeptBins) ranking_ = bins_;
    return {};
  }

  QString selection_words() const {
    QStringList parts;
    if (!selection_.where.empty())
      parts << "that meet the condition " + QString::fromStdString(selection_.where);
    if (const auto& times = selection_.intervals; times.size() == 1)
      parts << QString("that start between %1 and %2")
                   .arg(views::formatTime(times.front().begin, {1}),
                        views::formatTime(times.front().end, {1}));
    else if (!times.empty())
      parts << QString("that start in %1 selected ranges of time").arg(times.size());
    return parts.join(" and ");
  }

  struct Figure {
    const char* view;
    QSize size;
    const char* title;
    const char* caption;
  };

  Expected<void> add_figures(BlockingEngine& engine, ReportContent& content, const Job& job) const {
    static constexpr Figure kFigures[] = {
        {"timeline",
         {1060, 0},
         "Timeline",
         "The timeline shows all tracks from the first to the last launch. Each pixel column has the colour "
         "of the kernel with the largest time in it."},
        {"bins",
         {1060, 330},
         "Ranked bins",
         "The bins are shown over time and in order of rank. Kept bins are coloured."},
        {"causal",
         {1060, 460},
         "Causal graph",
         "Along a black edge the effect increases with the cause, along a red edge it decreases; grey means "
         "that the sign is not certain. The width shows the attributable share, or the share of variance "
         "where there is none. Dashed edges recur in fewer than half of "
         "the resamples."},
        {"distribution", {1060, 300}, "Distribution", "The histogram is of all launches."},
        {"parallel",
         {1060, 340},
         "Parallel coordinates",
         "Every launch is one line through all axes. The picture is darker where more lines pass."}};
    for (const auto& chosen_figure : kFigures) {
      PictureRequest request;
      request.view = chosen_figure.view;
      request.size = chosen_figure.size;
      request.selection = selection_;
      request.bins = bins_;
      request.causal = question_;
      request.coordinates.within = selection_.where;
      request.remark = content.remark;
      if (request.view == "causal" && !content.no_causes.isEmpty()) continue;
      auto made = picture(engine, request, job);
      if (!made && request.view == "parallel" && made.error().kind == ErrorKind::BadInput)
        continue; // no axes
      if (!made) return forward(made.error());
      QByteArray png;
      QBuffer buffer(&png);
      buffer.open(QIODevice::WriteOnly);
      views::renderImage(made->size, 2, made->paint).save(&buffer, "PNG");
      content.figures.push_back(
          {chosen_figure.view, chosen_figure.title, row_text(QString(chosen_figure.caption)), png});
    }
    return {};
  }

  const CLI::App* app_ = nullptr;
  std::vector<std::string> files_;
  std::string output_, range_;
  bool assessment_ = false;
  AssessmentRequest assessed_;
  CausalQuestionOptions causal_;
  engine::BinsOptions bins_;           ///< ranking of a session
  engine::SelectionOptions selection_; ///< launches of the page
  engine::CausalOptions question_;
  QuestionRows rows_ = QuestionRows::Own;
  std::string against_; ///< filter of the launches that those of a session's selection are compared with
  std::optional<engine::BinsOptions> ranking_; ///< set if the causes refer to kept bins
};

} // namespace

std::unique_ptr<Command> report_command() {
  return std::make_unique<ReportCommand>();
}

} // namespace jitterscope::app
