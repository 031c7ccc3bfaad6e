// Turns the input of a person into movements of the camera: mouse, pen, touch, wheel and keys.
import { exp2 } from '../gltf/math';
import type { OrbitCamera } from './orbit';

/** Degrees that a drag across the height of the view turns. */
const DEGREES_PER_HEIGHT = 180;
const KEY_DEGREES = 15;
const KEY_SHARE = 0.1;
const KEY_ZOOM = 1.2;
/** Powers of two per pixel of the wheel. Pinches on a touchpad arrive as small steps with Ctrl. */
const WHEEL = 0.002;
const PINCH = 0.014;
const LINE_PIXELS = 16;

const length = (x: number, y: number): number => Math.sqrt(x * x + y * y);

interface Touch {
  x: number;
  y: number;
}

/** What controls need of the view. */
interface ControlledView {
  readonly camera: OrbitCamera;
  /** Whether the camera can be moved: not while nothing is shown, or a camera of the file is. */
  canMove(): boolean;
  hasFocus(): boolean;
  /** Called after the camera was moved. */
  moved(): void;
}

/** Listens to a stage, which fills the view. The listeners live as long as the stage. */
export class Controls {
  readonly #stage: HTMLElement;
  readonly #view: ControlledView;
  /** Pointers that are down, by their ids. */
  readonly #pointers = new Map<number, Touch>();

  constructor(stage: HTMLElement, view: ControlledView) {
    this.#stage = stage;
    this.#view = view;
    stage.addEventListener('pointerdown', (event) => this.#down(event));
    stage.addEventListener('pointermove', (event) => this.#move(event));
    for (const type of ['pointerup', 'pointercancel'] as const)
      stage.addEventListener(type, ({ pointerId }) => this.#pointers.delete(pointerId));
    stage.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    stage.addEventListener('keydown', (event) => this.#key(event));
    stage.addEventListener('contextmenu', (event) => event.preventDefault());
    stage.addEventListener('dblclick', () => this.#apply((camera) => camera.reset()));
  }

  #apply(move: (camera: OrbitCamera) => void): void {
    if (!this.#view.canMove()) return;
    move(this.#view.camera);
    this.#view.moved();
  }

  #down(event: PointerEvent): void {
    // One finger scrolls the page, unless a tap has given the view the focus.
    const isFirstTouch = event.pointerType === 'touch' && this.#pointers.size === 0;
    if (isFirstTouch && !this.#view.hasFocus()) return;
    this.#stage.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  #move(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const others = [...this.#pointers].filter(([id]) => id !== event.pointerId).map(([, touch]) => touch);
    const now = { x: event.clientX, y: event.clientY };
    this.#pointers.set(event.pointerId, now);
    const height = this.#stage.clientHeight || 1;
    const [x, y] = [(now.x - before.x) / height, (now.y - before.y) / height];
    this.#apply((camera) => {
      const [other] = others;
      if (other) {
        // Two fingers: each moves the picture by half its way, and their distance zooms.
        camera.pan(-x / 2, y / 2);
        const apart = ({ x, y }: Touch): number => Math.max(1, length(x - other.x, y - other.y));
        camera.zoom(apart(before) / apart(now));
      } else if (event.shiftKey || (event.buttons & 6) !== 0) camera.pan(-x, y);
      else camera.turn(-x * DEGREES_PER_HEIGHT, y * DEGREES_PER_HEIGHT);
    });
  }

  #wheel(event: WheelEvent): void {
    // Without the focus, the wheel scrolls the page.
    if (!this.#view.canMove() || !(event.ctrlKey || this.#view.hasFocus())) return;
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * LINE_PIXELS;
    this.#apply((camera) => camera.zoom(exp2(pixels * (event.ctrlKey ? PINCH : WHEEL))));
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#view.canMove()) return;
    const turnOrPan =
      (x: number, y: number): ((camera: OrbitCamera) => void) =>
      (camera) =>
        event.shiftKey ? camera.pan(-x * KEY_SHARE, -y * KEY_SHARE) : camera.turn(-x * KEY_DEGREES, -y * KEY_DEGREES);
    const moves: Record<string, (camera: OrbitCamera) => void> = {
      ArrowLeft: turnOrPan(-1, 0),
      ArrowRight: turnOrPan(1, 0),
      ArrowUp: turnOrPan(0, 1),
      ArrowDown: turnOrPan(0, -1),
      '+': (camera) => camera.zoom(1 / KEY_ZOOM),
      '=': (camera) => camera.zoom(1 / KEY_ZOOM),
      '-': (camera) => camera.zoom(KEY_ZOOM),
      Home: (camera) => camera.reset(),
      '0': (camera) => camera.reset(),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    this.#apply(move);
  }
}
