// Turns the files of a run into the report's sections: conclusions, charts, numbers. Neither reads files nor draws.
import { compute, computePeers } from './sections/compute.mjs';
import { engines, kernels, scaling, start, threads } from './sections/engine.mjs';
import { costs, search, three } from './sections/content.mjs';
import { blend, modular, shadingRate, streamed } from './sections/extensions.mjs';
import { everything, peers, scenes, work } from './sections/scenes.mjs';
import { surfaces } from './sections/surfaces.mjs';

export const sections = (results) =>
  [
    peers,
    three,
    costs,
    search,
    threads,
    scaling,
    surfaces,
    modular,
    shadingRate,
    blend,
    streamed,
    compute,
    computePeers,
    kernels,
    engines,
    scenes,
    start,
    work,
    everything,
  ].map((make) => make(results));
