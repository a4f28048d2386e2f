#include "strata/core/error.h"

#include <doctest/doctest.h>

#include <string>

using strata::check;
using strata::check_data;
using strata::Error;
using strata::ErrorKind;

TEST_CASE("an error prints its message, then its places from the inside out") {
  Error error(ErrorKind::invalid_model, "(C4) [3,1] does not join [2,1] on axis 1");
  error.in("Concat \"encoder/concat_3\" (ONNX Concat, opset 13)").in("while loading encoder.onnx");
  CHECK(std::string(error.what()) ==
        "(C4) [3,1] does not join [2,1] on axis 1\n"
        "  in Concat \"encoder/concat_3\" (ONNX Concat, opset 13)\n"
        "  while loading encoder.onnx");
  CHECK(error.frames().size() == 2);
  CHECK(error.message() == "(C4) [3,1] does not join [2,1] on axis 1");
}

TEST_CASE("an error never prints a control byte of a model") {
  Error error(ErrorKind::file, "a\nb\x1b[31m\x7f");
  error.in("node \"\t\"");
  CHECK(std::string(error.what()) == "a\\nb\\x1b[31m\\x7f\n  in node \"\\t\"");
  CHECK(std::string(Error(ErrorKind::file, "caf\xC3\xA9").what()) == "caf\xC3\xA9");
}

TEST_CASE("a check throws its kind and puts its parts together") {
  check(true, "fine");
  check_data(true, "fine");
  try {
    check(false, "(C1) ", 3, " is not ", 4u);
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::invalid_model);
    CHECK(error.message() == "(C1) 3 is not 4");
  }
  try {
    check_data(false, "index ", -1);
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::run_time);
    CHECK(error.message() == "index -1");
  }
}

TEST_CASE("each kind of error has a name") {
  CHECK(to_string(ErrorKind::file) == "file");
  CHECK(to_string(ErrorKind::invalid_model) == "invalid_model");
  CHECK(to_string(ErrorKind::unsupported) == "unsupported");
  CHECK(to_string(ErrorKind::invalid_argument) == "invalid_argument");
  CHECK(to_string(ErrorKind::run_time) == "run_time");
  CHECK(to_string(ErrorKind::limit) == "limit");
  CHECK(to_string(ErrorKind::cancelled) == "cancelled");
  CHECK(to_string(ErrorKind::internal) == "internal");
}
