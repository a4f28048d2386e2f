"""A small convolutional net for handwriting-like digits: drawn, trained and evaluated here, from a fixed seed.

Training runs in double precision and the weights are rounded to multiples of 2^-10 at its end, so that machines whose
sums round differently still write the same file.
"""

import numpy as np

from .case import Case, f32

SIZE, SEED = 12, 7

# Ten digits, five wide and seven high, row by row.
GLYPHS = """
.###. ..#.. .###. .###. ...#. ##### ..##. ##### .###. .###.
#...# .##.. #...# #...# ..##. #.... .#... ....# #...# #...#
#..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ...#. ..##. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....#
#...# ..#.. .#... #...# ...#. #...# #...# .#... #...# ...#.
.###. .###. ##### .###. ...#. .###. .###. .#... .###. .##..
"""


def glyphs():
    rows = [line.split() for line in GLYPHS.split("\n") if line]
    return np.array([[[cell == "#" for cell in row[digit]] for row in rows] for digit in range(10)], np.float64)


def blur(image):
    """Spreads a fifth of the ink over the four neighbours, as a pen does."""
    padded = np.pad(image, 1)
    around = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
    return image + 0.2 * around


def draw(labels, random):
    """Images [n, 1, 12, 12] in [0, 1]: shifted, slanted, of varying ink, with noise."""
    shapes, images = glyphs(), np.zeros((len(labels), 1, SIZE, SIZE))
    for image, label in zip(images, labels):
        top, left, slant = random.randint(1, 5), random.randint(2, 6), random.randint(-1, 2)
        for row, cells in enumerate(shapes[label]):
            at = left + slant * (row - 3) // 4
            image[0, top + row, at:at + 5] = cells
        ink = random.uniform(0.6, 1.0)
        noise = random.standard_normal((SIZE, SIZE)) * 0.12
        image[0] = np.clip(ink * blur(image[0]) + noise, 0, 1)
    return np.round(images * 255) / 255


def patches(x):
    """The 3x3 surroundings of every pixel: [n, c, h, w] -> [n, h, w, c*9]."""
    n, c, h, w = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    shifted = [padded[:, :, i:i + h, j:j + w] for i in range(3) for j in range(3)]
    return np.stack(shifted, axis=2).reshape(n, c * 9, h, w).transpose(0, 2, 3, 1)


def convolve(x, weight, bias):
    columns = patches(x)
    return (columns @ weight.reshape(len(weight), -1).T + bias).transpose(0, 3, 1, 2), columns


def unconvolve(d_y, columns, weight, shape):
    """Gradients of convolve: of its input, weight and bias."""
    n, c, h, w = shape
    d_y = d_y.transpose(0, 2, 3, 1)
    d_weight = np.tensordot(d_y, columns, ((0, 1, 2), (0, 1, 2))).reshape(weight.shape)
    d_columns = (d_y @ weight.reshape(len(weight), -1)).transpose(0, 3, 1, 2).reshape(n, c, 9, h, w)
    d_x = np.zeros((n, c, h + 2, w + 2))
    for k in range(9):
        d_x[:, :, k // 3:k // 3 + h, k % 3:k % 3 + w] += d_columns[:, :, k]
    return d_x[:, :, 1:-1, 1:-1], d_weight, d_y.sum(axis=(0, 1, 2))


def pool(x):
    """The greatest of each 2x2 square, and where it came from."""
    n, c, h, w = x.shape
    squares = x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, c, h // 2, w // 2, 4)
    return squares.max(axis=-1), squares.argmax(axis=-1)


def unpool(d_y, where):
    n, c, h, w = d_y.shape
    d_squares = (np.arange(4) == where[..., None]) * d_y[..., None]
    return d_squares.reshape(n, c, h, w, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, c, 2 * h, 2 * w)


def forward(x, p):
    """Class probabilities, and what the way back needs."""
    sum0, columns0 = convolve(x, p["conv0_weight"], p["conv0_bias"])
    pooled0, where0 = pool(np.maximum(sum0, 0))
    sum1, columns1 = convolve(pooled0, p["conv1_weight"], p["conv1_bias"])
    pooled1, where1 = pool(np.maximum(sum1, 0))
    flat = pooled1.reshape(len(x), -1)
    logits = flat @ p["dense_weight"].T + p["dense_bias"]
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True), (columns0, sum0, where0, pooled0, columns1, sum1, where1, pooled1, flat)


def gradients(x, labels, p):
    """Of the mean cross entropy, by parameter."""
    probability, (columns0, sum0, where0, pooled0, columns1, sum1, where1, pooled1, flat) = forward(x, p)
    d_logits = (probability - np.eye(10)[labels]) / len(x)
    d_pooled1 = (d_logits @ p["dense_weight"]).reshape(pooled1.shape)
    d_sum1 = unpool(d_pooled1, where1) * (sum1 > 0)
    d_pooled0, d_conv1_weight, d_conv1_bias = unconvolve(d_sum1, columns1, p["conv1_weight"], pooled0.shape)
    d_sum0 = unpool(d_pooled0, where0) * (sum0 > 0)
    _, d_conv0_weight, d_conv0_bias = unconvolve(d_sum0, columns0, p["conv0_weight"], x.shape)
    return dict(conv0_weight=d_conv0_weight, conv0_bias=d_conv0_bias, conv1_weight=d_conv1_weight,
                conv1_bias=d_conv1_bias, dense_weight=d_logits.T @ flat, dense_bias=d_logits.sum(axis=0))


def train(random, steps=900, batch=32, rate=0.2):
    def start(*shape):
        return random.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))

    p = dict(conv0_weight=start(8, 1, 3, 3), conv0_bias=np.zeros(8),
             conv1_weight=start(16, 8, 3, 3), conv1_bias=np.zeros(16),
             dense_weight=start(10, 144), dense_bias=np.zeros(10))
    for step in range(steps):
        labels = random.randint(0, 10, batch)
        slope = gradients(draw(labels, random), labels, p)
        for name in p:
            p[name] -= rate * (1 - step / steps) * slope[name]
    return {name: np.round(value * 1024) / 1024 for name, value in p.items()}


TEXT = """<ir_version: 8, opset_import: ["": 17]>
digits (float[N,1,12,12] image) => (float[N,10] probability) {
  conv0 = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (image, conv0_weight, conv0_bias)
  relu0 = Relu (conv0)
  pool0 = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (relu0)
  conv1 = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (pool0, conv1_weight, conv1_bias)
  relu1 = Relu (conv1)
  pool1 = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (relu1)
  flat = Flatten (pool1)
  logits = Gemm <transB = 1> (flat, dense_weight, dense_bias)
  probability = Softmax <axis = -1> (logits)
}"""


def digits():
    random = np.random.RandomState(SEED)
    p = train(random)
    labels = np.arange(2000) % 10
    accuracy = np.mean(forward(draw(labels, random), p)[0].argmax(axis=1) == labels)
    data = []
    for shown in ([3, 1, 4, 2], [8]):
        image = f32(draw(shown, random))
        data.append((dict(image=image), dict(probability=f32(forward(image.astype(np.float64), p)[0]))))
    metadata = {"held_out_accuracy": f"{accuracy:.3f}"}
    return Case("digits", TEXT, data, {name: f32(value) for name, value in p.items()},
                arrays=dict(digit=data[0][0]["image"]), metadata=metadata)


CASES = (digits,)
