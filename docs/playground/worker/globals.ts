// The constants of WebGPU, in browsers that do not have it.
import { globals } from 'rasterloom';

for (const [name, value] of Object.entries(globals)) if (!(name in globalThis)) Reflect.set(globalThis, name, value);
