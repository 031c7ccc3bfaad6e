// Events of objects that replace those of a browser.
import { process } from './host';

export type Handler = ((event: Event) => unknown) | null;

/**
 * Calls the event handler and the listeners of a target. An exception of the handler does not reach the caller. Like
 * those of listeners, it is uncaught and ends the process, unless the process handles uncaught exceptions.
 */
export function tell(target: EventTarget, handler: Handler, event: Event): void {
  try {
    if (typeof handler === 'function') handler.call(target, event);
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
  }
  target.dispatchEvent(event);
}

type Listener = EventListenerOrEventListenerObject | null;
type ListenerArguments = readonly [type: string, listener: Listener, options?: boolean | AddEventListenerOptions];

/** Event listeners of the global object. As in browsers, it is their `this` and the target of their events. */
export class WindowEvents {
  readonly #events = new EventTarget();
  readonly #called = new WeakMap<object, (event: Event) => void>();

  /** Functions to be defined on the global object. */
  get names(): Pick<EventTarget, 'addEventListener' | 'removeEventListener' | 'dispatchEvent'> {
    return {
      addEventListener: (...[type, listener, options]: ListenerArguments) =>
        this.#events.addEventListener(type, this.#wrapped(listener), options),
      removeEventListener: (...[type, listener, options]: ListenerArguments) =>
        this.#events.removeEventListener(type, this.#wrapped(listener), options),
      dispatchEvent: (event) => {
        if (event instanceof Event)
          Object.defineProperty(event, 'target', { value: globalThis, configurable: true, enumerable: true });
        return this.#events.dispatchEvent(event);
      },
    };
  }

  /** Returns the same wrapper for the same listener, so that it is added only once and can be removed. */
  #wrapped(listener: Listener): Listener {
    if (listener === null || (typeof listener !== 'function' && typeof listener !== 'object')) return listener;
    const known = this.#called.get(listener);
    if (known) return known;
    const wrapped = (event: Event): void => {
      Object.defineProperty(event, 'currentTarget', { value: globalThis, configurable: true, enumerable: true });
      try {
        if (typeof listener === 'function') listener.call(globalThis as unknown as EventTarget, event);
        else listener.handleEvent(event);
      } finally {
        Object.defineProperty(event, 'currentTarget', { value: null, configurable: true, enumerable: true });
      }
    };
    this.#called.set(listener, wrapped);
    return wrapped;
  }
}
