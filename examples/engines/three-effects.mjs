// Post-processing with compute passes of three.js in Node, with the unmodified npm package: `npm install rasterloom
// three`, then `node three-effects.mjs` writes three-effects.png: a scene with bloom. Shaders in three.js's shading
// language (TSL) blur the bright parts along rows and then along columns, with workgroup memory and storage textures.
// The result is added to the scene.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const THREE = await import('three/webgpu');
const {
  Fn,
  If,
  Loop,
  exp,
  float,
  int,
  invocationLocalIndex,
  luminance,
  max,
  min,
  smoothstep,
  texture,
  textureLoad,
  textureStore,
  uint,
  uvec2,
  vec4,
  workgroupArray,
  workgroupBarrier,
  workgroupId,
} = await import('three/tsl');
const WIDTH = 640;
const HEIGHT = 360;
const canvas = createCanvas(WIDTH, HEIGHT);
const renderer = new THREE.WebGPURenderer({ canvas, antialias: true });
renderer.toneMapping = THREE.ACESFilmicToneMapping;
await renderer.init();

const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(40, WIDTH / HEIGHT, 0.1, 50);
scene.background = new THREE.Color(0x0a0d16);
camera.position.set(0, 2.2, 7);
camera.lookAt(0, 0.7, 0);
scene.add(new THREE.HemisphereLight(0x8090b0, 0x202028, 1));
const add = (geometry, material, x, y, z) => {
  const mesh = new THREE.Mesh(geometry, material);
  mesh.position.set(x, y, z);
  scene.add(mesh);
  return mesh;
};
add(
  new THREE.CircleGeometry(9, 64),
  new THREE.MeshStandardMaterial({ color: 0x555a66, roughness: 0.5 }),
  0,
  0,
  0
).rotation.x = -Math.PI / 2;
[0xff5522, 0x22ff88, 0x3366ff].forEach((color, i) => {
  const x = 2 * (i - 1);
  const lamp = new THREE.PointLight(color, 14, 7);
  lamp.position.set(x, 1.1, 0.6);
  scene.add(lamp);
  const glow = new THREE.MeshBasicMaterial({ color: new THREE.Color(color).multiplyScalar(6) });
  add(new THREE.TorusKnotGeometry(0.42, 0.07, 160, 12), glow, x, 1.1, 0);
  add(new THREE.CylinderGeometry(0.3, 0.4, 0.35, 32), new THREE.MeshStandardMaterial({ color: 0x909090 }), x, 0.17, 0);
});

// The scene in linear light, before tone mapping.
const target = new THREE.RenderTarget(WIDTH, HEIGHT, { type: THREE.HalfFloatType, samples: 4 });
const image = () => {
  const stored = new THREE.StorageTexture(WIDTH, HEIGHT);
  stored.type = THREE.HalfFloatType;
  return stored;
};
// A workgroup blurs 64 texels of a row or column. It loads them, and RADIUS more on both sides, into workgroup memory.
const SPAN = 64;
const RADIUS = 24;
const across = image();
const whole = image();
const blur = (from, to, extent, other, isRow) =>
  Fn(() => {
    const line = workgroupArray('vec4', SPAN + 2 * RADIUS);
    const spans = Math.ceil(extent / SPAN);
    const span = workgroupId.x.mod(spans).toVar();
    const row = workgroupId.x.div(spans).toVar();
    const place = (at) => {
      const inside = uint(min(max(int(at), 0), extent - 1));
      return isRow ? uvec2(inside, row) : uvec2(row, inside);
    };
    const first = int(span.mul(SPAN)).sub(RADIUS).toVar();
    const read = (k) => {
      const texel = textureLoad(texture(from), place(first.add(int(k)))).toVar();
      line.element(k).assign(isRow ? texel.mul(smoothstep(0.9, 1.6, luminance(texel.rgb))) : texel);
    };
    read(invocationLocalIndex);
    If(invocationLocalIndex.lessThan(2 * RADIUS), () => read(invocationLocalIndex.add(SPAN)));
    workgroupBarrier();
    const sum = vec4(0).toVar();
    const weights = float(0).toVar();
    Loop(2 * RADIUS + 1, ({ i }) => {
      const off = float(i)
        .sub(RADIUS)
        .div(RADIUS * 0.45);
      const weight = exp(off.mul(off).mul(-0.5)).toVar();
      sum.addAssign(line.element(invocationLocalIndex.add(uint(i))).mul(weight));
      weights.addAssign(weight);
    });
    const at = span.mul(SPAN).add(invocationLocalIndex).toVar();
    If(at.lessThan(extent), () => {
      textureStore(to, isRow ? uvec2(at, row) : uvec2(row, at), vec4(sum.div(weights).rgb, 1)).toWriteOnly();
    });
  })().compute(Math.ceil(extent / SPAN) * SPAN * other, [SPAN]);

renderer.setRenderTarget(target);
renderer.render(scene, camera);
renderer.setRenderTarget(null);
renderer.compute(blur(target.texture, across, WIDTH, HEIGHT, true));
renderer.compute(blur(across, whole, HEIGHT, WIDTH, false));
const quad = new THREE.QuadMesh(new THREE.MeshBasicNodeMaterial());
quad.material.colorNode = texture(target.texture).add(texture(whole).mul(1.6));
quad.render(renderer);
writeFileSync('three-effects.png', await canvas.toPNG());
renderer.dispose();
