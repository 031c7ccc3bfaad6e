// Bright shards blend in a texture of several samples, which the shader loads and stores itself: once for each value
// of a pixel, not for each sample. Tones are mapped before samples are averaged, so that bright edges stay smooth.
enable multisample_storage_textures;

struct Frame { size: vec2f, pointer: vec2f, time: f32, count: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var surface: texture_storage_multisampled_2d<rgba16float, read_write>;

struct Corner { @builtin(position) position: vec4f, @location(0) color: vec4f }

// Instance 0 is the background, the others are shards.
@vertex fn shard(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Corner {
  if (k == 0) { return Corner(vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1), vec4f(0.02, 0.03, 0.06, 1)); }
  let turn = f32(k) * 2.39996 + frame.time * (0.2 + 0.02 * f32(k % 5));
  let center = vec2f(cos(turn), sin(turn)) * (0.15 + 0.045 * f32(k));
  let side = turn * 1.7 + f32(i) * 2.0944;
  let at = (center + vec2f(cos(side), sin(side)) * 0.34) * vec2f(frame.size.y / frame.size.x, 1);
  let hue = 0.5 + 0.5 * cos(6.28 * (vec3f(0, 0.33, 0.67) + f32(k) * 0.11));
  // Up to six times as bright as white.
  return Corner(vec4f(at, 0, 1), vec4f(hue * f32(1 + k % 6) * 0.5, 0.5));
}

@fragment fn over(corner: Corner, @builtin(sample_mask) mask: u32) {
  let pixel = vec2u(corner.position.xy);
  var remaining = mask;
  while (remaining != 0) {
    let before = textureLoadSamples(surface, pixel, remaining);
    let color = corner.color + before.value * (1 - corner.color.a);
    textureStoreSamples(surface, pixel, before.mask & remaining, color);
    remaining &= ~before.mask;
  }
}

@group(0) @binding(1) var drawn: texture_multisampled_2d<f32>;

@vertex fn everywhere(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
}
@fragment fn resolve(@builtin(position) p: vec4f) -> @location(0) vec4f {
  let count = textureNumSamples(drawn);
  var sum = vec3f();
  var remaining = (1u << count) - 1;
  while (remaining != 0) {
    let loaded = textureLoadSamples(drawn, vec2u(p.xy), remaining);
    let light = loaded.value.rgb;
    sum += light / (1 + light) * f32(countOneBits(loaded.mask & remaining));
    remaining &= ~loaded.mask;
  }
  return vec4f(sqrt(sum / f32(count)), 1);
}
