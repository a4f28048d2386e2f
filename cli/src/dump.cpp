#include "commands.h"
#include "json.h"
#include "strata/core/text.h"
#include "terminal.h"
#include "tree.h"

namespace strata::cli {
namespace {

constexpr std::string_view kStages[] = {"load", "analyse", "typed", "declutter", "optimise"};

}  // namespace

int dump(const DumpOptions& options) {
  const LoadedModel model = load_model(options.model, options.load);
  const ListedGraph graph = model.typed ? list(*model.typed) : list(*model.inference);
  const Summary summary = model.typed ? summarise(*model.typed) : summarise(*model.inference);
  const std::string stage(kStages[static_cast<std::size_t>(options.load.stage)]);
  if (options.json) {
    print(dump_json(graph, summary, options.model.string(), stage));
    return kOk;
  }
  const Style style = Style::of_stdout();
  print(cat(style.title(options.model.string()), " (",
            model.format == Format::onnx ? "ONNX" : "OPL", ", stage ", stage, ")\n"));
  print(summary_text(summary, style) + '\n');
  print(tree_text(graph, style));
  return kOk;
}

}  // namespace strata::cli
