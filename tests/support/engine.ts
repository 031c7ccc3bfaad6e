// The engine of the sources, which tests of the API need not load.
import * as engine from '../../src/engine';
import type { RenderDevice } from '../../src/render';

export const loadEngine = (): Promise<typeof engine> => Promise.resolve(engine);

/** What `makeGpu` opens: the engine, with a renderer. */
export const opened = async (
  render: RenderDevice | Promise<RenderDevice>
): Promise<{ engine: typeof engine; render: RenderDevice }> => ({ engine, render: await render });
