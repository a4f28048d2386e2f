#include "commands.h"
#include "listing.h"
#include "strata/opl/model.h"
#include "terminal.h"
#include "tree.h"

namespace strata::cli {
namespace {

std::string count_line(std::string_view what, const Summary& summary) {
  return cat(what, counted(summary.nodes, "node"), ", ", counted(summary.constants, "constant"),
             " (", short_number(summary.constant_bytes), "B), ", flops_text(summary), '\n');
}

std::string explanation(const Summary& before, const Summary& after, const RewriteReport& report) {
  std::string out = count_line("before: ", before) + count_line("after:  ", after);
  out += report.firings.empty() ? "no rewrite applied\n" : "rewrites:\n";
  for (const auto& [rule, count] : report.firings) {
    const std::string number = cat(count);
    out +=
        cat(std::string(number.size() < 8 ? 8 - number.size() : 0, ' '), number, "  ", rule, '\n');
  }
  return out;
}

}  // namespace

int optimize(const OptimizeOptions& options) {
  require(
      opl::archive_kind_of(options.output).has_value(), ErrorKind::invalid_argument,
      in_quotes(options.output.string()),
      " tells no format; end it with .opl, .tgz, .tar.gz or .tar, or with .nnef or a slash for a "
      "folder");
  LoadOptions load = options.load;
  load.stage = Stage::typed;
  TypedModel model = load_typed(options.model, load);
  const Summary before = summarise(model);
  const RewriteReport report =
      doing("decluttering", options.model, [&] { return declutter(model, load.limits); });
  const Summary after = summarise(model);
  opl::save(model, options.output);
  if (options.explain)
    print(explanation(before, after, report));
  else
    print(cat(counted(before.nodes, "node"), " before, ", after.nodes, " after; written to ",
              options.output.string(), '\n'));
  return kOk;
}

}  // namespace strata::cli
