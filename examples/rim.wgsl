struct V { @builtin(position) position: vec4f, @location(0) normal: vec3f, @location(1) view: vec3f }
struct Camera { matrix: mat4x4f, eye: vec3f }
override power = 3.0;
@group(0) @binding(0) var<uniform> camera: Camera;

@vertex fn vs(@location(0) p: vec3f, @location(1) n: vec3f) -> V {
  return V(camera.matrix * vec4f(p, 1), n, camera.eye - p);
}

@fragment fn fs(v: V) -> @location(0) vec4f {
  let facing = dot(normalize(v.normal), normalize(v.view));
  return vec4f(vec3f(0.2, 0.4, 1) * pow(1 - saturate(facing), power), 1);
}
