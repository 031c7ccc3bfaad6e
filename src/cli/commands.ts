// The commands that do something, as a file of its own, which `rasterloom --help` does not load. Errors that they throw
// have the classes of this file, so it also explains them.
export { cacheCommand } from './shader-cache';
export { compareCommand } from './compare/compare';
export { exitCodeOf, explain } from './explain';
export { infoCommand } from './info';
export { serveTasks } from './parallel/serve';
export { pageCommand } from './page';
export { jobsCommand, renderCommand } from './render/render';
export { shaderCommand } from './shader';
export { tileCommand } from './tile';
