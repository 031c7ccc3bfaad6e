// XMLHttpRequest for Node, by fetch: Babylon.js loads by it. https://xhr.spec.whatwg.org/
import { fetchResource } from './resources';

type Handler = ((event: Event) => unknown) | null;
const READERS: Readonly<Record<string, (response: Response) => Promise<unknown>>> = {
  '': (response) => response.text(), 'text': (response) => response.text(),
  'arraybuffer': (response) => response.arrayBuffer(), 'blob': (response) => response.blob(),
  'json': (response) => response.json(),
};

export class XMLHttpRequest extends EventTarget {
  static readonly DONE = 4;
  readonly DONE = 4;
  readyState = 0;
  responseType = '';
  response: unknown = null;
  responseURL = '';
  status = 0;
  statusText = '';
  timeout = 0;
  withCredentials = false;
  onload: Handler = null;
  onerror: Handler = null;
  onabort: Handler = null;
  onloadend: Handler = null;
  onprogress: Handler = null;
  onreadystatechange: Handler = null;
  #method = 'GET';
  #url = '';
  readonly #headers = new Headers();
  #answer: Headers | null = null;
  #abort = new AbortController();

  get responseText(): string {
    return typeof this.response === 'string' ? this.response : '';
  }
  open(method: string, url: string): void {
    this.#method = method;
    this.#url = String(url);
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
    this.#abort.abort();
  }
  send(body?: BodyInit | null): void {
    void this.#load(body ?? null);
  }

  async #load(body: BodyInit | null): Promise<void> {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    try {
      const method = this.#method, response = await fetchResource(this.#url, {
        method, headers: this.#headers, body, signal,
      });
      this.status = response.status;
      this.statusText = response.statusText;
      this.responseURL = response.url;
      this.#answer = response.headers;
      this.response = await READERS[this.responseType]!(response);
      this.#enter(4);
      this.#tell('load');
    } catch {
      this.#enter(4);
      this.#tell(signal.aborted ? 'abort' : 'error');
    }
    this.#tell('loadend');
  }

  #enter(state: number): void {
    this.readyState = state;
    this.#tell('readystatechange');
  }
  #tell(type: 'load' | 'error' | 'abort' | 'loadend' | 'readystatechange'): void {
    const event = new Event(type);
    this[`on${type}`]?.call(this, event);
    this.dispatchEvent(event);
  }
}
