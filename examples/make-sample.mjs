// Builds examples/sample.glb, the scene that `rasterloom render --sample` draws:
//
//   node examples/make-sample.mjs
//
// The scene is generated entirely here: a torus knot, balls from mirror to chalk, a rounded cube with a bumpy normal
// map, a glass sphere, a glowing ring, and a floor whose texture contains the shadows.
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Document, NodeIO } from '@gltf-transform/core';
import { KHRMaterialsEmissiveStrength, KHRMeshQuantization, KHRTextureTransform } from '@gltf-transform/extensions';
import encodeJpeg, { init as initJpeg } from '@jsquash/jpeg/encode.js';
import { encode as encodePng } from 'fast-png';

const { resolve } = createRequire(import.meta.url);
await initJpeg({ wasmBinary: await readFile(resolve('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm')) });

const document = new Document();
document.getRoot().getAsset().generator = 'rasterloom examples/make-sample.mjs';
document.getRoot().getAsset().copyright = 'MIT, with rasterloom';
const buffer = document.createBuffer();
const scene = document.createScene('studio');
document.createExtension(KHRMeshQuantization).setRequired(true);
const textureTransform = document.createExtension(KHRTextureTransform);
const emissiveStrength = document.createExtension(KHRMaterialsEmissiveStrength);

/* Vectors */
const add = (a, b) => a.map((x, i) => x + b[i]);
const scale = (a, s) => a.map((x) => x * s);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const normalize = (a) => scale(a, 1 / Math.sqrt(a[0] ** 2 + a[1] ** 2 + a[2] ** 2));

/**
 * Creates a mesh from a grid of (columns + 1) × (rows + 1) vertices. `at(u, v)` returns a position and its normal.
 * Positions are stored as 16-bit fractions of `size`, normals with 8 bits (KHR_mesh_quantization).
 */
function grid(columns, rows, size, at) {
  const count = (columns + 1) * (rows + 1);
  const position = new Int16Array(count * 4);
  const normal = new Int8Array(count * 4);
  const uv = new Uint16Array(count * 2);
  for (let j = 0, i = 0; j <= rows; j++) {
    for (let k = 0; k <= columns; k++, i++) {
      const [p, n] = at(k / columns, j / rows);
      for (let c = 0; c < 3; c++) {
        position[i * 4 + c] = Math.round((p[c] / size) * 32767);
        normal[i * 4 + c] = Math.round(n[c] * 127);
      }
      uv[i * 2] = Math.round((k / columns) * 65535);
      uv[i * 2 + 1] = Math.round((j / rows) * 65535);
    }
  }
  const index = new Uint16Array(columns * rows * 6);
  for (let j = 0, i = 0; j < rows; j++) {
    for (let k = 0; k < columns; k++, i += 6) {
      const a = j * (columns + 1) + k;
      const b = a + columns + 1;
      index.set([a, b, a + 1, a + 1, b, b + 1], i);
    }
  }
  const pick = (array) => {
    const out = new array.constructor(count * 3);
    for (let i = 0; i < count; i++) out.set(array.subarray(i * 4, i * 4 + 3), i * 3);
    return out;
  };
  const accessor = (type, array, normalized = false) =>
    document.createAccessor().setType(type).setArray(array).setNormalized(normalized).setBuffer(buffer);
  return document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', pick(position), true))
    .setAttribute('NORMAL', accessor('VEC3', pick(normal), true))
    .setAttribute('TEXCOORD_0', accessor('VEC2', uv, true))
    .setIndices(accessor('SCALAR', index));
}

function place(name, primitive, material, { at = [0, 0, 0], size = 1, turn = [0, 0, 0, 1] }) {
  const mesh = document.createMesh(name).addPrimitive(primitive.clone().setMaterial(material));
  scene.addChild(
    document.createNode(name).setMesh(mesh).setTranslation(at).setScale([size, size, size]).setRotation(turn)
  );
}

/* Shapes: u runs around, v from top to bottom */
const sphere = (columns, rows) =>
  grid(columns, rows, 1, (u, v) => {
    const [a, b] = [u * 2 * Math.PI, v * Math.PI];
    const n = [Math.sin(b) * Math.sin(a), Math.cos(b), Math.sin(b) * Math.cos(a)];
    return [n, n];
  });

/** A tube of radius `thin` around a closed curve. The curvature of the curve orients its cross-sections. */
const tube = (columns, rows, thin, size, curve) =>
  grid(rows, columns, size, (v, u) => {
    const step = 1e-4;
    const tangent = normalize(add(curve(u + step), scale(curve(u - step), -1)));
    const bend = normalize(add(add(curve(u + step), curve(u - step)), scale(curve(u), -2)));
    const side = normalize(cross(tangent, bend));
    const out = cross(side, tangent);
    const a = v * 2 * Math.PI;
    const n = add(scale(out, -Math.cos(a)), scale(side, Math.sin(a)));
    return [add(curve(u), scale(n, thin)), n];
  });
const knot = tube(240, 20, 0.19, 1.4, (u) => {
  const t = u * 2 * Math.PI;
  const r = 0.74 + 0.32 * Math.cos(3 * t);
  return [r * Math.cos(2 * t), r * Math.sin(2 * t), 0.3 * Math.sin(3 * t)];
});
const ring = tube(96, 14, 0.05, 1.1, (u) => [Math.cos(u * 2 * Math.PI), 0, Math.sin(u * 2 * Math.PI)]);

/** The six faces of a cube with rounded edges: points of a smaller cube, pushed outwards by the radius. */
function roundedCube(half, radius) {
  const faces = [
    [
      [1, 0, 0],
      [0, 0, -1],
      [0, -1, 0],
    ],
    [
      [-1, 0, 0],
      [0, 0, 1],
      [0, -1, 0],
    ],
    [
      [0, 1, 0],
      [1, 0, 0],
      [0, 0, 1],
    ],
    [
      [0, -1, 0],
      [1, 0, 0],
      [0, 0, -1],
    ],
    [
      [0, 0, 1],
      [1, 0, 0],
      [0, -1, 0],
    ],
    [
      [0, 0, -1],
      [-1, 0, 0],
      [0, -1, 0],
    ],
  ];
  return faces.map(([out, right, down]) =>
    grid(14, 14, 1, (u, v) => {
      const p = add(out, add(scale(right, u * 2 - 1), scale(down, v * 2 - 1)));
      const inner = half - radius;
      const centre = p.map((x) => Math.max(-inner, Math.min(inner, x * half)));
      const edge = p.map((x, i) => x * half - centre[i]);
      const n = normalize(edge.some((x) => x !== 0) ? edge : out);
      return [add(centre, scale(n, radius)), n];
    })
  );
}

/* Objects on the floor: position and radius. The floor's texture is darker below them */
const BALLS = 5;
const things = [
  { at: [0, 1.18, -0.35], radius: 1.05, lift: 0.35 },
  { at: [1.75, 0.5, 0.55], radius: 0.62, lift: 0 },
  { at: [-1.75, 0.62, 0.5], radius: 0.6, lift: 0 },
  ...Array.from({ length: BALLS }, (_, i) => ({ at: [(i - 2) * 0.72, 0.27, 1.45], radius: 0.3, lift: 0 })),
];

/** The floor's texture: a checkerboard that fades to plain grey, with a soft shadow below each object. */
function floorTexture(size) {
  const data = new Uint8ClampedArray(size * size * 4);
  for (let y = 0, o = 0; y < size; y++) {
    for (let x = 0; x < size; x++, o += 4) {
      const [fx, fz] = [((x + 0.5) / size - 0.5) * 7, ((y + 0.5) / size - 0.5) * 7];
      let light = 1;
      for (const { at, radius, lift } of things) {
        const d2 = ((fx - at[0] + 0.12 * at[1]) ** 2 + (fz - at[2] + 0.2 * at[1]) ** 2) / (radius * radius);
        light *= 1 - (0.78 - lift) / (1 + 1.6 * d2 * d2);
      }
      const check = (Math.floor(fx * 2) + Math.floor(fz * 2)) & 1 ? 205 : 150;
      const wash = Math.min(1, (fx * fx + fz * fz) / 12.25);
      const grey = (check * (1 - wash) + 190 * wash) * Math.sqrt(light);
      data.set([grey * 0.98, grey * 0.99, grey, 255], o);
    }
  }
  return { width: size, height: size, data };
}

/** A normal map with rows of small round studs. */
function studs(size, perSide) {
  const data = new Uint8Array(size * size * 3);
  const cell = size / perSide;
  for (let y = 0, o = 0; y < size; y++) {
    for (let x = 0; x < size; x++, o += 3) {
      const [dx, dy] = [((x % cell) + 0.5) / cell - 0.5, ((y % cell) + 0.5) / cell - 0.5];
      const r = Math.sqrt(dx * dx + dy * dy) / 0.38;
      const slope = r < 1 ? Math.sin(r * Math.PI) * 0.9 : 0;
      const n = normalize(r > 0 ? [(dx / r / 0.38) * slope, (-dy / r / 0.38) * slope, 1] : [0, 0, 1]);
      data.set(
        n.map((c) => Math.round((c * 0.5 + 0.5) * 255)),
        o
      );
    }
  }
  return encodePng({ width: size, height: size, channels: 3, data });
}

/* The scene */
const material = (name, color, metallic, roughness) =>
  document
    .createMaterial(name)
    .setBaseColorFactor([...color, 1])
    .setMetallicFactor(metallic)
    .setRoughnessFactor(roughness);

const floorImage = document
  .createTexture('floor')
  .setMimeType('image/jpeg')
  .setImage(new Uint8Array(await encodeJpeg(floorTexture(512), { quality: 82 })));
const floor = grid(96, 10, 3.6, (u, v) => {
  const a = u * 2 * Math.PI;
  const r = Math.min(3.4, (v / 0.8) * 3.4);
  const bend = Math.max(0, v - 0.8) / 0.2;
  return [
    [
      (r + 0.06 * Math.sin((bend * Math.PI) / 2)) * Math.sin(a),
      -0.06 * (1 - Math.cos((bend * Math.PI) / 2)),
      (r + 0.06 * Math.sin((bend * Math.PI) / 2)) * Math.cos(a),
    ],
    [
      Math.sin((bend * Math.PI) / 2) * Math.sin(a),
      Math.cos((bend * Math.PI) / 2),
      Math.sin((bend * Math.PI) / 2) * Math.cos(a),
    ],
  ];
});
{
  // The floor's texture is projected from above, independently of its grid.
  const positions = floor.getAttribute('POSITION').getArray();
  const uv = floor.getAttribute('TEXCOORD_0').getArray();
  for (let i = 0; i < positions.length / 3; i++) {
    const planar = (c) => Math.round((((positions[i * 3 + c] / 32767) * 3.6) / 7 + 0.5) * 65535);
    uv[i * 2] = planar(0);
    uv[i * 2 + 1] = planar(2);
  }
}
place('floor', floor, material('floor', [1, 1, 1], 0, 0.45).setBaseColorTexture(floorImage), { size: 3.6 });
place('knot', knot, material('gold', [1, 0.71, 0.29], 1, 0.24), {
  at: [0, 1.42, -0.35],
  size: 1.4,
  turn: [0, 0, Math.sin(0.26), Math.cos(0.26)],
});

const ball = sphere(40, 24);
const tints = [
  [0.95, 0.95, 0.97],
  [0.86, 0.3, 0.24],
  [0.95, 0.93, 0.88],
  [0.14, 0.45, 0.72],
  [0.97, 0.74, 0.62],
];
for (let i = 0; i < BALLS; i++) {
  place(`ball ${i}`, ball, material(`ball ${i}`, tints[i], i % 2 === 0 ? 1 : 0, 0.06 + i * 0.2), {
    at: [(i - 2) * 0.72, 0.27, 1.45],
    size: 0.27,
  });
}

const bumpy = material('studs', [0.1, 0.42, 0.36], 0, 0.32).setNormalTexture(
  document.createTexture('studs').setMimeType('image/png').setImage(studs(128, 4))
);
bumpy
  .getNormalTextureInfo()
  .setExtension('KHR_texture_transform', textureTransform.createTransform().setScale([1.5, 1.5]));
const turned = [0, Math.sin(0.32), 0, Math.cos(0.32)];
roundedCube(0.5, 0.1).forEach((face, i) => place(`cube ${i}`, face, bumpy, { at: [1.75, 0.5, 0.55], turn: turned }));

const glass = material('glass', [0.75, 0.9, 1], 0, 0.04)
  .setBaseColorFactor([0.55, 0.8, 0.95, 0.3])
  .setAlphaMode('BLEND')
  .setDoubleSided(true);
place('core', ball, material('core', [0.9, 0.25, 0.5], 0, 0.5), { at: [-1.75, 0.6, 0.5], size: 0.26 });
place('glass', ball, glass, { at: [-1.75, 0.6, 0.5], size: 0.6 });
const glow = material('glow', [0.05, 0.05, 0.05], 0, 0.5).setEmissiveFactor([0.2, 0.75, 1]);
glow.setExtension(
  'KHR_materials_emissive_strength',
  emissiveStrength.createEmissiveStrength().setEmissiveStrength(1.6)
);
place('ring', ring, glow, { at: [-1.75, 0.6, 0.5], size: 0.8, turn: [Math.sin(0.2), 0, Math.sin(0.12), 0.97] });

const io = new NodeIO().registerExtensions([KHRMeshQuantization, KHRTextureTransform, KHRMaterialsEmissiveStrength]);
const glb = await io.writeBinary(document);
writeFileSync(new URL('./sample.glb', import.meta.url), glb);
console.log(`examples/sample.glb: ${glb.length} bytes`);
