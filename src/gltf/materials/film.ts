// WGSL of thin films (KHR_materials_iridescence), after Belcour and Barla 2017.
export const FILM_FUNCTIONS = `
fn reflectanceBetween(n1: vec3f, n2: f32) -> vec3f {
  let r = (n1 - n2) / (n1 + n2);
  return r * r;
}

fn grazing(cosine: f32) -> f32 {
  let away = clamp(1 - cosine, 0.0, 1.0);
  return away * away * away * away * away;
}

// The eye's response to a path difference and a phase shift, as linear sRGB.
fn interference(path: f32, shift: vec3f) -> vec3f {
  let phase = 6.2831853 * path * 1e-9;
  let variance = vec3f(4.3278e9, 9.3046e9, 6.6121e9);
  let height = vec3f(5.4856e-13, 4.4201e-13, 5.2481e-13) * sqrt(6.2831853 * variance);
  let cosine = cos(vec3f(1.681e6, 1.7953e6, 2.2084e6) * phase + shift);
  var xyz = height * cosine * exp(-phase * phase * variance);
  let second = 9.747e-14 * sqrt(6.2831853 * 4.5282e9);
  xyz.x += second * cos(2.2399e6 * phase + shift.x) * exp(-4.5282e9 * phase * phase);
  xyz /= 1.0685e-7;
  return mat3x3f(3.2404542, -0.969266, 0.0556434, -1.5371385, 1.8760108, -0.2040259, -0.4985314, 0.041556, 1.0572252)
    * xyz;
}

// Reflectance of a film of a thickness in nanometres on a surface with the reflectance f0.
fn filmReflectance(index: f32, nv: f32, thickness: f32, f0: vec3f) -> vec3f {
  // A film that gets thinner vanishes smoothly.
  let n2 = mix(1.0, index, smoothstep(0.0, 0.03, thickness));
  let cos2Square = 1 - (1 - nv * nv) / (n2 * n2);
  if (cos2Square < 0) { return vec3f(1); }
  let cos2 = sqrt(cos2Square);
  let first = (n2 - 1) / (n2 + 1);
  let r0 = first * first;
  let r12 = r0 + (1 - r0) * grazing(nv);
  let t121 = 1 - r12;
  let root = sqrt(clamp(f0, vec3f(0), vec3f(0.9999)));
  let n3 = (1 + root) / (1 - root);
  let r1 = reflectanceBetween(n3, n2);
  let r23 = r1 + (1 - r1) * grazing(cos2);
  let path = 2 * n2 * thickness * cos2;
  let shift = vec3f(select(3.1415927, 0.0, n2 < 1)) + select(vec3f(0), vec3f(3.1415927), n3 < vec3f(n2));
  let r123 = clamp(r12 * r23, vec3f(1e-5), vec3f(0.9999));
  let amplitude = sqrt(r123);
  let sum = t121 * t121 * r23 / (1 - r123);
  var result = r12 + sum;
  var order = sum - t121;
  for (var m = 1; m <= 2; m++) {
    order *= amplitude;
    result += order * 2 * interference(f32(m) * path, f32(m) * shift);
  }
  return max(result, vec3f(0));
}

// The reflectance at normal incidence from which Schlick's term gives f at the cosine.
fn filmAtNormal(f: vec3f, nv: f32) -> vec3f {
  let edge = min(grazing(nv), 0.9999);
  return clamp((f - edge) / (1 - edge), vec3f(0), vec3f(1));
}`;
