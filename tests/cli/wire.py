"""ONNX models as bytes, from nothing but the standard library: for tests that need files no writer would write."""

import io
import struct
import zipfile

FLOAT, INT8, INT64, BOOL, UINT64, FLOAT8E4M3FN, UINT4, INT4, UINT2, INT2 = 1, 3, 7, 9, 13, 17, 21, 22, 25, 26
FLOATS, GRAPH, INT, INTS = 6, 5, 2, 7


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while True:
        byte, number = number & 0x7F, number >> 7
        out.append(byte | (0x80 if number else 0))
        if not number:
            return bytes(out)


def field(number, value):
    """One field: an int as varint, text and bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name, dims, raw=None, external=None, data_type=FLOAT):
    out = b"".join(field(1, dim) for dim in dims) + field(2, data_type) + field(8, name)
    if raw is not None:
        out += field(9, raw)
    if external is not None:
        out += field(13, field(1, "location") + field(2, external)) + field(14, 1)
    return out


def tensor_type(dims, data_type):
    shape = b"".join(field(1, field(2, dim) if isinstance(dim, str) else field(1, dim)) for dim in dims)
    return field(1, field(1, data_type) + field(2, shape))


def value_info(name, dims=(), data_type=FLOAT):
    return field(1, name) + field(2, tensor_type(dims, data_type))


def sequence_info(name, dims=()):
    """An input or output that is a sequence of f32 tensors."""
    return field(1, name) + field(2, field(4, field(1, tensor_type(dims, FLOAT))))


def attribute(name, *, integer=None, integers=None, graph_value=None):
    if integer is not None:
        return field(1, name) + field(3, integer) + field(20, INT)
    if integers is not None:
        return field(1, name) + b"".join(field(8, each) for each in integers) + field(20, INTS)
    return field(1, name) + field(6, graph_value) + field(20, GRAPH)


def node(op, inputs, outputs, name="", domain="", attributes=()):
    return (b"".join(field(1, each) for each in inputs) + b"".join(field(2, each) for each in outputs) + field(3, name)
            + field(4, op) + b"".join(field(5, each) for each in attributes) + field(7, domain))


def graph(nodes, inputs, outputs, initializers=(), name="g"):
    return (b"".join(field(1, each) for each in nodes) + field(2, name) + b"".join(field(5, each) for each in initializers)
            + b"".join(field(11, each) for each in inputs) + b"".join(field(12, each) for each in outputs))


def model(graph_bytes, opset=17, domain=""):
    return field(1, 8) + field(7, graph_bytes) + field(8, field(1, domain) + field(2, opset))


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def npy(array_type, shape, data):
    """An .npy file, version 1.0."""
    sizes = "".join(f"{size}, " for size in shape)
    header = f"{{'descr': '{array_type}', 'fortran_order': False, 'shape': ({sizes}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def npz(**arrays):
    """An .npz file of .npy files by name."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in arrays.items():
            archive.writestr(name + ".npy", content)
    return out.getvalue()
