#include "kernel_ops/number_rows.h"

#include <type_traits>

#include "kernels/table.h"

namespace strata {
namespace {

template <class T, class Out, class Function>
void map(const std::byte* a, const std::byte* b, std::byte* y, std::int64_t n, Function function) {
  const T* x = reinterpret_cast<const T*>(a);
  const T* z = reinterpret_cast<const T*>(b);
  Out* out = reinterpret_cast<Out*>(y);
  for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<Out>(function(x[i], z[i]));
}

/// Each struct is one function: `of` of two numbers, and whether its result is a bool.
struct Add {
  static constexpr bool tests = false;
  static auto of(auto a, auto b) { return a + b; }
};
struct Sub {
  static constexpr bool tests = false;
  static auto of(auto a, auto b) { return a - b; }
};
struct Mul {
  static constexpr bool tests = false;
  static auto of(auto a, auto b) {
    if constexpr (sizeof a < sizeof 1U)
      return 1U * a * b;  // would overflow an int
    else
      return a * b;
  }
};
struct Div {
  static constexpr bool tests = false;
  static auto of(auto a, auto b) { return a / b; }
};
/// Toward 0. A double holds integers of 32 bits, and their quotient closely enough.
struct Quotient {
  static constexpr bool tests = false;
  static std::int64_t of(std::int32_t a, std::int32_t b) {
    return static_cast<std::int64_t>(static_cast<double>(a) / static_cast<double>(b));
  }
  static std::int64_t of(std::int64_t a, std::int64_t b) {
    return b == -1 ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a)) : a / b;
  }
};
/// The remainder with the sign of the divisor.
struct Modulus {
  static constexpr bool tests = false;
  static std::int64_t with_sign_of(std::int64_t divisor, std::int64_t rest) {
    return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
  }
  static std::int64_t of(std::int32_t a, std::int32_t b) {
    return with_sign_of(b, a - Quotient::of(a, b) * b);
  }
  static std::int64_t of(std::int64_t a, std::int64_t b) {
    return b == -1 ? 0 : with_sign_of(b, a % b);
  }
};
/// Of unsigned numbers; 0 where all bits go.
struct ShiftLeft {
  static constexpr bool tests = false;
  static auto of(auto a, auto b) { return b < 8 * sizeof a ? a << b : 0; }
};
struct ShiftRight {
  static constexpr bool tests = false;
  static auto of(auto a, auto b) { return b < 8 * sizeof a ? a >> b : 0; }
};
/// NaN when either is.
struct Min {
  static constexpr bool tests = false;
  static auto of(auto a, auto b) {
    const auto less = a < b ? a : b;
    return a != a ? a : less;
  }
};
struct Max {
  static constexpr bool tests = false;
  static auto of(auto a, auto b) {
    const auto greater = a > b ? a : b;
    return a != a ? a : greater;
  }
};
struct And {
  static constexpr bool tests = false;
  static auto of(auto a, auto b) { return a & b; }
};
struct Or {
  static constexpr bool tests = false;
  static auto of(auto a, auto b) { return a | b; }
};
struct Xor {
  static constexpr bool tests = false;
  static auto of(auto a, auto b) { return a ^ b; }
};
struct Equal {
  static constexpr bool tests = true;
  static auto of(auto a, auto b) { return a == b; }
};
struct Less {
  static constexpr bool tests = true;
  static auto of(auto a, auto b) { return a < b; }
};
struct LessOrEqual {
  static constexpr bool tests = true;
  static auto of(auto a, auto b) { return a <= b; }
};

template <class Function, class T>
void row(const std::byte* a, const std::byte* b, std::byte* y, std::int64_t n) {
  const auto function = [](T x, T z) { return Function::of(x, z); };
  map<T, std::conditional_t<Function::tests, bool, T>>(a, b, y, n, function);
}

/// None of a comparison, which has a kernel there.
template <class Function, class T>
NumberRow wide_row() {
  if constexpr (Function::tests)
    return nullptr;
  else
    return row<Function, T>;
}

/// By width alone, for functions that are the same for signed and unsigned numbers.
template <class Function>
NumberRow of_width(DatumType type) {
  switch (bit_width(type)) {
    case 8:
      return row<Function, std::uint8_t>;
    case 16:
      return row<Function, std::uint16_t>;
    case 32:
      return row<Function, std::uint32_t>;
    default:
      return wide_row<Function, std::uint64_t>();
  }
}

template <class Function>
NumberRow of_float(DatumType type) {
  if (type == DatumType::f32) return row<Function, float>;
  return type == DatumType::f64 ? wide_row<Function, double>() : nullptr;
}

template <class Function>
NumberRow of_integer(DatumType type) {
  switch (type) {
    case DatumType::u8:
      return row<Function, std::uint8_t>;
    case DatumType::u16:
      return row<Function, std::uint16_t>;
    case DatumType::u32:
      return row<Function, std::uint32_t>;
    case DatumType::u64:
      return row<Function, std::uint64_t>;
    case DatumType::i8:
      return row<Function, std::int8_t>;
    case DatumType::i16:
      return row<Function, std::int16_t>;
    case DatumType::i32:
      return row<Function, std::int32_t>;
    case DatumType::i64:
      return wide_row<Function, std::int64_t>();
    default:
      return nullptr;
  }
}

template <class Function>
NumberRow ordered(DatumType type) {
  return is_float(type) ? of_float<Function>(type) : of_integer<Function>(type);
}

template <class Function>
NumberRow wrapping(DatumType type) {
  if (is_float(type)) return of_float<Function>(type);
  return is_integer(type) ? of_width<Function>(type) : nullptr;
}

template <class Function>
NumberRow bitwise(DatumType type) {
  return is_integer(type) || type == DatumType::boolean ? of_width<Function>(type) : nullptr;
}

template <class Function>
NumberRow of_divisor(DatumType type) {
  if (type == DatumType::i32) return row<Function, std::int32_t>;
  return type == DatumType::i64 ? row<Function, std::int64_t> : nullptr;
}

template <class Function>
NumberRow shifting(DatumType type) {
  return is_unsigned_integer(type) ? of_width<Function>(type) : nullptr;
}

}  // namespace

FastRow fast_row(BinaryOp op, DatumType type) {
  switch (op) {
    case BinaryOp::add:
      return {wrapping<Add>(type)};
    case BinaryOp::sub:
      return {wrapping<Sub>(type)};
    case BinaryOp::mul:
      return {wrapping<Mul>(type)};
    case BinaryOp::div:
      return {is_float(type) ? of_float<Div>(type) : of_divisor<Quotient>(type)};
    case BinaryOp::mod:
      return {of_divisor<Modulus>(type)};
    case BinaryOp::shift_left:
      return {shifting<ShiftLeft>(type)};
    case BinaryOp::shift_right:
      return {shifting<ShiftRight>(type)};
    case BinaryOp::min:
      return {ordered<Min>(type)};
    case BinaryOp::max:
      return {ordered<Max>(type)};
    case BinaryOp::bit_and:
    case BinaryOp::truth_and:
      return {bitwise<And>(type)};
    case BinaryOp::bit_or:
    case BinaryOp::truth_or:
      return {bitwise<Or>(type)};
    case BinaryOp::bit_xor:
    case BinaryOp::truth_xor:
      return {bitwise<Xor>(type)};
    default:
      return {};
  }
}

FastRow comparison_row(BinaryOp op, DatumType type, Isa isa) {
  const kernels::KernelTable& table = kernels::kernels(isa);
  const kernels::WideComparisons& wide =
      type == DatumType::f64 ? table.compare_f64 : table.compare_i64;
  const bool is_wide = type == DatumType::f64 || type == DatumType::i64;
  switch (op) {
    case BinaryOp::equal:
      if (is_wide || type == DatumType::u64) return {wide.equal};
      return {is_float(type) ? of_float<Equal>(type) : bitwise<Equal>(type)};
    case BinaryOp::less:
    case BinaryOp::greater:
      return {is_wide ? wide.less : ordered<Less>(type), op == BinaryOp::greater};
    case BinaryOp::less_or_equal:
    case BinaryOp::greater_or_equal:
      return {is_wide ? wide.less_or_equal : ordered<LessOrEqual>(type),
              op == BinaryOp::greater_or_equal};
    default:
      return {};
  }
}

}  // namespace strata
