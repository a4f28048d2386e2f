"""Convolutions, alone and in nets."""

import dataclasses

import numpy as np
from case import BYTE_WEIGHTS, Case, Weights, normal
from graphs import Graph
from onnx import TensorProto

IMAGE = 224
FIXED, OPEN = (1, 3, IMAGE, IMAGE), ("N", 3, "H", "W")  # what a net says of the sizes of its image
# Of MobileNetV2's blocks: by how much they widen, channels, how many there are, stride of the first.
MOBILENET = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


class Net:
    """An image and layers on it; each convolution is followed by a BatchNormalization, as after training."""

    def __init__(self, seed, sizes=FIXED):
        self.g, self.sizes = Graph(), sizes
        self.weights = Weights(self.g, seed)
        self.image = self.g.input("x", sizes)

    def conv(self, x, inner, outer, size, stride=1, groups=1):
        pad = size // 2
        kernel = self.weights.scaled(outer, inner // groups, size, size)
        options = {"kernel_shape": [size] * 2, "strides": [stride] * 2, "pads": [pad] * 4, "group": groups}
        return self.normalised(self.g.Conv(x, kernel, **options), outer)

    def normalised(self, x, channels):
        ones = self.g.constant(np.ones(channels))
        shift, mean = self.weights(channels, scale=0.05), self.weights(channels, scale=0.05)
        return self.g.BatchNormalization(x, ones, shift, mean, ones, epsilon=1e-5)

    def clipped(self, *words, **options):
        return self.g.Clip(self.conv(*words, **options), self.g.constant(0.0), self.g.constant(6.0))

    def rectified(self, *words, **options):
        return self.g.Relu(self.conv(*words, **options))

    def added(self, x, y):
        return self.g.Add(x, y)

    def case(self, name, x, channels, classes=1000):
        g = self.g
        flat = g.Flatten(g.GlobalAveragePool(x), axis=1)
        logits = g.Gemm(flat, self.weights(classes, channels, scale=channels**-0.5), self.weights(classes), transB=1)
        g.output(logits, [self.sizes[0], classes], name="logits")
        return Case(g.model(name), {"x": normal(7, *FIXED)})


def resnet18(sizes=FIXED):
    """18 layers with residuals, of 3x3 convolutions."""
    net = Net(130, sizes)
    g, channels = net.g, 64
    x = net.rectified(net.image, 3, 64, 7, stride=2)
    x = g.MaxPool(x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for width in (64, 128, 256, 512):
        for _ in range(2):
            stride = 1 if width == channels else 2
            y = net.conv(net.rectified(x, channels, width, 3, stride=stride), width, width, 3)
            past = x if width == channels else net.conv(x, channels, width, 1, stride=stride)
            x, channels = g.Relu(g.Add(y, past)), width
    return net.case("resnet18", x, 512)


def mobilenetv2(net_type=Net):
    """Blocks that widen by 1x1, go depthwise by 3x3, and narrow by 1x1."""
    net = net_type(131)
    x, channels = net.clipped(net.image, 3, 32, 3, stride=2), 32
    for widening, outer, count, first_stride in MOBILENET:
        for number in range(count):
            stride, wide = first_stride if number == 0 else 1, channels * widening
            y = net.clipped(x, channels, wide, 1) if widening > 1 else x
            y = net.clipped(y, wide, wide, 3, stride=stride, groups=wide)
            y = net.conv(y, wide, outer, 1)
            x = net.added(x, y) if stride == 1 and outer == channels else y
            channels = outer
    return net.case("mobilenetv2", net.clipped(x, channels, 1280, 1), 1280)


def repvgg(channels=64, blocks=3):
    """Blocks as they are trained: a 3x3 and a 1x1 convolution and the image itself, all normalised, are added up."""
    net = Net(137)
    g = net.g
    x = net.rectified(net.image, 3, channels, 3, stride=4)
    for width in (channels, 2 * channels):
        stride = 1 if width == channels else 2
        for block in range(blocks):
            inner, step = (channels, stride) if block == 0 else (width, 1)
            y = g.Add(net.conv(x, inner, width, 3, stride=step), net.conv(x, inner, width, 1, stride=step))
            x = g.Relu(g.Add(y, net.normalised(x, width)) if inner == width and step == 1 else y)
    return net.case("repvgg", x, 2 * channels)


def convmixer(channels=256, size=7, blocks=3):
    """Patches, then depthwise 7x7 convolutions with residuals and pointwise ones by turns."""
    net = Net(138)
    g = net.g
    kernel = net.weights.scaled(channels, 3, size, size)
    x = g.Relu(g.Conv(net.image, kernel, kernel_shape=[size] * 2, strides=[size] * 2))
    for _ in range(blocks):
        x = g.Add(x, net.rectified(x, channels, channels, size, groups=channels))
        x = net.rectified(x, channels, channels, 1)
    return net.case("convmixer", x, channels)


def grouped(widths=(64, 128, 256), sizes=(4, 8)):
    """Blocks as RegNet's and ResNeXt's: 1x1, 3x3 over groups of few channels, and 1x1 with a residual."""
    net = Net(140)
    g = net.g
    x, channels = net.rectified(net.image, 3, 32, 3, stride=4), 32
    for width in widths:
        past = net.conv(x, channels, width, 1, stride=2)
        for number, size in enumerate(sizes):
            stride = 2 if number == 0 else 1
            y = net.rectified(net.rectified(x, channels, width, 1), width, width, 3, stride=stride, groups=width // size)
            x, channels = g.Relu(g.Add(net.conv(y, width, width, 1), past)), width
            past = x
    return net.case("grouped", x, channels)


class ChannelsLastNet(Net):
    """As converters from TensorFlow write it: channels are last but for convolutions, which a Pad comes before."""

    def __init__(self, seed):
        super().__init__(seed, sizes=(1, IMAGE, IMAGE, 3))

    def conv(self, x, inner, outer, size, stride=1, groups=1):
        g = self.g
        kernel = self.weights.scaled(outer, inner // groups, size, size)
        if size > 1:
            before, after = (size - stride) // 2, (size - stride + 1) // 2
            x = g.Pad(x, g.integers(0, before, before, 0, 0, after, after, 0))
        options = {"kernel_shape": [size] * 2, "strides": [stride] * 2, "group": groups}
        y = g.Conv(g.Transpose(x, perm=[0, 3, 1, 2]), kernel, self.weights(outer, scale=0.05), **options)
        return g.Transpose(y, perm=[0, 2, 3, 1])

    def hard_sigmoid(self, x):
        g = self.g
        bounded = g.Clip(g.Add(x, g.constant(3.0)), g.constant(0.0), g.constant(6.0))
        return g.Mul(bounded, g.constant(1 / 6))

    def hard_swish(self, x):
        return self.g.Mul(x, self.hard_sigmoid(x))

    def gated(self, x, channels):
        g = self.g
        mean = g.ReduceMean(x, axes=[1, 2], keepdims=1)
        narrow = g.Relu(self.conv(mean, channels, channels // 4, 1))
        return g.Mul(x, self.hard_sigmoid(self.conv(narrow, channels // 4, channels, 1)))


def channels_last(blocks=((16, 3, 2), (24, 3, 2), (24, 3, 1), (40, 5, 2), (40, 5, 1), (96, 5, 2), (96, 5, 1))):
    """Blocks as MobileNetV3's, of (channels, size, stride), with hard swish and gates written out."""
    net = ChannelsLastNet(139)
    g = net.g
    x, channels = net.hard_swish(net.conv(net.image, 3, 16, 3, stride=2)), 16
    for width, size, stride in blocks:
        wide = 4 * channels
        y = net.hard_swish(net.conv(x, channels, wide, 1))
        y = net.hard_swish(net.conv(y, wide, wide, size, stride=stride, groups=wide))
        y = net.conv(net.gated(y, wide), wide, width, 1)
        x, channels = g.Add(x, y) if stride == 1 and width == channels else y, width
    mean = g.ReduceMean(x, axes=[1, 2], keepdims=0)
    g.output(mean, [1, channels], name="features")
    return Case(g.model("channels_last"), {"x": normal(7, 1, IMAGE, IMAGE, 3)})


class BiasedNet(Net):
    """Each convolution has a bias, as where an exporter has folded the normalisation into it."""

    def conv(self, x, inner, outer, size, stride=1, groups=1):
        kernel = self.weights.scaled(outer, inner // groups, size, size)
        options = {"kernel_shape": [size] * 2, "strides": [stride] * 2, "pads": [size // 2] * 4, "group": groups}
        return self.g.Conv(x, kernel, self.weights(outer, scale=0.05), **options)


class QuantisedNet(Net):
    """All between layers is bytes, as quantisers write it: QuantizeLinear behind each layer, DequantizeLinear before it."""

    def __init__(self, seed):
        super().__init__(seed)
        self.points = {}  # the scale and the zero point of each wire of bytes
        self.image = self.quantised(self.image, 0.03, 128)

    def quantised(self, x, scale, zero):
        point = self.g.constant(scale), self.g.constant(zero, np.uint8)
        made = self.g.QuantizeLinear(x, *point)
        self.points[made] = point
        return made

    def numbers(self, x):
        return self.g.DequantizeLinear(x, *self.points[x])

    def floats(self, x, inner, outer, size, stride=1, groups=1):
        """The convolution before its result is quantised; weights of i8 reach to 2.5 times their deviation."""
        g, random = self.g, self.weights.random
        shape = outer, inner // groups, size, size
        scale = 2.5 / 127 * (2 / np.prod(shape[1:])) ** 0.5
        bytes_ = g.constant(np.clip(np.rint(random.standard_normal(shape) * 127 / 2.5), -127, 127), np.int8)
        kernel = g.DequantizeLinear(bytes_, g.constant(scale), g.constant(0, np.int8))
        options = {"kernel_shape": [size] * 2, "strides": [stride] * 2, "pads": [size // 2] * 4, "group": groups}
        return g.Conv(self.numbers(x), kernel, **options)

    def conv(self, *words, **options):
        return self.quantised(self.floats(*words, **options), 0.04, 128)

    def clipped(self, *words, **options):
        return self.quantised(self.floats(*words, **options), 6 / 255, 0)  # whose ends are those of the bytes

    def added(self, x, y):
        return self.quantised(self.g.Add(self.numbers(x), self.numbers(y)), 0.06, 128)

    def case(self, name, x, channels, classes=1000):
        made = super().case(name, self.numbers(x), channels, classes)
        # ONNX Runtime's results with and without its rewrites are 0.13 apart, of numbers up to 7.
        return dataclasses.replace(made, slack=200, products="int8")


def small_residual_net(channels=32):
    """Nine 3x3 convolutions with a residual for each two."""
    net = BiasedNet(133)
    x = net.rectified(net.image, 3, channels, 3, stride=4)
    for width in (32, 64, 128, 256):
        stride = 1 if width == channels else 2
        y = net.conv(net.rectified(x, channels, width, 3, stride=stride), width, width, 3)
        past = x if width == channels else net.conv(x, channels, width, 1, stride=stride)
        x, channels = net.g.Relu(net.g.Add(y, past)), width
    return net.case("small_residual_net", x, channels)


def conv1d_dilated(layers=6, channels=64, length=1000):
    """Causal convolutions of three taps over time, each with twice the dilation of the one before."""
    g = Graph()
    weights = Weights(g, 132)
    x = g.input("x", [1, channels, length])
    for dilation in (2**layer for layer in range(layers)):
        kernel = weights.scaled(channels, channels, 3)
        x = g.Relu(g.Conv(x, kernel, kernel_shape=[3], dilations=[dilation], pads=[2 * dilation, 0]))
    g.output(x, [1, channels, length], name="y")
    return Case(g.model("conv1d_dilated"), {"x": normal(7, 1, channels, length)})


def pyramid_of_dilations(inner=480, channels=128, size=14, dilations=(6, 12, 18)):
    """A pointwise convolution and 3x3 ones of several dilations beside each other, joined, as in DeepLab."""
    g = Graph()
    weights = Weights(g, 135)
    x = g.input("x", [1, inner, size, size])
    levels = [g.Relu(g.Conv(x, weights.scaled(channels, inner, 1, 1), kernel_shape=[1, 1]))]
    for dilation in dilations:
        options = {"kernel_shape": [3, 3], "dilations": [dilation] * 2, "pads": [dilation] * 4}
        levels.append(g.Relu(g.Conv(x, weights.scaled(channels, inner, 3, 3), **options)))
    joined = weights.scaled(channels, channels * len(levels), 1, 1)
    y = g.Relu(g.Conv(g.Concat(*levels, axis=1), joined, kernel_shape=[1, 1]))
    g.output(y, [1, channels, size, size], name="y")
    return Case(g.model("pyramid_of_dilations"), {"x": normal(7, 1, inner, size, size)})


def volumes(channels=32, depth=8, size=28):
    """Two blocks of 3x3x3 convolutions with residuals, the second of half the size, and one block of 1x3x3 and 3x1x1."""
    g = Graph()
    weights = Weights(g, 136)

    def made(x, inner, outer, kernel, stride=1):
        pads = [size // 2 for size in kernel] * 2
        kernels = weights.scaled(outer, inner, *kernel)
        return g.Conv(x, kernels, kernel_shape=list(kernel), strides=[stride] * 3, pads=pads)

    x = g.input("x", [1, channels, depth, size, size])
    y = g.Relu(g.Add(x, made(g.Relu(made(x, channels, channels, (3, 3, 3))), channels, channels, (3, 3, 3))))
    y = g.Relu(made(y, channels, 2 * channels, (3, 3, 3), stride=2))
    y = g.Relu(g.Add(y, made(g.Relu(made(y, 2 * channels, 2 * channels, (1, 3, 3))), 2 * channels, 2 * channels, (3, 1, 1))))
    g.output(y, [1, 2 * channels, depth // 2, size // 2, size // 2], name="y")
    return Case(g.model("volumes"), {"x": normal(7, 1, channels, depth, size, size)})


def conv(inner, outer, kernel, size, stride=1, groups=1):
    """A convolution of a square image with Relu."""
    g = Graph()
    weights, pad = Weights(g, 133).scaled(outer, inner // groups, kernel, kernel), kernel // 2
    options = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [pad] * 4, "group": groups}
    y = g.Conv(g.input("x", [1, inner, size, size]), weights, g.constant(np.zeros(outer)), **options)
    made = (size + 2 * pad - kernel) // stride + 1
    g.output(g.Relu(y), [1, outer, made, made], name="y")
    return Case(g.model("conv"), {"x": normal(7, 1, inner, size, size)})


def quantised_conv(channels, kernel, size, group=1):
    """QLinearConv of u8 with weights of i8 that have a scale for each channel."""
    g = Graph()
    random = np.random.default_rng(134)
    shape = channels, channels // group, kernel, kernel
    weights = g.constant(random.integers(*BYTE_WEIGHTS, shape), np.int8)
    middle = g.constant(128, np.uint8)
    scales, zeros = g.constant(np.full(channels, 0.01)), g.constant(np.zeros(channels), np.int8)
    x = g.input("x", [1, channels, size, size], TensorProto.UINT8)
    operands = [x, g.constant(0.02), middle, weights, scales, zeros, g.constant(0.5), middle]
    y = g.QLinearConv(*operands, kernel_shape=[kernel] * 2, pads=[kernel // 2] * 4, group=group)
    g.output(y, [1, channels, size, size], TensorProto.UINT8, name="y")
    inputs = {"x": random.integers(0, 256, (1, channels, size, size)).astype(np.uint8)}
    return Case(g.model("quantised_conv"), inputs, weights=int(np.prod(shape)), products="int8")
