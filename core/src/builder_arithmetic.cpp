#include "strata/core/builder_arithmetic.h"

namespace strata {

OutletId unary(Builder& b, UnaryOp op, OutletId x) { return b.one(Unary{op}, {x}); }

OutletId binary(Builder& b, BinaryOp op, OutletId x, OutletId y) {
  return b.one(Binary{op}, {x, y});
}

OutletId binary(Builder& b, BinaryOp op, OutletId x, double y) {
  return binary(b, op, x, b.scalar(y, b.fact(x).dtype));
}

OutletId add(Builder& b, OutletId x, OutletId y) { return binary(b, BinaryOp::add, x, y); }
OutletId add(Builder& b, OutletId x, double y) { return binary(b, BinaryOp::add, x, y); }
OutletId sub(Builder& b, OutletId x, OutletId y) { return binary(b, BinaryOp::sub, x, y); }
OutletId sub(Builder& b, OutletId x, double y) { return binary(b, BinaryOp::sub, x, y); }
OutletId mul(Builder& b, OutletId x, OutletId y) { return binary(b, BinaryOp::mul, x, y); }
OutletId mul(Builder& b, OutletId x, double y) { return binary(b, BinaryOp::mul, x, y); }
OutletId div(Builder& b, OutletId x, OutletId y) { return binary(b, BinaryOp::div, x, y); }
OutletId div(Builder& b, OutletId x, double y) { return binary(b, BinaryOp::div, x, y); }

OutletId one_minus(Builder& b, OutletId x) { return sub(b, b.scalar(1, b.fact(x).dtype), x); }

}  // namespace strata
