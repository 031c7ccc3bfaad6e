// Fonts that programs load for text on 2D canvases.
// https://drafts.csswg.org/css-font-loading/
import { messageOf } from '../../gltf/errors';
import { NodeEvent } from '../host';
import { fetchResource } from '../resources';
import { drawingAdvice, drawingPackage } from './package';

type FontSource = string | ArrayBuffer | ArrayBufferView;

const addressOf = (source: string): string => {
  const [, , address] = /url\(\s*(["']?)(.*?)\1\s*\)/.exec(source) ?? [];
  if (address !== undefined) return address;
  throw new DOMException(
    `FontFace: the source ${source.slice(0, 80)} is not a url(…), and fonts of the system need no FontFace`,
    'SyntaxError'
  );
};

async function bytesOf(source: FontSource): Promise<Uint8Array> {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (typeof source !== 'string') return new Uint8Array(source);
  const { status, body } = await fetchResource(addressOf(source));
  if (status !== 200) throw new Error(`${addressOf(source)} could not be fetched: the status is ${status}`);
  return new Uint8Array(await body.arrayBuffer());
}

/** A font is known to all 2D canvases once it is loaded, and stays known until the process ends. */
export class FontFace {
  readonly family: string;
  readonly style: string;
  readonly weight: string;
  status: 'unloaded' | 'loading' | 'loaded' | 'error' = 'unloaded';
  readonly #source: FontSource;
  #loaded: Promise<this> | null = null;

  constructor(family: string, source: FontSource, { style = 'normal', weight = 'normal' }: FontFaceDescriptors = {}) {
    this.family = String(family).replace(/^(["'])(.*)\1$/, '$2');
    this.style = style;
    this.weight = weight;
    this.#source = source;
  }
  get loaded(): Promise<this> {
    return this.load();
  }
  /** Rejects with a NetworkError if the font cannot be loaded. */
  load(): Promise<this> {
    return (this.#loaded ??= this.#load());
  }

  async #load(): Promise<this> {
    this.status = 'loading';
    try {
      const kit = drawingPackage();
      if (kit === null) throw new Error(`it ${drawingAdvice()}`);
      const bytes = await bytesOf(this.#source);
      if (kit.GlobalFonts.register(bytes, this.family) === null) throw new Error('the file is not a font');
    } catch (error) {
      this.status = 'error';
      throw new DOMException(`FontFace: ${this.family} could not be loaded: ${messageOf(error)}`, 'NetworkError');
    }
    this.status = 'loaded';
    return this;
  }
}

/** `document.fonts`. Fonts of the system and of install() are not members, and are always known. */
export class FontFaceSet extends EventTarget {
  readonly #faces = new Set<FontFace>();
  readonly status = 'loaded';

  get size(): number {
    return this.#faces.size;
  }
  /** Resolves when the fonts that are loading have been loaded, or have failed. */
  get ready(): Promise<this> {
    const loading = [...this.#faces].filter(({ status }) => status === 'loading');
    return Promise.allSettled(loading.map((face) => face.load())).then(() => this);
  }
  add(face: FontFace): this {
    this.#faces.add(face);
    return this;
  }
  delete(face: FontFace): boolean {
    return this.#faces.delete(face);
  }
  clear(): void {
    this.#faces.clear();
  }
  has(face: FontFace): boolean {
    return this.#faces.has(face);
  }
  forEach(call: (face: FontFace) => void): void {
    this.#faces.forEach((face) => call(face));
  }
  [Symbol.iterator](): Iterator<FontFace> {
    return this.#faces[Symbol.iterator]();
  }
  /** Loads the members of the families in a `font` such as `bold 20px Lato`. */
  async load(font: string): Promise<FontFace[]> {
    const faces = await Promise.all(this.#of(font).map((face) => face.load()));
    this.dispatchEvent(new NodeEvent('loadingdone'));
    return faces;
  }
  check(font: string): boolean {
    return this.#of(font).every(({ status }) => status === 'loaded');
  }
  #of(font: string): FontFace[] {
    return [...this.#faces].filter(({ family }) => font.includes(family));
  }
}
