#include <algorithm>
#include <array>
#include <limits>

#include "expanded_size.h"
#include "reader.h"
#include "strata/opl/dat.h"
#include "strata/opl/parser.h"

namespace strata::opl {
namespace {

/// Extensions that need no action: registries are recognised by the names of their fragments, and
/// fragments and operators are always understood.
constexpr std::array<std::string_view, 3> kPassedOver = {
    "KHR_enable_fragment_definitions", "KHR_enable_operator_expressions", "tract_registry"};

/// A list is copied wherever it is named, so a few lines could make any number of items.
constexpr std::int64_t kMostItems = std::int64_t{1} << 22;

/// `N >= 1` and `N > 0`; other assertions only help proofs, so they may be passed over.
struct LeastSize {
  std::string symbol;
  std::int64_t least;
};
std::optional<LeastSize> least_size(std::string_view text) {
  const std::size_t sign = text.find('>');
  if (sign == text.npos) return std::nullopt;
  const bool or_equal = text.substr(sign + 1).starts_with('=');
  try {
    const Dim size = Dim::parse(text.substr(0, sign));
    const auto bound = Dim::parse(text.substr(sign + 1 + or_equal)).constant();
    const std::string* symbol = size.as_symbol();
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    if (!bound || !symbol || (*bound == kMost && !or_equal)) return std::nullopt;
    return LeastSize{*symbol, *bound + !or_equal};
  } catch (const Error&) {
    return std::nullopt;  // `scenario: …`
  }
}

/// The name that a line `extension tract_symbol` declares: bare, or quoted as in dims.
std::string symbol_name(std::string_view text) {
  if (text.empty()) return "S";
  if (!text.starts_with('"')) return std::string(text);
  const Dim named = Dim::parse(text);
  require(named.as_symbol() != nullptr, ErrorKind::invalid_argument, text, " is no symbol");
  return *named.as_symbol();
}

/// The name of a label's file in the container.
std::string file_of(std::string_view label) {
  while (label.starts_with('/') || label.starts_with("./"))
    label.remove_prefix(label.starts_with('/') ? 1 : 2);
  return std::string(label) + ".dat";
}

}  // namespace

DocumentReader::DocumentReader(const Document& document, const ArchiveFiles* files,
                               const Limits& limits, std::span<const OpEntry> own)
    : document_(document), files_(files), limits_(limits), own_ops_(own) {
  if (document.version != "1.0")
    unsupported({}, cat("version ", document.version, " is not supported, 1.0 is"));
  for (const Extension& extension : document.extensions) read_extension(extension);
  for (const Fragment& fragment : document.fragments) {
    if (!fragment.body) continue;
    if (!fragments_.emplace(fragment.name, &fragment).second)
      fail(fragment.position, cat("two fragments are named ", in_quotes(fragment.name)));
  }
}

void DocumentReader::read_extension(const Extension& extension) {
  if (extension.name == "tract_symbol" || extension.name == "tract_pulse_streaming_symbol") {
    add_symbol(symbol_name(extension.text));
  } else if (extension.name == "tract_assert") {
    if (const auto bound = least_size(extension.text))
      symbols_->assert_at_least(bound->symbol, bound->least);
  } else if (extension.name == "strata_registry") {
    if (extension.text == "own" && own_ops_.empty())
      unsupported(extension.position, "it has ops that are none of Strata's, and none are given");
    if (extension.text != "strata_core" && extension.text != "own")
      unsupported(extension.position, cat("nobody knows the registry ", in_quotes(extension.text)));
  } else if (std::find(kPassedOver.begin(), kPassedOver.end(), extension.name) ==
             kPassedOver.end()) {
    unsupported(extension.position, cat("nobody knows the extension ", in_quotes(extension.name)));
  }
}

void DocumentReader::add_symbol(std::string_view name) {
  symbols_->reserve(name);
  symbol_names_.emplace(name);
}

TypedModel DocumentReader::read() {
  if (files_)
    if (const auto file = files_->find("graph.quant"); file != files_->end())
      read_quantisation(file->second.text());
  check_expanded_size(*this);
  TypedModel model(symbols_);
  const Graph& graph = document_.graph;
  GraphReader(*this, model).read(graph.body, graph.inputs, graph.outputs);
  return model;
}

/// A line names what is quantised: `"conv_0": zero_point_linear_quantize(…);`. Its parameters are
/// not needed: the fragments that may read it have their own.
void DocumentReader::read_quantisation(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t begin = line.find('"'), end = line.find("\":", begin + 1);
    if (line.find_first_not_of(" \t\r") == line.npos || line.starts_with('#')) continue;
    if (begin == line.npos || end == line.npos)
      strata::fail(ErrorKind::invalid_model,
                   "graph.quant: a name and its quantisation wanted, not ", in_quotes(line));
    quantised_.emplace(line.substr(begin + 1, end - begin - 1));
  }
}

const Fragment* DocumentReader::fragment(std::string_view name) const {
  const auto at = fragments_.find(name);
  return at == fragments_.end() ? nullptr : at->second;
}

Body DocumentReader::body(std::string_view name, Position position) {
  const auto known = bodies_.find(name);
  if (known != bodies_.end()) return known->second;
  const Fragment* found = fragment(name);
  if (found == nullptr) fail(position, cat("no fragment is named ", in_quotes(name)));
  enter_body();
  std::vector<Port> inputs, outputs;
  for (const Parameter& parameter : found->parameters)
    inputs.push_back({parameter.name, parameter.position});
  for (const Result& result : found->results) outputs.push_back({result.name, result.position});
  auto model = std::make_shared<TypedModel>(symbols_);
  GraphReader(*this, *model).read(*found->body, inputs, outputs);
  --nesting_;
  return bodies_.emplace(std::string(name), std::move(model)).first->second;
}

TypedModel DocumentReader::body_of(const Fragment& fragment, const std::vector<Fact>& parameters) {
  enter_body();
  TypedModel model(symbols_);
  GraphReader(*this, model).read(fragment, parameters);
  --nesting_;
  return model;
}

Body DocumentReader::shared_body(std::string recipe, TypedModel made) {
  const auto [at, is_new] = bodies_.try_emplace(std::move(recipe));
  if (is_new) at->second = std::make_shared<const TypedModel>(std::move(made));
  return at->second;
}

void DocumentReader::enter_body() {
  require(++nesting_ <= limits_.nesting, ErrorKind::limit, "bodies nest deeper than ",
          limits_.nesting);
}

const FileBytes& DocumentReader::file(const std::string& label, Position position) const {
  if (files_ == nullptr)
    fail(position, cat("the text has no file for the variable ", in_quotes(label)));
  const std::string name = file_of(label);
  const auto file = files_->find(name);
  if (file == files_->end()) fail(position, cat("the container has no file ", in_quotes(name)));
  return file->second;
}

Tensor DocumentReader::variable(const std::string& label, Position position) {
  const std::string name = file_of(label);
  if (const auto known = variables_.find(name); known != variables_.end()) return known->second;
  const FileBytes& given = file(label, position);
  return variables_.emplace(name, read_dat(given.bytes, name, given.owner)).first->second;
}

void DocumentReader::count_assignment() {
  require(++assignments_ <= limits_.nodes, ErrorKind::limit, "more than ", limits_.nodes,
          " assignments, the limit of nodes");
}

void DocumentReader::count_items(const Item& list) {
  const auto* items = list.get_if<Item::List>();
  if (items == nullptr) return;
  items_ += static_cast<std::int64_t>(items->size());
  require(items_ <= kMostItems, ErrorKind::limit, "more than ", kMostItems,
          " items of lists are read by name");
  for (const Item& item : *items) count_items(item);
}

void DocumentReader::fail(Position position, std::string_view message) const {
  fail_at(document_, called_at_.value_or(position), message);
}

std::string DocumentReader::place(Position position) const {
  position = called_at_.value_or(position);
  if (position.line == 0) return document_.file_name;
  return cat(document_.file_name, ':', position.line, ':', position.column);
}

void DocumentReader::unsupported(Position position, std::string_view message) const {
  strata::fail(ErrorKind::unsupported, place(position), ": ", message);
}

}  // namespace strata::opl
