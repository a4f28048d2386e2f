"""Makes cases of the ops that draw random numbers, and runs them.

usage: random_cases.py STRATA_CONFORMANCE FOLDER

Draws of a seed have to be those of numpy's RandomState, with which the reference evaluator of ONNX draws. Of those
without a seed the model itself checks the range, the mean, the variance, the share of the middle half and the relation
of neighbours, each within CERTAIN standard errors, which fair draws leave with a probability below 1e-9.
"""

import pathlib
import sys

from case_files import TensorProto, emptied, np, numpy_helper, run, write, write_case
from onnx import parser

COUNT = 1 << 16
CERTAIN = 6.5
TRUE = np.array(True)
TYPES = {"FLOAT": np.float32, "DOUBLE": np.float64, "FLOAT16": np.float16}


def seeded(folder):
    """The draws that a seed names, by their values."""
    shape = (4, 3, 5)
    like = np.zeros(shape, np.float64)
    for version in (1, 22):
        for seed in (0.0, 7.0, 4294967040.0):
            draws = np.random.RandomState(int(seed))
            for name, dtype in TYPES.items():
                to = {"dtype": TensorProto.DataType.Value(name), "seed": seed}
                draws.seed(int(seed))
                uniform = (draws.random_sample(shape) * 5 - 2).astype(dtype)
                draws.seed(int(seed))
                normal = (draws.standard_normal(shape) * 3 + 0.5).astype(dtype)
                ends, moments = {"low": -2.0, "high": 3.0}, {"mean": 0.5, "scale": 3.0}
                for op, parameters, expected in (("RandomUniform", ends, uniform), ("RandomNormal", moments, normal)):
                    place = folder / f"{op}_{version}_{name}_{seed:.0f}"
                    write(place, op, version, {**to, **parameters, "shape": shape}, [], [expected])
                    write(f"{place}_like", f"{op}Like", version, {**to, **parameters}, [like], [expected])
        # Without a type RandomNormalLike and RandomUniformLike take that of their input.
        draws = np.random.RandomState(3)
        write(folder / f"uniform_as_input_{version}", "RandomUniformLike", version, {"seed": 3.0}, [like],
              [draws.random_sample(shape)])
        draws.seed(3)
        write(folder / f"normal_as_input_{version}", "RandomNormalLike", version, {"seed": 3.0}, [like],
              [draws.standard_normal(shape)])


# Of x with the mean m, the deviation d and the kurtosis k: whether it is spread so, and its middle half is.
SPREAD = """
  wide = Cast <to = 11> (x)  z = Sub(wide, m)  u = Div(z, d)
  mean = ReduceMean <keepdims = 0> (u)  mean_off = Abs(mean)  mean_ok = LessOrEqual(mean_off, error)
  square = Mul(u, u)  variance = ReduceMean <keepdims = 0> (square)  variance_less = Sub(variance, one)
  variance_off = Abs(variance_less)  variance_ok = LessOrEqual(variance_off, variance_error)
  size = Abs(u)  in_middle = Less(size, middle)  counted = Cast <to = 11> (in_middle)
  share = ReduceMean <keepdims = 0> (counted)  share_less = Sub(share, half)  share_off = Abs(share_less)
  share_ok = LessOrEqual(share_off, error)
  before = Slice(u, zero_1, last_1)  after = Slice(u, one_1, end_1)  both = Mul(before, after)
  relation = ReduceMean <keepdims = 0> (both)  relation_off = Abs(relation)
  relation_ok = LessOrEqual(relation_off, error)
  least = ReduceMin <keepdims = 0> (wide)  most = ReduceMax <keepdims = 0> (wide)
  above = GreaterOrEqual(least, low)  below = LessOrEqual(most, high)
  other_wide = Cast <to = 11> (other)  same = Equal(wide, other_wide)  same_count = Cast <to = 11> (same)
  same_share = ReduceMean <keepdims = 0> (same_count)  differs = Less(same_share, half)
"""
OUTPUTS = ("mean_ok", "variance_ok", "share_ok", "relation_ok", "above", "below", "differs")
UNIFORM = {"m": 0.5, "d": 5 / 12**0.5, "middle": 12**0.5 / 4, "low": -2, "high": 3, "kurtosis": 1.8}
NORMAL = {"m": 0.5, "d": 3, "middle": 0.6744897501960817, "low": -np.inf, "high": np.inf, "kurtosis": 3}


def model(version, text, outputs, inputs, constants):
    """A model of the text, whose constants come as initializers."""
    # The checks need newer ops than the first versions of what draws.
    head = f'<ir_version: 8, opset_import: ["" : {max(version, 13)}]> g ({inputs}) => ('
    out = parser.parse_model(head + ", ".join(f"bool {name}" for name in outputs) + ") {" + text + "}")
    for name, value in constants.items():
        out.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    return out


def unseeded(folder):
    """Draws without a seed, by how they are spread; a second node has to draw others."""
    error = CERTAIN / COUNT**0.5
    for version in (1, 22):
        for op, wants, attributes in (("RandomUniform", UNIFORM, "low = -2.0, high = 3.0"),
                                      ("RandomNormal", NORMAL, "mean = 0.5, scale = 3.0")):
            constants = {name: np.float64(value) for name, value in wants.items() if name != "kurtosis"}
            constants |= {"error": np.float64(error), "one": np.float64(1), "half": np.float64(0.5),
                          "variance_error": np.float64(error * (wants["kurtosis"] - 1) ** 0.5),
                          "zero_1": np.array([0]), "one_1": np.array([1]), "last_1": np.array([-1]),
                          "end_1": np.array([COUNT])}
            draw = f"{op} <shape = [{COUNT}], {attributes}> ()"
            like = f"{op}Like <dtype = 1, {attributes}> (shaped)"
            for name, node, inputs in (("", draw, ""), ("_like", like, f"int8[{COUNT}] shaped")):
                values = [np.zeros(COUNT, np.int8)] if inputs else []
                write_case(folder / f"{op}_{version}{name}", model(
                    version, f"x = {node} other = {node}" + SPREAD, OUTPUTS, inputs, constants), values,
                    [TRUE] * len(OUTPUTS))


# Whether the shares of each row of draws, whose class is their value, are as wanted; whether a second node with the
# same seed gives the same, and one without a seed others.
SHARES = """
  apart = Unsqueeze(y, last)  is_class = Equal(apart, classes)  counted = Cast <to = 11> (is_class)
  count = ReduceSum <keepdims = 0> (counted, middle)  share = Div(count, draws)  less = Sub(share, wanted)
  off = Abs(less)  is_near = LessOrEqual(off, errors)  near = Cast <to = 6> (is_near)
  all_near = ReduceMin <keepdims = 0> (near)  shares_ok = Cast <to = 9> (all_near)
  same = Equal(s, t)  same_number = Cast <to = 6> (same)  least = ReduceMin <keepdims = 0> (same_number)
  seed_ok = Cast <to = 9> (least)
  meets = Equal(y, z)  meet_number = Cast <to = 6> (meets)  all_meet = ReduceMin <keepdims = 0> (meet_number)
  differ = Cast <to = 9> (all_meet)  others_ok = Not(differ)
"""


def write_shares(place, version, draw, attributes, data, classes, wanted):
    """`draw` names the op; the classes have the type of the draws."""
    wanted = np.array(wanted, np.float64)
    constants = {"classes": classes, "last": np.array([-1]), "middle": np.array([1]), "draws": np.float64(COUNT),
                 "wanted": wanted, "errors": CERTAIN * (wanted * (1 - wanted) / COUNT) ** 0.5}
    text = "".join(f"{name} = {draw} <{', '.join([*attributes, *seed])}> (p) ".replace("<>", "")
                   for name, seed in (("y", []), ("z", []), ("s", ["seed = 5.0"]), ("t", ["seed = 5.0"])))
    kind = {np.float32: "float", np.float64: "double", np.float16: "float16"}[data.dtype.type]
    shape = ", ".join(map(str, data.shape))
    write_case(place, model(version, text + SHARES, ("shares_ok", "seed_ok", "others_ok"), f"{kind}[{shape}] p",
                            constants), [data], [TRUE] * 3)


def chosen(folder):
    shares = np.array([[0.1, 0.2, 0.3, 0.4], [0.25, 0, 0.7, 0.05]])
    with np.errstate(divide="ignore"):
        # Any amount may be added to the logarithms of a row.
        logits = np.log(shares) + np.array([[3.0], [-1.5]])
    for version in (7, 22):
        for name, dtype in TYPES.items():
            for number, kind in ((6, np.int32), (7, np.int64)):
                attributes = [f"sample_size = {COUNT}"] + ["dtype = 7"] * (number == 7)
                exact = np.exp(logits.astype(dtype).astype(np.float64))
                write_shares(folder / f"Multinomial_{version}_{name}_{number}", version, "Multinomial", attributes,
                             logits.astype(dtype), np.arange(4, dtype=kind), exact / exact.sum(axis=1, keepdims=True))


def tossed(folder):
    shares = np.array([[0], [1], [0.25], [0.625]])
    wanted = np.concatenate([1 - shares, shares], axis=1)
    for version in (15, 22):
        for name, dtype in TYPES.items():
            data = np.broadcast_to(shares, (4, COUNT)).astype(dtype)
            write_shares(folder / f"Bernoulli_{version}_{name}", version, "Bernoulli", [], data,
                         np.array([0, 1], dtype), wanted)
            write_shares(folder / f"Bernoulli_{version}_{name}_to_int32", version, "Bernoulli", ["dtype = 6"], data,
                         np.array([0, 1], np.int32), wanted)


def make(folder):
    emptied(folder)
    for group in (seeded, unseeded, chosen, tossed):
        group(pathlib.Path(folder) / "random")


def main(conformance, folder):
    make(folder)
    run(conformance, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
