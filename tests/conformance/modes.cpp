#include "modes.h"

#include <algorithm>
#include <chrono>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "strata/onnx/load.h"
#include "strata/opl/model.h"

namespace strata::conformance {
namespace {

constexpr cli::Tolerance kStrict{1e-5, 1e-7};
constexpr std::string_view kNames[] = {"typed", "declutter", "optimise", "opl", "constant"};

/// Enough for every official case, and little enough to leave the machine usable.
Limits case_limits() {
  Limits limits;
  limits.tensor_bytes = std::int64_t{2} << 30;
  limits.total_bytes = std::int64_t{6} << 30;
  limits.iterations = 1'000'000;
  return limits;
}

/// i/n for i < n, computed in double; unknown dims count as 1.
Tensor ramp(const Fact& fact) {
  Shape shape;
  for (const Dim& dim : fact.shape.dims()) shape.push_back(dim.constant().value_or(1));
  MutableTensor out(DatumType::f32, shape);
  const auto n = static_cast<double>(out.size());
  double i = 0;
  for (float& element : out.as<float>()) element = static_cast<float>(i++ / n);
  return std::move(out).freeze();
}

/// The bits of a bf16 tensor, which the data of ONNX up to 1.12 holds as u16, as what they are.
Value as_declared(Value value, const ValueType& type) {
  const bool is_bits = value.is_tensor() && value.tensor().dtype() == DatumType::u16 &&
                       type == ValueType::tensor(DatumType::bf16);
  return is_bits ? Value(value.tensor().reinterpreted(DatumType::bf16)) : value;
}

ValueList read_values(const std::vector<std::filesystem::path>& files,
                      const std::vector<ValueType>& types, std::string_view what) {
  require(files.size() == types.size(), ErrorKind::file, "the data has ", files.size(), ' ', what,
          "s, the model ", types.size());
  ValueList out;
  for (std::size_t i = 0; i < files.size(); ++i)
    out.push_back(as_declared(onnx::read_value(files[i], types[i]), types[i]));
  return out;
}

std::vector<ValueType> input_types(const TypedModel& model) {
  std::vector<ValueType> out;
  for (std::size_t i = 0; i < model.inputs().size(); ++i) out.push_back(model.input_fact(i).type());
  return out;
}

std::vector<ValueType> output_types(const TypedModel& model) {
  std::vector<ValueType> out;
  for (std::size_t i = 0; i < model.outputs().size(); ++i)
    out.push_back(model.output_fact(i).type());
  return out;
}

hir::InferenceModel load(const Case& test) { return onnx::load(test.model, case_limits()); }

TypedModel typed(const Case& test) {
  hir::InferenceModel model = load(test);
  model.analyse();
  return model.to_typed();
}

TypedModel decluttered(TypedModel model) {
  declutter(model, case_limits());
  return model;
}

/// Throws: internal when the facts of some node contradict what its op makes of those of its
/// inputs. Lowering hands them on from ops to kernels without asking.
void verify_facts(const TypedModel& model) {
  for (const TypedNode& node : model.nodes()) {
    const FactList inferred = infer_facts(node.op, model.facts_of(node.inputs), model.symbols());
    for (std::size_t slot = 0; slot < inferred.size(); ++slot)
      require(compatible(node.outputs[slot].fact, inferred[slot]), ErrorKind::internal, "node ",
              in_quotes(node.name), " gives ", inferred[slot], ", not ", node.outputs[slot].fact);
    for (const Body& body : node.op.bodies()) verify_facts(*body);
  }
}

TypedModel optimised(TypedModel model) {
  optimise(model, {}, case_limits());
  verify_facts(model);
  return model;
}

/// The files of a model as they would be read back.
opl::ArchiveFiles written(const TypedModel& model) {
  opl::ArchiveFiles out;
  for (const auto& [name, make] : opl::to_files(model)) {
    const auto bytes = std::make_shared<const std::string>(make());
    out[name] = {std::as_bytes(std::span(*bytes)), bytes};
  }
  return out;
}

TypedModel through_opl(const TypedModel& model) {
  const opl::ArchiveFiles first = written(model);
  TypedModel read = opl::load(first, "model.opl", case_limits());
  const opl::ArchiveFiles second = written(read);
  require(first.size() == second.size(), ErrorKind::internal, "written again, the model has ",
          second.size(), " files, not ", first.size());
  for (const auto& [name, file] : first) {
    const auto again = second.find(name);
    require(again != second.end() && again->second.text() == file.text(), ErrorKind::internal,
            "written again, ", name, " differs");
  }
  return read;
}

/// The model with every input but the first a constant; its inputs shrink to what is left of them.
TypedModel with_constant_operands(const Case& test, ValueList& inputs) {
  hir::InferenceModel model = load(test);
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const OutletId source = model.inputs()[i];
    if (i > 0 && inputs[i].is_tensor())
      model.set_fact(source, hir::InferenceFact(Fact::of(inputs[i])));
  }
  model.analyse();
  const FreshSymbols fresh(*model.symbol_scope());
  ValueList remaining;
  std::vector<const Value*> constants;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto known = model.fact(model.inputs()[i]).typed();
    check(known.has_value(), "the type of input ", i, " is not known");
    const bool folded = i > 0 && inputs[i].is_tensor();
    facts.push_back(folded ? Fact::of(inputs[i]) : known->without_value());
    if (!folded) constants.push_back(i > 0 ? &inputs[i] : nullptr);
    if (i == 0) remaining.push_back(inputs[i]);
  }
  TypedModel out = with_constants(model.expand(facts, model.symbol_scope()), constants);
  inputs = std::move(remaining);
  return out;
}

TypedModel prepare(const Case& test, Mode mode, ValueList& inputs) {
  switch (mode) {
    case Mode::typed:
      return typed(test);
    case Mode::declutter:
      return decluttered(typed(test));
    case Mode::optimise:
      return optimised(decluttered(typed(test)));
    case Mode::opl:
      return optimised(through_opl(decluttered(typed(test))));
    case Mode::constant:
      return optimised(decluttered(with_constant_operands(test, inputs)));
  }
  fail(ErrorKind::internal, "no such mode");
}

std::string one_line(std::string text) {
  for (std::size_t at; (at = text.find('\n')) != std::string::npos;)
    text.replace(at, text.find_first_not_of(" \n", at) - at, "; ");
  return text;
}

/// Whether a caller may give memory for it.
bool is_plain(const Value& value) {
  return value.is_tensor() && value.tensor().dtype() != DatumType::string;
}

/// Memory for outputs as large as `values`, each between bytes that a run must leave as they are.
class GuardedMemory {
 public:
  explicit GuardedMemory(const ValueList& values) {
    for (const Value& value : values) {
      const std::size_t bytes = is_plain(value) ? value.tensor().byte_size() : 0;
      blocks_.emplace_back(bytes + kGuard, kMark);
      memory_.push_back(std::span(blocks_.back()).subspan(is_plain(value) ? kOffset : 0, bytes));
    }
  }

  OutputMemory memory() const { return memory_; }
  void check_guards() const {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const auto is_mark = [](std::byte b) { return b == kMark; };
      const std::byte *const begin = memory_[i].data(), *const end = begin + memory_[i].size();
      const std::span<const std::byte> block = blocks_[i];
      check(std::all_of(block.data(), begin, is_mark) &&
                std::all_of(end, block.data() + block.size(), is_mark),
            "output ", i, ": bytes beside its memory are written");
    }
  }

 private:
  static constexpr std::size_t kGuard = 256, kOffset = 16;
  static constexpr std::byte kMark{0xA5};
  std::vector<std::vector<std::byte>> blocks_;
  std::vector<std::span<std::byte>> memory_;
};

/// Memory for outputs in which copies of the inputs lie, one behind another: input i where output i
/// goes or, where there are fewer of these, one of them.
class OverwrittenMemory {
 public:
  OverwrittenMemory(ValueList inputs, const ValueList& outputs)
      : inputs_(std::move(inputs)), blocks_(outputs.size()) {
    const auto lies_there = [&](std::size_t i) {
      return is_plain(inputs_[i]) && is_plain(outputs[i % outputs.size()]);
    };
    std::vector<std::size_t> begins(inputs_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!lies_there(i)) continue;
      std::vector<std::byte>& block = blocks_[i % outputs.size()];
      const std::span<const std::byte> bytes = inputs_[i].tensor().bytes();
      begins[i] = block.size();
      block.insert(block.end(), bytes.begin(), bytes.end());
      block.resize((block.size() + kAlignment - 1) / kAlignment * kAlignment);
    }
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      if (is_plain(outputs[o]))
        blocks_[o].resize(std::max(blocks_[o].size(), outputs[o].tensor().byte_size()));
      memory_.push_back(blocks_[o]);
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!lies_there(i)) continue;
      const Tensor& input = inputs_[i].tensor();
      const std::byte* const place = memory_[i % outputs.size()].data() + begins[i];
      inputs_[i] = Tensor::borrowed(input.dtype(), input.shape(), place, nullptr);
    }
  }

  Values inputs() const { return inputs_; }
  OutputMemory memory() const { return memory_; }

 private:
  static constexpr std::size_t kAlignment = 16;
  ValueList inputs_;
  std::vector<std::vector<std::byte>> blocks_;
  std::vector<std::span<std::byte>> memory_;
};

void compare(const ValueList& actual, const ValueList& expected, const Case& test, Result& result) {
  require(actual.size() == expected.size(), ErrorKind::run_time, actual.size(),
          " outputs, expected ", expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (const auto wrong = cli::difference(actual[i], expected[i], test.tolerance))
      fail(ErrorKind::run_time, cat("output ", i, ": ", *wrong));
    if (const auto missed = cli::difference(actual[i], expected[i], kStrict);
        missed && result.strict) {
      result.strict = false;
      result.message = one_line(cat("output ", i, ": ", *missed));
    }
  }
}

void run_data_set(const Case& test, Mode mode, std::size_t threads, const DataSet& data,
                  const TypedModel& reference, Result& result) {
  ValueList inputs = test.ramp_input ? ValueList{ramp(reference.input_fact(0))}
                                     : read_values(data.inputs, input_types(reference), "input");
  const ValueList expected = read_values(data.outputs, output_types(reference), "output");
  const TypedModel model = prepare(test, mode, inputs);
  const auto plan = Plan::build(model, case_limits());
  const ValueList actual = Session(plan, {.threads = threads}).run(inputs);
  compare(actual, expected, test, result);
  if (mode != Mode::optimise) return;
  const GuardedMemory given(actual);
  Session again(plan, {.threads = threads});  // random numbers begin anew
  compare(again.run(inputs, given.memory()), expected, test, result);
  given.check_guards();
  const OverwrittenMemory shared(inputs, actual);
  Session last(plan, {.threads = threads});
  compare(last.run(shared.inputs(), shared.memory()), expected, test, result);
}

}  // namespace

std::string_view to_string(Mode mode) { return kNames[static_cast<std::size_t>(mode)]; }

std::optional<Mode> parse_mode(std::string_view name) {
  for (const Mode mode : kModes)
    if (to_string(mode) == name) return mode;
  return std::nullopt;
}

Result run_case(const Case& test, Mode mode, std::size_t threads) {
  const auto start = std::chrono::steady_clock::now();
  Result result;
  result.strict = true;
  try {
    require(!test.data.empty(), ErrorKind::file, "no test data");
    const TypedModel reference = typed(test);
    for (const DataSet& data : test.data)
      run_data_set(test, mode, threads, data, reference, result);
    result.passed = true;
  } catch (const Error& error) {
    result.message = one_line(cat(to_string(error.kind()), ": ", error.what()));
  } catch (const std::exception& error) {
    result.message = one_line(cat("exception: ", error.what()));
  }
  result.strict &= result.passed;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace strata::conformance
