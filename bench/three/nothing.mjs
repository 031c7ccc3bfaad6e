// A WebGPU device that does nothing, to measure what three.js itself takes. Its classes have the methods of this
// package's classes. What a method creates is told by its name.
import { globals } from '../../build/index.js';

const blanks = new Map();

/** Creates an object of a class with the methods of `GPU…`. */
function blank(name, fields = {}) {
  if (!blanks.has(name)) blanks.set(name, blankClass(name));
  return Object.assign(new (blanks.get(name))(), fields);
}

function blankClass(name) {
  const made = class {};
  for (const key of Object.getOwnPropertyNames(globals[name]?.prototype ?? {}))
    if (key !== 'constructor' && typeof descriptorOf(name, key).value === 'function')
      made.prototype[key] = methodOf(key);
  return made;
}

const descriptorOf = (name, key) => Object.getOwnPropertyDescriptor(globals[name].prototype, key);

function methodOf(key) {
  const [, verb, what, isAsync] = /^(create|begin|get)?(.*?)(Async)?$/.exec(key);
  if (verb === 'create')
    return (descriptor) => {
      const { size, label, mappedAtCreation } = descriptor ?? {};
      const fields = mappedAtCreation ? { label, size, bytes: new ArrayBuffer(size) } : { label, size };
      const made = blank(`GPU${what === 'View' ? 'TextureView' : what}`, fields);
      return isAsync ? Promise.resolve(made) : made;
    };
  if (verb === 'begin') return () => blank(`GPU${what}Encoder`);
  if (key === 'getBindGroupLayout') return () => blank('GPUBindGroupLayout');
  if (key === 'getMappedRange')
    return function range() {
      return (this.bytes ??= new ArrayBuffer(this.size));
    };
  if (key === 'finish') return () => blank('GPUCommandBuffer');
  return /Async$|^onSubmitted|^popError|^getCompilation/.test(key)
    ? () => Promise.resolve(key === 'getCompilationInfo' ? { messages: [] } : null)
    : key === 'mapAsync'
      ? () => Promise.resolve()
      : () => undefined;
}

/** Shows the features and limits of an adapter. */
export function blankDevice({ features, limits }) {
  return blank('GPUDevice', {
    features,
    limits,
    queue: blank('GPUQueue'),
    lost: new Promise(() => undefined),
    addEventListener: () => undefined,
  });
}

/** A context whose textures are blank. */
export const blankContext = () => ({
  configure: () => undefined,
  unconfigure: () => undefined,
  getCurrentTexture: () => blank('GPUTexture'),
});
