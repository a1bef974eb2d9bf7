#pragma once

#include <QPointF>
#include <QPolygonF>
#include <graphviz/gvc.h>
#include <locale.h>

#include <functional>
#include <string>
#include <vector>

namespace jitterscope::views {

inline constexpr double kPointsPerInch =
    72; // Graphviz sizes are in inches; one point represents one logical pixel

/// Scoped "C" locale: Graphviz reads numbers with the process' locale, which Qt sets from the environment.
class CNumbers {
public:
  CNumbers() : c_(newlocale(LC_NUMERIC_MASK, "C", nullptr)), before_(uselocale(c_)) {}
  ~CNumbers() {
    uselocale(before_);
    freelocale(c_);
  }
  CNumbers(const CNumbers&) = delete;
  CNumbers& operator=(const CNumbers&) = delete;

private:
  locale_t c_;
  locale_t before_;
};

inline std::string inches(double pixels) {
  return std::to_string(pixels / kPointsPerInch);
}

inline void setAttribute(void* object, const char* name, const std::string& value) {
  std::string key(name);
  std::string copy(value);
  std::string none;
  agsafeset(object, key.data(), copy.data(), none.data());
}

/// A dot graph with a context of its own; freed in the order Graphviz demands.
class DotGraph {
public:
  DotGraph() : context_(gvContext()), graph_(agopen(const_cast<char*>("causal"), Agdirected, nullptr)) {}
  ~DotGraph() {
    if (laidOut_) gvFreeLayout(context_, graph_);
    agclose(graph_);
    gvFreeContext(context_);
  }
  DotGraph(const DotGraph&) = delete;
  DotGraph& operator=(const DotGraph&) = delete;

  Agraph_t* get() { return graph_; }
  Agnode_t* node(const std::string& name) {
    std::string copy(name);
    return agnode(graph_, copy.data(), 1);
  }
  /// "dot" places nodes and routes edges; "nop" keeps the node positions and routes the edges only.
  bool layout(const char* engine) {
    laidOut_ = gvLayout(context_, graph_, engine) == 0;
    return laidOut_;
  }

private:
  GVC_t* context_;
  Agraph_t* graph_;
  bool laidOut_ = false;
};

/// Control points of an edge's curve: 3 n + 1 of them; empty if the edge has no route.
std::vector<QPointF> controlPoints(Agedge_t* edge, const std::function<QPointF(pointf)>& place);
/// Converts a Bézier curve to a polyline with about six pixels between points.
QPolygonF flattened(const std::vector<QPointF>& bezier);

} // namespace jitterscope::views
