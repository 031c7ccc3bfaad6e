// Prints the name of the implementation that the `webgpu` package loads, or nothing if there is none. bench/peers.mjs
// starts it in the peers' environment.
import { createRequire } from 'node:module';

const [backend] = process.argv.slice(2);
const { create, globals } = createRequire(`${process.env.PEER_MODULES}/`)('webgpu');
Object.assign(globalThis, globals);
const gpu = create([`backend=${backend}`]);
const adapter = await gpu.requestAdapter(backend === 'opengl' ? { featureLevel: 'compatibility' } : {});
console.log(adapter ? `${adapter.info.description} ${adapter.info.device}`.trim() : '');
process.exit(0);
