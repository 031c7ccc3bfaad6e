// What is inside of a view: the canvas, the poster, the progress and the message, in a shadow tree.

const STYLE = `
:host { display: block; position: relative; width: 100%; aspect-ratio: 16 / 9; overflow: hidden; contain: content; }
:host([hidden]) { display: none; }
.stage { position: absolute; inset: 0; touch-action: pan-x pan-y; cursor: grab; outline: none; }
.stage:active { cursor: grabbing; }
:host(:focus-within) .stage { touch-action: none; }
.stage:focus-visible { outline: 3px solid Highlight; outline-offset: -3px; }
canvas, img { position: absolute; inset: 0; width: 100%; height: 100%; }
img { object-fit: contain; }
img, progress, p { pointer-events: none; }
progress { position: absolute; inset: auto 0 0; width: 100%; height: 4px; border: 0; appearance: none;
  background: color-mix(in srgb, CanvasText 15%, transparent); }
progress::-webkit-progress-bar { background: transparent; }
progress::-webkit-progress-value { background: Highlight; transition: width 0.2s; }
progress::-moz-progress-bar { background: Highlight; }
p { position: absolute; inset: 50% auto auto 50%; transform: translate(-50%, -50%); box-sizing: border-box;
  width: max-content; max-width: calc(100% - 2rem); margin: 0; padding: 0.75rem 1rem; border-radius: 0.5rem;
  font: 0.875rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; background: Canvas; color: CanvasText;
  border: 1px solid color-mix(in srgb, CanvasText 30%, transparent); }
[hidden] { display: none; }
@media (prefers-reduced-motion: reduce) { progress::-webkit-progress-value { transition: none; } }
`;
const HELP = 'Arrow keys turn, with Shift they move. Plus and minus zoom, Home goes back.';
const LABEL = '3D model';

/** Shows an element, or hides it. */
const show = (element: HTMLElement, isShown: boolean): void => {
  element.hidden = !isShown;
};

export class Stage {
  readonly element = document.createElement('div');
  readonly canvas = document.createElement('canvas');
  readonly #poster = document.createElement('img');
  readonly #progress = document.createElement('progress');
  readonly #message = document.createElement('p');
  #hasPicture = false;

  constructor(host: HTMLElement) {
    const root = host.attachShadow({ mode: 'open', delegatesFocus: true });
    const style = document.createElement('style');
    style.textContent = STYLE;
    const { element } = this;
    element.className = 'stage';
    element.tabIndex = 0;
    element.setAttribute('role', 'application');
    element.setAttribute('aria-roledescription', '3D view');
    element.setAttribute('aria-description', HELP);
    element.part.add('stage');
    this.#progress.setAttribute('aria-label', 'Loading');
    this.#progress.part.add('progress');
    this.#message.setAttribute('role', 'alert');
    this.#message.part.add('message');
    this.#poster.part.add('poster');
    // The stage has the description.
    this.#poster.alt = '';
    this.canvas.setAttribute('aria-hidden', 'true');
    element.append(this.canvas);
    root.append(style, element, this.#poster, this.#progress, this.#message);
    this.describe(null);
    this.setPoster(null);
    this.setProgress(null);
    this.setMessage('');
  }

  /** @param alt the description of the model for people who do not see it */
  describe(alt: string | null): void {
    this.element.setAttribute('aria-label', alt === null || alt.trim() === '' ? LABEL : alt);
  }

  /** @param address of an image that is shown until the first picture */
  setPoster(address: string | null): void {
    if (address === null) this.#poster.removeAttribute('src');
    else this.#poster.src = address;
    this.#updatePoster();
  }

  /** Removes the picture of another model. */
  clear(): void {
    this.#hasPicture = false;
    this.canvas.width = 1;
    this.#updatePoster();
  }

  /** Shows pixels: RGBA in rows from the top. */
  put(pixels: Uint8Array<ArrayBuffer>, width: number, height: number): void {
    const { canvas } = this;
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const clamped = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.byteLength);
    canvas.getContext('2d')!.putImageData(new ImageData(clamped, width, height), 0, 0);
    if (this.#hasPicture) return;
    this.#hasPicture = true;
    this.#updatePoster();
  }

  /** @param share of loading that is done; null: nothing is being loaded */
  setProgress(share: number | null): void {
    show(this.#progress, share !== null);
    this.#progress.value = share ?? 0;
  }

  setMessage(text: string): void {
    show(this.#message, text !== '');
    this.#message.textContent = text;
  }

  #updatePoster(): void {
    show(this.#poster, !this.#hasPicture && this.#poster.hasAttribute('src'));
  }
}
