#include "kernel_ops/lstm_cell_kernel.h"

#include <algorithm>

#include "kernel_ops/cell_product.h"
#include "kernel_ops/kernel_choice.h"

namespace strata {
namespace {

constexpr std::int64_t kGates = 4, kSeeingGates = 3;
constexpr std::size_t kH = 0, kWeights = 1, kC = 2, kRest = 3;

CellProduct product_of(const LstmCellKernel& op, Span c) noexcept {
  return {rows_of(c, op.hidden), op.state_size, kGates * op.hidden, kernels::kernels(op.isa)};
}

std::size_t first_addend(const LstmCellKernel& op) noexcept { return kRest + op.peepholes.size(); }

/// Some units of one row.
kernels::LstmCell cell_part(const kernels::LstmCell& cell, kernels::Index row,
                            kernels::Range units) noexcept {
  kernels::LstmCell out = cell;
  out.rows = 1;
  out.hidden = units.end - units.begin;
  for (kernels::GateSum* gate : {&out.input, &out.output, &out.forget, &out.candidate})
    *gate = gate_from(*gate, row, units.begin);
  for (const float*& peephole : out.peepholes)
    if (peephole) peephole += units.begin;
  const kernels::Index at = row * cell.hidden + units.begin;
  out.c += at;
  out.next_c += at;
  out.next_h += at;
  return out;
}

void run_cell(const kernels::KernelTable& table, const kernels::LstmCell& cell,
              kernels::Range units) noexcept {
  if (units.end - units.begin == cell.hidden) return table.lstm_cell(cell);
  for (kernels::Index row = 0; row < cell.rows; ++row) table.lstm_cell(cell_part(cell, row, units));
}

}  // namespace

FactList LstmCellKernel::output_facts(Facts in) const {
  const std::size_t addends = first_addend(*this);
  check_arity(name, in, addends, addends + 2);
  check(hidden > 0 && places.size() == kGates, name, " has ", places.size(), " gates of ", hidden);
  for (const std::int64_t place : places)
    check(place >= 0 && place < kGates, "place ", place, " is none of ", kGates, " gates");
  for (const std::int64_t gate : peepholes)
    check(gate >= 0 && gate < kSeeingGates, "gate ", gate, " has no peephole");
  const auto rows = known_rows(in[kC], hidden);
  check_rows(name, in[kH], state_size, rows);
  check_rows(name, in[kC], hidden, rows);
  for (std::size_t i = kRest; i < addends; ++i) check_rows(name, in[i], hidden, 1);
  for (std::size_t i = addends; i < in.size(); ++i) {
    const bool is_row = known_rows(in[i], kGates * hidden) == 1;
    check_rows(name, in[i], kGates * hidden, is_row ? 1 : rows);
  }
  return FactList(2, Fact::tensor(DatumType::f32, in[kC].shape));
}

std::size_t LstmCellKernel::scratch_bytes(Facts in) const {
  const CellProduct product = product_of(*this, *in[kC].shape.concrete());
  return static_cast<std::size_t>(product.size()) * sizeof(float) + product.scratch_bytes();
}

Cost LstmCellKernel::cost(Facts in, Facts out) const {
  Cost cost = memory_cost(in, out);
  if (const auto c = in[kC].shape.concrete()) cost.flops = product_of(*this, *c).flops();
  return cost;
}

std::string LstmCellKernel::explain(Facts in, Facts) const {
  const auto c = in[kC].shape.concrete();
  return cat("LSTM gates by vectors after a ",
             c ? explain_product(product_of(*this, *c).gemm(), isa) : explain_product(isa));
}

void LstmCellKernel::run(const KernelIo& io) const {
  const CellProduct product = product_of(*this, io.inputs[kC].shape);
  float* sums = reinterpret_cast<float*>(io.scratch);
  kernels::GateSum all{.product = sums, .product_stride = product.n, .added_stride = product.n};
  for (std::size_t i = first_addend(*this); i < io.inputs.size(); ++i) {
    const bool is_row = volume(io.inputs[i].shape) == product.n && !all.bias;
    (is_row ? all.bias : all.added) = io.inputs[i].as<float>();
  }
  const auto gate = [&](std::size_t i) {
    kernels::GateSum out = all;
    const std::int64_t begin = places[i] * hidden;
    for (const float** data : {&out.product, &out.added, &out.bias})
      if (*data) *data += begin;
    return out;
  };
  kernels::LstmCell cell{
      .rows = product.rows,
      .hidden = hidden,
      .input = gate(0),
      .output = gate(1),
      .forget = gate(2),
      .candidate = gate(3),
      .functions = {input.call(), output.call(), forget.call(), candidate.call(), squash.call()},
      .c = io.inputs[kC].as<float>(),
      .next_c = io.outputs[1].as<float>(),
      .next_h = io.outputs[0].as<float>()};
  for (std::size_t i = 0; i < peepholes.size(); ++i)
    cell.peepholes[peepholes[i]] = io.inputs[kRest + i].as<float>();
  const float *h = io.inputs[kH].as<float>(), *weights = io.inputs[kWeights].as<float>();
  const CellStep step{product, hidden, h, weights, sums, sweep_of(io)};
  run_units(io, step, io.scratch + product.size() * sizeof(float),
            [&](kernels::Range units) { run_cell(product.table, cell, units); });
}

}  // namespace strata
