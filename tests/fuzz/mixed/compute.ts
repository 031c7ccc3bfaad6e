// Compute passes of the mixed frames: they read what previous passes have stored, and change what later ones read.

export type ComputeKind = 'hash' | 'arguments';

/** `words`: elements per workgroup. */
export const COMPUTE: Readonly<Record<ComputeKind, { readonly code: string; readonly words: number }>> = {
  // Each workgroup sums its words, and adds the result to the sums.
  hash: {
    words: 64,
    code: `
      enable subgroups;
      @group(0) @binding(0) var<storage, read_write> words: array<u32>;
      @group(0) @binding(1) var<storage, read_write> sums: array<atomic<u32>>;
      var<workgroup> parts: array<u32, 64>;
      @compute @workgroup_size(64)
      fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) i: u32) {
        let own = words[min(id.x, arrayLength(&words) - 1u)];
        parts[i] = own + subgroupAdd(own & 255u);
        for (var step = 32u; step > 0u; step >>= 1u) {
          workgroupBarrier();
          if (i < step) { parts[i] = parts[i] * 3u + parts[i + step]; }
        }
        workgroupBarrier();
        atomicAdd(&sums[(parts[0] + i) & 15u], own | 1u);
        if (id.x < arrayLength(&words)) { words[id.x] = own ^ (parts[0] >> 5u); }
      }`,
  },
  // Draw calls with these indirect arguments have fewer instances, and skip their first vertices.
  arguments: {
    words: 8,
    code: `
      @group(0) @binding(0) var<storage, read_write> sums: array<u32>;
      @group(0) @binding(1) var<storage, read_write> found: array<u32>;
      @group(0) @binding(2) var<storage, read_write> chosen: array<u32>;
      @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
        if (id.x * 5u + 4u >= arrayLength(&found) || chosen[id.x & 31u] == 0u) { return; }
        let sum = sums[id.x & 15u];
        found[id.x * 5u] -= min(found[id.x * 5u], 3u * (sum & 1u));
        found[id.x * 5u + 1u] = max(found[id.x * 5u + 1u] - (sum & 1u), 1u);
      }`,
  },
};
