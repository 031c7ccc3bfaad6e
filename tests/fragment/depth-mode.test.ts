// `@builtin(frag_depth, mode)`: the language extension fragment_depth.
import { expect, test } from 'vitest';
import { apiDevice } from '../api/fake';

test('a mode is any, greater or less, and only for frag_depth', async () => {
  const said = async (attribute: string): Promise<string> => {
    const { device } = await apiDevice({});
    device.pushErrorScope('validation');
    const module = device.createShaderModule({
      code: `requires fragment_depth;
      @fragment fn f() -> @builtin(${attribute}) ${attribute.startsWith('sample') ? 'u32' : 'f32'} { return 1; }`,
    });
    await device.popErrorScope();
    return (await module.getCompilationInfo()).messages.map(({ message }) => message).join();
  };
  for (const mode of ['frag_depth', 'frag_depth, any', 'frag_depth, greater', 'frag_depth, less'])
    expect(await said(mode)).toBe('');
  expect(await said('frag_depth, lesser')).toMatch(/a depth mode/);
  expect(await said('sample_mask, any')).toMatch(/@builtin/);
  expect(await said('frag_depth, less, less')).toMatch(/@builtin/);
});
