// Scans of index buffers: bounds and distinct indices by both twins, compared with JavaScript.
import { expect, it } from 'vitest';
import { TestKernel } from '../support/kernel';
import { generator } from '../texture/harness';

const kernel = new TestKernel({ pages: 64 });

it.each([2, 4] as const)('bounds and distinct indices of %i bytes', (bytes) => {
  const random = generator(bytes);
  for (let n = 0; n < 200; n++) {
    kernel.reset();
    const count = 1 + Math.floor(random() * (n % 4 ? 40 : 3000));
    const first = Math.floor(random() * (bytes === 2 ? 60000 : 4e9));
    const range = 1 + Math.floor(random() * Math.min(5000, (bytes === 2 ? 65535 : 0xffffffff) - first));
    const indices = Array.from({ length: count }, () => first + Math.floor(random() * range));
    // Any address that an index may have.
    const address = kernel.alloc(count * bytes + 16) + bytes * Math.floor(random() * 4);
    if (bytes === 2) kernel.u16(address, count).set(indices);
    else kernel.u32(address, count).set(indices);
    const out = kernel.alloc(8);
    const least = Math.min(...indices);
    const most = Math.max(...indices);
    for (const name of ['indexBounds', 'indexBoundsScalar']) {
      kernel.call[name]!(address, count, bytes, out);
      expect([...kernel.u32(out, 2)]).toEqual([least, most]);
    }
    const bitmap = kernel.alloc(Math.ceil((most - least + 1) / 64) * 8);
    expect(kernel.call.countDistinct!(address, count, bytes, least, most - least + 1, bitmap) >>> 0).toBe(
      new Set(indices).size
    );
  }
});
