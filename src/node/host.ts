// The process, taken when the package is loaded: install({ platform: 'browser' }) hides the global one. Importing it
// from node:process would take 3 ms.
const { process } = globalThis;
export { process };
