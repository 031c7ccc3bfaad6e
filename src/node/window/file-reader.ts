// FileReader for Node. https://w3c.github.io/FileAPI/#APIASynch
import { tell, type Handler } from '../events';
import { ProgressEvent } from './progress-event';

type EventName = 'loadstart' | 'progress' | 'load' | 'abort' | 'error' | 'loadend';

export class FileReader extends EventTarget {
  static readonly EMPTY = 0;
  static readonly LOADING = 1;
  static readonly DONE = 2;
  readyState = 0;
  result: string | ArrayBuffer | null = null;
  error: unknown = null;
  onloadstart: Handler = null;
  onprogress: Handler = null;
  onload: Handler = null;
  onabort: Handler = null;
  onerror: Handler = null;
  onloadend: Handler = null;
  /** Identifies the running read; results of earlier reads are ignored. */
  #read: object | null = null;

  readAsArrayBuffer(blob: Blob): void {
    this.#start('readAsArrayBuffer', blob, () => blob.arrayBuffer());
  }
  readAsText(blob: Blob, encoding?: string): void {
    this.#start('readAsText', blob, async () => new TextDecoder(encoding).decode(await blob.arrayBuffer()));
  }
  readAsDataURL(blob: Blob): void {
    this.#start('readAsDataURL', blob, async () => {
      const type = blob.type || 'application/octet-stream';
      return `data:${type};base64,${Buffer.from(await blob.arrayBuffer()).toString('base64')}`;
    });
  }
  abort(): void {
    if (this.#read === null) return;
    this.#finish(null, null, 'abort', 0);
  }

  #start(method: string, blob: unknown, read: () => Promise<string | ArrayBuffer>): void {
    if (!(blob instanceof Blob)) throw new TypeError(`FileReader.${method}: the argument is not a Blob`);
    if (this.#read !== null)
      throw new DOMException(`FileReader.${method}: another read is still running`, 'InvalidStateError');
    const own = (this.#read = {});
    this.readyState = FileReader.LOADING;
    this.result = this.error = null;
    const { size } = blob;
    read().then(
      (result) => {
        if (this.#read !== own) return;
        this.#tell('loadstart', 0, size);
        this.#tell('progress', size, size);
        this.#finish(result, null, 'load', size);
      },
      (error: unknown) => {
        if (this.#read === own) this.#finish(null, error, 'error', 0);
      }
    );
  }
  #finish(result: string | ArrayBuffer | null, error: unknown, name: EventName, size: number): void {
    this.#read = null;
    this.readyState = FileReader.DONE;
    this.result = result;
    this.error = error;
    this.#tell(name, size, size);
    if (this.#read === null) this.#tell('loadend', size, size);
  }
  #tell(name: EventName, loaded: number, total: number): void {
    tell(this, this[`on${name}`], new ProgressEvent(name, { lengthComputable: total > 0, loaded, total }));
  }
}
