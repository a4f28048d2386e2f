#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/attributes.h"
#include "strata/hir/builder.h"
#include "strata/hir/rules.h"

namespace strata::hir {

class InferenceModel;
class InferenceOp;
using InferenceBody = std::shared_ptr<InferenceModel>;

/// What a struct must offer to be an op of an InferenceModel: a name, and its expansion into core
/// ops.
///
/// `wire` gets one wire per input, `kAbsent` for optional inputs that are left out, and returns at
/// least as many wires as the node has outputs. It must work for every rank and for operands that
/// are not constant; where it needs to know something (a rank) that is unknown, it throws
/// `unsupported`. InferenceOp itself is not one; that is tested first, as whether it can be copied
/// depends on it.
template <class Op>
concept InferenceOpDef = !std::same_as<Op, InferenceOp> && std::copyable<Op> &&
                         requires(const Op& op, Builder& b, const OutletIds& in) {
  { Op::name } -> std::convertible_to<std::string_view>;
  { op.wire(b, in) } -> std::same_as<OutletIds>;
};

/// Any inference op, as a value.
///
/// A struct may add `rules(Rules&) const`, for facts inferred backward or sideways; forward, the
/// solver infers by trying `wire` on a scratch model. It may add `attributes()` for dumps, and
/// `static each_body(op, visit)`, which calls `visit` with each body inside `op` by reference, so
/// that it can be replaced; the outputs of bodies are inferred by expanding them.
class InferenceOp {
 public:
  InferenceOp() = default;
  template <InferenceOpDef Op>
  InferenceOp(Op op) : self_(std::make_shared<const Model<Op>>(std::move(op))) {}

  std::string_view name() const { return self_->name(); }
  AttrList attributes() const { return self_->attributes(); }
  OutletIds wire(Builder& builder, const OutletIds& inputs) const {
    return self_->wire(builder, inputs);
  }
  void rules(Rules& rules) const { self_->rules(rules); }
  std::vector<InferenceBody> bodies() const { return self_->bodies(); }
  /// The op with other bodies, as many as it has.
  InferenceOp with_bodies(const std::vector<InferenceBody>& bodies) const {
    return self_->with_bodies(bodies);
  }
  template <class Op>
  const Op* as() const {
    if (!self_ || self_->type != type_id<Op>()) return nullptr;
    return static_cast<const Op*>(self_->address);
  }

 private:
  /// What identifies a struct: the address of something of its own.
  template <class Op>
  static const void* type_id() {
    static constexpr char id = 0;
    return &id;
  }
  struct Interface {
    Interface(const void* t, const void* a) : type(t), address(a) {}
    virtual ~Interface() = default;
    const void* const type;
    const void* const address;  ///< of the struct
    virtual std::string_view name() const = 0;
    virtual AttrList attributes() const = 0;
    virtual OutletIds wire(Builder& builder, const OutletIds& inputs) const = 0;
    virtual void rules(Rules& rules) const = 0;
    virtual std::vector<InferenceBody> bodies() const = 0;
    virtual InferenceOp with_bodies(const std::vector<InferenceBody>& bodies) const = 0;
  };
  template <class Op>
  struct Model final : Interface {
    explicit Model(Op o) : Interface(type_id<Op>(), &op), op(std::move(o)) {}
    Op op;
    std::string_view name() const override { return Op::name; }
    AttrList attributes() const override {
      if constexpr (requires { Op::attributes(); })
        return attribute_values(op);
      else
        return {};
    }
    OutletIds wire(Builder& builder, const OutletIds& inputs) const override {
      return op.wire(builder, inputs);
    }
    void rules([[maybe_unused]] Rules& rules) const override {
      if constexpr (requires { op.rules(rules); }) op.rules(rules);
    }
    std::vector<InferenceBody> bodies() const override {
      std::vector<InferenceBody> out;
      const auto add = [&](const InferenceBody& body) { out.push_back(body); };
      if constexpr (requires { Op::each_body(op, add); }) Op::each_body(op, add);
      return out;
    }
    InferenceOp with_bodies(
        [[maybe_unused]] const std::vector<InferenceBody>& bodies) const override {
      Op copy = op;
      auto next = bodies.begin();
      const auto exchange = [&](InferenceBody& body) { body = *next++; };
      if constexpr (requires { Op::each_body(copy, exchange); }) Op::each_body(copy, exchange);
      return copy;
    }
  };
  std::shared_ptr<const Interface> self_;
};

/// The rules of a core op that stands for itself; `operands` are the last inputs of the op, if the
/// node has them as attributes.
void core_rules(const TypedOp& op, std::span<const Tensor> operands, Rules& r);

/// A core op that ONNX has in the same form: expands into itself.
struct Direct {
  static constexpr std::string_view name = "Direct";
  TypedOp op;
  void rules(Rules& r) const { core_rules(op, {}, r); }
  OutletIds wire(Builder& builder, const OutletIds& inputs) const {
    return builder.wire(op, without_trailing_absent(inputs));
  }
};
static_assert(InferenceOpDef<Direct>);

}  // namespace strata::hir
