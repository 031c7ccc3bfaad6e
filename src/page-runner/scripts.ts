// Runs the scripts of a page in their order.
import { Script, constants } from 'node:vm';
import { joinImportMaps } from './import-map';
import type { ImportMap } from './order';

/** What is read of a script element. */
export interface ScriptElement extends EventTarget {
  readonly textContent: string;
  getAttribute(name: string): string | null;
}

type Kind = 'classic' | 'module' | 'map' | 'data';

function kindOf(element: ScriptElement): Kind {
  const type = (element.getAttribute('type') ?? '').trim().toLowerCase();
  if (type === 'module') return 'module';
  if (type === 'importmap') return 'map';
  return type === '' || /^(text|application)\/(x-)?(java|ecma)script$/.test(type) ? 'classic' : 'data';
}

export class PageScripts {
  readonly #pageUrl: string;
  readonly #onError: (error: unknown) => void;
  readonly #started = new Set<ScriptElement>();
  /** Texts of inline modules by URL. */
  readonly inline: Record<string, string> = {};
  readonly #elements: readonly ScriptElement[];
  readonly #modules = new Map<ScriptElement, string>();

  constructor(elements: readonly ScriptElement[], pageUrl: string, onError: (error: unknown) => void) {
    this.#elements = elements;
    this.#pageUrl = pageUrl;
    this.#onError = onError;
    for (const [i, element] of elements.entries()) {
      if (kindOf(element) !== 'module') continue;
      const src = element.getAttribute('src');
      const url = new URL(src ?? `?inline-script=${i + 1}`, pageUrl).href;
      this.#modules.set(element, url);
      if (src === null) this.inline[url] = element.textContent;
    }
  }

  /** Returns the page's import map. @throws Error if it is invalid */
  importMap(): ImportMap {
    const maps = this.#elements.filter((element) => kindOf(element) === 'map');
    try {
      return joinImportMaps(
        maps.map((element) => element.textContent),
        this.#pageUrl
      );
    } catch (error) {
      throw new Error(`the import map is invalid: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Runs the classic scripts, and then the deferred scripts and modules. */
  async runAll(): Promise<void> {
    const isDeferred = (element: ScriptElement): boolean =>
      kindOf(element) === 'module' || (element.getAttribute('src') !== null && element.getAttribute('defer') !== null);
    const inOrder = [...this.#elements.filter((element) => !isDeferred(element)), ...this.#elements.filter(isDeferred)];
    for (const element of inOrder) await this.run(element);
  }

  /** Runs a script, also one that the page has added, and sends its event. */
  async run(element: ScriptElement): Promise<void> {
    const kind = kindOf(element);
    if (this.#started.has(element) || kind === 'map' || kind === 'data') return;
    this.#started.add(element);
    const src = element.getAttribute('src');
    try {
      if (kind === 'module') await this.#runModule(element, src);
      else await this.#runClassic(element, src);
      if (src !== null) element.dispatchEvent(new Event('load'));
    } catch (error) {
      this.#onError(error);
      if (src !== null) element.dispatchEvent(new Event('error'));
    }
  }

  async #runModule(element: ScriptElement, src: string | null): Promise<void> {
    const url =
      this.#modules.get(element)
      ?? (src === null
        ? `data:text/javascript,${encodeURIComponent(element.textContent)}`
        : new URL(src, this.#pageUrl).href);
    await import(url);
  }

  async #runClassic(element: ScriptElement, src: string | null): Promise<void> {
    let text = element.textContent;
    let filename = this.#pageUrl;
    if (src !== null) {
      filename = new URL(src, this.#pageUrl).href;
      const response = await fetch(filename);
      if (!response.ok) throw new Error(`the script ${src} could not be loaded: ${response.status}`);
      text = await response.text();
    }
    const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    const script = new Script(text, { filename, importModuleDynamically });
    Object.defineProperty(document, 'currentScript', { value: element, configurable: true });
    try {
      script.runInThisContext();
    } finally {
      Object.defineProperty(document, 'currentScript', { value: null, configurable: true });
    }
  }
}
