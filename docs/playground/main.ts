// The page of the playground: it holds the state, and passes it between the parts.
import sampleUrl from '../../build/sample.glb?url';
import { setUpBenchmark } from './page/benchmark';
import { Chart } from './page/chart';
import { Editor } from './page/editor';
import { byId } from './page/elements';
import { Gallery } from './page/gallery';
import { isolate } from './page/isolation';
import { showCounters, showLegend, showModel, showProbe, showProblems } from './page/panels';
import { Stage } from './page/stage';
import { decodeState, DEFAULTS, encodeState, type State } from './page/state';
import { Switches } from './page/switches';
import { selectTab, setUpTabs } from './page/tabs';
import { setUpTheme } from './page/theme';
import { Checker, RendererClient } from './page/workers';
import type { Report, Settings, Subject } from './protocol';
import { sceneById, scenes } from './scenes';

/** Milliseconds without typing after which a shader is checked. */
const TYPING_MS = 200;

class Playground {
  #state: State = { tab: 'scenes', scene: scenes[0]!.id, code: null, settings: DEFAULTS };
  /** A model that is shown in place of the scene. */
  #model: { name: string; file: Blob } | null = null;
  /** Whether the shader came by a link and has not been allowed to run. */
  #isGuarded = false;
  #isPlaying = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  /** Of the last order to show something, and of the one that a message is about. */
  #id = 0;
  #noticed = -1;
  #typing = 0;
  #lastFragment = '';

  readonly #chart = new Chart(byId<HTMLCanvasElement>('chart'));
  readonly #renderer = new RendererClient((report) => this.#receive(report));
  readonly #checker = new Checker();
  readonly #editor = new Editor(byId('editor'), (code) => this.#edited(code));
  readonly #stage = new Stage({
    pointer: (at) => this.#renderer.send({ type: 'pointer', at }),
    probe: (x, y) => this.#renderer.send({ type: 'probe', x, y }),
    orbit: (orbit) => this.#renderer.send({ type: 'orbit', orbit }),
    file: (file) => this.#showModel(file.name, file),
  });
  readonly #switches = new Switches(byId('switches'), (change) => this.#change(change));
  readonly #gallery = new Gallery(byId('gallery'), {
    scene: (id) => this.#showScene(id, null),
    sampleModel: () => void this.#showSample(),
    ownModel: (file) => this.#showModel(file.name, file),
  });

  async start(): Promise<void> {
    setUpTheme(() => this.#chart.clear());
    setUpTabs((tab) => this.#selectTab(tab));
    setUpBenchmark(() => this.#play(false));
    byId('play').addEventListener('click', () => this.#play(!this.#isPlaying));
    byId('reset').addEventListener('click', () => this.#showScene(this.#state.scene, null));
    byId('run').addEventListener('click', () => {
      this.#isGuarded = false;
      byId('guard').hidden = true;
      this.#checkAndShow();
    });
    byId('share').addEventListener('click', () => void this.#share());
    addEventListener('hashchange', () => {
      if (location.hash.slice(1) !== this.#lastFragment) void this.#open(location.hash.slice(1));
    });
    this.#play(this.#isPlaying);
    await this.#open(location.hash.slice(1));
  }

  /** Shows what an address says. Its shader waits for a click. */
  async #open(fragment: string): Promise<void> {
    let problem = '';
    const state = await decodeState(fragment).catch((error: unknown) => {
      problem = `The link cannot be read: ${String(error)}`;
      return decodeState('');
    });
    this.#state = state;
    this.#selectTab(state.tab);
    this.#isGuarded = state.code !== null;
    this.#showScene(state.scene, state.code);
    if (problem) this.#notice(problem);
  }

  #selectTab(tab: State['tab']): void {
    this.#state = { ...this.#state, tab };
    selectTab(tab);
    if (tab === 'benchmark') this.#play(false);
    void this.#writeAddress();
  }

  #play(isPlaying: boolean): void {
    this.#isPlaying = isPlaying;
    const button = byId('play');
    button.textContent = isPlaying ? 'Pause' : 'Play';
    button.setAttribute('aria-pressed', String(isPlaying));
    this.#renderer.send({ type: 'play', isPlaying });
  }

  #showScene(id: string, code: string | null): void {
    const scene = sceneById(id)!;
    this.#model = null;
    this.#state = { ...this.#state, scene: id, code };
    if (code === null) this.#isGuarded = false;
    byId('guard').hidden = !this.#isGuarded;
    this.#describe(scene.title, scene.summary, `../${scene.guide}.html`);
    this.#gallery.select(id);
    showModel('', null);
    this.#editor.code = code ?? scene.code;
    this.#renderer.send({ type: 'pointer', at: null });
    if (this.#isGuarded) byId('verdict').textContent = '';
    else this.#checkAndShow();
    void this.#writeAddress();
  }

  async #showSample(): Promise<void> {
    const id = ++this.#id;
    const response = await fetch(sampleUrl);
    const file = await response.blob();
    // Something else may have been chosen meanwhile.
    if (id === this.#id) this.#showModel('Sample model', file);
  }

  #showModel(name: string, file: Blob): void {
    this.#model = { name, file };
    this.#isGuarded = false;
    byId('guard').hidden = true;
    this.#describe(name, 'A glTF model, drawn by rasterloom/gltf.', '../reference/gltf-api.html');
    this.#gallery.select(null);
    showModel(name, ['is loaded …']);
    this.#show();
  }

  #describe(title: string, summary: string, guide: string): void {
    byId('title').textContent = title;
    byId('summary').textContent = summary;
    byId<HTMLAnchorElement>('guide').href = guide;
    const isModel = this.#model !== null;
    this.#stage.describe(title, isModel);
    this.#stage.notice('');
    byId('editor').closest('section')!.hidden = isModel;
    this.#switches.show(this.#state.settings, isModel ? 'model' : 'scene');
    this.#chart.clear();
    showProbe(null);
    showLegend([]);
  }

  #change(change: Partial<Settings>): void {
    this.#state = { ...this.#state, settings: { ...this.#state.settings, ...change } };
    this.#chart.clear();
    showProbe(null);
    this.#show();
    void this.#writeAddress();
  }

  #edited(code: string): void {
    const isOriginal = code === sceneById(this.#state.scene)!.code;
    this.#state = { ...this.#state, code: isOriginal ? null : code };
    clearTimeout(this.#typing);
    this.#typing = window.setTimeout(() => {
      if (!this.#isGuarded) this.#checkAndShow();
      void this.#writeAddress();
    }, TYPING_MS);
  }

  /** Marks problems, and shows the shader if it has no errors. */
  #checkAndShow(): void {
    const { code } = this.#editor;
    byId('reset').hidden = this.#state.code === null;
    // A shader of the gallery is known to be right.
    if (this.#state.code === null) this.#show();
    void this.#checker.check(code).then((messages) => {
      if (!messages || this.#editor.code !== code) return;
      this.#editor.mark(messages);
      showProblems(messages, (offset) => this.#editor.goTo(offset));
      if (this.#state.code !== null && messages.every(({ type }) => type !== 'error')) this.#show();
    });
  }

  #show(): void {
    if (this.#isGuarded) return;
    const { scene, settings } = this.#state;
    const subject: Subject = this.#model
      ? { kind: 'model', ...this.#model }
      : { kind: 'scene', id: scene, code: this.#editor.code };
    this.#renderer.send({ type: 'show', id: ++this.#id, subject, settings });
  }

  #receive(report: Report): void {
    switch (report.type) {
      case 'frame':
        requestAnimationFrame(() => {
          if (report.id === this.#id) this.#showFrame(report);
          this.#renderer.send({ type: 'shown' });
        });
        break;
      case 'probed':
        showProbe(report);
        break;
      case 'model':
        if (this.#model) showModel(this.#model.name, report.lines);
        break;
      case 'failed':
        // The one before the last may have failed because the device was replaced.
        if (report.id !== 0 && report.id < this.#id) break;
        this.#notice(report.message);
        if (this.#model) showModel(this.#model.name, []);
        break;
    }
  }

  /** Shows a message until something else is shown. */
  #notice(text: string): void {
    this.#noticed = this.#id;
    this.#stage.notice(text);
  }

  #showFrame(frame: Extract<Report, { type: 'frame' }>): void {
    this.#stage.show(frame);
    if (frame.id > this.#noticed) this.#stage.notice('');
    this.#chart.add(frame.milliseconds);
    const { median } = this.#chart;
    byId('fps').textContent = `${median.toFixed(1)} ms, ${Math.round(1000 / median)} frames/s`;
    if (frame.counters) showCounters(frame.counters);
    showLegend(frame.legend);
  }

  async #writeAddress(): Promise<void> {
    // A shader that waits for a click stays in the address as it is.
    this.#lastFragment = await encodeState(this.#state);
    history.replaceState(null, '', `#${this.#lastFragment}`);
  }

  async #share(): Promise<void> {
    await this.#writeAddress();
    const button = byId('share');
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'It is in the address bar';
    }
    setTimeout(() => (button.textContent = 'Copy link'), 2000);
  }
}

await isolate();
await new Playground().start();
