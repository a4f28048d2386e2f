#include "kernel_ops/fused_elementwise.h"

#include <algorithm>

#include "kernel_ops/broadcast.h"
#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

constexpr std::int64_t kTile = 1024;  ///< floats; all buffers together fit the first cache

constexpr std::int64_t kShortRow = 64;  ///< a call for each row of no more would cost too much

/// Elements at a start, with a step between rows and one within them.
struct Operand {
  const float* data;
  std::int64_t row_step;
  std::int64_t step;
};

/// A part of the output whose elements lie side by side: whole rows, or a piece of one.
struct Tile {
  std::int64_t rows;
  std::int64_t columns;
  float* y;
};

class TileRunner {
 public:
  explicit TileRunner(const FusedElementwise& op)
      : program_(op.program), table_(kernels::kernels(op.isa)) {}

  /// The inputs, then the results of steps. They are read in place: a copy of data that was just
  /// written in pieces would have to wait for it.
  Operand operands[FusedProgram::kMostInputs + FusedProgram::kMostSteps];

  /// Repeats an input that is the same in each of `rows` short rows, so that a tile of that height
  /// becomes one long row.
  void repeat(std::size_t input, const float* from, std::int64_t columns, std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; ++row)
      std::copy_n(from, columns, repeated_[input] + row * columns);
    operands[input] = {repeated_[input], columns, 1};
  }

  void run(const Tile& tile) {
    const auto& steps = program_.steps();
    const std::size_t inputs = program_.inputs();
    const bool is_dense = std::all_of(operands, operands + inputs, [&](const Operand& in) {
      return in.step == 1 && in.row_step == tile.columns;
    });
    const std::int64_t rows = is_dense ? 1 : tile.rows,
                       columns = is_dense ? tile.rows * tile.columns : tile.columns;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool is_pair = steps[i].is_added && is_lined_up(steps[i]);
      const std::size_t last = is_pair ? i + 1 : i;
      float* y = last + 1 == steps.size() ? tile.y : slots_[steps[last].slot];
      operands[inputs + last] = {y, tile.columns, 1};
      if (is_pair)
        multiply_add(steps[i], steps[last], inputs + i, {rows, columns, y});
      else if (steps[i].binary)
        binary(steps[i], {rows, columns, y});
      else
        table_.unary(steps[i].unary, operands[steps[i].a].data, y, rows * columns);
      i = last;
    }
  }

 private:
  void binary(const FusedStep& step, const Tile& to) {
    const Operand &a = operands[step.a], &b = operands[step.b];
    table_.binary({.op = *step.binary,
                   .outer = to.rows,
                   .inner = to.columns,
                   .a = a.data,
                   .a_outer = a.row_step,
                   .a_inner = a.step,
                   .b = b.data,
                   .b_outer = b.row_step,
                   .b_inner = b.step,
                   .y = to.y});
  }

  /// Whether a factor of the product lies element by element.
  bool is_lined_up(const FusedStep& product) const {
    return operands[product.a].step == 1 || operands[product.b].step == 1;
  }

  /// A product, which is operand `made`, and the sum that takes it, in one pass.
  void multiply_add(const FusedStep& product, const FusedStep& sum, std::size_t made,
                    const Tile& to) {
    const bool is_turned = operands[product.a].step == 0;
    const Operand& a = operands[is_turned ? product.b : product.a];
    const Operand& b = operands[is_turned ? product.a : product.b];
    const Operand& c = operands[sum.a == made ? sum.b : sum.a];
    table_.multiply_add({.outer = to.rows,
                         .inner = to.columns,
                         .a = a.data,
                         .a_outer = a.row_step,
                         .b = b.data,
                         .b_outer = b.row_step,
                         .b_inner = b.step,
                         .c = c.data,
                         .c_outer = c.row_step,
                         .c_inner = c.step,
                         .y = to.y});
  }

  const FusedProgram& program_;
  const kernels::KernelTable& table_;
  alignas(64) float slots_[FusedProgram::kMostSlots][kTile];
  alignas(64) float repeated_[FusedProgram::kMostInputs][kTile];
};

/// Unary functions read inputs without broadcasting, so these must be as large as the output.
void check_unstretched(const FusedProgram& program, std::span<const TensorView> inputs,
                       std::int64_t size) {
  for (const FusedStep& step : program.steps())
    if (!step.binary && step.a < program.inputs())
      check_data(volume(inputs[step.a].shape) == size, "the output has ", size, " elements, ",
                 Span(inputs[step.a].shape), " is read");
}

}  // namespace

FactList FusedElementwise::output_facts(Facts in) const {
  check_arity(name, in, program.inputs(), program.inputs());
  ShapeFact shape = in[0].shape;
  for (std::size_t i = 0; i < in.size(); ++i) {
    check(is_f32(in[i]), name, " of ", in[i]);
    shape = broadcast(shape, in[i].shape);
  }
  return {Fact::tensor(DatumType::f32, shape)};
}

std::string FusedElementwise::explain(Facts, Facts) const {
  return explain_vectors(cat("fused chain of ", program.steps().size(), " steps"), isa,
                         cat("pieces of ", kTile, " stay in the first cache from step to step"));
}

void FusedElementwise::run(const KernelIo& io) const {
  const std::size_t count = program.inputs();
  const Broadcast<FusedProgram::kMostInputs> axes(io, count);
  if (axes.is_empty()) return;
  const std::int64_t size = volume(io.outputs[0].shape);
  check_unstretched(program, io.inputs, size);
  const std::int64_t columns = axes.size[0];
  const std::int64_t wide = std::min(columns, kTile),
                     high = columns < kTile ? std::min(axes.size[1], kTile / columns) : 1;
  const auto run_block = [&](const auto& offset, kernels::Range down, kernels::Range across,
                             float* y) {
    TileRunner runner(*this);
    bool repeats[FusedProgram::kMostInputs] = {};
    for (std::size_t k = 0; k < count; ++k) {
      repeats[k] = columns <= kShortRow && high > 1 && axes.step[k][0] == 1 && axes.step[k][1] == 0;
      if (repeats[k]) runner.repeat(k, io.inputs[k].as<float>() + offset[k], columns, high);
    }
    for (std::int64_t row = down.begin; row < down.end; row += high)
      for (std::int64_t column = across.begin; column < across.end; column += wide) {
        for (std::size_t k = 0; k < count; ++k) {
          if (repeats[k]) continue;
          const std::int64_t row_step = axes.step[k][1], step = axes.step[k][0];
          runner.operands[k] = {
              io.inputs[k].as<float>() + offset[k] + row * row_step + column * step, row_step,
              step};
        }
        const Tile tile{std::min(high, down.end - row), std::min(wide, across.end - column),
                        y + row * columns + column};
        runner.run(tile);
      }
  };
  const WorkSize work = work_on(size, 4 * static_cast<double>(program.steps().size()));
  const std::int64_t part_steps[] = {1, kTile, high};
  axes.share(io, work, axes.rank <= 2 ? part_steps[axes.rank] : 1,
             [&](const auto& offset, kernels::Range down, kernels::Range across, std::int64_t y) {
               run_block(offset, down, across, io.outputs[0].as<float>() + y);
             });
}

}  // namespace strata
