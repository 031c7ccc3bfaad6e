// The process, taken when the package is loaded: install({ platform: 'browser' }) hides the global one. Importing it
// from node:process would take 3 ms.
const { process } = globalThis;
/** Node's own class, which a document's class may replace. Only its events can be sent to targets of Node. */
const { Event: NodeEvent } = globalThis;
export { NodeEvent, process };

/** Shows the global `process` meanwhile, for what looks there for the platform, and returns the result. */
export function withProcess<T>(work: () => T): T {
  const isHidden = !('process' in globalThis);
  if (isHidden) Object.defineProperty(globalThis, 'process', { value: process, configurable: true });
  try {
    return work();
  } finally {
    if (isHidden) Reflect.deleteProperty(globalThis, 'process');
  }
}
