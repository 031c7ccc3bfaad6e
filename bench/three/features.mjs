// Scenes of one feature each: nothing at all, kinds of textures, kinds of shadows, large points, many lights, passes.
import { checker, daylight, floor, mesh, random } from './kit.mjs';

/** Bytes of a texture of `count` texels. */
function noise(count, channels) {
  const next = random(5);
  return Uint8Array.from({ length: count * channels }, () => Math.floor(next() * 256));
}

/** A sun whose shadow falls on a floor. */
function shade(stage, type, { radius = 4, side = 512 } = {}) {
  const { T, renderer } = stage;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = type;
  const sun = daylight(stage);
  sun.castShadow = true;
  sun.shadow.mapSize.set(side, side);
  sun.shadow.radius = radius;
  Object.assign(sun.shadow.camera, { left: -4, right: 4, top: 4, bottom: -4, near: 0.5, far: 20 });
  floor(stage).receiveShadow = true;
  const box = mesh(stage, new T.BoxGeometry(1, 1, 1), new T.MeshStandardMaterial({ color: 0xcc8844 }));
  box.castShadow = box.receiveShadow = true;
  return {
    at: (time) => {
      box.rotation.y = time;
    },
  };
}

/** A square before the camera whose colour a node computes. */
async function square({ T, scene }, color) {
  const material = new T.MeshBasicNodeMaterial();
  material.colorNode = color(await import('three/tsl'));
  scene.add(new T.Mesh(new T.PlaneGeometry(4, 3), material));
}

export const features = {
  /** The background and the last pass alone. */
  empty: () => undefined,

  /** Sixteen layers of a texture, side by side. */
  async layers(stage) {
    const { T } = stage;
    const data = new T.DataArrayTexture(noise(64 * 64 * 16, 4), 64, 64, 16);
    data.minFilter = data.magFilter = T.LinearFilter;
    data.needsUpdate = true;
    await square(stage, ({ int, texture, uv }) => texture(data, uv().mul(4).fract()).depth(int(uv().x.mul(15.99))));
  },

  /** Slices of a volume. */
  async volume(stage) {
    const { T } = stage;
    const data = new T.Data3DTexture(noise(32 ** 3, 1), 32, 32, 32);
    data.format = T.RedFormat;
    data.minFilter = data.magFilter = T.LinearFilter;
    data.unpackAlignment = 1;
    data.needsUpdate = true;
    await square(stage, ({ texture3D, uv, vec3, vec4, float }) => {
      const slice = (z) => texture3D(data, vec3(uv(), uv().x.mul(0.5).add(z))).r;
      return vec4(slice(float(0)), slice(float(0.25)), slice(float(0.5)), 1);
    });
  },

  variance: (stage) => shade(stage, stage.T.VSMShadowMap),
  hard: (stage) => shade(stage, stage.T.BasicShadowMap),
  soft: (stage) => shade(stage, stage.T.PCFSoftShadowMap),

  /** Colours of vertices, without light. */
  vertexColors(stage) {
    const { T } = stage;
    const geometry = new T.IcosahedronGeometry(1.3, 12);
    const next = random();
    const { count } = geometry.attributes.position;
    geometry.setAttribute('color', new T.BufferAttribute(Float32Array.from({ length: count * 3 }, next), 3));
    mesh(stage, geometry, new T.MeshBasicMaterial({ vertexColors: true }));
  },

  /** Sixty points of forty pixels. */
  async largePoints({ T, scene }) {
    const next = random();
    const { instancedBufferAttribute } = await import('three/tsl');
    const positions = new T.InstancedBufferAttribute(
      Float32Array.from({ length: 180 }, () => next() * 3 - 1.5),
      3
    );
    const material = new T.PointsNodeMaterial({ color: 0xffaa55, size: 40, sizeAttenuation: false });
    material.positionNode = instancedBufferAttribute(positions);
    const points = new T.Sprite(material);
    points.count = 60;
    points.frustumCulled = false;
    scene.add(points);
  },

  /** Twenty point lights above a floor. */
  manyLights(stage) {
    const { T, scene } = stage;
    floor(stage);
    mesh(stage, new T.SphereGeometry(0.7, 32, 16), new T.MeshStandardMaterial({ roughness: 0.4 }));
    for (let i = 0; i < 20; i++) {
      const lamp = new T.PointLight(new T.Color().setHSL(i / 20, 0.8, 0.6), 2, 4);
      lamp.position.set(Math.cos(i) * 2, 0.3, Math.sin(i * 1.3) * 2);
      scene.add(lamp);
    }
  },

  /** A separable blur of the picture. */
  async blur(stage) {
    const { T, renderer, scene, camera } = stage;
    const { pass } = await import('three/tsl');
    const { gaussianBlur } = await import('three/addons/tsl/display/GaussianBlurNode.js');
    daylight(stage);
    mesh(stage, new T.BoxGeometry(1.6, 1.6, 1.6), new T.MeshStandardMaterial({ map: checker(stage) }));
    const pipeline = new T.RenderPipeline(renderer);
    pipeline.outputNode = gaussianBlur(pass(scene, camera).getTextureNode('output'), null, 4);
    return { render: () => pipeline.render() };
  },
};
