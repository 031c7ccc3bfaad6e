// The state of the playground, and its form in the fragment of an address. What an address says may come from a
// stranger: unknown values are ignored, and the size of a shader is bounded.
import { OVERLAYS, PASSES, RATES, SAMPLES, WIDTHS, type Settings } from '../protocol';
import { sceneById, scenes } from '../scenes';

export type Tab = 'scenes' | 'benchmark';
export interface State {
  readonly tab: Tab;
  readonly scene: string;
  /** A changed shader; null: that of the scene. */
  readonly code: string | null;
  readonly settings: Settings;
}

const MAX_CODE = 200_000;
export const isIsolated = globalThis.crossOriginIsolated;
/** Without shared memory, the renderer's own thread draws. */
const threadCounts: readonly number[] = isIsolated
  ? [...new Set([0, 1, 2, 4, 8, navigator.hardwareConcurrency])]
      .filter((count) => count <= navigator.hardwareConcurrency)
      .sort((a, b) => a - b)
  : [0];

export const DEFAULTS: Settings = {
  engine: 'compiled',
  kernel: 'simd',
  threads: threadCounts.filter((count) => count <= 8).at(-1)!,
  samples: 4,
  rate: '1x1',
  order: 'received',
  width: 640,
  overlay: 'none',
  pass: 'color',
};

/** Values of each setting. */
export const CHOICES: { readonly [Name in keyof Settings]: readonly Settings[Name][] } = {
  engine: ['compiled', 'interpreted'],
  kernel: isIsolated ? ['simd', 'scalar'] : ['simd'],
  threads: threadCounts,
  samples: SAMPLES,
  rate: RATES,
  order: ['received', 'independent'],
  width: WIDTHS,
  overlay: OVERLAYS,
  pass: PASSES,
};

async function transform(bytes: Uint8Array<ArrayBuffer>, by: ReadableWritablePair, limit: number): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough(by).getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      void reader.cancel();
      throw new RangeError(`The shader of the link has more than ${limit} bytes`);
    }
    parts.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function pack(text: string): Promise<string> {
  const bytes = await transform(new TextEncoder().encode(text), new CompressionStream('deflate-raw'), Infinity);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

async function unpack(packed: string): Promise<string> {
  const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new TextDecoder().decode(await transform(bytes, new DecompressionStream('deflate-raw'), MAX_CODE));
}

/** The fragment of an address, without `#`. */
export async function encodeState({ tab, scene, code, settings }: State): Promise<string> {
  const fields = new URLSearchParams();
  if (tab !== 'scenes') fields.set('tab', tab);
  fields.set('scene', scene);
  for (const [name, value] of Object.entries(settings))
    if (value !== DEFAULTS[name as keyof Settings]) fields.set(name, String(value));
  if (code !== null) fields.set('code', await pack(code));
  return fields.toString();
}

/** @throws Error if the shader of the address cannot be read */
export async function decodeState(fragment: string): Promise<State> {
  const fields = new URLSearchParams(fragment);
  const settings = Object.fromEntries(
    Object.entries(CHOICES).map(([name, choices]) => {
      const chosen = (choices as readonly unknown[]).find((choice) => String(choice) === fields.get(name));
      return [name, chosen ?? DEFAULTS[name as keyof Settings]];
    })
  ) as unknown as Settings;
  const scene = sceneById(fields.get('scene') ?? '') ?? scenes[0]!;
  const packed = fields.get('code');
  const code = packed === null ? null : await unpack(packed);
  return {
    tab: fields.get('tab') === 'benchmark' ? 'benchmark' : 'scenes',
    scene: scene.id,
    code: code === scene.code ? null : code,
    settings,
  };
}
