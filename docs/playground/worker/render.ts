// The renderer: draws what the page asks for, one picture at a time, so that the page is never blocked. The next
// picture is drawn when the page has shown the last one; hidden pages show none.
import type { Frame, Order, Report, Settings } from '../protocol';
import { heightOf } from '../protocol';
import { sceneById } from '../scenes';
import { deviceKey, openDevice, type PlaygroundDevice } from './device';
import { ModelRenderer } from './model-renderer';
import { SceneView, type SceneMoment } from './scene-view';
import { countersOf } from './counters';
import { defineConstants } from './globals';

type Show = Extract<Order, { type: 'show' }>;

/** Milliseconds between counters while pictures move. */
const COUNT_MS = 250;
/** Longest step of the clock, in seconds. */
const MAX_STEP = 0.1;
/** How often, and after how many milliseconds each, workers are looked for. */
const WORKER_TRIES = 30;
const WORKER_MS = 100;

const say = (report: Report, transfer: Transferable[] = []): void => postMessage(report, { transfer });
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Settings that a scene is built for. */
const buildKey = ({ width, samples }: Settings): string => [width, samples].join();

class Renderer {
  #show: Show | null = null;
  #isChanged = false;
  #isDirty = false;
  #isPlaying = false;
  #isShown = true;
  #isRunning = false;
  #probe: readonly [x: number, y: number] | null = null;
  #pointer: readonly [x: number, y: number] | null = null;
  #device: { key: string; device: PlaygroundDevice } | null = null;
  /** The order to show whose device was lost and replaced: it is replaced once. */
  #replacedFor = -1;
  #built: { show: Show; view: SceneView | ModelRenderer } | null = null;
  #seconds = 0;
  #count = -1;
  #lastTick = 0;
  #lastCounted = 0;

  receive(order: Order): void {
    switch (order.type) {
      case 'show':
        this.#show = order;
        this.#isChanged = true;
        break;
      case 'play':
        this.#isPlaying = order.isPlaying;
        this.#lastTick = performance.now();
        this.#isDirty = true;
        break;
      case 'pointer':
        this.#pointer = order.at;
        this.#isDirty = true;
        break;
      case 'orbit':
        if (this.#built?.view instanceof ModelRenderer) this.#built.view.move(order.orbit);
        this.#isDirty = true;
        break;
      case 'probe':
        this.#probe = [order.x, order.y];
        break;
      case 'shown':
        this.#isShown = true;
        break;
    }
    void this.#run();
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#isChanged || this.#probe || (this.#isShown && (this.#isDirty || this.#isPlaying))) {
      const { id } = this.#show ?? { id: 0 };
      const hadDevice = this.#device !== null;
      try {
        if (this.#isChanged) await this.#build();
        if (!this.#built) break;
        if (this.#probe) await this.#answerProbe(this.#built.view, this.#probe);
        if (this.#isShown && (this.#isDirty || this.#isPlaying)) await this.#draw(this.#built);
      } catch (error) {
        // The loss of a device has its own message.
        if (!hadDevice || this.#device) say({ type: 'failed', id, message: messageOf(error) });
        this.#probe = null;
        this.#isDirty = false;
        // A picture that cannot be drawn is not tried again.
        if (!this.#isChanged) break;
      }
    }
    this.#isRunning = false;
  }

  async #openDevice(settings: Settings): Promise<PlaygroundDevice> {
    const key = deviceKey(settings);
    if (this.#device?.key === key) return this.#device.device;
    this.#drop();
    const device = await openDevice(settings);
    this.#device = { key, device };
    void device.lost.then(({ reason, message }) => {
      if (reason !== 'destroyed' && this.#device?.device === device) this.#replace(message);
    });
    device.addEventListener('uncapturederror', ({ error }) =>
      say({ type: 'failed', id: this.#show?.id ?? 0, message: error.message })
    );
    if (settings.threads > 0) void this.#drawWithWorkers(device);
    return device;
  }

  /** Draws on a new device after one was lost, once for each order: its shader may be the cause. */
  #replace(why: string): void {
    const id = (this.#built?.show ?? this.#show)?.id ?? 0;
    const isAgain = id === this.#replacedFor;
    this.#replacedFor = id;
    this.#device = null;
    this.#built = null;
    this.#isDirty = false;
    this.#isChanged ||= !isAgain;
    say({ type: 'failed', id, message: `The GPU device was lost${isAgain ? ' again' : ' and replaced'}: ${why}` });
    void this.#run();
  }

  /** The first pictures are drawn while workers start; a scene that stands still is drawn once more with them. */
  async #drawWithWorkers(device: PlaygroundDevice): Promise<void> {
    for (let tries = 0; tries < WORKER_TRIES && this.#device?.device === device; tries++) {
      await new Promise((done) => setTimeout(done, WORKER_MS));
      if (device.statistics().workers === 0) continue;
      this.#isDirty = true;
      return this.#run();
    }
  }

  #drop(): void {
    this.#built?.view.destroy();
    this.#built = null;
    this.#device?.device.destroy();
    this.#device = null;
  }

  /** Shows another subject or other settings. If that fails, the one before stays. */
  async #build(): Promise<void> {
    const show = this.#show!;
    this.#isChanged = false;
    const device = await this.#openDevice(show.settings);
    const before = this.#built;
    const { subject, settings } = show;
    const isSame = before !== null && sameSubject(before.show.subject, subject);
    if (isSame && (subject.kind === 'model' || buildKey(before.show.settings) === buildKey(settings))) {
      if (before.view instanceof SceneView) before.view.settings = settings;
      this.#built = { ...before, show };
    } else {
      const view = await this.#create(device, subject, settings);
      before?.view.destroy();
      this.#built = { show, view };
      this.#count = -1;
      if (!isSame) this.#seconds = 0;
      if (view instanceof ModelRenderer) say({ type: 'model', lines: view.lines });
    }
    this.#lastTick = performance.now();
    this.#lastCounted = 0;
    this.#isDirty = true;
  }

  async #create(
    device: PlaygroundDevice,
    subject: Show['subject'],
    settings: Settings
  ): Promise<SceneView | ModelRenderer> {
    if (subject.kind === 'model') return ModelRenderer.load(device, subject.file, settings.threads);
    const scene = sceneById(subject.id);
    if (!scene) throw new Error(`There is no scene "${subject.id}"`);
    return SceneView.create(device, scene, subject.code, settings);
  }

  #moment({ width }: Settings): SceneMoment {
    const [x, y] = [width / 2, heightOf(width) / 2];
    const t = this.#seconds;
    const pointer = this.#pointer ?? [x + x * 0.5 * Math.sin(t * 0.7), y + y * 0.4 * Math.sin(t * 1.1)];
    return { seconds: t, count: this.#count, pointer: pointer as readonly [number, number] };
  }

  async #answerProbe(view: SceneView | ModelRenderer, at: readonly [number, number]): Promise<void> {
    this.#probe = null;
    if (view instanceof SceneView) say(await view.probe(this.#moment(this.#built!.show.settings), at));
  }

  async #draw({ show, view }: { show: Show; view: SceneView | ModelRenderer }): Promise<void> {
    const { settings, id } = show;
    const now = performance.now();
    const step = now - this.#lastTick;
    this.#lastTick = now;
    this.#isDirty = false;
    if (this.#isPlaying) this.#seconds += Math.min(MAX_STEP, step / 1000);
    // The first frame is number 0, also of a scene that stands still.
    if (this.#isPlaying || this.#count < 0) this.#count++;
    const isCounted = !this.#isPlaying || now - this.#lastCounted > COUNT_MS;
    if (isCounted) this.#lastCounted = now;
    let drawn: Pick<Frame, 'pixels' | 'milliseconds' | 'counters' | 'legend'>;
    if (view instanceof SceneView) drawn = await view.draw(this.#moment(settings), isCounted);
    else {
      this.#isDirty = view.advance(Math.min(step, MAX_STEP * 1000), this.#isPlaying);
      const { device } = this.#device!;
      const before = isCounted ? device.statistics() : null;
      const picture = await view.draw(settings, this.#seconds);
      const milliseconds = performance.now() - now;
      drawn = { ...picture, milliseconds, counters: before && countersOf(before, device.statistics()) };
    }
    this.#isShown = false;
    const { width } = settings;
    say({ type: 'frame', id, width, height: heightOf(width), ...drawn }, [drawn.pixels.buffer]);
  }
}

function sameSubject(a: Show['subject'], b: Show['subject']): boolean {
  if (a.kind === 'model') return b.kind === 'model' && a.file === b.file;
  return b.kind === 'scene' && a.id === b.id && a.code === b.code;
}

defineConstants();
const renderer = new Renderer();
onmessage = ({ data }: MessageEvent<Order>) => renderer.receive(data);
