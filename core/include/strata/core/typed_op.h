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
///   evaluates_dims = true                                 eval also accepts i64 inputs as `dim` tensors
///   moves_elements = true                                 eval is blind to types: packed inputs come unpacked
///   scratch_bytes(Facts in) -> std::size_t                of a kernel; no less for longer axes
///   in_place_input() -> std::optional<std::size_t>        input whose memory a kernel may write output 0 over
class TypedOp {
 public:
  TypedOp() = default;
  template <OpDef Op>
  TypedOp(Op op) : self_(std::make_shared<const Model<Op>>(std::move(op))) {}

  explicit operator bool() const { return self_ != nullptr; }
  /// The struct's name; what OPL and `as` go by.
  std::string_view name() const { return self_->name(); }
  /// The name in dumps: a row of a family shows its own (`Tanh`, not `Unary`).
  std::string display_name() const { return self_->display_name(); }
  AttrList attributes() const { return self_->attributes(); }
  /// The facts of the outputs; every check of the op is here. Throws: invalid_model, unsupported.
  FactList output_facts(Facts in) const { return self_->output_facts(in); }
  /// The reference evaluation; a kernel op runs its kernel on fresh memory. Stateful ops throw
  /// `internal`.
  ValueList eval(Values in) const { return self_->eval(in); }
  /// A fresh state, or null for an op without one.
  std::unique_ptr<OpState> state(StateContext& context) const { return self_->state(context); }
  Rewrite declutter(const NodeView& node) const;
  Rewrite lower(const NodeView& node, const Target& target) const;
  Cost cost(Facts in, Facts out) const { return self_->cost(in, out); }
  /// Empty for an op that has nothing to say.
  std::string explain(Facts in, Facts out) const { return self_->explain(in, out); }

  bool is_stateful() const { return self_->traits.is_stateful; }
  bool evaluates_dims() const { return self_->traits.evaluates_dims; }
  bool has_kernel() const { return self_->traits.has_kernel; }
  bool has_bodies() const { return self_->traits.has_bodies; }
  /// Throws: run_time for what only the data tell (an index out of range).
  void run(const KernelIo& io) const { self_->run(io); }
  std::size_t scratch_bytes(Facts in) const { return self_->scratch_bytes(in); }
  std::optional<std::size_t> in_place_input() const { return self_->in_place_input(); }

  /// The bodies among the attributes, and the op with others in their place.
  std::vector<Body> bodies() const { return has_bodies() ? self_->bodies() : std::vector<Body>{}; }
  TypedOp with_bodies(const std::vector<Body>& bodies) const { return self_->with_bodies(bodies); }

  /// The op as the struct it is, or null when it is another.
  template <class Op>
  const Op* as() const {
    if (!self_ || self_->traits.type != type_id<Op>()) return nullptr;
    return static_cast<const Op*>(self_->traits.address);
  }
  bool operator==(const TypedOp& other) const {
    if (self_ == other.self_) return true;
    return self_ && other.self_ && self_->traits.type == other.self_->traits.type &&
           self_->has_fields_of(other.self_->traits.address);
  }
  std::size_t hash() const { return self_->hash(); }

 private:
  /// What identifies a struct: the address of something of its own.
  template <class Op>
  static const void* type_id() {
    static constexpr char id = 0;
    return &id;
  }
  /// What is asked so often that no call shall be needed.
  struct Traits {
    const void* type;
    const void* address;  ///< of the struct
    bool is_stateful;
    bool evaluates_dims;
    bool has_kernel;
    bool has_bodies;
  };
  struct Interface {
    explicit Interface(const Traits& t) : traits(t) {}
    virtual ~Interface() = default;
    const Traits traits;
    virtual std::string_view name() const = 0;
    virtual std::string display_name() const = 0;
    virtual AttrList attributes() const = 0;
    virtual FactList output_facts(Facts in) const = 0;
    virtual ValueList eval(Values in) const = 0;
    virtual std::unique_ptr<OpState> state(StateContext& context) const = 0;
    virtual void declutter(const NodeView& node, Rewrite& out) const = 0;
    virtual void lower(const NodeView& node, const Target& target, Rewrite& out) const = 0;
    virtual Cost cost(Facts in, Facts out) const = 0;
    virtual std::string explain(Facts in, Facts out) const = 0;
    virtual void run(const KernelIo& io) const = 0;
    virtual std::size_t scratch_bytes(Facts in) const = 0;
    virtual std::optional<std::size_t> in_place_input() const = 0;
    virtual std::vector<Body> bodies() const = 0;
    virtual TypedOp with_bodies(const std::vector<Body>& bodies) const = 0;
    /// Whether the struct at `other`, of this op's type, has the same attributes.
    virtual bool has_fields_of(const void* other) const = 0;
    virtual std::size_t hash() const = 0;
  };
  template <class Op>
  struct Model;

  std::shared_ptr<const Interface> self_;
};

namespace detail {
/// Bytes read and written, and parameters, from the facts.
Cost memory_cost(Facts in, Facts out);
TensorList tensors_of(Values in);
ValueList values_of(TensorList tensors);
/// Packed inputs unpacked, `eval` applied, outputs packed again to the type the first packed input
/// had.
TensorList eval_unpacked(Tensors in, const std::function<TensorList(Tensors)>& eval);
/// Runs a kernel op on memory made for it.
ValueList eval_kernel(const TypedOp& op, Values in);
[[noreturn]] void no_stateless_eval(std::string_view name);

template <class Field>
concept IsBody = std::same_as<std::remove_cvref_t<Field>, Body>;
template <class Op, class Visit>
void for_each_field(Op& op, const Visit& visit) {
  std::apply([&](const auto&... a) { (visit(op.*(a.field)), ...); },
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
struct TypedOp::Model final : TypedOp::Interface {
  explicit Model(Op o)
      : Interface({.type = type_id<Op>(),
                   .address = &op,
                   .is_stateful = HasState<Op>,
                   .evaluates_dims = requires { Op::evaluates_dims;
}, .has_kernel = HasKernel<Op>, .has_bodies = detail::has_bodies<Op>()
}  // namespace strata
),
        op(std::move(o)) {}
Op op;

std::string_view name() const override { return Op::name; }
std::string display_name() const override {
  if constexpr (requires { &Op::display_name; })
    return std::string(op.display_name());
  else
    return std::string(Op::name);
}
AttrList attributes() const override { return attribute_values(op); }
FactList output_facts(Facts in) const override { return op.output_facts(in); }
ValueList eval(Values in) const override {
  if constexpr (HasTensorEval<Op>) {
    if constexpr (requires { Op::moves_elements; })
      return detail::values_of(detail::eval_unpacked(
          detail::tensors_of(in), [this](Tensors plain) { return op.eval(plain); }));
    else
      return detail::values_of(op.eval(Tensors(detail::tensors_of(in))));
  } else if constexpr (HasValueEval<Op>) {
    return op.eval(in);
  } else if constexpr (HasKernel<Op>) {
    return detail::eval_kernel(TypedOp(op), in);
  } else {
    detail::no_stateless_eval(Op::name);
  }
}
std::unique_ptr<OpState> state([[maybe_unused]] StateContext& context) const override {
  if constexpr (HasState<Op>)
    return op.state(context);
  else
    return nullptr;
}
void declutter([[maybe_unused]] const NodeView& node,
               [[maybe_unused]] Rewrite& out) const override {
  if constexpr (requires { &Op::declutter; }) out = op.declutter(node);
}
void lower([[maybe_unused]] const NodeView& node, [[maybe_unused]] const Target& target,
           [[maybe_unused]] Rewrite& out) const override {
  if constexpr (requires { &Op::lower; }) out = op.lower(node, target);
}
Cost cost(Facts in, Facts out) const override {
  if constexpr (requires { &Op::cost; })
    return op.cost(in, out);
  else
    return detail::memory_cost(in, out);
}
std::string explain([[maybe_unused]] Facts in, [[maybe_unused]] Facts out) const override {
  if constexpr (requires { &Op::explain; })
    return op.explain(in, out);
  else
    return {};
}
void run([[maybe_unused]] const KernelIo& io) const override {
  if constexpr (HasKernel<Op>) op.run(io);
}
std::size_t scratch_bytes([[maybe_unused]] Facts in) const override {
  if constexpr (requires { &Op::scratch_bytes; })
    return op.scratch_bytes(in);
  else
    return 0;
}
std::optional<std::size_t> in_place_input() const override {
  if constexpr (requires { &Op::in_place_input; })
    return op.in_place_input();
  else
    return std::nullopt;
}
TypedOp with_bodies([[maybe_unused]] const std::vector<Body>& bodies) const override {
  Op copy = op;
  [[maybe_unused]] std::size_t next = 0;
  detail::for_each_field(copy, [&](auto& field) {
    if constexpr (detail::IsBody<decltype(field)>) field = bodies[next++];
  });
  return TypedOp(std::move(copy));
}
std::vector<Body> bodies() const override {
  std::vector<Body> out;
  detail::for_each_field(op, [&](const auto& field) {
    if constexpr (detail::IsBody<decltype(field)>) out.push_back(field);
  });
  return out;
}
bool has_fields_of(const void* other) const override {
  return attributes_equal(op, *static_cast<const Op*>(other));
}
std::size_t hash() const override {
  return attributes_hash(op, std::hash<std::string_view>{}(Op::name));
}
}
;

}  // namespace strata
