#include "deferred_tensor.h"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <thread>

#include "strata/core/limits.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/if.h"
#include "strata/core/session.h"

namespace strata {
namespace {

/// Memory of floats 1, 2, 3, … that begins one byte after where a float may lie.
class UnalignedFloats {
 public:
  explicit UnalignedFloats(std::size_t count) : memory_(count * sizeof(float) + 1) {
    for (std::size_t i = 0; i < count; ++i) {
      const float value = static_cast<float>(i + 1);
      std::memcpy(memory_.data() + 1 + i * sizeof(float), &value, sizeof(float));
    }
  }
  const std::byte* data() const { return memory_.data() + 1; }

 private:
  std::vector<std::byte> memory_;
};

/// Rows of three floats: row r holds r, r + 1, r + 2. Counts the rows it makes.
Recipe counted_rows(int& made) {
  return {.key = "rows",
          .fill =
              [&made](const std::vector<Tensor>&, RowRange rows, std::byte* to) {
                auto* floats = reinterpret_cast<float*>(to);
                for (std::int64_t r = rows.begin; r < rows.end; ++r, floats += 3) {
                  std::iota(floats, floats + 3, static_cast<float>(r));
                  ++made;
                }
              },
          .by_rows = true};
}

Recipe sum_with(std::string key, const Tensor& source) {
  return {.key = std::move(key),
          .sources = {source},
          .fill = [](const std::vector<Tensor>& sources, RowRange, std::byte* to) {
            const auto values = sources[0].as<float>();
            const float sum = std::accumulate(values.begin(), values.end(), 0.0F);
            std::memcpy(to, &sum, sizeof sum);
          }};
}

/// y = x + weights + weights
TypedModel sum_model(const std::shared_ptr<SymbolScope>& symbols, const Tensor& weights) {
  TypedModel model(symbols);
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{1, 3})),
                 w = model.constant("w", weights);
  const OutletId once = model.wire_one("once", Binary{BinaryOp::add}, {x, w});
  model.add_output("y", model.wire_one("y", Binary{BinaryOp::add}, {once, w}));
  return model;
}

}  // namespace

TEST_CASE("borrowed memory that is not aligned is copied when it is read") {
  const UnalignedFloats memory(3);
  const auto keeper = std::make_shared<int>(0);
  const Tensor tensor = Tensor::borrowed(DatumType::f32, Shape{3}, memory.data(), keeper);
  CHECK(stored_bytes(tensor).bytes.data() == memory.data());
  CHECK(keeper.use_count() == 2);
  CHECK(reinterpret_cast<std::uintptr_t>(tensor.data()) % alignof(float) == 0);
  CHECK(tensor.as<float>()[2] == 3);
  CHECK(keeper.use_count() == 1);
  CHECK(stored_bytes(tensor).bytes.data() == tensor.data());
}

TEST_CASE("memory that is not aligned is compared, hashed and copied where it lies") {
  const UnalignedFloats memory(2);
  const auto borrowed = [&] {
    return Tensor::borrowed(DatumType::f32, Shape{2}, memory.data(), nullptr);
  };
  const Tensor tensor = borrowed(), aligned = Tensor::of<float>({2}, {1, 2});
  CHECK(tensor == aligned);
  CHECK(tensor == borrowed());
  CHECK(!(tensor == Tensor::of<float>({2}, {1, 3})));
  CHECK(tensor.hash() == aligned.hash());
  CHECK(std::move(MutableTensor::copy_of(tensor)).freeze() == aligned);
  CHECK(stored_bytes(tensor).bytes.data() == memory.data());
}

TEST_CASE("views of memory that is not aligned hold its elements") {
  const UnalignedFloats memory(4);
  const Tensor tensor = Tensor::borrowed(DatumType::f32, Shape{4}, memory.data(), nullptr);
  const Tensor square = tensor.reshaped({2, 2});
  CHECK(stored_bytes(tensor.rows(0, 4)).bytes.data() == memory.data());
  CHECK(tensor.rows(1, 3) == Tensor::of<float>({2}, {2, 3}));
  CHECK(square == Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
  CHECK(square.data() == tensor.data());
  CHECK(tensor.reinterpreted(DatumType::i32).as<std::int32_t>()[0] == 0x3f800000);
}

TEST_CASE("a deferred tensor is computed once, when it is first read") {
  int made = 0;
  const Tensor tensor = deferred(DatumType::f32, {2, 3}, counted_rows(made));
  const Tensor view = tensor.reshaped({6});
  CHECK(tensor.shape() == Shape{2, 3});
  CHECK(tensor.byte_size() == 24);
  CHECK(is_deferred(tensor));
  CHECK(made == 0);
  CHECK(view == Tensor::of<float>({6}, {0, 1, 2, 1, 2, 3}));
  CHECK(!is_deferred(tensor));
  CHECK(tensor.as<float>()[5] == 3);
  CHECK(made == 2);
}

TEST_CASE("threads that read a deferred tensor at once see it computed once") {
  int made = 0;
  const Tensor tensor = deferred(DatumType::f32, {100, 3}, counted_rows(made));
  std::array<float, 4> last{};
  std::vector<std::thread> threads;
  for (float& each : last) threads.emplace_back([&] { each = tensor.as<float>()[299]; });
  for (std::thread& thread : threads) thread.join();
  CHECK(last == std::array<float, 4>{101, 101, 101, 101});
  CHECK(made == 100);
}

TEST_CASE("what a recipe throws reaches the reader, and the next one tries again") {
  bool fails = true;
  Recipe recipe{.key = "fails", .fill = [&](const std::vector<Tensor>&, RowRange, std::byte* to) {
                  if (fails) fail(ErrorKind::run_time, "not now");
                  *to = std::byte{7};
                }};
  const Tensor tensor = deferred(DatumType::u8, {1}, std::move(recipe));
  CHECK_THROWS_WITH_AS((void)tensor.data(), "not now", Error);
  fails = false;
  CHECK(tensor.item<std::uint8_t>() == 7);
}

TEST_CASE("a deferred tensor counts for the scope it was made in, from when it is computed") {
  int made = 0;
  Limits limits;
  limits.total_bytes = 20;
  const MemoryScope scope(limits);
  const Tensor small = deferred(DatumType::f32, {1, 3}, counted_rows(made));
  const Tensor large = deferred(DatumType::f32, {2, 3}, counted_rows(made));
  CHECK_THROWS_WITH_AS((void)large.data(), doctest::Contains("the limit total_bytes of 20"), Error);
  CHECK(small.as<float>()[2] == 2);
  CHECK(made == 1);
}

TEST_CASE("sources are let go of once the elements are there") {
  const auto keeper = std::make_shared<int>(0);
  alignas(4) const std::array<float, 2> memory{3, 4};
  Tensor source = Tensor::borrowed(DatumType::f32, Shape{2},
                                   reinterpret_cast<const std::byte*>(memory.data()), keeper);
  const Tensor sum = deferred(DatumType::f32, {}, sum_with("sum", source));
  source = Tensor();
  CHECK(keeper.use_count() == 2);
  CHECK(sum.item<float>() == 7);
  CHECK(keeper.use_count() == 1);
}

TEST_CASE("recipes are the same when their keys and sources are") {
  const Tensor one = Tensor::of<float>({2}, {1, 2}), equal = Tensor::of<float>({2}, {1, 2}),
               other = Tensor::of<float>({2}, {1, 3});
  const auto sum = [](std::string key, const Tensor& source) {
    return deferred(DatumType::f32, {}, sum_with(std::move(key), source));
  };
  const Tensor first = sum("sum", one), same = sum("sum", equal);
  CHECK(has_same_recipe(first, same));
  CHECK(recipe_hash(first) == recipe_hash(same));
  CHECK(first == same);
  CHECK(is_deferred(first));
  CHECK(!has_same_recipe(first, sum("sum", other)));
  CHECK(!has_same_recipe(first, sum("another", one)));
  CHECK(!has_same_recipe(first, first.reshaped({1})));
  CHECK(has_same_recipe(sum("outer", first.reshaped({1})), sum("outer", same.reshaped({1}))));
}

TEST_CASE("recipes are counted with those of their sources") {
  const Tensor numbers = Tensor::of<float>({2}, {1, 2});
  const Tensor inner = deferred(DatumType::f32, {}, sum_with("sum", numbers));
  Recipe twice = sum_with("twice", inner);
  twice.sources.push_back(inner);
  const Tensor outer = deferred(DatumType::f32, {}, std::move(twice));
  CHECK(recipe_count(numbers) == 0);
  CHECK(recipe_count(inner) == 1);
  CHECK(recipe_count(outer) == 3);
  CHECK(outer.item<float>() == 3);
  CHECK(recipe_count(outer) == 0);
}

TEST_CASE("different recipes for the same elements give equal tensors") {
  const Tensor source = Tensor::of<float>({2}, {1, 2});
  const Tensor a = deferred(DatumType::f32, {}, sum_with("a", source)),
               b = deferred(DatumType::f32, {}, sum_with("b", source));
  CHECK(a == b);
  CHECK(a.hash() == Tensor::scalar(3.0F).hash());
}

TEST_CASE("rows are copied without computing the others") {
  int made = 0;
  std::array<float, 6> rows{};
  auto* const to = reinterpret_cast<std::byte*>(rows.data());
  const Tensor tensor = deferred(DatumType::f32, {9, 3}, counted_rows(made));
  copy_rows(tensor, {4, 6}, to);
  CHECK(rows == std::array<float, 6>{4, 5, 6, 5, 6, 7});
  CHECK(made == 2);
  CHECK(is_deferred(tensor));
  // Other rows than those of the recipe.
  copy_rows(tensor.reshaped({27}), {3, 5}, to);
  CHECK(rows[0] == 1);
  CHECK(rows[1] == 2);
  CHECK(!is_deferred(tensor));
  copy_rows(tensor, {8, 9}, to);
  CHECK(rows[2] == 10);
}

TEST_CASE("weights of a branch that is not taken are not computed") {
  int taken = 0, other = 0;
  TypedModel model;
  const auto body = [&](int& made) {
    return std::make_shared<TypedModel>(
        sum_model(model.symbol_scope(), deferred(DatumType::f32, {1, 3}, counted_rows(made))));
  };
  const OutletId c = model.add_source("c", Fact::tensor(DatumType::boolean, Shape{})),
                 x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{1, 3}));
  model.add_output("y", model.wire_one("y", If{body(taken), body(other)}, {c, x}));
  Session session(Plan::build(std::move(model)));
  const Tensor ones = Tensor::of<float>({1, 3}, {1, 1, 1});
  for (const bool condition : {true, true, false}) {
    const ValueList inputs{Tensor::scalar(condition), ones};
    CHECK(session.run(inputs)[0].tensor() == Tensor::of<float>({1, 3}, {1, 3, 5}));
    CHECK(taken == 1);
    CHECK(other == (condition ? 0 : 1));
  }
}

TEST_CASE("sessions on several threads share the weights of a plan") {
  int made = 0;
  const Tensor weights = deferred(DatumType::f32, {1, 3}, counted_rows(made));
  const auto plan = Plan::build(sum_model(std::make_shared<SymbolScope>(), weights));
  std::array<Tensor, 4> results;
  std::vector<std::thread> threads;
  for (Tensor& result : results)
    threads.emplace_back([&] {
      Session session(plan, SessionOptions{.threads = 2});
      const Value x = Tensor::of<float>({1, 3}, {1, 1, 1});
      result = session.run({&x, 1})[0].tensor();
    });
  for (std::thread& thread : threads) thread.join();
  for (const Tensor& result : results) CHECK(result == Tensor::of<float>({1, 3}, {1, 3, 5}));
  CHECK(made == 1);
}

TEST_CASE("a session whose weights could not be computed computes them in its next run") {
  bool fails = true;
  Recipe recipe{.key = "fails", .fill = [&](const std::vector<Tensor>&, RowRange, std::byte* to) {
                  if (fails) fail(ErrorKind::limit, "not now");
                  std::memset(to, 0, 3 * sizeof(float));
                }};
  const Tensor weights = deferred(DatumType::f32, {1, 3}, std::move(recipe));
  Session session(Plan::build(sum_model(std::make_shared<SymbolScope>(), weights)));
  const Value x = Tensor::of<float>({1, 3}, {1, 2, 3});
  CHECK_THROWS_WITH_AS(session.run({&x, 1}), "not now", Error);
  fails = false;
  CHECK(session.run({&x, 1})[0] == x);
  CHECK(session.arena_bytes() > 0);  // it ran as a frame
}

}  // namespace strata
