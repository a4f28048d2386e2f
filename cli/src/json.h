#pragma once

#include <string>
#include <vector>

#include "bench_result.h"
#include "listing.h"
#include "profiler.h"

namespace strata::onnx {
struct CatalogueEntry;
}

namespace strata::cli {

/// A dump as JSON, schema `strata.dump/1`: `summary` with the counts, and `graph` with inputs,
/// nodes and outputs.
std::string dump_json(const ListedGraph& graph, const Summary& summary, const std::string& file,
                      const std::string& stage);

/// What a bench measured as JSON, schema `strata.bench/1`; times in seconds.
std::string bench_json(const BenchResult& result, const std::string& file);

/// Events in the form that Chrome's tracing and Perfetto show; times in microseconds.
std::string trace_json(const std::vector<ProfiledEvent>& events);

/// The ops of ONNX and what becomes of them as JSON, schema `strata.ops/2`.
std::string ops_json(const std::vector<onnx::CatalogueEntry>& catalogue);

}  // namespace strata::cli
