#include "kernel_ops/fused_program.h"

#include <algorithm>
#include <array>

#include "kernel_ops/binary_kernel.h"
#include "number_text.h"

namespace strata {
namespace {

using KernelUnary = kernels::Unary;

constexpr std::pair<KernelUnary, std::string_view> kUnaryNames[] = {
    {KernelUnary::identity, "identity"},
    {KernelUnary::abs, "abs"},
    {KernelUnary::neg, "neg"},
    {KernelUnary::floor, "floor"},
    {KernelUnary::ceil, "ceil"},
    {KernelUnary::sqrt, "sqrt"},
    {KernelUnary::relu, "relu"},
    {KernelUnary::clip, "clip"},
    {KernelUnary::leaky_relu, "leaky_relu"},
    {KernelUnary::hard_sigmoid, "hard_sigmoid"},
    {KernelUnary::hard_swish, "hard_swish"},
    {KernelUnary::exp, "exp"},
    {KernelUnary::log, "log"},
    {KernelUnary::tanh, "tanh"},
    {KernelUnary::sigmoid, "sigmoid"},
    {KernelUnary::silu, "silu"},
    {KernelUnary::erf, "erf"},
    {KernelUnary::gelu, "gelu"},
    {KernelUnary::round, "round"},
    {KernelUnary::sign, "sign"},
    {KernelUnary::softsign, "softsign"},
    {KernelUnary::shrink, "shrink"},
    {KernelUnary::thresholded_relu, "thresholded_relu"},
    {KernelUnary::elu, "elu"},
    {KernelUnary::celu, "celu"},
    {KernelUnary::selu, "selu"},
    {KernelUnary::swish, "swish"},
    {KernelUnary::to_f16, "to_f16"},
    {KernelUnary::to_bf16, "to_bf16"},
    {KernelUnary::softplus, "softplus"},
    {KernelUnary::mish, "mish"},
    {KernelUnary::gelu_tanh, "gelu_tanh"},
    {KernelUnary::sin, "sin"},
    {KernelUnary::cos, "cos"},
    {KernelUnary::tan, "tan"},
    {KernelUnary::asin, "asin"},
    {KernelUnary::acos, "acos"},
    {KernelUnary::atan, "atan"},
    {KernelUnary::sinh, "sinh"},
    {KernelUnary::cosh, "cosh"},
    {KernelUnary::asinh, "asinh"},
    {KernelUnary::acosh, "acosh"},
    {KernelUnary::atanh, "atanh"},
};

bool has_parameters(KernelUnary op) {
  using enum kernels::Unary;
  constexpr KernelUnary those[] = {clip, leaky_relu, hard_sigmoid, shrink, thresholded_relu, elu,
                                   celu, selu,       swish,        to_f16, to_bf16};
  return std::find(std::begin(those), std::end(those), op) != std::end(those);
}

std::string operand_text(std::size_t operand, std::size_t inputs) {
  return operand < inputs ? cat('x', operand) : cat('s', operand - inputs);
}

std::string step_text(const FusedStep& step, std::size_t inputs) {
  const std::string a = operand_text(step.a, inputs);
  if (step.binary)
    return cat(std::get<std::string>(to_attr(*step.binary)), ' ', a, ' ',
               operand_text(step.b, inputs));
  const auto* row = std::find_if(std::begin(kUnaryNames), std::end(kUnaryNames),
                                 [&](const auto& r) { return r.first == step.unary.op; });
  require(row != std::end(kUnaryNames), ErrorKind::internal, "a function has no name");
  if (!has_parameters(step.unary.op)) return cat(row->second, ' ', a);
  return cat(row->second, ' ', a, ' ', number_text(step.unary.alpha), ' ',
             number_text(step.unary.beta));
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::size_t parsed_operand(std::string_view word, std::size_t inputs) {
  const auto number = word.size() > 1 ? parse_number(word.substr(1)) : std::nullopt;
  check(number && *number >= 0 && *number < 1000 && (word[0] == 'x' || word[0] == 's'),
        in_quotes(word), " is no operand");
  return static_cast<std::size_t>(*number) + (word[0] == 'x' ? 0 : inputs);
}

float parsed_parameter(std::string_view word) {
  const auto number = parse_number(word);
  check(number.has_value(), in_quotes(word), " is no number");
  return static_cast<float>(*number);
}

FusedStep parsed_step(const std::string& text, std::size_t inputs) {
  const auto words = words_of(text);
  FusedStep step;
  if (words.size() >= 2) step.a = parsed_operand(words[1], inputs);
  for (const auto& [op, name] : enumerators_of_binary)
    if (words.size() == 3 && words[0] == name) {
      step.binary = op;
      step.b = parsed_operand(words[2], inputs);
      return step;
    }
  for (const auto& [op, name] : kUnaryNames)
    if (!words.empty() && words[0] == name && words.size() == (has_parameters(op) ? 4U : 2U)) {
      step.unary.op = op;
      if (words.size() == 4)
        step.unary.alpha = parsed_parameter(words[2]), step.unary.beta = parsed_parameter(words[3]);
      return step;
    }
  fail(ErrorKind::invalid_model, in_quotes(text), " is no step of a fused program");
}

}  // namespace

FusedProgram::FusedProgram(std::size_t inputs, std::vector<FusedStep> steps) {
  set(inputs, std::move(steps));
  check(slots_ <= kMostSlots, "a fused program needs ", slots_, " buffers, at most ", kMostSlots,
        " are there");
}

std::optional<FusedProgram> FusedProgram::if_it_fits(std::size_t inputs,
                                                     std::vector<FusedStep> steps) {
  FusedProgram out;
  out.set(inputs, std::move(steps));
  return out.slots_ <= kMostSlots ? std::optional(std::move(out)) : std::nullopt;
}

void FusedProgram::set(std::size_t inputs, std::vector<FusedStep> steps) {
  inputs_ = inputs;
  steps_ = std::move(steps);
  check(inputs_ <= kMostInputs && steps_.size() <= kMostSteps, "a fused program has ", inputs_,
        " inputs and ", steps_.size(), " steps");
  for (std::size_t i = 0; i < steps_.size(); ++i)
    check(steps_[i].a < inputs_ + i && (!steps_[i].binary || steps_[i].b < inputs_ + i), "step ", i,
          " reads a later one");
  assign_slots();
  find_added_products();
}

/// A slot is free again after the last step that reads it; that step may write over it, as each
/// element is read before it is written.
void FusedProgram::assign_slots() {
  std::array<std::size_t, kMostSteps> last_read{};
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].a >= inputs_) last_read[steps_[i].a - inputs_] = i;
    if (steps_[i].binary && steps_[i].b >= inputs_) last_read[steps_[i].b - inputs_] = i;
  }
  SmallVector<std::size_t, kMostSteps> busy_until;
  for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
    auto* const free = std::find_if(busy_until.begin(), busy_until.end(),
                                    [&](std::size_t until) { return until <= i; });
    steps_[i].slot = static_cast<std::size_t>(free - busy_until.begin());
    if (free == busy_until.end())
      busy_until.push_back(last_read[i]);
    else
      *free = last_read[i];
  }
  slots_ = busy_until.size();
}

void FusedProgram::find_added_products() {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const std::size_t made = inputs_ + i;
    const auto reads = [&](const FusedStep& step) {
      return (step.a == made ? 1 : 0) + (step.binary && step.b == made ? 1 : 0);
    };
    int readings = 0;
    for (std::size_t k = i + 1; k < steps_.size(); ++k) readings += reads(steps_[k]);
    steps_[i].is_added = steps_[i].binary == kernels::Binary::mul && readings == 1 &&
                         steps_[i + 1].binary == kernels::Binary::add && reads(steps_[i + 1]) == 1;
  }
}

AttrValue to_attr(const FusedProgram& program) {
  std::vector<std::string> out{cat("inputs ", program.inputs())};
  for (const FusedStep& step : program.steps()) out.push_back(step_text(step, program.inputs()));
  return out;
}

void from_attr(const AttrValue& value, FusedProgram& program) {
  const auto& lines = attr_as<std::vector<std::string>>(value, "fused program");
  const auto head = lines.empty() ? std::vector<std::string_view>{} : words_of(lines[0]);
  const auto inputs =
      head.size() == 2 && head[0] == "inputs" ? parse_number(head[1]) : std::nullopt;
  check(inputs && *inputs >= 1 && *inputs <= FusedProgram::kMostInputs,
        "a fused program begins with its number of inputs");
  std::vector<FusedStep> steps;
  for (std::size_t i = 1; i < lines.size(); ++i)
    steps.push_back(parsed_step(lines[i], static_cast<std::size_t>(*inputs)));
  check(!steps.empty(), "a fused program has no step");
  program = FusedProgram(static_cast<std::size_t>(*inputs), std::move(steps));
}

}  // namespace strata
