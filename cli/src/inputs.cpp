#include "inputs.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "entries.h"
#include "files.h"
#include "npy.h"
#include "npz.h"
#include "ports.h"
#include "random_values.h"
#include "strata/onnx/load.h"
#include "words.h"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

using Found = std::vector<std::optional<Value>>;

bool is_there(const fs::path& path) {
  std::error_code error;
  const bool out = fs::exists(path, error);
  require(!error, ErrorKind::file, "cannot read ", in_quotes(path.string()), ": ", error.message());
  return out;
}

/// The number in the name of a file `input_3.pb`.
std::optional<std::size_t> number_in(const std::string& name, std::string_view what) {
  const std::string first = cat(what, '_');
  std::size_t number = 0;
  if (!name.starts_with(first)) return std::nullopt;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + first.size(), end, number);
  if (error != std::errc() || std::string_view(rest, end) != ".pb") return std::nullopt;
  return number;
}

void check_none_beyond(const Ports& ports, const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    const auto number = number_in(file->path().filename().string(), ports.what);
    require(!number || *number < ports.names.size(), ErrorKind::invalid_argument,
            in_quotes(file->path().string()), " is one ", ports.what, " too many, the model has ",
            ports.names.size());
  }
  require(!error, ErrorKind::file, "cannot read ", in_quotes(folder.string()), ": ",
          error.message());
}

Found read_folder(const Ports& ports, const fs::path& folder) {
  check_none_beyond(ports, folder);
  Found out(ports.names.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const fs::path path = folder / cat(ports.what, '_', i, ".pb");
    if (is_there(path)) out[i] = onnx::read_value(path, ports.types[i]);
  }
  return out;
}

Found read_all(const Ports& ports, const fs::path& path) {
  if (is_folder(path)) return read_folder(ports, path);
  const bool holds_one = path.extension() == ".npy" || path.extension() == ".pb";
  require(!holds_one, ErrorKind::invalid_argument, in_quotes(path.string()),
          " holds one value; the values of all ", ports.what, "s are an .npz or a folder");
  const Entries entries = read_npz(path);
  try {
    return values_from_entries(ports, entries);
  } catch (Error& error) {
    throw error.in(cat("while reading ", path.string()));
  }
}

/// The sizes of symbols, as far as the given values determine them.
std::map<std::string, std::int64_t, std::less<>> known_sizes(const TypedModel& model,
                                                             const Found& found) {
  std::map<std::string, std::int64_t, std::less<>> out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Fact& fact = model.input_fact(i);
    if (!found[i] || !found[i]->is_tensor() || !fact.is_tensor() || fact.shape.is_open()) continue;
    const Shape& shape = found[i]->tensor().shape();
    for (std::size_t axis = 0; axis < std::min(shape.size(), fact.shape.rank()); ++axis) {
      if (const std::string* symbol = fact.shape[axis].as_symbol())
        out.emplace(*symbol, shape[axis]);
    }
  }
  return out;
}

/// How a user can give the size of one axis of an input: by the symbol that the file has for it, or
/// together with the other sizes of that input.
std::string size_hint(const std::string& input, const Fact& fact, const Dim& dim) {
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
              [&] { return size_hint(model.input_name(i), fact, dim); });
      require(*size >= 0, ErrorKind::invalid_argument, "input ", name, " is ", fact, ", of which ",
              dim, " would be ", *size);
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

/// The one array of a file as a value of `type`.
Value as_type(const Tensor& read, const ValueType& type) {
  if (type.kind == ValueType::Kind::tensor) return restored(read, type.dtype);
  require(type.kind == ValueType::Kind::optional && type.element->kind == ValueType::Kind::tensor,
          ErrorKind::invalid_argument, "one array is given where ", type, " is wanted");
  return Optional{*type.element,
                  std::make_shared<const Value>(restored(read, type.element->dtype))};
}

}  // namespace

Value read_value_file(const fs::path& path, const ValueType& type) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  const std::string bytes = read_beginning_with(kMagic, path);
  if (!bytes.starts_with(kMagic)) return onnx::read_value(path, type);
  const Tensor read = read_npy(std::as_bytes(std::span(bytes)), path.string());
  try {
    return as_type(read, type);
  } catch (Error& error) {
    throw error.in(cat("while reading ", path.string()));
  }
}

ValueList read_inputs(const TypedModel& model, const InputSources& sources) {
  const Ports ports = inputs_of(model);
  Found found = sources.all.empty() ? Found(ports.names.size()) : read_all(ports, sources.all);
  const auto files = values_of_inputs(sources.named, ports.names, "--input");
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i]) continue;
    try {
      found[i] = read_value_file(*files[i], ports.types[i]);
    } catch (Error& error) {
      throw error.in(cat("input ", in_quotes(ports.names[i])));
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
