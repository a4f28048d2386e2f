#include "strata/core/ops/reshape.h"

#include <algorithm>

#include "computable.h"
#include "ops/movement.h"
#include "ops/operand_kinds.h"
#include "strata/core/patch.h"

namespace strata {
namespace {

const Dim kInferred(-1);

/// The dims of `target` with those that are to be copied from `data` put in, and -1 left.
std::vector<Dim> with_copied_dims(std::vector<Dim> target, const ShapeFact& data,
                                  ReshapeZero zero) {
  for (std::size_t i = 0; i < target.size(); ++i) {
    const auto size = target[i].constant();
    check(!size || *size >= -1, "(C2) the target ", target, " has a dim below -1");
    if (size != 0 || zero == ReshapeZero::keep) continue;
    check(data.is_open() || i < data.rank(), "(C3) the target ", target, " copies axis ", i, " of ",
          data);
    target[i] = data.is_open() ? fresh_dim() : data[i];
  }
  check(std::count(target.begin(), target.end(), kInferred) <= 1, "(C2) the target ", target,
        " has several dims of -1");
  return target;
}

/// The size that makes `target`, but for the axis at `inferred`, hold as many elements as `data`.
/// Sizes of 0 cancel as symbols do: [N,6] becomes [N,2,3] by [N,2,-1] where N is 0, too.
Dim inferred_dim(const std::vector<Dim>& target, const Dim& inferred, const ShapeFact& data) {
  if (data.is_open()) return fresh_dim();
  Dim volume = 1, others = 1;
  std::int64_t zeros = 0;  // that data have more than the others
  for (const Dim& dim : data.dims()) dim == Dim(0) ? void(++zeros) : void(volume *= dim);
  for (const Dim& dim : target)
    if (&dim != &inferred) dim == Dim(0) ? void(--zeros) : void(others *= dim);
  if (zeros > 0) return 0;
  check(zeros == 0, "(C4) the target ", target, " has no elements, whatever its dim of -1 is");
  if (volume.is_constant() && others.is_constant())
    check(*volume.constant() % *others.constant() == 0, "(C4) shape ", data,
          " does not reshape to ", target);
  return floor_div(volume, others);
}

std::vector<Dim> reshaped_dims(std::vector<Dim> target, const ShapeFact& data, ReshapeZero zero) {
  target = with_copied_dims(std::move(target), data, zero);
  const auto inferred = std::find(target.begin(), target.end(), kInferred);
  if (inferred != target.end()) {
    *inferred = inferred_dim(target, *inferred, data);
  } else if (const auto volume = data.volume()) {
    check(may_be_equal(*volume, *ShapeFact(target).volume()), "(C4) shape ", data,
          " does not reshape to ", target);
  }
  return target;
}

bool have_equal_volumes(const ShapeFact& a, const ShapeFact& b) {
  return if_computable([&] { return a.is_known() && a.volume() == b.volume(); });
}

}  // namespace

FactList Reshape::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  const Fact &data = in[0], &target = in[1];
  check(may_be_integer_vector(target), "(C1) the target is ", target, ", no vector of integers");
  if (const auto dims = target.dims())
    return {Fact::tensor(data.dtype, reshaped_dims(*dims, data.shape, zero))};
  const auto rank = known_length(target);
  return {Fact::tensor(data.dtype,
                       rank ? fresh_shape(static_cast<std::size_t>(*rank)) : ShapeFact::open())};
}

TensorList Reshape::eval(Tensors in) const {
  const ShapeFact shape = reshaped_dims(to_dims(in[1]), in[0].shape(), zero);
  return {in[0].reshaped(*shape.concrete())};
}

/// Reshape(x, shape of x)         ->  x
/// Reshape(Reshape(x, s), t)      ->  Reshape(x, t), where s surely fits, and t copies no axis and
///                                    has no -1 beside a symbol: were that 0, other sizes would be
///                                    left of x
Rewrite Reshape::declutter(const NodeView& node) const {
  const auto target = node.input_fact(1).dims();
  if (!target) return no_change;  // the model may say another shape than the run will
  const ShapeFact& before = node.input_fact(0).shape;
  if (before.is_known() && before == node.output_fact().shape) return bypass(node, node.input(0));
  if (!node.producer_as<Reshape>(0)) return no_change;
  const auto has = [&](const Dim& dim) {
    return std::find(target->begin(), target->end(), dim) != target->end();
  };
  const bool is_constant =
      std::all_of(target->begin(), target->end(), [](const Dim& dim) { return dim.is_constant(); });
  if ((zero == ReshapeZero::copy && has(0)) || (!is_constant && has(kInferred)) ||
      !have_equal_volumes(before, node.producer(0).input_fact(0).shape))
    return no_change;
  // A symbol that is 0 in a run would copy an axis of x, which is none of the one before.
  return replace(node, Reshape{is_constant ? zero : ReshapeZero::keep},
                 {node.producer(0).input(0), node.input(1)});
}

}  // namespace strata
