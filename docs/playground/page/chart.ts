// The times of the last frames, as bars. The canvas has the size of its box.
const FRAMES = 120;
/** Milliseconds of lines across the chart. */
const LINES = [16.7, 33.3] as const;

export class Chart {
  readonly #canvas: HTMLCanvasElement;
  readonly #times: number[] = [];

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    new ResizeObserver(() => this.#draw()).observe(canvas);
  }

  /** The median of the frames that are shown, in milliseconds. */
  get median(): number {
    const sorted = [...this.#times].sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  }

  add(milliseconds: number): void {
    this.#times.push(milliseconds);
    if (this.#times.length > FRAMES) this.#times.shift();
    this.#draw();
  }

  clear(): void {
    this.#times.length = 0;
    this.#draw();
  }

  #draw(): void {
    const canvas = this.#canvas;
    const { clientWidth, clientHeight } = canvas;
    const density = window.devicePixelRatio;
    canvas.width = clientWidth * density;
    canvas.height = clientHeight * density;
    const context = canvas.getContext('2d')!;
    context.scale(density, density);
    const style = getComputedStyle(canvas);
    const most = Math.max(20, ...this.#times) * 1.1;
    const yOf = (time: number): number => clientHeight - (time / most) * clientHeight;
    context.fillStyle = style.getPropertyValue('--line');
    context.fillRect(0, clientHeight - 1, clientWidth, 1);
    for (const time of LINES) if (time < most) context.fillRect(0, yOf(time), clientWidth, 1);
    const step = clientWidth / FRAMES;
    context.fillStyle = style.getPropertyValue('--accent');
    this.#times.forEach((time, i) =>
      context.fillRect((FRAMES - this.#times.length + i) * step, yOf(time), Math.max(1, step - 1), clientHeight)
    );
    const median = this.median;
    canvas.setAttribute(
      'aria-label',
      `Times of the last ${this.#times.length} frames: median ${median.toFixed(1)} ms, longest `
        + `${Math.max(0, ...this.#times).toFixed(1)} ms`
    );
  }
}
