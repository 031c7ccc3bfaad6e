// The picture, and what people do on it: point, look at the samples of a pixel, turn a model, drop a file.
import type { Frame, Orbit } from '../protocol';
import { byId } from './elements';

interface StageEvents {
  pointer(at: readonly [x: number, y: number]): void;
  probe(x: number, y: number): void;
  orbit(orbit: Orbit): void;
  file(file: File): void;
}

const DEGREES_PER_HEIGHT = 180;
const KEY_DEGREES = 15;
const KEY_PIXELS = 8;
/** Pixels that a click may move. */
const CLICK = 5;
const SCENE_HELP = 'Click a pixel to see its samples. By keyboard: arrow keys move the cross, Enter reads the pixel.';
const MODEL_HELP = 'Drag to turn, drag with Shift to move, wheel or + and − to zoom. Arrow keys turn, Home goes back.';

export class Stage {
  readonly #stage = byId('stage');
  readonly #canvas = byId<HTMLCanvasElement>('canvas');
  /** Pixels are put, not drawn: the canvas needs no GPU. */
  readonly #context = this.#canvas.getContext('2d', { willReadFrequently: true })!;
  readonly #cross = byId('cross');
  readonly #notice = byId('notice');
  readonly #events: StageEvents;
  #isModel = false;
  /** Where the cross is, in pixels of the picture. */
  #at: [x: number, y: number] = [320, 180];
  #drag: { x: number; y: number; moved: number } | null = null;

  constructor(events: StageEvents) {
    this.#events = events;
    const stage = this.#stage;
    stage.addEventListener('pointerdown', (event) => this.#down(event));
    stage.addEventListener('pointermove', (event) => this.#move(event));
    stage.addEventListener('pointerup', (event) => this.#up(event));
    stage.addEventListener('pointercancel', () => (this.#drag = null));
    stage.addEventListener('keydown', (event) => this.#key(event));
    stage.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    stage.addEventListener('focus', () => (this.#cross.hidden = this.#isModel || !stage.matches(':focus-visible')));
    stage.addEventListener('blur', () => (this.#cross.hidden = true));
    this.#acceptFiles();
  }

  show({ id, pixels, width, height }: Frame): void {
    const canvas = this.#canvas;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      this.#stage.classList.toggle('magnified', width < canvas.clientWidth);
    }
    canvas.dataset['order'] = String(id);
    this.#context.putImageData(new ImageData(pixels, width, height), 0, 0);
  }

  /** Sets what pointers and keys do. @param name of the picture, for people who do not see it */
  describe(name: string, isModel: boolean): void {
    this.#isModel = isModel;
    this.#stage.classList.toggle('orbit', isModel);
    this.#stage.setAttribute('aria-label', `Picture: ${name}`);
    byId('stage-help').textContent = isModel ? MODEL_HELP : SCENE_HELP;
    this.#cross.hidden = true;
  }

  /** @param text '' for none */
  notice(text: string): void {
    this.#notice.hidden = text === '';
    this.#notice.textContent = text;
  }

  mark(x: number, y: number): void {
    this.#at = [x, y];
    this.#cross.hidden = false;
    this.#cross.style.left = `${((x + 0.5) / this.#canvas.width) * 100}%`;
    this.#cross.style.top = `${((y + 0.5) / this.#canvas.height) * 100}%`;
  }

  #pixelOf({ clientX, clientY }: PointerEvent): [x: number, y: number] {
    const box = this.#canvas.getBoundingClientRect();
    const { width, height } = this.#canvas;
    const inside = (value: number, size: number): number => Math.min(size - 1, Math.max(0, Math.floor(value)));
    return [
      inside(((clientX - box.left) / box.width) * width, width),
      inside(((clientY - box.top) / box.height) * height, height),
    ];
  }

  #down(event: PointerEvent): void {
    if ((event.target as Element).closest('button')) return;
    this.#drag = { x: event.clientX, y: event.clientY, moved: 0 };
    // One finger scrolls the page until a tap has given the model the focus.
    if (this.#isModel && (event.pointerType !== 'touch' || document.activeElement === this.#stage))
      this.#stage.setPointerCapture(event.pointerId);
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    if (!this.#isModel) this.#events.pointer(this.#pixelOf(event));
    if (!drag) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    this.#drag = { x: event.clientX, y: event.clientY, moved: drag.moved + Math.abs(x) + Math.abs(y) };
    if (!this.#isModel) return;
    const height = this.#stage.clientHeight;
    if (event.shiftKey || (event.buttons & 6) !== 0) this.#events.orbit({ pan: [-x / height, y / height] });
    else this.#events.orbit({ turn: [(-x / height) * DEGREES_PER_HEIGHT, (y / height) * DEGREES_PER_HEIGHT] });
  }

  #up(event: PointerEvent): void {
    const isClick = this.#drag !== null && this.#drag.moved < CLICK;
    this.#drag = null;
    if (!isClick || this.#isModel) return;
    const [x, y] = this.#pixelOf(event);
    this.mark(x, y);
    this.#events.probe(x, y);
  }

  #wheel(event: WheelEvent): void {
    // Without the focus, the wheel scrolls the page.
    if (!this.#isModel || document.activeElement !== this.#stage) return;
    event.preventDefault();
    this.#events.orbit({ zoom: 2 ** (event.deltaY * 0.002) });
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.#stage) return;
    const ways: Record<string, readonly [x: number, y: number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const way = ways[event.key];
    if (this.#isModel) {
      const { orbit } = this.#events;
      if (way && event.shiftKey) orbit({ pan: [-way[0] * 0.1, way[1] * 0.1] });
      else if (way) orbit({ turn: [way[0] * KEY_DEGREES, -way[1] * KEY_DEGREES] });
      else if (event.key === '+' || event.key === '=') orbit({ zoom: 1 / 1.2 });
      else if (event.key === '-') orbit({ zoom: 1.2 });
      else if (event.key === 'Home' || event.key === '0') orbit({ reset: true });
      else return;
    } else if (way) {
      const step = event.shiftKey ? 1 : KEY_PIXELS;
      const { width, height } = this.#canvas;
      const inside = (value: number, size: number): number => Math.min(size - 1, Math.max(0, value));
      this.mark(inside(this.#at[0] + way[0] * step, width), inside(this.#at[1] + way[1] * step, height));
      this.#events.pointer(this.#at);
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.mark(...this.#at);
      this.#events.probe(...this.#at);
    } else return;
    event.preventDefault();
  }

  /** Files may be dropped anywhere on the page. */
  #acceptFiles(): void {
    const hint = byId('drop');
    const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false;
    addEventListener('dragover', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      hint.hidden = false;
    });
    addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) hint.hidden = true;
    });
    addEventListener('drop', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      hint.hidden = true;
      const file = event.dataTransfer?.files[0];
      if (file) this.#events.file(file);
    });
  }
}
