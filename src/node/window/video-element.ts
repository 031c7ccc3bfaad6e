// A video element for Node. Nothing decodes videos there, so it reports that its source cannot be played.
import { Element } from '../element';
import { tell, type Handler } from '../events';
import { NodeEvent, process } from '../host';

export const NO_VIDEO =
  'videos are not decoded in Node; decode the frames with another program, and load them as images';

export class VideoElement extends Element {
  readonly videoWidth = 0;
  readonly videoHeight = 0;
  readonly readyState = 0;
  readonly duration = NaN;
  readonly paused = true;
  readonly ended = false;
  currentTime = 0;
  autoplay = false;
  loop = false;
  muted = false;
  crossOrigin: string | null = null;
  onerror: Handler = null;
  #src = '';

  constructor() {
    super('video');
  }
  get src(): string {
    return this.#src;
  }
  set src(value: unknown) {
    this.#src = String(value);
    this.load();
  }
  canPlayType(): string {
    return '';
  }
  /** Sends an `error` event, and prints the reason: programs often do not look for it. */
  load(): void {
    if (this.#src === '') return;
    const src = this.#src.slice(0, 200);
    process.nextTick(() => {
      console.error(`${src} cannot be played: ${NO_VIDEO}`);
      tell(this, this.onerror, new NodeEvent('error'));
    });
  }
  async play(): Promise<void> {
    throw new DOMException(`play: ${NO_VIDEO}`, 'NotSupportedError');
  }
  pause(): void {}
}
