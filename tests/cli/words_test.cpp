#include "words.h"

#include <doctest/doctest.h>

#include "strata/core/error.h"
#include "strata/core/text.h"

using namespace strata;
using namespace strata::cli;

TEST_SUITE("words") {
  TEST_CASE("a name ends at the last equals sign") {
    CHECK(name_and_value("x=y.npy", "--input") ==
          std::pair<std::string, std::string>("x", "y.npy"));
    CHECK(name_and_value("a=b=c", "--input") == std::pair<std::string, std::string>("a=b", "c"));
    for (const char* word : {"", "x", "x=", "=y"})
      CHECK_THROWS_WITH_AS(name_and_value(word, "--input"),
                           doctest::Contains("--input: NAME=VALUE wanted"), Error);
  }

  TEST_CASE("the longest input that a word begins with is named") {
    using Values = std::vector<std::optional<std::string>>;
    const std::vector<std::string> inputs = {"a", "a=b", "c"};
    CHECK(values_of_inputs({"a=b=x=1.npy", "a=y=2.npy"}, inputs, "--input") ==
          Values{"y=2.npy", "x=1.npy", std::nullopt});
    for (const char* word : {"", "a", "a=", "=x"})
      CHECK_THROWS_WITH_AS(values_of_inputs({word}, inputs, "--input"),
                           doctest::Contains("NAME=VALUE wanted"), Error);
    CHECK_THROWS_WITH_AS(values_of_inputs({"d=x"}, inputs, "--input"),
                         doctest::Contains("the model has no input \"d\""), Error);
    CHECK_THROWS_WITH(values_of_inputs({"c=x", "c=x"}, inputs, "--input"),
                      "--input: \"c\" is given twice");
  }

  TEST_CASE("a byte count takes a unit") {
    CHECK(byte_count("7", "--max-memory") == 7);
    CHECK(byte_count("3k", "--max-memory") == 3072);
    CHECK(byte_count("3K", "--max-memory") == 3072);
    CHECK(byte_count("2G", "--max-memory") == 2147483648);
    for (const char* word : {"", "M", "9Q", "-1", "1.5M", "99999999T"})
      CHECK_THROWS_WITH_AS(byte_count(word, "--max-memory"), doctest::Contains("bytes"), Error);
  }

  TEST_CASE("sizes are whole numbers between commas") {
    CHECK(size_list("1,576", "--shape") == std::vector<std::int64_t>{1, 576});
    CHECK(size_list("0", "--shape") == std::vector<std::int64_t>{0});
    for (const char* word : {"", ",", "1,", "1,,2", "a", "1 2", "9223372036854775808"})
      CHECK_THROWS_WITH_AS(size_list(word, "--shape"), doctest::Contains("--shape: a whole number"),
                           Error);
  }

  TEST_CASE("numbers are finite") {
    CHECK(positive_number("1e-3", "--timeout") == 0.001);
    CHECK(number_from_0("0", "--rtol") == 0);
    for (const char* word : {"", "0", "-1", "nan", "inf", "1e999", "1s"})
      CHECK_THROWS_WITH_AS(positive_number(word, "--timeout"),
                           doctest::Contains("--timeout: a number above 0 wanted"), Error);
    for (const char* word : {"", "-1", "nan", "inf"})
      CHECK_THROWS_WITH_AS(number_from_0(word, "--rtol"),
                           doctest::Contains("--rtol: a number of at least 0 wanted"), Error);
  }

  TEST_CASE("a wrong word is named with its option") {
    CHECK_THROWS_WITH(whole_number("four", "--set"),
                      "--set: a whole number wanted, \"four\" given");
    CHECK_THROWS_WITH(whole_number("x", "--unroll", "auto|never|N"),
                      "--unroll: auto|never|N wanted, \"x\" given");
    CHECK_THROWS_WITH(byte_count("1Q", "--max-memory"),
                      "--max-memory: a number of bytes, such as 512M, wanted, \"1Q\" given");
    CHECK_THROWS_WITH(byte_count("1.5k", "--max-memory"),
                      "--max-memory: a number of bytes, such as 512M, wanted, \"1.5k\" given");
    for (const char* word : {"0", "1025", "-1", "two", ""})
      CHECK_THROWS_WITH(
          count_up_to(1024, word, "--threads"),
          cat("--threads: a number from 1 to 1024 wanted, \"", word, "\" given").c_str());
    CHECK(count_up_to(1024, "1024", "--threads") == 1024);
  }
}
