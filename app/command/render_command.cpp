#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <set>

#include "app/command/chosen_columns.h"
#include "app/command/command.h"
#include "app/command/session_use.h"
#include "app/controllers/efficiency_controller.h"
#include "app/controllers/parallel/parallel_figures.h"
#include "app/engine/number_list.h"
#include "app/engine/row_texts.h"
#include "app/engine/time_text.h"
#include "app/export/pictures.h"

namespace jitterscope::app {
namespace {

class RenderCommand final : public Command {
public:
  CLI::App* add(CLI::App& parser) override {
    auto* app = app_ = parser.add_subcommand("render", "A picture of one view, without a window");
    app->add_option("FILES", files_, "Stores, profiler files or one session file")->required();
    app->add_option("--view", view_,
                    "timeline, bins, causal, parallel, distribution, heat-map, efficiencies, metrics or "
                    "histogram")
        ->required();
    app->add_option("-o,--output", output_, "Picture to write: .png, .svg or .pdf")->required();
    app->add_option("--size", size_,
                    "Size, WIDTHxHEIGHT or only WIDTH (height as needed), in pixels, mm or in: 1400x700, "
                    "89mmx60mm, 7in (96 pixels per inch; default: 1400 pixels wide)");
    app->add_option("--range", range_, "Time to show, e.g. 155.3s:155.4s");
    app->add_option(
           "--merge", merge_,
           "With --view timeline: tracks that do not fit into the picture share rows of pixels, with "
           "the dominant name, the mean or the maximum busy share of their tracks. With --view metrics: "
           "mean (default) or maximum of the objects that share a row")
        ->check(CLI::IsMember({"dominant", "mean", "maximum"}));
    app->add_option(
           "--metric-tracks", metric_tracks_,
           "With --view timeline: metrics to show above the tracks, *.metric files or shipped metrics")
        ->type_name("FILE|NAME")
        ->allow_extra_args(false);
    app->add_option("--theme", theme_, "paper (default), light or dark")
        ->check(CLI::IsMember({"paper", "light", "dark"}));
    app->add_option("--scale", scales_,
                    "Device pixels per pixel of PNG files (0.25 to 8); with --view distribution or heat-map "
                    "also linear or log; with --view parallel also COLUMN=linear, log, symlog, "
                    "quantile or rank; may be repeated");
    app->add_option("--invert", inverted_, "With --view parallel: columns whose axes are inverted")
        ->delimiter(',');
    app->add_option("--column", column_,
                    "Column of the distribution (default duration, if there are durations)");
    app->add_option(
           "--metric", metrics_,
           "What bins are ranked by: a column, a *.metric file or a shipped metric. May be repeated: further "
           "metrics become columns for --axes, --column and --where. With --view metrics or histogram: what "
           "is shown, a *.metric file or a shipped metric")
        ->allow_extra_args(false);
    app->add_option("--level", level_,
                    "With --view metrics or histogram: values per application, node, process (or rank), "
                    "device, stream or thread")
        ->check(CLI::IsMember({"application", "node", "process", "rank", "device", "stream", "thread"}));
    app->add_option("--collectives-as", collectives_,
                    "With --view efficiencies: count kernels of NCCL, RCCL and NVSHMEM as comm "
                    "(communication, default) or useful")
        ->check(CLI::IsMember({"comm", "useful"}));
    add_efficiencies(*app, common);
    app->add_option("--target", target_, "Target of the causal graph (default kernel-variability)");
    app->add_option(
           "--axes", axes_,
           "With --view parallel: columns in display order, e.g. short_name,blocks,kernel-variability")
        ->delimiter(',');
    app->add_option("--colour-by", colour_by_,
                    "With --view parallel: a column whose values colour the launches; it need not be an "
                    "axis. With --view timeline: "
                    "a column of numbers, kernel, relative-to-mean or stream");
    app->add_option(
           "--figure", figure_,
           "With --view parallel, in place of --axes: grid (grid size against kernel variability) or copy "
           "(copy kind against kernel variability)")
        ->check(CLI::IsMember({"grid", "copy"}));
    app->add_option("--per", per_, "With --view causal: one graph for each kernel, rank or run, side by side")
        ->check(CLI::IsMember({"kernel", "rank", "run"}));
    add_causal_question(*app, causal_);
    add_open(*app, common);
    add_engine(*app, common, engine::Divides::in_ranks);
    add_json(*app, common);
    return app;
  }
  bool paints() const override { return true; }

  Expected<void> run() override {
    if (auto file = refuse_standard_output(output_); !file) return file;
    if (auto kept = keep_inputs(files_, {output_, common.json}); !kept) return kept;
    PictureRequest request;
    request.view = QString::fromStdString(view_);
    request.style = theme_ == "dark"    ? views::ViewStyle::dark()
                    : theme_ == "light" ? views::ViewStyle::light()
                                        : views::ViewStyle::paper();
    auto size = parse_size(size_);
    if (!size) return forward(size.error());
    request.size = *size;
    if (!range_.empty()) {
      auto range = parse_range(range_);
      if (!range) return forward(range.error());
      request.range = Interval{{range->at(0)}, {range->at(1)}};
    }
    if (!merge_.empty()) {
      if (request.view != "timeline" && request.view != "metrics")
        return failure(ErrorKind::BadUse, "--merge needs --view timeline or --view metrics", {}, "--merge");
      if (request.view == "metrics" && merge_ == "dominant")
        return failure(ErrorKind::BadUse, "metrics have values, not names", {}, "--merge",
                       "Use mean or maximum.");
      request.merging = merge_ == "mean"      ? views::Merging::Mean
                        : merge_ == "maximum" ? views::Merging::Maximum
                                              : views::Merging::Dominant;
    }
    if (auto metrics = choose_metric_tracks(request); !metrics) return metrics;
    if (auto metrics = choose_metrics(request); !metrics) return metrics;
    request.per = QString::fromStdString(per_);
    if (!per_.empty() && request.view != "causal")
      return failure(ErrorKind::BadUse, "--per needs --view causal", {}, "--per");
    if (auto axes = choose_axes(request); !axes) return axes;
    if (auto scales = choose_scales(request); !scales) return scales;
    if (QFileInfo(QFile::decodeName(output_.c_str())).suffix().toLower() == QLatin1String("png"))
      request.scale = scale_;
    else if (shows_metrics())
      request.scale = 1; // vector pictures have bars of one pixel
    request.selection.where = common.where;
    request.coordinates.within = common.where; // excluded rows are omitted, not grey
    request.coordinates.target = target_;
    request.column = column_;
    request.causal.where = common.where;
    request.causal.target = target_;
    causal_.add_to(request.causal);
    std::optional<engine::BinsOptions> ranking;
    auto rows = QuestionRows::Own;
    if (auto session = use_session(request, ranking, rows); !session) return session;
    if (!value_scale_.empty())
      request.distribution.log = request.log_heat_map = value_scale_ == "log", request.scale_chosen = true;
    for (const auto& file : files_)
      request.runs << QFileInfo(QFile::decodeName(file.c_str())).completeBaseName();
    const Job job = terminal_job();
    BlockingEngine engine(common.ranks);
    auto info = open_session(engine, files_, common, job);
    if (!info) return forward(info.error());
    if (shown_) request.range = efficiency_range(*shown_, launch_span_of(*info), span_of(*info)).first;
    if (shows_metrics()) {
      add_default_metrics(request, *info);
    } else {
      auto metric = choose_named(engine, common, metrics_, *info, job);
      if (!metric) return end_progress(), forward(metric.error());
      if (!metric->empty()) request.bins.metric = *metric;
    }
    if (!figure_.empty()) {
      if (auto figure = choose_figure(request, *info); !figure) return figure;
    }
    if (ranking)
      if (auto kept = restrict_to_kept_bins(engine, request.causal, *ranking, job); !kept) return kept;
    if (rows == QuestionRows::Selection && request.per.isEmpty() && !request.range) {
      auto asked = answer_causal(engine, request.causal, rows, job);
      if (!asked) return end_progress(), forward(asked.error());
      request.causal = std::move(asked->question);
      request.remark = QString::fromStdString(asked->remark);
    }
    auto made = picture(engine, request, job);
    end_progress();
    if (!made) return forward(made.error());
    const QString title = "Jitterscope " + request.view;
    if (auto saved =
            views::exportPicture(QFile::decodeName(output_.c_str()), made->size, scale_, title, made->paint);
        !saved)
      return saved;
    if (!made->left_out.isEmpty()) fmt::print(stderr, "note: {}\n", made->left_out.toStdString());
    return write_json(common, {{"schema_version", 1},
                               {"inputs", info->at("inputs")},
                               {"left_out", made->left_out.toStdString()},
                               {"view", view_},
                               {"output", output_},
                               {"width", made->size.width()},
                               {"height", made->size.height()}});
  }

private:
  /// Size in pixels; a height of 0 means "as needed".
  static Expected<QSize> parse_size(const std::string& text) {
    static const QRegularExpression kSize(
        R"(^(\d+(?:\.\d+)?)(px|mm|cm|in)?(?:x(\d+(?:\.\d+)?)(px|mm|cm|in)?)?$)");
    if (text.empty()) return QSize(1'400, 0);
    const auto found = kSize.match(QString::fromStdString(text));
    const auto pixels = [](double number, const QString& unit) {
      constexpr double kPerInch = 96;
      const double each = unit == "mm"   ? kPerInch / 25.4
                          : unit == "cm" ? kPerInch / 2.54
                          : unit == "in" ? kPerInch
                                         : 1;
      return static_cast<int>(std::lround(std::min(number * each, 1e6)));
    };
    const bool has_height = !found.captured(3).isEmpty();
    const QSize size(pixels(found.captured(1).toDouble(), found.captured(2)),
                     has_height ? pixels(found.captured(3).toDouble(),
                                         found.captured(4).isEmpty() ? found.captured(2) : found.captured(4))
                                : 0);
    constexpr int kSmallest = 50, kLargest = 20'000;
    const auto fits = [](int length) { return length >= kSmallest && length <= kLargest; };
    if (!found.hasMatch() || !fits(size.width()) || (has_height && !fits(size.height())))
      return failure(ErrorKind::BadUse, "\"" + text + "\" is not a size", {}, "--size",
                     "Width and height are 50 to 20,000 pixels. Examples: 1400x700, 89mmx60mm, 180mm.");
    return size;
  }
  Expected<void> choose_metric_tracks(PictureRequest& request) const {
    if (!metric_tracks_.empty() && request.view != "timeline")
      return failure(ErrorKind::BadUse, "--metric-tracks needs --view timeline", {}, "--metric-tracks");
    for (const auto& name : metric_tracks_) {
      auto metric = metric_of(name);
      if (!metric) return forward(metric.error());
      request.metric_tracks.push_back({metric->text, {}});
    }
    return {};
  }
  bool shows_metrics() const { return view_ == "metrics" || view_ == "histogram"; }
  Expected<void> choose_metrics(PictureRequest& request) const {
    // The views in which an option has an effect.
    static const std::map<std::string, std::set<std::string>> kViews = {
        {"--collectives-as", {"efficiencies"}},
        {"--level", {"metrics", "histogram"}},
        {"--where", {"timeline", "bins", "causal", "parallel", "distribution", "heat-map"}},
        {"--efficiencies", {"timeline", "bins", "causal", "parallel", "distribution", "heat-map"}},
        {"--metric",
         {"timeline", "bins", "causal", "parallel", "distribution", "heat-map", "metrics", "histogram"}},
        {"--column", {"distribution", "heat-map"}},
        {"--target", {"causal", "parallel"}},
        {"--tiers", {"causal"}},
        {"--reading", {"causal"}}};
    for (const auto& [option, views] : kViews)
      if (!views.contains(view_))
        if (auto used = refuse_options(*app_, {option}, "with --view " + view_); !used) return used;
    request.efficiencies.collectives_as = collectives_;
    if (!shows_metrics()) return {};
    if (view_ == "histogram" && metrics_.size() > 1)
      return failure(ErrorKind::BadUse, "a histogram shows one metric", {}, "--metric",
                     "Write one picture for each metric.");
    for (const auto& name : metrics_) {
      auto metric = metric_of(name);
      if (!metric) return forward(metric.error());
      add_metric(request, metric->text);
    }
    return {};
  }
  void add_metric(PictureRequest& request, const std::string& text) const {
    auto& metric = request.metrics.emplace_back();
    metric.text = text;
    metric.level = QString::fromStdString(level_);
  }
  /// Those of the window, unless the command line or the session has others.
  void add_default_metrics(PictureRequest& request, const nlohmann::json& info) const {
    if (!request.metrics.empty()) return;
    const bool devices = info.value("rows", std::string()) != "bursts" &&
                         info.at("launches").at("count").get<std::int64_t>() > 0;
    for (const auto& metric : default_metrics(devices)) add_metric(request, metric.text);
  }
  Expected<void> choose_axes(PictureRequest& request) const {
    const bool any = !axes_.empty() || !figure_.empty() || !inverted_.empty();
    if (any && request.view != "parallel")
      return failure(ErrorKind::BadUse, "--axes, --invert and --figure need --view parallel", {}, "--axes");
    if (!colour_by_.empty() && request.view != "parallel" && request.view != "timeline")
      return failure(ErrorKind::BadUse, "--colour-by needs --view parallel or --view timeline", {},
                     "--colour-by");
    if (!figure_.empty() && (!axes_.empty() || !colour_by_.empty()))
      return failure(ErrorKind::BadUse, "--figure sets the axes and colours", {}, "--figure",
                     "Omit --axes and --colour-by.");
    for (const auto& axis : axes_) request.coordinates.axes.push_back(column_of(axis));
    const auto colour = QString::fromStdString(colour_by_);
    const bool word = request.view == "timeline" && views::colourByWord(colour);
    request.colour_by = word ? colour : QString::fromStdString(column_of(colour_by_));
    for (const auto& axis : inverted_) request.inverted << QString::fromStdString(column_of(axis));
    return {};
  }
  /// "2" is the scale of the picture, "duration=log" that of an axis.
  Expected<void> choose_scales(PictureRequest& request) {
    for (const auto& text : scales_) {
      const auto equals = text.rfind('=');
      if (equals != std::string::npos && equals > 0) {
        if (request.view != "parallel")
          return failure(ErrorKind::BadUse, "scales of columns need --view parallel", {}, "--scale");
        request.coordinates.scales.push_back(
            {.column = column_of(text.substr(0, equals)), .scale = text.substr(equals + 1)});
        continue;
      }
      if (text == "linear" || text == "log") {
        if (request.view != "distribution" && request.view != "heat-map")
          return failure(ErrorKind::BadUse, "the scale of values needs --view distribution or heat-map", {},
                         "--scale", "With --view parallel, name the column: duration=log.");
        value_scale_ = text;
        continue;
      }
      char* end = nullptr;
      scale_ = std::strtod(text.c_str(), &end);
      if (end == text.c_str() || *end || !(scale_ >= 0.25 && scale_ <= 8))
        return failure(ErrorKind::BadUse, "\"" + text + "\" is not a scale", {}, "--scale",
                       "Use a number from 0.25 to 8, or COLUMN=SCALE such as duration=log.");
      if (QFileInfo(QFile::decodeName(output_.c_str())).suffix().toLower() != QLatin1String("png"))
        return failure(ErrorKind::BadUse, "a number of device pixels has an effect only on .png files", {},
                       "--scale", "Choose the size of the picture with --size.");
    }
    return {};
  }
  /// Converts a column name to that of "info": dashes become underscores; "grid" is the column "blocks".
  static std::string column_of(std::string name) {
    if (name == "grid") return "blocks";
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  }
  Expected<void> choose_figure(PictureRequest& request, const nlohmann::json& info) const {
    const auto& figures = parallel_figures();
    const auto& figure = *std::find_if(figures.begin(), figures.end(),
                                       [&](const auto& each) { return each.name.toStdString() == figure_; });
    std::set<std::string> varying;
    for (const auto& column : info.value("columns", nlohmann::json::array()))
      if (!column.value("constant", false)) varying.insert(column.at("name").get<std::string>());
    for (const auto& needed : {figure.needs, figure.target})
      if (!varying.contains(needed.toStdString()))
        return failure(ErrorKind::BadInput,
                       row_text("the launches do not differ in \"") + needed.toStdString() +
                           "\" or have no values of this column",
                       files_.front(), "--figure");
    for (const auto& axis : figure.axes)
      if (varying.contains(axis.toStdString())) request.coordinates.axes.push_back(axis.toStdString());
    if (!figure.sorted.isEmpty())
      request.coordinates.orders.push_back({.column = figure.sorted.toStdString(), .order = "target"});
    request.coordinates.target = figure.target.toStdString();
    request.colour_by = figure.colour;
    return {};
  }

  /// Takes files, selection and view settings from a session file; command line options take precedence.
  /// `ranking`: set if the picture shows only the launches of kept bins.
  Expected<void> use_session(PictureRequest& request, std::optional<engine::BinsOptions>& ranking,
                             QuestionRows& rows) {
    auto taken = extract_session(files_, common);
    if (!taken) return forward(taken.error());
    if (!*taken) return {};
    const SessionFile& session = **taken;
    if (request.view == "causal") {
      rows = use_causal_choices(session, request.causal);
      if (rows == QuestionRows::KeptBins) use_bin_choices(session, ranking.emplace());
      return {};
    }
    if (view_ == "efficiencies") {
      if (!request.range) shown_ = session.selection;
      return use_efficiencies(request, session.views);
    }
    if (shows_metrics()) {
      use_range(request, session);
      use_metrics(request, session.views);
      return {};
    }
    if (target_.empty()) request.coordinates.target = session.causal.target;
    if (common.where.empty()) {
      request.coordinates.within = session.selection.where.trimmed().toStdString();
      request.brushes = session.selection.brushes;
      request.brush_logic = session.selection.brush_logic;
      if (!request.range || request.view == "timeline") {
        // Sessions that were not written by the window may have only the selection.
        request.selection.intervals =
            session.intervals.empty() ? session.selection.intervals() : session.intervals;
      }
      request.selection.where = session.filter.toStdString();
    }
    use_bin_choices(session, request.bins);
    if (column_.empty()) request.column = session.distribution.column;
    request.distribution.log = session.distribution.log;
    request.scale_chosen = true;
    request.distribution.time = session.distribution.time;
    request.distribution.group_by = session.distribution.group_by;
    request.log_heights = session.distribution.log_heights;
    if (const auto map = session.views.find("heat_map"); map != session.views.end())
      request.log_heat_map = map->value("logarithmic", false);
    request.parallel = session.views.value("parallel", nlohmann::json::object());
    if (!figure_.empty()) request.parallel = nlohmann::json::object();
    if (request.view != "timeline") return {};
    if (!request.range) request.range = session.selection.window;
    request.timeline = timeline_of(session);
    if (!common.where.empty()) request.timeline->brush.reset();
    for (const auto& metric : session.views.value("metric_tracks", nlohmann::json::array()))
      request.metric_tracks.push_back(
          {metric.at("text").get<std::string>(), metric.value("level", std::string())});
    return {};
  }
  static Interval launch_span_of(const nlohmann::json& info) {
    const auto& launches = info.at("launches");
    if (!launches.at("first_start_ns").is_number()) return {};
    return {{launches.at("first_start_ns").get<std::int64_t>()},
            {launches.at("last_end_ns").get<std::int64_t>()}};
  }
  static Interval span_of(const nlohmann::json& info) {
    const auto& span = info.at("span");
    return {{span.at("begin_ns").get<std::int64_t>()}, {span.at("end_ns").get<std::int64_t>()}};
  }
  /// The range that these views have in the window.
  void use_range(PictureRequest& request, const SessionFile& session) const {
    const auto& selection = session.selection;
    if (!request.range && view_ != "metrics") request.range = selection.brush;
    if (!request.range) request.range = selection.window;
  }
  /// The metrics that these views have in the window.
  void use_metrics(PictureRequest& request, const nlohmann::json& views) const {
    if (!request.metrics.empty()) return;
    if (const auto stored = views.find("metric_histogram"); view_ == "histogram" && stored != views.end())
      use_histogram(request, histogram_from(*stored));
    if (request.metrics.empty())
      for (const auto& metric : views.value("metrics", nlohmann::json::array()))
        request.metrics.push_back(panel_from(metric));
    if (!level_.empty())
      for (auto& metric : request.metrics) metric.level = QString::fromStdString(level_);
  }
  /// The choices of the view.
  Expected<void> use_efficiencies(PictureRequest& request, const nlohmann::json& views) const {
    const auto stored = views.value("efficiencies", nlohmann::json::object());
    auto& options = request.efficiencies;
    const auto text = [&](const char* key) { return stored.value(key, std::string()); };
    if (collectives_.empty()) options.collectives_as = text("collectives_as");
    if (auto added = add_numbers(text("ranks"), "ranks", options.ranks); !added) return added;
    if (auto added = add_numbers(text("devices"), "devices", options.devices); !added) return added;
    if (const auto parts = stored.value("granularity", std::int64_t{0}); parts > 0) options.timeline = parts;
    if (stored.contains("reference_file") || stored.contains("reference_trace"))
      fmt::print(stderr,
                 "note: the picture does not contain the comparison with the session's reference run\n");
    if (text("ideal").empty()) return {};
    auto ideal = parse_time(text("ideal"), "ideal time");
    if (!ideal) return forward(ideal.error());
    options.ideal_ns = *ideal;
    return {};
  }
  static void use_histogram(PictureRequest& request, const HistogramState& stored) {
    if (stored.metric.text.empty()) return;
    request.metrics.push_back(stored.metric);
    request.histogram_bins = stored.bins;
    request.cell_statistic = stored.statistic;
    request.data_metric = stored.data;
  }
  static SessionTimeline timeline_of(const SessionFile& session) {
    const auto& stored = session.views;
    const auto& selection = session.selection;
    SessionTimeline timeline;
    if (const auto state = stored.find("timeline"); state != stored.end())
      timeline.state = views::timelineStateFrom(
          QJsonDocument::fromJson(QByteArray::fromStdString(state->dump())).object());
    timeline.brush = selection.brush;
    if (selection.bin) timeline.bin = selection.bin->interval;
    timeline.launch = selection.launch;
    if (const auto area = stored.find("area"); area != stored.end())
      timeline.brush_tracks = area->value("tracks", std::vector<std::string>());
    return timeline;
  }

  std::vector<std::string> files_;
  std::vector<std::string> metrics_, metric_tracks_;
  std::optional<SelectionState> shown_; ///< of a session: determines the range of efficiencies
  CLI::App* app_ = nullptr;
  std::string view_, output_, size_, range_, theme_ = "paper", merge_, column_, target_, per_, colour_by_,
                                             figure_, level_, collectives_, value_scale_;
  std::vector<std::string> axes_, scales_, inverted_;
  CausalQuestionOptions causal_;
  double scale_ = 1;
};

} // namespace

std::unique_ptr<Command> render_command() {
  return std::make_unique<RenderCommand>();
}

} // namespace jitterscope::app
