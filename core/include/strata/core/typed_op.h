#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/core/attributes.h"
#include "strata/core/fact.h"
#include "strata/core/op_state.h"

namespace strata {

class Patch;
class TypedOp;
struct NodeView;
struct Target;
/// What a rewrite returns: a patch, or `no_change`.
using Rewrite = std::optional<Patch>;

/// The cost of running an op once, where its shapes are known.
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
/// into given memory). TypedOp itself is not one; that is tested first, as whether it can be copied
/// depends on it.
template <class Op>
concept OpDef = !std::same_as<Op, TypedOp> && std::default_initializable<Op> && std::copyable<Op> &&
                requires(const Op& op, Facts in) {
  { Op::name } -> std::convertible_to<std::string_view>;
  Op::attributes();
  { op.output_facts(in) } -> std::same_as<FactList>;
}
&&(HasTensorEval<Op> || HasValueEval<Op> || HasKernel<Op> || HasState<Op>);

/// Any op, as a value: shared, immutable, compared by name and attributes.
///
/// Hooks a struct may add to OpDef, found by name (one with a wrong signature does not compile):
///   declutter(const NodeView&) -> Rewrite            toward a simpler, still portable graph
///   lower(const NodeView&, const Target&) -> Rewrite toward kernels; Rewrite is patch.h's
///   cost(Facts in, Facts out) -> Cost
///   explain(Facts in, Facts out) -> std::string      of a kernel: how it works on these, and why
///   display_name() -> std::string                    a row of a family shows the row's name
///   evaluates_dims = true                            eval accepts i64 inputs as `dim` tensors too,
///                                                    and may leave out results that sizes decide
///   moves_elements = true                            eval is blind to types: no input comes packed
///   scratch_bytes(Facts in) -> std::size_t           of a kernel
///   in_place_input() -> std::optional<std::size_t>   a kernel's, whose memory output 0 may take
class TypedOp {
 public:
  TypedOp() = default;
  template <OpDef Op>
  TypedOp(Op op) : shared_(new Holder<Op>{{&functions_of<Op>}, std::move(op)}) {}
  TypedOp(const TypedOp& other) : shared_(other.shared_) {
    if (shared_) shared_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  TypedOp(TypedOp&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  TypedOp& operator=(TypedOp other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~TypedOp() {
    if (shared_ && shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
      functions().destroy(shared_);
  }

  explicit operator bool() const { return shared_ != nullptr; }
  /// The struct's name, by which OPL and `as` know it.
  std::string_view name() const { return functions().name; }
  /// The name in dumps: a member of a family shows its own (`Tanh`, not `Unary`).
  std::string display_name() const;
  AttrList attributes() const { return functions().attributes(shared_); }
  /// The facts of the outputs; every check of the op is here. Throws: invalid_model, unsupported.
  FactList output_facts(Facts in) const { return functions().output_facts(shared_, in); }
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

  bool is_stateful() const { return functions().values->state != nullptr; }
  bool evaluates_dims() const { return functions().evaluates_dims; }
  bool has_kernel() const { return functions().run != nullptr; }
  bool has_bodies() const { return functions().values->bodies != nullptr; }
  /// For an op that has a kernel. Throws: run_time for what only the data can show (an index out of
  /// range).
  void run(const KernelIo& io) const { functions().run(shared_, io); }
  std::size_t scratch_bytes(Facts in) const;
  bool takes_scratch() const { return functions().kernel->scratch_bytes != nullptr; }
  std::optional<std::size_t> in_place_input() const;

  /// The bodies among the attributes, and the op with others in their place.
  std::vector<Body> bodies() const;
  TypedOp with_bodies(const std::vector<Body>& bodies) const;

  /// The op as the struct it is, or null when it is another.
  template <class Op>
  const Op* as() const {
    return shared_ && shared_->functions == &functions_of<Op> ? &get<Op>(shared_) : nullptr;
  }
  bool operator==(const TypedOp& other) const {
    if (shared_ == other.shared_ || !shared_ || !other.shared_) return shared_ == other.shared_;
    return shared_->functions == other.shared_->functions &&
           functions().are_equal(shared_, other.shared_);
  }
  std::size_t hash() const { return functions().hash(shared_); }

 private:
  struct Functions;
  /// The head of a block that holds a struct and the count of its owners.
  struct Shared {
    const Functions* functions;
    std::atomic<std::uint32_t> owners = 1;
  };
  template <class Op>
  struct Holder : Shared {
    Op op;
  };
  template <class Op>
  static const Op& get(const Shared* op) {
    return static_cast<const Holder<Op>*>(op)->op;
  }

  /// The hooks of a struct; null for those it lacks. Tables, not virtual functions, so that hooks
  /// which most ops lack cost nothing: all ops with no hook in a table share an empty one.
  struct Rules {
    void (*declutter)(const Shared* op, const NodeView& node, Rewrite& out) = nullptr;
    void (*lower)(const Shared* op, const NodeView& node, const Target& target,
                  Rewrite& out) = nullptr;
    Cost (*cost)(const Shared* op, Facts in, Facts out) = nullptr;
    std::string (*display_name)(const Shared* op) = nullptr;
  };
  struct KernelHooks {
    std::string (*explain)(const Shared* op, Facts in, Facts out) = nullptr;
    std::size_t (*scratch_bytes)(const Shared* op, Facts in) = nullptr;
    std::optional<std::size_t> (*in_place_input)(const Shared* op) = nullptr;
  };
  /// Of ops with bodies, with state, or on values other than tensors.
  struct ValueHooks {
    ValueList (*eval)(const Shared* op, Values in) = nullptr;
    std::unique_ptr<OpState> (*state)(const Shared* op, StateContext& context) = nullptr;
    std::vector<Body> (*bodies)(const Shared* op) = nullptr;
    TypedOp (*with_bodies)(const Shared* op, const std::vector<Body>& bodies) = nullptr;
  };
  struct Functions {
    std::string_view name;
    bool evaluates_dims = false;
    bool moves_elements = false;
    void (*destroy)(Shared* op) = nullptr;
    AttrList (*attributes)(const Shared* op) = nullptr;
    bool (*are_equal)(const Shared* a, const Shared* b) = nullptr;
    std::size_t (*hash)(const Shared* op) = nullptr;
    FactList (*output_facts)(const Shared* op, Facts in) = nullptr;
    TensorList (*eval_tensors)(const Shared* op, Tensors in) = nullptr;
    void (*run)(const Shared* op, const KernelIo& io) = nullptr;
    const Rules* rules = nullptr;
    const KernelHooks* kernel = nullptr;
    const ValueHooks* values = nullptr;
  };

  /// Fills a table with the hooks of the struct.
  template <class Op>
  static constexpr void list(Rules& f);
  template <class Op>
  static constexpr void list(KernelHooks& f);
  template <class Op>
  static constexpr void list(ValueHooks& f);
  template <class Op>
  static constexpr Functions list_functions();
  template <class Table, class Op>
  static constexpr Table table_of = [] {
    Table f;
    list<Op>(f);
    return f;
  }();
  template <class Table>
  static constexpr Table nothing{};
  template <class Table, class Op, bool offers>
  static constexpr const Table* shared_table() {
    if constexpr (offers)
      return &table_of<Table, Op>;
    else
      return &nothing<Table>;
  }
  /// Its address identifies the struct.
  template <class Op>
  static const Functions functions_of;

  const Functions& functions() const { return *shared_->functions; }

  Shared* shared_ = nullptr;
};

template <class Op>
constexpr void TypedOp::list([[maybe_unused]] Rules& f) {
  using P = const Shared*;
  if constexpr (requires { &Op::declutter; })
    f.declutter = [](P op, const NodeView& node, Rewrite& out) {
      out = get<Op>(op).declutter(node);
    };
  if constexpr (requires { &Op::lower; })
    f.lower = [](P op, const NodeView& node, const Target& target, Rewrite& out) {
      out = get<Op>(op).lower(node, target);
    };
  if constexpr (requires { &Op::cost; })
    f.cost = [](P op, Facts in, Facts out) { return get<Op>(op).cost(in, out); };
  if constexpr (requires { &Op::display_name; })
    f.display_name = [](P op) { return std::string(get<Op>(op).display_name()); };
}

template <class Op>
constexpr void TypedOp::list([[maybe_unused]] KernelHooks& f) {
  using P = const Shared*;
  if constexpr (requires { &Op::explain; })
    f.explain = [](P op, Facts in, Facts out) { return get<Op>(op).explain(in, out); };
  if constexpr (requires { &Op::scratch_bytes; })
    f.scratch_bytes = [](P op, Facts in) { return get<Op>(op).scratch_bytes(in); };
  if constexpr (requires { &Op::in_place_input; })
    f.in_place_input = [](P op) { return get<Op>(op).in_place_input(); };
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

/// Whether a struct offers anything in one of TypedOp's tables.
template <class Op>
constexpr bool has_rules() {
  return (requires { &Op::declutter; }) || (requires { &Op::lower; }) ||
         (requires { &Op::cost; }) || (requires { &Op::display_name; });
}
template <class Op>
constexpr bool has_kernel_hooks() {
  return (requires { &Op::explain; }) || (requires { &Op::scratch_bytes; }) ||
         (requires { &Op::in_place_input; });
}
template <class Op>
constexpr bool has_value_hooks() {
  return HasValueEval<Op> || HasState<Op> || has_bodies<Op>();
}

}  // namespace detail

template <class Op>
constexpr void TypedOp::list([[maybe_unused]] ValueHooks& f) {
  using P = const Shared*;
  if constexpr (HasValueEval<Op>) f.eval = [](P op, Values in) { return get<Op>(op).eval(in); };
  if constexpr (HasState<Op>)
    f.state = [](P op, StateContext& context) { return get<Op>(op).state(context); };
  if constexpr (detail::has_bodies<Op>()) {
    f.bodies = [](P op) {
      std::vector<Body> out;
      detail::for_each_body(get<Op>(op), [&](const Body& body) { out.push_back(body); });
      return out;
    };
    f.with_bodies = [](P op, const std::vector<Body>& bodies) {
      Op copy = get<Op>(op);
      auto next = bodies.begin();
      detail::for_each_body(copy, [&](Body& body) { body = *next++; });
      return TypedOp(std::move(copy));
    };
  }
}

template <class Op>
constexpr TypedOp::Functions TypedOp::list_functions() {
  using P = const Shared*;
  Functions f{.name = Op::name};
  if constexpr (requires { Op::evaluates_dims; }) f.evaluates_dims = Op::evaluates_dims;
  if constexpr (requires { Op::moves_elements; }) f.moves_elements = Op::moves_elements;
  f.destroy = [](Shared* op) { delete static_cast<Holder<Op>*>(op); };
  f.attributes = [](P op) { return attribute_values(get<Op>(op)); };
  f.are_equal = [](P a, P b) { return attributes_equal(get<Op>(a), get<Op>(b)); };
  f.hash = [](P op) {
    return attributes_hash(get<Op>(op), std::hash<std::string_view>{}(Op::name));
  };
  f.output_facts = [](P op, Facts in) { return get<Op>(op).output_facts(in); };
  if constexpr (HasTensorEval<Op>)
    f.eval_tensors = [](P op, Tensors in) { return get<Op>(op).eval(in); };
  if constexpr (HasKernel<Op>) f.run = [](P op, const KernelIo& io) { get<Op>(op).run(io); };
  f.rules = shared_table<Rules, Op, detail::has_rules<Op>()>();
  f.kernel = shared_table<KernelHooks, Op, detail::has_kernel_hooks<Op>()>();
  f.values = shared_table<ValueHooks, Op, detail::has_value_hooks<Op>()>();
  return f;
}

template <class Op>
inline constexpr TypedOp::Functions TypedOp::functions_of = TypedOp::list_functions<Op>();

}  // namespace strata
