// XMLHttpRequest for Node, based on fetch. Babylon.js loads files with it. https://xhr.spec.whatwg.org/
import { tell, type Handler } from './events';
import { NodeEvent } from './host';
import { fetchResource } from './resources';
import { ProgressEvent } from './window/progress-event';

const READERS: ReadonlyMap<string, (body: Response) => Promise<unknown>> = new Map([
  ['', (body) => body.text()],
  ['text', (body) => body.text()],
  ['arraybuffer', (body) => body.arrayBuffer()],
  ['blob', (body) => body.blob()],
  // Invalid JSON becomes null.
  ['json', (body) => body.json().catch(() => null)],
] as [string, (body: Response) => Promise<unknown>][]);
type EventName = 'progress' | 'load' | 'error' | 'abort' | 'timeout' | 'loadend' | 'readystatechange';
/** Abort reason of a request that `timeout` has ended. */
const TIMED_OUT = Symbol('timed out');

export class XMLHttpRequest extends EventTarget {
  static readonly DONE = 4;
  readonly DONE = 4;
  readyState = 0;
  response: unknown = null;
  responseURL = '';
  status = 0;
  statusText = '';
  /** Milliseconds after `send`; 0: only the limit of resources applies. */
  timeout = 0;
  withCredentials = false;
  onload: Handler = null;
  onerror: Handler = null;
  onabort: Handler = null;
  ontimeout: Handler = null;
  onloadend: Handler = null;
  onprogress: Handler = null;
  onreadystatechange: Handler = null;
  #responseType = '';
  #method = 'GET';
  #url = '';
  readonly #headers = new Headers();
  #answer: Headers | null = null;
  #abort: AbortController | null = null;

  get responseType(): string {
    return this.#responseType;
  }
  /** As for IDL enumerations, unknown names are ignored. */
  set responseType(value: unknown) {
    if (READERS.has(String(value))) this.#responseType = String(value);
  }
  get responseText(): string {
    return typeof this.response === 'string' ? this.response : '';
  }
  open(method: string, url: string): void {
    this.#end();
    this.#method = method;
    this.#url = String(url);
    this.#forget();
    this.#enter(1);
  }
  setRequestHeader(name: string, value: string): void {
    this.#headers.set(name, value);
  }
  getResponseHeader(name: string): string | null {
    return this.#answer?.get(name) ?? null;
  }
  getAllResponseHeaders(): string {
    return [...(this.#answer ?? [])].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  }
  abort(): void {
    this.#abort?.abort();
  }
  send(body?: BodyInit | null): void {
    this.#end();
    void this.#load(body ?? null);
  }

  /** Aborts a running request and ignores its result. */
  #end(): void {
    const before = this.#abort;
    this.#abort = null;
    before?.abort();
  }
  #forget(): void {
    this.response = this.#answer = null;
    this.status = 0;
    this.statusText = this.responseURL = '';
  }

  async #load(body: BodyInit | null): Promise<void> {
    const own = (this.#abort = new AbortController());
    const { signal } = own;
    const ms = Number(this.timeout);
    const timer = ms > 0 ? setTimeout(() => own.abort(TIMED_OUT), Math.min(ms, 0x7fff_ffff)) : undefined;
    let result: () => void;
    let length = 0;
    let name: EventName = 'load';
    try {
      const loaded = await fetchResource(this.#url, { method: this.#method, headers: this.#headers, body, signal });
      length = Number(loaded.headers.get('content-length') ?? 0);
      const response = await READERS.get(this.#responseType)!(loaded.body);
      result = () => {
        ({ status: this.status, statusText: this.statusText, url: this.responseURL, headers: this.#answer } = loaded);
        this.response = response;
      };
    } catch {
      if (signal.aborted) name = signal.reason === TIMED_OUT ? 'timeout' : 'abort';
      else name = 'error';
      result = () => this.#forget();
    }
    clearTimeout(timer);
    if (this.#abort !== own) return;
    this.#abort = null;
    result();
    this.#enter(4);
    if (name === 'load') this.#tell('progress', length);
    this.#tell(name, length);
    this.#tell('loadend', length);
  }

  #enter(state: number): void {
    this.readyState = state;
    this.#tell('readystatechange');
  }
  #tell(name: EventName, loaded = 0): void {
    const init = { lengthComputable: loaded > 0, loaded, total: loaded };
    tell(this, this[`on${name}`], name === 'readystatechange' ? new NodeEvent(name) : new ProgressEvent(name, init));
  }
}
