// Compression that is not supported.
import { describe, expect, it } from 'vitest';
import { Builder } from '../build';
import { flatten, WAVE } from './wave';

describe('compression beside plain data', () => {
  it('reads the plain data of a file that only uses an unknown compression', async () => {
    const builder = new Builder();
    const position = builder.accessor('VEC3', WAVE.positions);
    const bytes = builder.glb({
      extensionsUsed: ['EXT_unknown_compression'],
      meshes: [{ primitives: [{ attributes: { POSITION: position } }] }],
      nodes: [{ mesh: 0 }],
      scenes: [{ nodes: [0] }],
    });
    expect((await flatten(bytes)).warnings).toHaveLength(1);
  });
});
