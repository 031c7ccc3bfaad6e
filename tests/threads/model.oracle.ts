// The sequential model: the contents of a device's memory after each call if everything happened at once. It uses
// nothing of the renderer; triangles are filled by edge functions in integers.
import {
  BINDING_BYTES,
  BUFFERS,
  TEXTURES,
  type Box,
  type Command,
  type Draw,
  type Pass,
  type TextureShape,
} from './model.calls';

/** Sixteenths of a pixel (WebGPU's standard pattern); a single sample is in the center. */
const CENTRE = [[8, 8]] as const;
const SAMPLES = [
  [6, 2],
  [14, 6],
  [2, 10],
  [10, 14],
] as const;
/** Frames are drawn in a viewport of this many sixteenths, whatever the target's size. */
const COORDINATE_BITS = 12;
const ALL_SAMPLES = 0xffffffff;
const clampedByte = (value: number): number => Math.min(255, Math.max(0, value));

/** A texture's texels, `samples` words (or depths) per pixel. */
export class ModelTexture {
  readonly words: Uint32Array;
  readonly depths: Float32Array;
  destroyed = false;
  constructor(readonly shape: TextureShape) {
    this.words = new Uint32Array(shape.width * shape.height * shape.samples);
    // Shares memory with the words: a depth32float texture is copied bit by bit.
    this.depths = new Float32Array(this.words.buffer);
  }
}
export class ModelBuffer {
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
  destroyed = false;
  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.words = new Uint32Array(this.bytes.buffer);
  }
  indices(format: GPUIndexFormat): Uint16Array | Uint32Array {
    return format === 'uint16' ? new Uint16Array(this.bytes.buffer) : this.words;
  }
}

/** Everything that commands refer to, by slot. */
export class Memory {
  readonly buffers = BUFFERS.map(({ size }) => new ModelBuffer(size));
  readonly textures = TEXTURES.map((shape) => new ModelTexture(shape));

  /** A recorded command refers to the contents of the slots at that time. */
  snapshot(): Slots {
    return { buffers: [...this.buffers], textures: [...this.textures] };
  }
}
export interface Slots {
  readonly buffers: readonly ModelBuffer[];
  readonly textures: readonly ModelTexture[];
}

/** The slots that a command refers to: a draw's bind group counts entirely. */
export function usesOf(command: Command): {
  readonly buffers: readonly number[];
  readonly textures: readonly number[];
} {
  switch (command.do) {
    case 'copy buffer':
      return { buffers: [command.from, command.to], textures: [] };
    case 'clear buffer':
      return { buffers: [command.buffer], textures: [] };
    case 'buffer to texture':
    case 'texture to buffer':
      return { buffers: [command.buffer], textures: [command.texture] };
    case 'copy texture':
      return { buffers: [], textures: [command.from, command.to] };
    case 'pass':
      return {
        buffers: command.draws.flatMap((draw) => [
          draw.uniform[0],
          draw.storage[0],
          ...(draw.source === 'fetched' ? [draw.vertices[0], draw.perInstance[0]] : []),
          ...(draw.index ? [draw.index.buffer] : []),
          ...(draw.indirect === null ? [] : [ARGS_SLOT]),
        ]),
        textures: [
          ...command.colors.flatMap(({ texture, resolve }) => (resolve === null ? [texture] : [texture, resolve])),
          ...(command.depth ? [command.depth.texture] : []),
          ...command.draws.map(({ texture }) => texture),
        ],
      };
  }
}
const ARGS_SLOT = BUFFERS.findIndex(({ role }) => role === 'args');

export function execute(command: Command, slots: Slots): void {
  switch (command.do) {
    case 'copy buffer': {
      slots.buffers[command.to]!.bytes.set(
        slots.buffers[command.from]!.bytes.subarray(command.at, command.at + command.bytes),
        command.into
      );
      return;
    }
    case 'clear buffer': {
      slots.buffers[command.buffer]!.bytes.fill(0, command.at, command.at + command.bytes);
      return;
    }
    case 'buffer to texture': {
      eachRow(slots, command, (row, words) => row.set(words));
      return;
    }
    case 'texture to buffer': {
      eachRow(slots, command, (row, words) => words.set(row));
      return;
    }
    case 'copy texture': {
      copyTexture(slots.textures[command.from]!, command.box, slots.textures[command.to]!, command.x, command.y);
      return;
    }
    case 'pass':
      renderPass(command, slots);
  }
}

interface Rows {
  readonly buffer: number;
  readonly at: number;
  readonly pitch: number;
  readonly texture: number;
  readonly box: Box;
}
function eachRow(
  slots: Slots,
  { buffer, at, pitch, texture, box: [x, y, width, height] }: Rows,
  act: (row: Uint32Array, words: Uint32Array) => void
): void {
  const { words, shape } = slots.textures[texture]!;
  const memory = slots.buffers[buffer]!.words;
  for (let i = 0; i < height; i++) {
    const texel = (y + i) * shape.width + x;
    const word = (at + pitch * i) / 4;
    act(words.subarray(texel, texel + width), memory.subarray(word, word + width));
  }
}
/** Rows of `data` are tightly packed. */
export function writeTexels({ words, shape }: ModelTexture, [x, y, width, height]: Box, data: Uint32Array): void {
  for (let i = 0; i < height; i++) words.set(data.subarray(i * width, (i + 1) * width), (y + i) * shape.width + x);
}
function copyTexture(from: ModelTexture, [x, y, width, height]: Box, to: ModelTexture, X: number, Y: number): void {
  const { samples } = from.shape;
  for (let i = 0; i < height; i++) {
    const start = ((y + i) * from.shape.width + x) * samples;
    to.words.set(from.words.subarray(start, start + width * samples), ((Y + i) * to.shape.width + X) * samples);
  }
}

function renderPass(pass: Pass, slots: Slots): void {
  for (const { texture, clear } of pass.colors) if (clear !== null) slots.textures[texture]!.words.fill(clear);
  if (pass.depth?.clear !== null && pass.depth !== null)
    slots.textures[pass.depth.texture]!.depths.fill(pass.depth.clear / 16);
  for (const draw of pass.draws) new Drawing(pass, draw, slots).run();
  for (const { texture, resolve } of pass.colors)
    if (resolve !== null) resolveInto(slots.textures[texture]!, slots.textures[resolve]!);
  // Discarded contents become zero.
  for (const { texture, store } of pass.colors) if (store === 'discard') slots.textures[texture]!.words.fill(0);
  if (pass.depth?.store === 'discard') slots.textures[pass.depth.texture]!.words.fill(0);
}

/** Averages of four multiples of 4. */
export function resolveInto(from: ModelTexture, to: ModelTexture): void {
  for (let pixel = 0; pixel < to.words.length; pixel++) {
    let mean = 0;
    for (let shift = 0; shift < 32; shift += 8) {
      let sum = 0;
      for (let s = 0; s < 4; s++) sum += (from.words[pixel * 4 + s]! >>> shift) & 255;
      mean |= (sum >>> 2) << shift;
    }
    to.words[pixel] = mean >>> 0;
  }
}

/** A vertex in sixteenths of a pixel, with the color of the primitives that it begins. */
interface Corner {
  readonly x: number;
  readonly y: number;
  readonly color: number;
}

class Drawing {
  private readonly targets: readonly ModelTexture[];
  private readonly depth: ModelTexture | null;
  private readonly uniform: Uint32Array;
  private readonly storage: Uint32Array;
  private readonly sampled: ModelTexture;
  private readonly bounds: Box;
  private readonly z: number;

  constructor(
    pass: Pass,
    private readonly draw: Draw,
    private readonly slots: Slots
  ) {
    this.targets = pass.colors.map(({ texture }) => slots.textures[texture]!);
    this.depth = pass.depth && slots.textures[pass.depth.texture]!;
    this.uniform = this.words(draw.uniform, 16);
    this.storage = this.words(draw.storage, BINDING_BYTES);
    this.sampled = slots.textures[draw.texture]!;
    const { width, height } = this.targets[0]!.shape;
    this.bounds = draw.scissor ?? [0, 0, width, height];
    this.z = (this.uniform[1]! & 15) / 16;
  }

  run(): void {
    const { draw, slots } = this;
    const { indirect, index } = draw;
    const args = indirect === null ? null : slots.buffers[ARGS_SLOT]!.words.subarray(indirect / 4, indirect / 4 + 5);
    const [count, instances, first] = args ? [args[0]!, args[1]!, args[2]!] : [draw.count, draw.instances, draw.first];
    const baseVertex = index === null ? 0 : args ? args[3]! : index.baseVertex;
    const firstInstance = args ? args[index === null ? 3 : 4]! : draw.firstInstance;
    // Without the feature indirect-first-instance, such a draw does nothing.
    if (args && firstInstance !== 0) return;
    const indices =
      index
      && slots.buffers[index.buffer]!.indices(index.format).subarray(index.at / (index.format === 'uint16' ? 2 : 4));
    const corners = draw.topology === 'point-list' ? 1 : 3;
    for (let instance = firstInstance; instance < firstInstance + instances; instance++)
      for (let i = 0; i + corners <= count; i += corners) {
        const [a, b, c] = Array.from({ length: corners }, (_, k) =>
          this.corner(indices ? (indices[first + i + k]! + baseVertex) >>> 0 : first + i + k, instance)
        );
        if (corners === 1) this.point(a!);
        else this.triangle(a!, b!, c!);
      }
  }

  private words([buffer, at]: readonly [number, number], bytes: number): Uint32Array {
    return this.slots.buffers[buffer]!.words.subarray(at / 4, (at + bytes) / 4);
  }

  private corner(vertex: number, instance: number): Corner {
    const { draw, uniform, storage } = this;
    const word =
      draw.source === 'pulled'
        ? storage[((vertex + Math.imul(instance, 5)) >>> 0) % storage.length]!
        : (this.words(draw.vertices, BUFFERS[draw.vertices[0]]!.size - draw.vertices[1])[vertex]!
            + this.words(draw.perInstance, BUFFERS[draw.perInstance[0]]!.size - draw.perInstance[1])[instance]!)
          >>> 0;
    const shift = uniform[0]! & 3;
    const mask = (1 << COORDINATE_BITS) - 1;
    const [x, y] = [(word & mask) >>> shift, ((word >>> COORDINATE_BITS) & mask) >>> shift];
    const color = (Math.imul(word, 0x9e3779b1) ^ uniform[2]!) >>> 0;
    return draw.topology === 'point-list' ? { x: (x & ~15) | 8, y: (y & ~15) | 8, color } : { x, y, color };
  }

  /** Covers a whole pixel. */
  private point({ x, y, color }: Corner): void {
    this.fragment(x >> 4, y >> 4, 15, color);
  }

  private triangle(a: Corner, p: Corner, q: Corner): void {
    const area = (p.x - a.x) * (q.y - a.y) - (p.y - a.y) * (q.x - a.x);
    if (area === 0) return;
    const corners = area > 0 ? [a, p, q] : [a, q, p];
    const pattern = this.targets[0]!.shape.samples === 1 ? CENTRE : SAMPLES;
    const [left, top, width, height] = this.bounds;
    const xs = corners.map(({ x }) => x);
    const ys = corners.map(({ y }) => y);
    const right = Math.min(left + width - 1, Math.max(...xs) >> 4);
    const bottom = Math.min(top + height - 1, Math.max(...ys) >> 4);
    for (let y = Math.max(top, Math.min(...ys) >> 4); y <= bottom; y++)
      for (let x = Math.max(left, Math.min(...xs) >> 4); x <= right; x++) {
        let covered = 0;
        for (const [s, [dx, dy]] of pattern.entries())
          if (isInside(corners, x * 16 + dx, y * 16 + dy)) covered |= 1 << s;
        if (covered !== 0) this.fragment(x, y, covered, a.color);
      }
  }

  private fragment(x: number, y: number, covered: number, flat: number): void {
    const { draw, uniform } = this;
    const [left, top, width, height] = this.bounds;
    if (x < left || y < top || x >= left + width || y >= top + height) return;
    if (draw.effect === 'discard' && ((x ^ y ^ uniform[3]!) & 1) === 1) return;
    const { width: targetWidth, samples } = this.targets[0]!.shape;
    const color = draw.effect === 'texture' ? flat ^ this.texel(x, y) : flat;
    for (let s = 0; s < samples; s++) {
      if ((covered & (1 << s)) === 0 || (draw.sampleMask !== ALL_SAMPLES && (draw.sampleMask & (1 << s)) === 0))
        continue;
      const at = (y * targetWidth + x) * samples + s;
      if (!this.passesDepth(at)) continue;
      for (const target of this.targets)
        target.words[at] =
          target.shape.format === 'rgba8unorm' ? this.blended(target.words[at]!, color & 0xfcfcfcfc) : color >>> 0;
    }
  }

  private passesDepth(at: number): boolean {
    if (this.depth === null || this.draw.depth === 'always') return true;
    if (!(this.z < this.depth.depths[at]!)) return false;
    this.depth.depths[at] = this.z;
    return true;
  }

  private texel(x: number, y: number): number {
    const {
      shape: { width, height },
      words,
    } = this.sampled;
    const offset = this.uniform[3]! & 15;
    return words[((y + offset) % height) * width + ((x + offset) % width)]!;
  }

  private blended(target: number, source: number): number {
    let result = 0;
    for (let channel = 0; channel < 4; channel++) {
      const from = (source >>> (channel * 8)) & 255;
      const to = (target >>> (channel * 8)) & 255;
      const sum = { none: from, add: from + to, subtract: from - to, 'reverse-subtract': to - from }[this.draw.blend];
      const writes = (this.draw.writeMask & (1 << channel)) !== 0;
      result |= (writes ? clampedByte(sum) : to) << (channel * 8);
    }
    return result >>> 0;
  }
}

/** Applies the top-left rule, in a frame whose y points down; vertices are clockwise on the screen. */
function isInside(corners: readonly Corner[], x: number, y: number): boolean {
  for (let i = 0; i < 3; i++) {
    const a = corners[i]!;
    const b = corners[(i + 1) % 3]!;
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const edge = dx * (y - a.y) - dy * (x - a.x);
    if (edge < 0 || (edge === 0 && !(dy < 0 || (dy === 0 && dx > 0)))) return false;
  }
  return true;
}
