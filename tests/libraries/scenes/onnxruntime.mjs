// onnxruntime-web: a model of a convolution, a sum and an activation, by its WebGPU provider.
export async function draw({ show }) {
  const ort = await import('onnxruntime-web/webgpu');
  ort.env.wasm.numThreads = 1;
  const [width, height] = [128, 80];
  const session = await ort.InferenceSession.create(model(width, height), { executionProviders: ['webgpu'] });
  const picture = Float32Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [(i % width) - 64, Math.floor(i / width) - 40];
    return ((x * x + y * y) % 1200) / 1200;
  });
  const { result } = await session.run({ picture: new ort.Tensor('float32', picture, [1, 1, height, width]) });
  show(await result.getData(), width, height);
}

/** The bytes of a field of a protocol buffer: a number, a text, bytes, or packed floats. */
function field(number, value) {
  if (typeof value === 'number') return [...varint(number * 8), ...varint(value)];
  const bytes = typeof value === 'string' ? [...new TextEncoder().encode(value)] : [...value];
  return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
}
function varint(value) {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest & 127) | 128);
  }
}

/** A model in the format of ONNX: `relu(conv(picture) + 0.2)`. */
function model(width, height) {
  const floats = (values) => new Uint8Array(new Float32Array(values).buffer);
  const tensor = (name, dims, values) => [
    ...dims.flatMap((each) => field(1, each)),
    ...field(2, 1),
    ...field(8, name),
    ...field(9, floats(values)),
  ];
  const shape = [1, 1, height, width].flatMap((each) => field(1, field(1, each)));
  const value = (name) => [...field(1, name), ...field(2, field(1, [...field(1, 1), ...field(2, shape)]))];
  const pads = [...field(1, 'pads'), ...[1, 1, 1, 1].flatMap((each) => field(8, each)), ...field(20, 7)];
  const node = (type, inputs, output, attributes = []) => [
    ...inputs.flatMap((each) => field(1, each)),
    ...field(2, output),
    ...field(4, type),
    ...attributes.flatMap((each) => field(5, each)),
  ];
  const graph = [
    ...field(1, node('Conv', ['picture', 'kernel'], 'edges', [pads])),
    ...field(1, node('Add', ['edges', 'more'], 'sum')),
    ...field(1, node('Relu', ['sum'], 'result')),
    ...field(2, 'graph'),
    ...field(
      5,
      tensor(
        'kernel',
        [1, 1, 3, 3],
        [0, -1, 0, -1, 4, -1, 0, -1, 0].map((each) => each * 3)
      )
    ),
    ...field(5, tensor('more', [1], [0.2])),
    ...field(11, value('picture')),
    ...field(12, value('result')),
  ];
  return new Uint8Array([...field(1, 8), ...field(7, graph), ...field(8, [...field(1, ''), ...field(2, 17)])]);
}
