// Observers of sizes and visibility for Node. There is no layout: each observed element is reported once, with its
// size and as visible. https://drafts.csswg.org/resize-observer/ and https://w3c.github.io/IntersectionObserver/
import { startTimer } from '../../base/clock';
import type { Element } from '../element';

abstract class Observer<Entry> {
  readonly #callback: (entries: Entry[], observer: unknown) => unknown;
  readonly #targets = new Set<Element>();
  readonly #unreported = new Set<Element>();

  constructor(callback: (entries: Entry[], observer: unknown) => unknown) {
    if (typeof callback !== 'function') throw new TypeError(`${this.constructor.name}: the callback is not a function`);
    this.#callback = callback;
  }
  observe(target: Element): void {
    if (this.#targets.has(target)) return;
    this.#targets.add(target);
    this.#unreported.add(target);
    if (this.#unreported.size === 1)
      startTimer(() => {
        const entries = this.takeRecords();
        if (entries.length > 0) this.#callback.call(this, entries, this);
      }, 0);
  }
  unobserve(target: Element): void {
    this.#targets.delete(target);
    this.#unreported.delete(target);
  }
  disconnect(): void {
    this.#targets.clear();
    this.#unreported.clear();
  }
  takeRecords(): Entry[] {
    const entries = [...this.#unreported].map((target) => this.entry(target));
    this.#unreported.clear();
    return entries;
  }
  protected abstract entry(target: Element): Entry;
}

export class ResizeObserver extends Observer<object> {
  protected entry(target: Element): object {
    const { clientWidth: width, clientHeight: height } = target;
    const box = [{ inlineSize: width, blockSize: height }];
    const contentRect = target.getBoundingClientRect();
    return { target, contentRect, contentBoxSize: box, borderBoxSize: box, devicePixelContentBoxSize: box };
  }
}

export class IntersectionObserver extends Observer<object> {
  protected entry(target: Element): object {
    const rect = target.getBoundingClientRect();
    const rects = { boundingClientRect: rect, intersectionRect: rect, rootBounds: null };
    return { target, ...rects, isIntersecting: true, intersectionRatio: 1, time: performance.now() };
  }
}
