// The models of the pictures that show the command's options. They are generated here:
//
// - a robot with the animations Wave and Walk, the variants red, green and steel, and two cameras,
// - the robot on a stage with a spot light,
// - a curve of lines with coloured points.
import { Document, NodeIO } from '@gltf-transform/core';
import { KHRLightsPunctual, KHRMaterialsVariants } from '@gltf-transform/extensions';

/** Triangles of a body of revolution around the Y axis. `profile(v)` returns radius and height, v from the top. */
function lathe(document, profile, columns = 32, rows = 16) {
  const position = [];
  const normal = [];
  const index = [];
  const step = 1e-3;
  for (let row = 0; row <= rows; row++) {
    const v = row / rows;
    const [radius, height] = profile(v);
    const [r0, h0] = profile(Math.max(0, v - step));
    const [r1, h1] = profile(Math.min(1, v + step));
    const length = Math.hypot(r1 - r0, h1 - h0);
    const [outwards, upwards] = [(h0 - h1) / length, (r1 - r0) / length];
    for (let column = 0; column <= columns; column++) {
      const angle = (column / columns) * 2 * Math.PI;
      const [x, z] = [Math.sin(angle), Math.cos(angle)];
      position.push(radius * x, height, radius * z);
      normal.push(outwards * x, upwards, outwards * z);
      if (row === rows || column === columns) continue;
      const a = row * (columns + 1) + column;
      const b = a + columns + 1;
      index.push(a, b, a + 1, a + 1, b, b + 1);
    }
  }
  const accessor = (type, array) => document.createAccessor().setType(type).setArray(array);
  return document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', new Float32Array(position)))
    .setAttribute('NORMAL', accessor('VEC3', new Float32Array(normal)))
    .setIndices(accessor('SCALAR', new Uint16Array(index)));
}

/** A capsule, from a hemisphere at y = 0 down to another at y = −length. */
const capsule = (document, radius, length) =>
  lathe(document, (v) => {
    const angle = Math.min(v, 0.5) * Math.PI + Math.max(0, v - 0.5) * Math.PI;
    const low = v <= 0.5 ? 0 : length;
    return [radius * Math.sin(angle), radius * Math.cos(angle) - low];
  });
const ball = (document, radius) =>
  lathe(document, (v) => [radius * Math.sin(v * Math.PI), radius * Math.cos(v * Math.PI)]);

/** Seals a document: one buffer for all accessors. */
async function pack(document) {
  const buffer = document.createBuffer();
  const root = document.getRoot();
  root.getAsset().generator = 'rasterloom examples/options/models.mjs';
  for (const accessor of root.listAccessors()) accessor.setBuffer(buffer);
  return new NodeIO().registerExtensions([KHRLightsPunctual, KHRMaterialsVariants]).writeBinary(document);
}

/** A rotation around the X axis. @param degrees positive moves a hanging limb backwards */
const aroundX = (degrees) => [Math.sin((degrees / 360) * Math.PI), 0, 0, Math.cos((degrees / 360) * Math.PI)];
const aroundZ = (degrees) => [0, 0, Math.sin((degrees / 360) * Math.PI), Math.cos((degrees / 360) * Math.PI)];

function animate(document, name, duration, tracks) {
  const animation = document.createAnimation(name);
  const steps = 16;
  const times = Float32Array.from({ length: steps + 1 }, (_, i) => (i / steps) * duration);
  const input = document.createAccessor().setType('SCALAR').setArray(times);
  for (const [node, path, valueAt] of tracks) {
    const values = Array.from(times, (time) => valueAt((time / duration) * 2 * Math.PI));
    const output = document
      .createAccessor()
      .setType(path === 'rotation' ? 'VEC4' : 'VEC3')
      .setArray(new Float32Array(values.flat()));
    const sampler = document.createAnimationSampler().setInput(input).setOutput(output);
    const channel = document.createAnimationChannel().setSampler(sampler).setTargetNode(node).setTargetPath(path);
    animation.addSampler(sampler).addChannel(channel);
  }
}

/** Adds a round floor, and a spot light from the front. */
function addStage(document, scene) {
  const floor = lathe(document, (v) => (v < 0.5 ? [v * 3, 0] : [1.5, (0.5 - v) * 0.1]), 64);
  floor.setMaterial(document.createMaterial('floor').setBaseColorFactor([0.6, 0.58, 0.55, 1]).setMetallicFactor(0));
  scene.addChild(document.createNode('floor').setMesh(document.createMesh('floor').addPrimitive(floor)));
  const lights = document.createExtension(KHRLightsPunctual);
  const spot = lights
    .createLight('spot')
    .setType('spot')
    .setIntensity(60)
    .setOuterConeAngle(0.6)
    .setInnerConeAngle(0.4);
  const rotation = [-0.334, 0.254, 0.095, 0.902];
  const node = document.createNode('spot').setTranslation([1.8, 3.2, 2.6]).setRotation(rotation);
  scene.addChild(node.setExtension('KHR_lights_punctual', spot));
}

/** A robot of 1.9 units, which looks to +Z. @param stage whether it stands on a stage @returns a .glb file */
export async function makeRobot({ stage = false } = {}) {
  const document = new Document();
  const scene = document.createScene('robot');
  const variants = document.createExtension(KHRMaterialsVariants);
  const material = (name, color, roughness, metallic = 0) =>
    document
      .createMaterial(name)
      .setBaseColorFactor([...color, 1])
      .setRoughnessFactor(roughness)
      .setMetallicFactor(metallic);
  const paint = {
    red: material('red', [0.75, 0.05, 0.03], 0.35),
    green: material('green', [0.05, 0.4, 0.12], 0.35),
    steel: material('steel', [0.6, 0.62, 0.65], 0.25, 1),
  };
  const rubber = material('rubber', [0.03, 0.03, 0.035], 0.7);
  const light = material('light', [0.02, 0.02, 0.02], 0.4).setEmissiveFactor([0.25, 0.8, 1]);
  const mappings = Object.entries(paint).map(([name, coat]) =>
    variants.createMapping().setMaterial(coat).addVariant(variants.createVariant(name))
  );
  const painted = (primitive) => {
    const list = variants.createMappingList();
    for (const mapping of mappings) list.addMapping(mapping);
    return primitive.setMaterial(paint.red).setExtension('KHR_materials_variants', list);
  };
  const part = (name, parent, at, primitive) => {
    const node = document.createNode(name).setTranslation(at);
    if (primitive) node.setMesh(document.createMesh(name).addPrimitive(primitive));
    parent.addChild(node);
    return node;
  };
  const body = part('body', scene, [0, 0.95, 0], painted(capsule(document, 0.3, 0.3)));
  const head = part('head', body, [0, 0.52, 0], painted(ball(document, 0.26)));
  for (const side of [-1, 1]) part('eye', head, [side * 0.1, 0.04, 0.215], ball(document, 0.055).setMaterial(light));
  part('antenna', head, [0, 0.37, 0], capsule(document, 0.02, 0.12).setMaterial(rubber));
  part('bulb', head, [0, 0.4, 0], ball(document, 0.05).setMaterial(light));
  const limb = (name, at, length, radius) => {
    const node = part(name, body, at, capsule(document, radius, length).setMaterial(rubber));
    part(`${name} end`, node, [0, -length, 0], painted(ball(document, radius * 1.5)));
    return node;
  };
  const arms = [limb('left arm', [0.38, 0.08, 0], 0.42, 0.075), limb('right arm', [-0.38, 0.08, 0], 0.42, 0.075)];
  const legs = [limb('left leg', [0.15, -0.5, 0], 0.36, 0.09), limb('right leg', [-0.15, -0.5, 0], 0.36, 0.09)];

  animate(document, 'Wave', 1, [
    [arms[1], 'rotation', (t) => aroundZ(-140 + 25 * Math.sin(t))],
    [head, 'rotation', (t) => aroundZ(8 * Math.sin(t))],
  ]);
  animate(document, 'Walk', 1, [
    [legs[0], 'rotation', (t) => aroundX(32 * Math.sin(t))],
    [legs[1], 'rotation', (t) => aroundX(-32 * Math.sin(t))],
    [arms[0], 'rotation', (t) => aroundX(-38 * Math.sin(t))],
    [arms[1], 'rotation', (t) => aroundX(38 * Math.sin(t))],
    [body, 'translation', (t) => [0, 0.95 + 0.04 * Math.cos(2 * t), 0]],
  ]);

  const camera = (name, at, rotation) => {
    const lens = document.createCamera(name).setType('perspective').setYFov(0.6).setZNear(0.1).setZFar(100);
    scene.addChild(document.createNode(name).setCamera(lens).setTranslation(at).setRotation(rotation));
  };
  camera('front', [0, 1, 3.6], [0, 0, 0, 1]);
  camera('above', [0, 4.6, 0.01], aroundX(-90));
  if (stage) addStage(document, scene);
  return pack(document);
}

/** A curve on a torus, of lines, and points on it. @returns a .glb file */
export async function makeCurve() {
  const document = new Document();
  const place = (t) => {
    const around = 7 * t;
    const radius = 1 + 0.38 * Math.cos(around);
    return [radius * Math.cos(2 * t), radius * Math.sin(2 * t), 0.38 * Math.sin(around)];
  };
  const primitive = (mode, count, position, color) => {
    const at = Array.from({ length: count }, (_, i) => (i / count) * 2 * Math.PI);
    const attribute = (type, list) => document.createAccessor().setType(type).setArray(new Float32Array(list.flat()));
    const material = document.createMaterial().setMetallicFactor(0).setRoughnessFactor(1);
    return document
      .createPrimitive()
      .setMode(mode)
      .setMaterial(material)
      .setAttribute('POSITION', attribute('VEC3', at.map(position)))
      .setAttribute('COLOR_0', attribute('VEC3', at.map(color)));
  };
  const [POINTS, LINE_LOOP] = [0, 2];
  const mesh = document
    .createMesh('curve')
    .addPrimitive(primitive(LINE_LOOP, 400, place, () => [0.02, 0.02, 0.03]))
    .addPrimitive(primitive(POINTS, 70, place, (t) => [0.5 + 0.5 * Math.cos(t), 0.12, 0.5 - 0.5 * Math.cos(t)]));
  document.createScene('curve').addChild(document.createNode('curve').setMesh(mesh));
  return pack(document);
}
