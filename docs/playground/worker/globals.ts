// The constants of WebGPU, in browsers that do not have it.
import { globals } from 'rasterloom';

/** Defines what is missing. Bundlers drop modules with effects that package.json does not list, so it is a function. */
export function defineConstants(): void {
  for (const [name, value] of Object.entries(globals)) if (!(name in globalThis)) Reflect.set(globalThis, name, value);
}
