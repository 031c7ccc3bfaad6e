// Compute programs for benchmarks (programs.mjs) on integers in workgroup memory: prefix sums, sorting, a histogram.
import { bufferOf, groupOf, pipelineOf, submit, uniformOf } from './kit.mjs';

const words = (count) => Uint32Array.from({ length: count }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);

const BLOCK = 1024;
export const prefix = {
  size: 1 << 20,
  large: 1 << 22,
  near: 0,
  async make(device, n) {
    const scan = await pipelineOf(
      device,
      `
      @group(0) @binding(0) var<storage, read> from_: array<u32>;
      @group(0) @binding(1) var<storage, read_write> to: array<u32>;
      @group(0) @binding(2) var<storage, read_write> sums: array<u32>;
      var<workgroup> part: array<u32, 256>;
      @compute @workgroup_size(256) fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3u) {
        let at = w.x * ${BLOCK}u + l * 4u;
        let a = from_[at]; let b = a + from_[at + 1]; let c = b + from_[at + 2]; let d = c + from_[at + 3];
        part[l] = d;
        workgroupBarrier();
        for (var step = 1u; step < 256u; step <<= 1u) {
          var x = part[l];
          if (l >= step) { x += part[l - step]; }
          workgroupBarrier();
          part[l] = x;
          workgroupBarrier();
        }
        let before = part[l] - d;
        to[at] = before + a; to[at + 1] = before + b; to[at + 2] = before + c; to[at + 3] = before + d;
        if (l == 255u) { sums[w.x] = part[l]; }
      }`
    );
    const add = await pipelineOf(
      device,
      `
      @group(0) @binding(0) var<storage, read_write> to: array<u32>;
      @group(0) @binding(1) var<storage, read> sums: array<u32>;
      @compute @workgroup_size(256) fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3u) {
        if (w.x == 0u) { return; }
        let before = sums[w.x - 1u];
        for (var k = 0u; k < ${BLOCK}u; k += 256u) { to[w.x * ${BLOCK}u + k + l] += before; }
      }`
    );
    const dispatches = [];
    /**
     * Inclusive prefix sums of the words of `from`, written to `to`. The sums of whole blocks are summed recursively
     * and then added to the blocks after them.
     */
    const sum = (from, to, count) => {
      const blocks = Math.ceil(count / BLOCK);
      const sums = bufferOf(device, new Uint32Array(blocks));
      dispatches.push([scan, groupOf(device, scan, from, to, sums), blocks]);
      if (blocks === 1) return;
      const before = bufferOf(device, new Uint32Array(Math.ceil(blocks / BLOCK) * BLOCK));
      sum(sums, before, blocks);
      dispatches.push([add, groupOf(device, add, to, before), blocks]);
    };
    const whole = bufferOf(device, new Uint32Array(n));
    sum(bufferOf(device, words(n)), whole, n);
    return { result: whole, run: () => submit(device, dispatches) };
  },
  plain(n) {
    const a = words(n);
    const b = new Uint32Array(n);
    return () => {
      for (let i = 0, sum = 0; i < n; i++) b[i] = sum = (sum + a[i]) | 0;
      return b;
    };
  },
};

export const bitonic = {
  size: 1 << 17,
  large: 1 << 20,
  near: 0,
  async make(device, n) {
    const head = `
      @group(0) @binding(0) var<storage, read_write> keys: array<u32>;
      @group(0) @binding(1) var<uniform> p: vec4u;`;
    const far = await pipelineOf(
      device,
      `${head}
      @compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
        let i = (id.x / p.y) * 2u * p.y + id.x % p.y;
        let x = keys[i]; let y = keys[i + p.y];
        let swap = (x > y) == ((i & p.x) == 0u);
        keys[i] = select(x, y, swap); keys[i + p.y] = select(y, x, swap);
      }`
    );
    const near = await pipelineOf(
      device,
      `${head}
      var<workgroup> own: array<u32, 512>;
      @compute @workgroup_size(256) fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3u) {
        let base = w.x * 512u;
        own[l] = keys[base + l]; own[l + 256u] = keys[base + l + 256u];
        for (var k = p.x; k <= p.z; k <<= 1u) {
          for (var j = min(k >> 1u, p.y); j > 0u; j >>= 1u) {
            workgroupBarrier();
            let i = (l / j) * 2u * j + l % j;
            let x = own[i]; let y = own[i + j];
            let swap = (x > y) == (((base + i) & k) == 0u);
            own[i] = select(x, y, swap); own[i + j] = select(y, x, swap);
          }
        }
        workgroupBarrier();
        keys[base + l] = own[l]; keys[base + l + 256u] = own[l + 256u];
      }`
    );
    const start = bufferOf(device, words(n));
    const keys = bufferOf(device, words(n));
    const step = (k, j, most) => uniformOf(device, Uint32Array.of(k, j, most, 0));
    const dispatches = [[near, groupOf(device, near, keys, step(2, 256, 512)), n / 512]];
    for (let k = 1024; k <= n; k *= 2) {
      for (let j = k / 2; j > 256; j /= 2) dispatches.push([far, groupOf(device, far, keys, step(k, j, 0)), n / 512]);
      dispatches.push([near, groupOf(device, near, keys, step(k, 256, k)), n / 512]);
    }
    return {
      result: keys,
      run: () => {
        const encoder = device.createCommandEncoder();
        encoder.copyBufferToBuffer(start, 0, keys, 0, n * 4);
        device.queue.submit([encoder.finish()]);
        submit(device, dispatches);
      },
    };
  },
  plain(n) {
    const start = words(n);
    const keys = new Uint32Array(n);
    return () => {
      keys.set(start);
      for (let k = 2; k <= n; k *= 2)
        for (let j = k >> 1; j > 0; j >>= 1)
          for (let t = 0; t < n / 2; t++) {
            const i = (t & ~(j - 1)) * 2 + (t & (j - 1));
            const x = keys[i];
            const y = keys[i + j];
            if (x > y === ((i & k) === 0)) {
              keys[i] = y;
              keys[i + j] = x;
            }
          }
      return keys;
    };
  },
};

export const histogram = {
  size: 1 << 20,
  large: 1 << 22,
  near: 0,
  async make(device, n) {
    const pipeline = await pipelineOf(
      device,
      `
      @group(0) @binding(0) var<storage, read> data: array<u32>;
      @group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;
      var<workgroup> own: array<atomic<u32>, 256>;
      @compute @workgroup_size(256) fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3u) {
        for (var k = 0u; k < 16u; k++) { atomicAdd(&own[data[w.x * 4096u + k * 256u + l] >> 24u], 1u); }
        workgroupBarrier();
        atomicAdd(&bins[l], atomicLoad(&own[l]));
      }`
    );
    const data = bufferOf(device, words(n));
    const bins = bufferOf(device, new Uint32Array(256));
    const group = groupOf(device, pipeline, data, bins);
    return {
      result: bins,
      run: () => {
        const encoder = device.createCommandEncoder();
        encoder.clearBuffer(bins);
        device.queue.submit([encoder.finish()]);
        submit(device, [[pipeline, group, n / 4096]]);
      },
    };
  },
  plain(n) {
    const data = words(n);
    const bins = new Uint32Array(256);
    return () => {
      bins.fill(0);
      for (let i = 0; i < n; i++) bins[data[i] >>> 24]++;
      return bins;
    };
  },
};
