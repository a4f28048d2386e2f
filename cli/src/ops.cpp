#include <algorithm>

#include "commands.h"
#include "json.h"
#include "strata/onnx/op_catalogue.h"
#include "terminal.h"

namespace strata::cli {
namespace {

using onnx::CatalogueEntry;
using onnx::Support;
using Catalogue = std::vector<CatalogueEntry>;

constexpr Support kSupports[] = {Support::native, Support::expanded, Support::absent};

constexpr std::string_view kIntroduction = R"(# ONNX ops

Written by `strata ops --markdown`; not to be edited by hand.

What each op of ONNX becomes in core. *Native*: one core op, or none where the wire is passed on as it is; constants do
not count. *Expanded*: several, by hir or by the function body that the standard gives. "Becomes" lists the ops in most
models, "may add" those that some attributes, types and shapes bring.

A map is two values: an input `x` of CastMap or DictVectorizer becomes the model inputs `x.keys` and `x.values`; an
output `y` of ZipMap becomes the outputs `y.keys`, which all maps of the sequence share, and `y.values`, one row per map.
ImageDecoder needs leptonica at build time (`STRATA_IMAGES`); RegexFullMatch needs RE2, and StringNormalizer needs ICU
for letters beyond ASCII (`STRATA_TEXT`).

`com.microsoft` holds ops that ONNX Runtime adds to the standard: its optimiser, its quantiser and exporters write them,
along with SimplifiedLayerNormalization, and LayerNormalization before opset 17, in the standard's domain. They give what
ONNX Runtime gives on the CPU, with two exceptions: DynamicQuantizeLSTM does not round its input and states to bytes, and
GroupQueryAttention rotates each step of a prompt by its own position, not by that of the very first step. Refused as
`unsupported`, by name: g_idx and prepacked weights of MatMulNBits; past and present buffers shared by attribute, and
rotation inside Attention; sinks, smooth softmax, quantised caches and norms of GroupQueryAttention; channels_last; and
all other ops of the domain.

)";

std::string padded(std::string_view text, std::size_t width) {
  return cat(text, std::string(width - text.size(), ' '));
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string out;
  for (const std::string_view word : words) out += cat(out.empty() ? "" : ", ", word);
  return out;
}

/// The versions of this support, as in `1,6,13`.
std::string versions_of(const CatalogueEntry& entry, Support support) {
  std::string out;
  for (const auto& [version, its] : entry.versions)
    if (its == support) out += cat(out.empty() ? "" : ",", version);
  return out;
}

/// `634 versions of 230 ops: 400 native, 234 expanded, 0 absent`
std::string summary(const Catalogue& catalogue) {
  std::string counts;
  std::size_t total = 0;
  for (const Support support : kSupports) {
    const std::size_t count = count_of(catalogue, support);
    counts += cat(counts.empty() ? "" : ", ", count, ' ', to_string(support));
    total += count;
  }
  return cat(total, " versions of ", catalogue.size(), " ops: ", counts);
}

void print_table(const Catalogue& catalogue) {
  const Style style = Style::of_stdout();
  std::size_t op_width = 2, domain_width = 6;
  for (const CatalogueEntry& entry : catalogue) {
    op_width = std::max(op_width, entry.name.size());
    domain_width = std::max(domain_width, entry.domain.size());
  }
  print(style.title(cat(padded("op", op_width), "  ", padded("domain", domain_width),
                        "  support   versions")) +
        '\n');
  for (const CatalogueEntry& entry : catalogue)
    for (const Support support : kSupports) {
      const std::string versions = versions_of(entry, support);
      if (versions.empty()) continue;
      print(cat(style.op(padded(entry.name, op_width)), "  ", padded(entry.domain, domain_width),
                "  ", padded(to_string(support), 8), "  ", versions, '\n'));
    }
  print(cat(summary(catalogue), '\n'));
}

void print_markdown(const Catalogue& catalogue) {
  print(cat(kIntroduction, summary(catalogue), ".\n"));
  std::string_view domain;
  for (const CatalogueEntry& entry : catalogue) {
    if (entry.domain != domain)
      print(cat("\n## ", entry.domain,
                "\n\n| op | versions | support | becomes | may add |\n|---|---|---|---|---|\n"));
    domain = entry.domain;
    for (const Support support : kSupports) {
      const std::string versions = versions_of(entry, support);
      if (versions.empty()) continue;
      print(cat("| ", entry.name, " | ", versions, " | ", to_string(support), " | ",
                joined(entry.becomes), " | ", joined(entry.may_add), " |\n"));
    }
  }
}

}  // namespace

int ops(const OpsOptions& options) {
  const Catalogue catalogue = onnx::op_catalogue();
  switch (options.format) {
    case OpsFormat::table:
      print_table(catalogue);
      break;
    case OpsFormat::json:
      print(ops_json(catalogue));
      break;
    case OpsFormat::markdown:
      print_markdown(catalogue);
      break;
  }
  return kOk;
}

}  // namespace strata::cli
