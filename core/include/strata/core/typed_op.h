#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/attributes.h"
#include "strata/core/fact.h"
#include "strata/core/op_state.h"

namespace strata {

class Patch;
struct NodeView;
struct Target;
/// What a rewrite answers: a patch, or `no_change`.
using Rewrite = std::optional<Patch>;

/// What running an op once costs, where its shapes are known.
struct Cost {
  double flops = 0;
  double bytes_read = 0;
  double bytes_written = 0;
  double parameters = 0;
};
/// Bytes read and written, and parameters, from the facts; no operations.
Cost memory_cost(Facts in, Facts out);

template <class Op>
concept HasTensorEval = requires(const Op& op, Tensors in) {
  { op.eval(in) } -> std::same_as<TensorList>;
};
template <class Op>
concept HasValueEval = requires(const Op& op, Values in) {
  { op.eval(in) } -> std::same_as<ValueList>;
};
template <class Op>
concept HasKernel = requires(const Op& op, const KernelIo& io) {
  { op.run(io) } -> std::same_as<void>;
};
template <class Op>
concept HasState = requires(const Op& op, StateContext& context) {
  { op.state(context) } -> std::same_as<std::unique_ptr<OpState>>;
};

/// What a struct must offer to be an op of a TypedModel: a name, its attributes, the facts of its
/// outputs, and one way to compute them (on tensors, on values, with state, or a kernel that writes
/// into given memory).
template <class Op>
concept OpDef = std::default_initializable<Op> && std::copyable<Op> &&
    requires(const Op& op, Facts in) {
  { Op::name } -> std::convertible_to<std::string_view>;
  Op::attributes();
  { op.output_facts(in) } -> std::same_as<FactList>;
} &&(HasTensorEval<Op> || HasValueEval<Op> || HasKernel<Op> || HasState<Op>);

/// Any op, as a value: shared, immutable, compared by name and attributes.
///
/// Hooks a struct may add to OpDef, found by name (one with a wrong signature does not compile):
///   declutter(const NodeView&) -> Rewrite (patch.h)       toward a simpler, still portable graph
///   lower(const NodeView&, const Target&) -> Rewrite      toward kernels
///   cost(Facts in, Facts out) -> Cost
///   explain(Facts in, Facts out) -> std::string           of a kernel: how it works for these, and why
///   display_name() -> std::string                         a row of a family shows the row's name
///   evaluates_dims = true                                 eval also accepts i64 inputs as `dim` tensors,
///                                                         and may leave out results that sizes decide
///   moves_elements = true                                 eval is blind to types: packed inputs come unpacked
///   scratch_bytes(Facts in) -> std::size_t                of a kernel; no less for longer axes
///   in_place_input() -> std::optional<std::size_t>        input whose memory a kernel may write output 0 over
class TypedOp {
 public:
  TypedOp() = default;
  template <OpDef Op>
  TypedOp(Op op)
      : functions_(&functions_of<Op>),
        op_(static_cast<const void*>(new Op(std::move(op))), functions_of<Op>.destroy) {}

  explicit operator bool() const { return functions_ != nullptr; }
  /// The struct's name; what OPL and `as` go by.
  std::string_view name() const { return functions_->name; }
  /// The name in dumps: a row of a family shows its own (`Tanh`, not `Unary`).
  std::string display_name() const;
  AttrList attributes() const { return functions_->attributes(op_.get()); }
  /// The facts of the outputs; every check of the op is here. Throws: invalid_model, unsupported.
  FactList output_facts(Facts in) const { return functions_->output_facts(op_.get(), in); }
  /// The reference evaluation; a kernel op runs its kernel on fresh memory. Stateful ops throw
  /// `internal`.
  ValueList eval(Values in) const;
  /// A fresh state, or null for an op without one.
  std::unique_ptr<OpState> state(StateContext& context) const;
  Rewrite declutter(const NodeView& node) const;
  Rewrite lower(const NodeView& node, const Target& target) const;
  Cost cost(Facts in, Facts out) const;
  /// Empty for an op that has nothing to say.
  std::string explain(Facts in, Facts out) const;

  bool is_stateful() const { return functions_->state != nullptr; }
  bool evaluates_dims() const { return functions_->evaluates_dims; }
  bool has_kernel() const { return functions_->run != nullptr; }
  bool has_bodies() const { return functions_->bodies != nullptr; }
  /// Of an op that has a kernel. Throws: run_time for what only the data tell (an index out of
  /// range).
  void run(const KernelIo& io) const { functions_->run(op_.get(), io); }
  std::size_t scratch_bytes(Facts in) const;
  std::optional<std::size_t> in_place_input() const;

  /// The bodies among the attributes, and the op with others in their place.
  std::vector<Body> bodies() const;
  TypedOp with_bodies(const std::vector<Body>& bodies) const;

  /// The op as the struct it is, or null when it is another.
  template <class Op>
  const Op* as() const {
    return functions_ == &functions_of<Op> ? static_cast<const Op*>(op_.get()) : nullptr;
  }
  bool operator==(const TypedOp& other) const {
    return functions_ == other.functions_ &&
           (op_ == other.op_ || functions_->are_equal(op_.get(), other.op_.get()));
  }
  std::size_t hash() const { return functions_->hash(op_.get()); }

 private:
  /// What a struct offers; null is what it does not. A table, not virtual functions, so that what
  /// most ops lack costs nothing.
  struct Functions {
    std::string_view name;
    bool evaluates_dims = false;
    bool moves_elements = false;
    void (*destroy)(const void* op) = nullptr;
    AttrList (*attributes)(const void* op) = nullptr;
    bool (*are_equal)(const void* a, const void* b) = nullptr;
    std::size_t (*hash)(const void* op) = nullptr;
    FactList (*output_facts)(const void* op, Facts in) = nullptr;
    TensorList (*eval_tensors)(const void* op, Tensors in) = nullptr;
    ValueList (*eval_values)(const void* op, Values in) = nullptr;
    void (*run)(const void* op, const KernelIo& io) = nullptr;
    std::unique_ptr<OpState> (*state)(const void* op, StateContext& context) = nullptr;
    void (*declutter)(const void* op, const NodeView& node, Rewrite& out) = nullptr;
    void (*lower)(const void* op, const NodeView& node, const Target& target,
                  Rewrite& out) = nullptr;
    Cost (*cost)(const void* op, Facts in, Facts out) = nullptr;
    std::string (*explain)(const void* op, Facts in, Facts out) = nullptr;
    std::string (*display_name)(const void* op) = nullptr;
    std::size_t (*scratch_bytes)(const void* op, Facts in) = nullptr;
    std::optional<std::size_t> (*in_place_input)(const void* op) = nullptr;
    std::vector<Body> (*bodies)(const void* op) = nullptr;
    TypedOp (*with_bodies)(const void* op, const std::vector<Body>& bodies) = nullptr;
  };
  template <class Op>
  static constexpr Functions list_functions();
  template <class Op>
  static constexpr void list_evaluations(Functions& f);
  template <class Op>
  static constexpr void list_bodies(Functions& f);
  /// Its address tells one struct from another.
  template <class Op>
  static const Functions functions_of;

  const Functions* functions_ = nullptr;
  std::shared_ptr<const void> op_;
};

template <class Op>
constexpr TypedOp::Functions TypedOp::list_functions() {
  using O = const Op*;
  using P = const void*;
  Functions f{.name = Op::name};
  f.destroy = [](P op) { delete O(op); };
  f.attributes = [](P op) { return attribute_values(*O(op)); };
  f.are_equal = [](P a, P b) { return attributes_equal(*O(a), *O(b)); };
  f.hash = [](P op) { return attributes_hash(*O(op), std::hash<std::string_view>{}(Op::name)); };
  f.output_facts = [](P op, Facts in) { return O(op)->output_facts(in); };
  list_evaluations<Op>(f);
  if constexpr (requires { &Op::declutter; })
    f.declutter = [](P op, const NodeView& node, Rewrite& out) { out = O(op)->declutter(node); };
  if constexpr (requires { &Op::lower; })
    f.lower = [](P op, const NodeView& node, const Target& target, Rewrite& out) {
      out = O(op)->lower(node, target);
    };
  if constexpr (requires { &Op::cost; })
    f.cost = [](P op, Facts in, Facts out) { return O(op)->cost(in, out); };
  if constexpr (requires { &Op::explain; })
    f.explain = [](P op, Facts in, Facts out) { return O(op)->explain(in, out); };
  if constexpr (requires { &Op::display_name; })
    f.display_name = [](P op) { return std::string(O(op)->display_name()); };
  list_bodies<Op>(f);
  return f;
}

template <class Op>
constexpr void TypedOp::list_evaluations(Functions& f) {
  using O = const Op*;
  using P = const void*;
  if constexpr (requires { Op::evaluates_dims; }) f.evaluates_dims = true;
  if constexpr (requires { Op::moves_elements; }) f.moves_elements = true;
  if constexpr (HasTensorEval<Op>)
    f.eval_tensors = [](P op, Tensors in) { return O(op)->eval(in); };
  if constexpr (HasValueEval<Op>) f.eval_values = [](P op, Values in) { return O(op)->eval(in); };
  if constexpr (HasState<Op>)
    f.state = [](P op, StateContext& context) { return O(op)->state(context); };
  if constexpr (HasKernel<Op>) f.run = [](P op, const KernelIo& io) { O(op)->run(io); };
  if constexpr (requires { &Op::scratch_bytes; })
    f.scratch_bytes = [](P op, Facts in) { return O(op)->scratch_bytes(in); };
  if constexpr (requires { &Op::in_place_input; })
    f.in_place_input = [](P op) { return O(op)->in_place_input(); };
}

namespace detail {

template <class Field>
concept IsBody = std::same_as<std::remove_cvref_t<Field>, Body>;
template <class Op, class Visit>
void for_each_body(Op& op, const Visit& visit) {
  const auto visit_body = [&](auto& field) {
    if constexpr (IsBody<decltype(field)>) visit(field);
  };
  std::apply([&](const auto&... a) { (visit_body(op.*(a.field)), ...); },
             std::remove_const_t<Op>::attributes());
}
template <class Op>
constexpr bool has_bodies() {
  return std::apply(
      [](const auto&... a) {
        return (IsBody<decltype(std::declval<const Op&>().*(a.field))> || ...);
      },
      Op::attributes());
}

}  // namespace detail

template <class Op>
constexpr void TypedOp::list_bodies([[maybe_unused]] Functions& f) {
  if constexpr (detail::has_bodies<Op>()) {
    f.bodies = [](const void* op) {
      std::vector<Body> out;
      detail::for_each_body(*static_cast<const Op*>(op),
                            [&](const Body& body) { out.push_back(body); });
      return out;
    };
    f.with_bodies = [](const void* op, const std::vector<Body>& bodies) {
      Op copy = *static_cast<const Op*>(op);
      auto next = bodies.begin();
      detail::for_each_body(copy, [&](Body& body) { body = *next++; });
      return TypedOp(std::move(copy));
    };
  }
}

template <class Op>
inline constexpr TypedOp::Functions TypedOp::functions_of = TypedOp::list_functions<Op>();

}  // namespace strata
