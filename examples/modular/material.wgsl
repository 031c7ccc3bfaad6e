// The stages of a material, for material.mjs. Each option is a fragment stage that changes what the stages before it have
// passed on by links. A stage that is not enabled leaves its links as they are.
enable modular_pipelines;
enable fragment_stages;

const SIDE = 16;

struct Ball { @builtin(position) position: vec4f, @location(0) at: vec2f }

// The square around a ball, in row `instance / SIDE` of the picture.
@vertex fn ball(@builtin(vertex_index) i: u32, @builtin(instance_index) instance: u32) -> Ball {
  let corner = vec2f(f32(i & 1), f32(i >> 1)) * 2 - 1;
  let cell = vec2f(vec2u(instance % SIDE, instance / SIDE)) * 2 + 1 - SIDE;
  return Ball(vec4f((cell + corner) * vec2f(1, -1) / SIDE, 0, 1), corner * vec2f(1.15, -1.15));
}

struct Surface { @link(0) normal: vec3f, @link(1) albedo: vec3f, @link(2) place: vec3f }

fn normalAt(at: vec2f) -> vec3f { return vec3f(at, sqrt(max(1 - dot(at, at), 0))); }
@fragment fn surface(@location(0) at: vec2f) -> Surface {
  let normal = normalAt(at);
  return Surface(normal, vec3f(0.75, 0.3, 0.2), normal);
}

fn checked(albedo: vec3f, place: vec3f) -> vec3f {
  let squares = floor(place * 3 + 9);
  return select(albedo, vec3f(0.9, 0.85, 0.7), (i32(squares.x + squares.y + squares.z) & 1) == 0);
}
@fragment fn checks(@link(1) albedo: vec3f, @link(2) place: vec3f) -> @link(1) vec3f { return checked(albedo, place); }

fn ringed(albedo: vec3f, place: vec3f) -> vec3f {
  return mix(albedo, vec3f(0.15, 0.35, 0.65), smoothstep(0.2, 0.4, sin(place.y * 16)));
}
@fragment fn rings(@link(1) albedo: vec3f, @link(2) place: vec3f) -> @link(1) vec3f { return ringed(albedo, place); }

fn bumped(normal: vec3f, place: vec3f) -> vec3f {
  return normalize(normal + 0.35 * vec3f(sin(place.x * 18), sin(place.y * 18 + 1), 0));
}
@fragment fn bumps(@link(0) normal: vec3f, @link(2) place: vec3f) -> @link(0) vec3f { return bumped(normal, place); }

// Diffuse light. The same entry point is in two slots, with the lamps as constants.
override lampX = -0.5f;
override lampY = 0.7f;
override red = 1f;
override blue = 0.9f;
fn lampOf(lamp: vec2f) -> vec3f { return normalize(vec3f(lamp, 0.7)); }
fn lit(light: vec3f, normal: vec3f, lamp: vec2f, color: vec3f) -> vec3f {
  return light + color * max(dot(normal, lampOf(lamp)), 0);
}
@fragment fn lamp(@link(0) normal: vec3f, @link(3) light: vec3f) -> @link(3) vec3f {
  return lit(light, normal, vec2f(lampX, lampY), vec3f(red, 0.9, blue));
}

// What is added to the diffuse colour.
fn glossed(glow: vec3f, normal: vec3f) -> vec3f {
  let half = normalize(lampOf(vec2f(-0.5, 0.7)) + vec3f(0, 0, 1));
  return glow + 0.8 * pow(max(dot(normal, half), 0), 40);
}
@fragment fn gloss(@link(0) normal: vec3f, @link(4) glow: vec3f) -> @link(4) vec3f { return glossed(glow, normal); }

fn rimmed(glow: vec3f, place: vec3f) -> vec3f { return glow + vec3f(0.2, 0.8, 0.5) * pow(1 - place.z, 3); }
@fragment fn rim(@link(2) place: vec3f, @link(4) glow: vec3f) -> @link(4) vec3f { return rimmed(glow, place); }

fn filmed(glow: vec3f, normal: vec3f) -> vec3f {
  return glow + 0.25 * (0.5 + 0.5 * cos(normal.z * 14 + vec3f(0, 2.1, 4.2)));
}
@fragment fn film(@link(0) normal: vec3f, @link(4) glow: vec3f) -> @link(4) vec3f { return filmed(glow, normal); }

fn shaded(albedo: vec3f, light: vec3f, glow: vec3f) -> vec3f { return albedo * (0.15 + light) + glow; }
@fragment fn shade(@link(1) albedo: vec3f, @link(3) light: vec3f, @link(4) glow: vec3f) -> @link(5) vec3f {
  return shaded(albedo, light, glow);
}

fn fogged(color: vec3f, place: vec3f) -> vec3f {
  return mix(color, vec3f(0.75, 0.8, 0.88), 0.85 * smoothstep(0.3, -1, place.y));
}
@fragment fn fog(@link(5) color: vec3f, @link(2) place: vec3f) -> @link(5) vec3f { return fogged(color, place); }

// The ball on paper.
fn onPaper(color: vec3f, at: vec2f) -> vec4f {
  return vec4f(mix(sqrt(clamp(color, vec3f(), vec3f(1))), vec3f(0.95), smoothstep(0.97, 1.02, length(at))), 1);
}
@fragment fn show(@link(5) color: vec3f, @location(0) at: vec2f) -> @location(0) vec4f { return onPaper(color, at); }
