#include "inputs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "entries.h"
#include "npy.h"
#include "npz.h"
#include "random_values.h"
#include "strata/onnx/load.h"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

/// The names and types on one side of a model.
struct Ports {
  std::string_view what;  ///< `input` or `output`
  std::vector<std::string> names;
  std::vector<ValueType> types;
};

Ports inputs_of(const TypedModel& model) {
  Ports out{.what = "input", .names = {}, .types = {}};
  for (std::size_t i = 0; i < model.inputs().size(); ++i) {
    out.names.push_back(model.input_name(i));
    out.types.push_back(model.input_fact(i).type());
  }
  return out;
}

Ports outputs_of(const TypedModel& model) {
  Ports out{.what = "output", .names = {}, .types = {}};
  for (std::size_t i = 0; i < model.outputs().size(); ++i) {
    out.names.push_back(model.outputs()[i].name);
    out.types.push_back(model.output_fact(i).type());
  }
  return out;
}

using Found = std::vector<std::optional<Value>>;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  require(file.good() && !fs::is_directory(path), ErrorKind::file, "cannot read ",
          in_quotes(path.string()), ": ",
          std::string_view(fs::is_directory(path) ? "it is a folder" : std::strerror(errno)));
  return {std::istreambuf_iterator<char>(file), {}};
}

Found read_folder(const Ports& ports, const fs::path& folder) {
  Found out(ports.names.size());
  for (std::size_t i = 0; i <= out.size(); ++i) {
    const fs::path path = folder / cat(ports.what, '_', i, ".pb");
    if (!fs::exists(path)) continue;
    require(i < out.size(), ErrorKind::invalid_argument, in_quotes(path.string()), " is one ",
            ports.what, " too many, the model has ", out.size());
    out[i] = onnx::read_value(path, ports.types[i]);
  }
  return out;
}

Found read_all(const Ports& ports, const fs::path& path) {
  if (fs::is_directory(path)) return read_folder(ports, path);
  const Entries entries = read_npz(path);
  check_entry_names(entries, ports.names, ports.what);
  Found out;
  try {
    for (std::size_t i = 0; i < ports.names.size(); ++i)
      out.push_back(value_from_entries(ports.names[i], ports.types[i], entries));
  } catch (Error& error) {
    throw error.in(cat("while reading ", path.string()));
  }
  return out;
}

/// Sizes of symbols that given values tell.
std::map<std::string, std::int64_t, std::less<>> known_sizes(const TypedModel& model,
                                                             const Found& found) {
  std::map<std::string, std::int64_t, std::less<>> out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Fact& fact = model.input_fact(i);
    if (!found[i] || !found[i]->is_tensor() || !fact.is_tensor() || fact.shape.is_open()) continue;
    const Shape& shape = found[i]->tensor().shape();
    for (std::size_t axis = 0; axis < std::min(shape.size(), fact.shape.rank()); ++axis) {
      const auto symbols = fact.shape[axis].symbols();
      if (symbols.size() == 1 && fact.shape[axis] == Dim::symbol(symbols[0]))
        out.emplace(symbols[0], shape[axis]);
    }
  }
  return out;
}

/// How the size of one axis of an input can be told: by a name that the file gives it, or with the
/// other sizes of that input.
std::string way_to_tell(const std::string& input, const Fact& fact, const Dim& dim) {
  const std::vector<std::string> symbols = dim.symbols();
  if (!symbols.empty() && !SymbolScope::is_fresh_name(symbols[0]))
    return cat("give sizes with --set, as in --set ", symbols[0], "=4");
  std::string sizes;
  for (const Dim& each : fact.shape.dims())
    sizes += cat(sizes.empty() ? "" : ",", each.constant().value_or(4));
  return cat("give its sizes with --shape, as in --shape ", input, '=', sizes);
}

void fill_randomly(const TypedModel& model, std::uint64_t seed, Found& found) {
  const auto sizes = known_sizes(model, found);
  RandomValues random(seed);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i]) continue;
    const Fact& fact = model.input_fact(i);
    const std::string name = in_quotes(model.input_name(i));
    require(fact.is_tensor() && fact.shape.is_known(), ErrorKind::invalid_argument, "input ", name,
            " is ", fact, ", which random values cannot be made for; give it with --input");
    Shape shape;
    for (const Dim& dim : fact.shape.dims()) {
      const auto size = dim.evaluate(sizes);
      require(size.has_value(), ErrorKind::invalid_argument, "input ", name, " is ", fact, "; ",
              [&] { return way_to_tell(model.input_name(i), fact, dim); });
      shape.push_back(*size);
    }
    found[i] = random.tensor(fact.dtype, shape);
  }
}

ValueList complete(const Ports& ports, Found found, std::string_view hint) {
  ValueList out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    require(found[i].has_value(), ErrorKind::invalid_argument, "no value for ", ports.what, ' ',
            in_quotes(ports.names[i]), ", a ", ports.types[i], hint);
    out.push_back(*std::move(found[i]));
  }
  return out;
}

}  // namespace

Value read_value_file(const fs::path& path, const ValueType& type) {
  const std::string bytes = read_file(path);
  if (!bytes.starts_with("\x93NUMPY")) return onnx::read_value(path, type);
  const Tensor read = read_npy(std::as_bytes(std::span(bytes)), path.string());
  if (type.kind == ValueType::Kind::tensor) return restored(read, type.dtype);
  require(type.kind == ValueType::Kind::optional && type.element->kind == ValueType::Kind::tensor,
          ErrorKind::invalid_argument, in_quotes(path.string()), " holds one array, ", type,
          " wanted");
  return Optional{*type.element,
                  std::make_shared<const Value>(restored(read, type.element->dtype))};
}

ValueList read_inputs(const TypedModel& model, const InputSources& sources) {
  const Ports ports = inputs_of(model);
  Found found = sources.all.empty() ? Found(ports.names.size()) : read_all(ports, sources.all);
  for (const auto& [name, path] : sources.named) {
    const auto at = std::find(ports.names.begin(), ports.names.end(), name);
    if (at == ports.names.end()) fail_unknown_name(ports.what, name, ports.names);
    const auto i = static_cast<std::size_t>(at - ports.names.begin());
    try {
      found[i] = read_value_file(path, ports.types[i]);
    } catch (Error& error) {
      throw error.in(cat("input ", in_quotes(name)));
    }
  }
  if (sources.seed) fill_randomly(model, *sources.seed, found);
  return complete(ports, std::move(found),
                  "; give it with --input NAME=FILE, or random ones with --random SEED");
}

ValueList read_outputs(const TypedModel& model, const fs::path& path) {
  const Ports ports = outputs_of(model);
  return complete(ports, read_all(ports, path), cat(" in ", in_quotes(path.string())));
}

}  // namespace strata::cli
