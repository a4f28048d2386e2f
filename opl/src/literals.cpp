#include "literals.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "dims.h"
#include "invocation.h"

namespace strata::opl {
namespace {

/// Integer vectors of up to this many elements are written where they are used.
constexpr std::int64_t kLiteralElements = 16;

template <class T>
void append_number(std::vector<Expression>& out, const T& value) {
  if constexpr (std::same_as<T, bool>) {
    out.push_back(logical(value));
  } else if constexpr (std::same_as<T, std::string>) {
    out.push_back(string(value));
  } else if constexpr (std::same_as<T, Dim>) {
    out.push_back(dim_expression(value));
  } else if constexpr (std::same_as<T, std::complex<float>> ||
                       std::same_as<T, std::complex<double>>) {
    out.push_back(number(value.real()));
    out.push_back(number(value.imag()));
  } else if constexpr (std::integral<T> || std::floating_point<T>) {
    out.push_back(number(value));
  } else {
    out.push_back(number(static_cast<float>(value)));  // a narrow float
  }
}

template <class T>
std::vector<Expression> elements(const Tensor& tensor) {
  std::vector<Expression> out;
  for (const T& value : tensor.as<T>()) append_number<T>(out, value);
  return out;
}

const Item::List& list_of(Invocation& call, std::string_view parameter) {
  const auto* list = call.item(parameter).get_if<Item::List>();
  if (list == nullptr) call.fail(cat(in_quotes(parameter), " is no list"));
  return *list;
}

template <class T>
T element(Invocation& call, const Item& item) {
  if constexpr (std::same_as<T, bool> || std::same_as<T, std::string>) {
    if (const auto* value = item.get_if<T>()) return *value;
  } else if constexpr (std::same_as<T, Dim>) {
    if (const auto value = item.as_dim()) return *value;
  } else if (const auto* value = item.get_if<Number>()) {
    if constexpr (std::same_as<T, std::uint64_t>) {
      if (const auto integer = value->as_uint64()) return *integer;
    } else if constexpr (std::integral<T>) {
      const auto integer = value->as_int64();
      if (integer && std::in_range<T>(*integer)) return static_cast<T>(*integer);
    } else if constexpr (std::same_as<T, double>) {
      return value->as_double();
    } else {
      return static_cast<T>(value->as_float());
    }
  }
  call.fail(cat(describe(item), " is no element of this type"));
}

template <class T>
Tensor filled(Invocation& call, const Item::List& items, const Shape& shape) {
  constexpr bool is_pair =
      std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
  const auto count = static_cast<std::size_t>(element_count(shape));
  if (items.size() != count * (is_pair ? 2 : 1))
    call.fail(cat(items.size(), " values for shape ", std::span<const std::int64_t>(shape)));
  MutableTensor out(datum_type_of<T>, shape);
  const auto to = out.as<T>();
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (is_pair) {
      using F = typename T::value_type;
      to[i] = T(element<F>(call, items[2 * i]), element<F>(call, items[2 * i + 1]));
    } else {
      to[i] = element<T>(call, items[i]);
    }
  }
  return std::move(out).freeze();
}

}  // namespace

Expression constant_text(const Tensor& tensor) {
  const Tensor plain = is_packed(tensor.dtype()) ? unpacked(tensor) : tensor;
  std::vector<Expression> values =
      visit_type(plain.dtype(), [&]<class T>(TypeTag<T>) { return elements<T>(plain); });
  std::vector<Expression> shape;
  for (const std::int64_t size : tensor.shape()) shape.push_back(number(size));
  return call("strata_constant",
              {named("values", array(std::move(values))), named("shape", array(std::move(shape))),
               named("type", string(std::string(to_string(tensor.dtype()))))});
}

Tensor read_constant_text(Invocation& call) {
  const DatumType type = call.datum_type("type");
  const Shape shape = call.integers("shape");
  const Item::List& values = list_of(call, "values");
  if (is_packed(type)) {
    const DatumType wide = is_signed_integer(type) ? DatumType::i8 : DatumType::u8;
    const Tensor bytes = wide == DatumType::i8 ? filled<std::int8_t>(call, values, shape)
                                               : filled<std::uint8_t>(call, values, shape);
    return packed(bytes, type);
  }
  return visit_type(type, [&]<class T>(TypeTag<T>) { return filled<T>(call, values, shape); });
}

std::optional<Expression> short_literal(const Tensor& tensor) {
  const bool is_integers = tensor.dtype() == DatumType::i64 || tensor.dtype() == DatumType::dim;
  if (is_integers && tensor.rank() <= 1 && tensor.size() <= kLiteralElements) {
    std::vector<Expression> items =
        tensor.dtype() == DatumType::i64 ? elements<std::int64_t>(tensor) : elements<Dim>(tensor);
    return tensor.rank() == 0 ? std::move(items.front()) : array(std::move(items));
  }
  if (tensor.rank() != 0) return std::nullopt;
  if (tensor.dtype() == DatumType::f32 && std::isfinite(tensor.item<float>()))
    return number(tensor.item<float>());
  if (tensor.dtype() == DatumType::boolean) return logical(tensor.item<bool>());
  if (tensor.dtype() == DatumType::string) return string(tensor.item<std::string>());
  return std::nullopt;
}

}  // namespace strata::opl
