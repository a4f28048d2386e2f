#include "kernel_ops/gru_cell_kernel.h"

#include <algorithm>

#include "kernel_ops/cell_product.h"
#include "kernel_ops/kernel_choice.h"

namespace strata {
namespace {

using kernels::GruReset;

constexpr std::int64_t kGates = 3;
constexpr std::size_t kH = 0, kWeights = 1, kCandidateWeights = 2;

bool is_after(const GruCellKernel& op) noexcept { return op.reset_kind == GruReset::after_product; }
std::size_t first_x(const GruCellKernel& op) noexcept { return is_after(op) ? 2 : 3; }

/// The product of h, or of the reset h for the candidate, with this many gates.
CellProduct product_of(const GruCellKernel& op, Span h, std::int64_t gates) noexcept {
  return {rows_of(h, op.hidden), op.hidden, gates * op.hidden, kernels::kernels(op.isa)};
}
CellProduct first_product(const GruCellKernel& op, Span h) noexcept {
  return product_of(op, h, is_after(op) ? 3 : 2);
}

/// The cell without its sums.
kernels::GruCell cell_of(const GruCellKernel& op, const KernelIo& io, kernels::Index rows) {
  kernels::GruCell cell{.rows = rows,
                        .hidden = op.hidden,
                        .reset_kind = op.reset_kind,
                        .functions = {op.update.call(), op.reset.call(), op.candidate.call()},
                        .h = io.inputs[kH].as<float>(),
                        .next_h = io.outputs[0].as<float>()};
  kernels::GateSum* gates[] = {&cell.update, &cell.reset, &cell.candidate};
  for (std::size_t i = 0; i < kGates; ++i) {
    const bool is_whole = op.x_wires == 1;
    gates[i]->added = io.inputs[first_x(op) + (is_whole ? 0 : i)].as<float>();
    if (is_whole) gates[i]->added += op.places[i] * op.hidden;
    gates[i]->added_stride = is_whole ? kGates * op.hidden : op.hidden;
  }
  return cell;
}

/// Some units of one row.
kernels::GruCell cell_part(const kernels::GruCell& cell, kernels::Index row,
                           kernels::Range units) noexcept {
  kernels::GruCell out = cell;
  out.rows = 1;
  out.hidden = units.end - units.begin;
  for (kernels::GateSum* gate : {&out.update, &out.reset, &out.candidate})
    if (gate->product) *gate = gate_from(*gate, row, units.begin);
  const kernels::Index at = row * cell.hidden + units.begin;
  out.h += at;
  out.next_h += at;
  return out;
}

using RunCell = void (*)(const kernels::GruCell& cell) noexcept;

void run_cell(RunCell run, const kernels::GruCell& cell, kernels::Range units) noexcept {
  if (units.end - units.begin == cell.hidden) return run(cell);
  for (kernels::Index row = 0; row < cell.rows; ++row) run(cell_part(cell, row, units));
}

void run_after(const GruCellKernel& op, const KernelIo& io) {
  const CellProduct product = first_product(op, io.inputs[kH].shape);
  float* sums = reinterpret_cast<float*>(io.scratch);
  kernels::GruCell cell = cell_of(op, io, product.rows);
  kernels::GateSum* gates[] = {&cell.update, &cell.reset, &cell.candidate};
  for (std::size_t i = 0; i < kGates; ++i) {
    gates[i]->product = sums + op.places[i] * op.hidden;
    gates[i]->product_stride = product.n;
    if (io.inputs.size() > first_x(op) + op.x_wires)
      gates[i]->bias = io.inputs.back().as<float>() + op.places[i] * op.hidden;
  }
  const float* weights = io.inputs[kWeights].as<float>();
  const CellStep step{product, op.hidden, cell.h, weights, sums, sweep_of(io)};
  run_units(io, step, io.scratch + product.size() * sizeof(float),
            [&](kernels::Range units) { run_cell(product.table.gru_cell, cell, units); });
}

void run_before(const GruCellKernel& op, const KernelIo& io) {
  const CellProduct both = first_product(op, io.inputs[kH].shape);
  const CellProduct last = product_of(op, io.inputs[kH].shape, 1);
  float* sums = reinterpret_cast<float*>(io.scratch);
  float* kept = sums + both.size();
  float* candidate = kept + last.size();
  auto* rest = reinterpret_cast<std::byte*>(candidate + last.size());
  const Sweep sweep = sweep_of(io);
  kernels::GruCell cell = cell_of(op, io, both.rows);
  cell.update.product = sums;
  cell.reset.product = sums + op.hidden;
  cell.update.product_stride = cell.reset.product_stride = both.n;
  cell.next_h = kept;
  const float* weights = io.inputs[kWeights].as<float>();
  run_units(io, {both, op.hidden, cell.h, weights, sums, sweep}, rest,
            [&](kernels::Range units) { run_cell(both.table.gru_reset, cell, units); });
  cell.candidate.product = candidate;
  cell.candidate.product_stride = last.n;
  cell.next_h = io.outputs[0].as<float>();
  weights = io.inputs[kCandidateWeights].as<float>();
  run_units(io, {last, op.hidden, kept, weights, candidate, sweep}, rest,
            [&](kernels::Range units) { run_cell(both.table.gru_cell, cell, units); });
}

}  // namespace

FactList GruCellKernel::output_facts(Facts in) const {
  check(hidden > 0 && places.size() == kGates && (x_wires == 1 || x_wires == kGates), name, " has ",
        places.size(), " gates of ", hidden, " and x on ", x_wires, " wires");
  const std::size_t x = first_x(*this), least = x + x_wires;
  check_arity(name, in, least, least + (is_after(*this) ? 1 : 0));
  for (const std::int64_t place : places)
    check(place >= 0 && place < kGates, "place ", place, " is none of ", kGates, " gates");
  const auto rows = known_rows(in[kH], hidden);
  check_rows(name, in[kH], hidden, rows);
  for (std::size_t i = x; i < least; ++i)
    check_rows(name, in[i], x_wires == kGates ? hidden : kGates * hidden, rows);
  for (std::size_t i = least; i < in.size(); ++i) check_rows(name, in[i], kGates * hidden, 1);
  return {Fact::tensor(DatumType::f32, in[kH].shape)};
}

std::size_t GruCellKernel::scratch_bytes(Facts in) const {
  const Shape h = *in[kH].shape.concrete();
  const CellProduct first = first_product(*this, h), last = product_of(*this, h, 1);
  if (is_after(*this))
    return static_cast<std::size_t>(first.size()) * sizeof(float) + first.scratch_bytes();
  return static_cast<std::size_t>(first.size() + 2 * last.size()) * sizeof(float) +
         std::max(first.scratch_bytes(), last.scratch_bytes());
}

std::string GruCellKernel::explain(Facts in, Facts) const {
  const auto h = in[kH].shape.concrete();
  return cat("GRU gates by vectors after a ",
             h ? explain_product(first_product(*this, *h).gemm(), isa) : explain_product(isa),
             is_after(*this) ? "" : "; the candidate has a product of its own, of the reset state");
}

Cost GruCellKernel::cost(Facts in, Facts out) const {
  Cost cost = memory_cost(in, out);
  if (const auto h = in[kH].shape.concrete()) cost.flops = product_of(*this, *h, kGates).flops();
  return cost;
}

void GruCellKernel::run(const KernelIo& io) const {
  if (is_after(*this))
    run_after(*this, io);
  else
    run_before(*this, io);
}

}  // namespace strata
