// Reads what `expect(…).toMatchPicture()` was given: canvases, textures, pixels and PNG files.
import { decodePng, isPng, type Pixels } from './png';

const FORMATS = ['rgba8unorm', 'rgba8unorm-srgb', 'bgra8unorm', 'bgra8unorm-srgb'];
/** GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST, and GPUMapMode.READ. The globals may not exist. */
const READ_BUFFER = 1 | 8;
const MAP_READ = 1;
const COPY_SRC = 1;

/** A value whose pixels can be compared. */
type Value = Partial<
  { getPixels(): Promise<unknown>; arrayBuffer(): Promise<ArrayBuffer> } & Pixels & GPUTexture
> | null;

/** Reads a picture. @throws TypeError if the value is none, or cannot be read */
export async function readValue(given: unknown, device: GPUDevice | undefined): Promise<Pixels> {
  const value = (await given) as Value;
  if (typeof value !== 'object' || value === null) throw notPicture(value);
  if (typeof value.getPixels === 'function') return readValue(value.getPixels(), device);
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return readFile(value);
  if (typeof value.createView === 'function') return readTexture(value as GPUTexture, device);
  if (typeof value.arrayBuffer === 'function') return readFile(await value.arrayBuffer());
  const { width, height, data } = value;
  if (Number.isInteger(width) && Number.isInteger(height) && ArrayBuffer.isView(data)) {
    const bytes = width! * height! * 4;
    if (data.BYTES_PER_ELEMENT !== 1 || data.length !== bytes)
      throw new TypeError(
        `toMatchPicture: pixels of ${width}×${height} must have ${bytes} bytes of RGBA, not ${data.length}`
      );
    return { width: width!, height: height!, data: new Uint8Array(data.buffer, data.byteOffset, data.length) };
  }
  throw notPicture(value);
}

const notPicture = (value: unknown): TypeError =>
  new TypeError(
    `toMatchPicture: ${value === null ? 'null' : `a value of type ${typeof value}`} is not a picture; pass a canvas, a `
      + 'texture with { device }, pixels as { width, height, data }, or a PNG file as bytes or a blob'
  );

function readFile(value: ArrayBuffer | ArrayBufferView): Pixels {
  const bytes = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
  if (!isPng(bytes)) throw new TypeError('toMatchPicture: the bytes are not a PNG file');
  try {
    return decodePng(bytes);
  } catch (error) {
    throw new TypeError(`toMatchPicture: the PNG file ${(error as Error).message}`, { cause: error });
  }
}

async function readTexture(texture: GPUTexture, device: GPUDevice | undefined): Promise<Pixels> {
  const name = texture.label === '' ? 'the texture' : `the texture "${texture.label}"`;
  if (device === undefined)
    throw new TypeError(`toMatchPicture: to read ${name}, pass its device: toMatchPicture(name, { device })`);
  const { width, height, format } = texture;
  if (!FORMATS.includes(format))
    throw new TypeError(`toMatchPicture: ${name} has the format ${format}; readable are ${FORMATS.join(', ')}`);
  if ((texture.usage & COPY_SRC) === 0 || texture.sampleCount !== 1)
    throw new TypeError(`toMatchPicture: ${name} needs the usage COPY_SRC and one sample per pixel`);
  const bytesPerRow = Math.ceil((width * 4) / 256) * 256;
  const buffer = device.createBuffer({ size: bytesPerRow * height, usage: READ_BUFFER });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(MAP_READ);
  const rows = new Uint8Array(buffer.getMappedRange());
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) data.set(rows.subarray(y * bytesPerRow, y * bytesPerRow + width * 4), y * width * 4);
  buffer.destroy();
  if (format.startsWith('bgra'))
    for (let i = 0; i < data.length; i += 4) [data[i], data[i + 2]] = [data[i + 2]!, data[i]!];
  return { width, height, data };
}
