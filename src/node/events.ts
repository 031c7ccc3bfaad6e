// Events of objects that stand for a page's.

export type Handler = ((event: Event) => unknown) | null;

/**
 * Calls the handler of an event, and its listeners. What a handler throws does not come to the caller: as what
 * listeners throw, it ends the process, unless that listens for exceptions.
 */
export function tell(target: EventTarget, handler: Handler, event: Event): void {
  try {
    if (typeof handler === 'function') handler.call(target, event);
  } catch (error) {
    process.nextTick(() => { throw error; });
  }
  target.dispatchEvent(event);
}
