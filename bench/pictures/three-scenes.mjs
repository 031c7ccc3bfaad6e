// Scenes of three.js beyond those of bench/three/, each for another feature. They have the same form.
import { checker, daylight, environment, floor, mesh, random, texture } from '../three/kit.mjs';

const knotOf = ({ T }) => new T.TorusKnotGeometry(0.8, 0.28, 96, 16);

/** A turning knot of a material in daylight. */
function knot(stage, material, { lit = true } = {}) {
  if (lit) daylight(stage);
  const made = mesh(stage, knotOf(stage), material);
  return { at: (time) => made.rotation.set(0.2, time, 0) };
}

/** Renders the scene in a pass, and what `output` makes of the pass. */
async function after(stage, output) {
  const { T, renderer, scene, camera } = stage;
  const tsl = await import('three/tsl');
  daylight(stage);
  floor(stage, new T.MeshStandardMaterial({ map: checker(stage) }));
  const made = mesh(stage, knotOf(stage), new T.MeshStandardMaterial({ color: 0xdd8844, roughness: 0.4 }));
  const pipeline = new T.RenderPipeline(renderer);
  pipeline.outputNode = await output(tsl.pass(scene, camera), tsl, made);
  return { at: (time) => made.rotation.set(0.2, time, 0), render: () => pipeline.render() };
}

const display = (name) => import(`three/addons/tsl/display/${name}.js`);

const looks = {
  wireframe: (stage) => knot(stage, new stage.T.MeshBasicMaterial({ color: 0x66ddaa, wireframe: true })),
  flat: (stage) => knot(stage, new stage.T.MeshStandardMaterial({ color: 0xaa88ff, flatShading: true })),
  distanceFog(stage) {
    stage.scene.fog = new stage.T.FogExp2(0x445566, 0.25);
    floor(stage);
    return knot(stage, new stage.T.MeshPhongMaterial({ color: 0xffaa33 }));
  },
  alphaHash: (stage) =>
    knot(stage, new stage.T.MeshStandardMaterial({ color: 0xff6688, opacity: 0.5, alphaHash: true })),
  displacement(stage) {
    const bumps = texture(stage, 64, (x, y) =>
      Array(3).fill(Math.round(128 + 127 * Math.sin(x / 5) * Math.sin(y / 5)))
    );
    const material = new stage.T.MeshStandardMaterial({
      color: 0x88bbdd,
      displacementMap: bumps,
      displacementScale: 0.3,
    });
    daylight(stage);
    const ball = mesh(stage, new stage.T.SphereGeometry(1, 64, 48), material);
    return { at: (time) => ball.rotation.set(0, time, 0) };
  },
  lightMap(stage) {
    const spots = texture(stage, 32, (x, y) => ((x ^ y) & 8 ? [255, 200, 120] : [30, 30, 60]));
    return knot(stage, new stage.T.MeshBasicMaterial({ color: 0xffffff, lightMap: spots, lightMapIntensity: 2 }));
  },
  vertexColors(stage) {
    const geometry = knotOf(stage);
    const next = random(7);
    const colors = Float32Array.from({ length: geometry.attributes.position.count * 3 }, next);
    geometry.setAttribute('color', new stage.T.BufferAttribute(colors, 3));
    daylight(stage);
    mesh(stage, geometry, new stage.T.MeshLambertMaterial({ vertexColors: true }));
  },
  toneMapping(stage) {
    stage.renderer.toneMapping = stage.T.AgXToneMapping;
    stage.renderer.toneMappingExposure = 1.6;
    return knot(stage, new stage.T.MeshPhysicalMaterial({ color: 0xff2200, roughness: 0.2, clearcoat: 1 }));
  },
  dispersion(stage) {
    environment(stage, { background: true });
    const glass = { transmission: 1, thickness: 1, roughness: 0, dispersion: 5, ior: 1.6 };
    return knot(stage, new stage.T.MeshPhysicalMaterial(glass), { lit: false });
  },
};

const nodes = {
  async triplanar(stage) {
    const { texture: sample, triplanarTexture } = await import('three/tsl');
    const material = new stage.T.MeshStandardNodeMaterial();
    material.colorNode = triplanarTexture(sample(checker(stage)));
    return knot(stage, material);
  },
  async noise(stage) {
    const { mx_fractal_noise_float: fractal, positionLocal, vec3 } = await import('three/tsl');
    const material = new stage.T.MeshStandardNodeMaterial();
    material.colorNode = vec3(fractal(positionLocal.mul(4), 4).mul(0.5).add(0.5), 0.4, 0.2);
    return knot(stage, material);
  },
  async moving(stage) {
    const { positionLocal, sin, time } = await import('three/tsl');
    const material = new stage.T.MeshNormalNodeMaterial();
    material.positionNode = positionLocal.add(sin(positionLocal.yzx.mul(5).add(time)).mul(0.1));
    return knot(stage, material, { lit: false });
  },
  async volume(stage) {
    const { T } = stage;
    const { positionLocal, texture3D } = await import('three/tsl');
    const side = 16;
    const next = random(3);
    const made = new T.Data3DTexture(
      Uint8Array.from({ length: side ** 3 * 4 }, () => next() * 256),
      side,
      side,
      side
    );
    made.minFilter = made.magFilter = T.LinearFilter;
    made.needsUpdate = true;
    const material = new T.MeshBasicNodeMaterial();
    material.colorNode = texture3D(made, positionLocal.mul(0.4).add(0.5), 0);
    return knot(stage, material, { lit: false });
  },
  async layers(stage) {
    const { T } = stage;
    const { int, texture: sample, uv } = await import('three/tsl');
    const next = random(5);
    const made = new T.DataArrayTexture(
      Uint8Array.from({ length: 8 * 8 * 4 * 4 }, () => next() * 256),
      8,
      8,
      4
    );
    made.needsUpdate = true;
    const material = new T.MeshBasicNodeMaterial();
    material.colorNode = sample(made).depth(int(uv().x.mul(4)));
    return knot(stage, material, { lit: false });
  },
};

const lights = {
  pointShadow(stage) {
    const { T, scene, renderer } = stage;
    renderer.shadowMap.enabled = true;
    const lamp = new T.PointLight(0xffddaa, 30);
    lamp.position.set(1.5, 2, 1.5);
    lamp.castShadow = true;
    scene.add(lamp, new T.AmbientLight(0x404060));
    floor(stage).receiveShadow = true;
    const made = mesh(stage, knotOf(stage), new T.MeshStandardMaterial({ color: 0x66aa88 }));
    made.castShadow = true;
    return { at: (time) => made.rotation.set(0, time, 0) };
  },
  softShadow(stage) {
    const { T, renderer } = stage;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = T.VSMShadowMap;
    const sun = daylight(stage);
    sun.castShadow = true;
    floor(stage).receiveShadow = true;
    mesh(stage, knotOf(stage), new T.MeshStandardMaterial({ color: 0xccaa66 })).castShadow = true;
  },
  spotMap(stage) {
    const { T, scene } = stage;
    const spot = new T.SpotLight(0xffffff, 80, 0, 0.5, 0.4);
    spot.position.set(0, 4, 2);
    spot.map = checker(stage, 1);
    spot.castShadow = true;
    scene.add(spot, spot.target, new T.AmbientLight(0x303030));
    floor(stage);
    mesh(stage, knotOf(stage), new T.MeshStandardMaterial({ color: 0xdddddd }));
  },
  async area(stage) {
    const { T, scene } = stage;
    const { RectAreaLightTexturesLib } = await import('three/addons/lights/RectAreaLightTexturesLib.js');
    T.RectAreaLightNode.setLTC(RectAreaLightTexturesLib.init());
    const panel = new T.RectAreaLight(0x88ccff, 8, 3, 2);
    panel.position.set(2, 2, 3);
    panel.lookAt(0, 0, 0);
    scene.add(panel);
    floor(stage, new T.MeshStandardMaterial({ color: 0x888888, roughness: 0.2 }));
    return knot(stage, new T.MeshStandardMaterial({ color: 0xffffff, roughness: 0.3 }), { lit: false });
  },
};

const drawing = {
  blending(stage) {
    const { T } = stage;
    const kinds = [T.AdditiveBlending, T.MultiplyBlending, T.SubtractiveBlending, T.NormalBlending];
    floor(stage, new T.MeshBasicMaterial({ map: checker(stage) }));
    kinds.forEach((blending, i) => {
      const material = new T.MeshBasicMaterial({ color: 0xcc7744, blending, transparent: true, opacity: 0.6 });
      material.premultipliedAlpha = blending === T.MultiplyBlending || blending === T.SubtractiveBlending;
      mesh(stage, new T.CircleGeometry(0.7, 32), material, [i * 0.9 - 1.35, 0, i * 0.2]);
    });
  },
  helpers(stage) {
    const { T, scene } = stage;
    const made = mesh(stage, knotOf(stage), new T.MeshNormalMaterial());
    scene.add(new T.GridHelper(6, 12), new T.AxesHelper(2), new T.BoxHelper(made, 0xffff00));
    const edges = new T.LineSegments(new T.EdgesGeometry(new T.BoxGeometry(2, 2, 2)), new T.LineBasicMaterial());
    scene.add(edges);
    return { at: (time) => edges.rotation.set(0, time, 0) };
  },
  clipping(stage) {
    const { T, scene, renderer } = stage;
    renderer.localClippingEnabled = true;
    daylight(stage);
    const group = new T.ClippingGroup();
    group.clippingPlanes = [new T.Plane(new T.Vector3(0.3, -1, 0.2).normalize(), 0.2)];
    group.add(new T.Mesh(knotOf(stage), new T.MeshStandardMaterial({ color: 0x55aaff, side: T.DoubleSide })));
    scene.add(group);
  },
  views(stage) {
    const { T, renderer, scene, camera } = stage;
    const { width, height } = renderer.domElement;
    const step = knot(stage, new T.MeshToonMaterial({ color: 0x66cc88 }));
    const render = () => {
      renderer.autoClear = false;
      [0, 1].forEach((side) => {
        renderer.setViewport((side * width) / 2, 0, width / 2, height);
        renderer.setScissor((side * width) / 2, 0, width / 2, height);
        renderer.setScissorTest(true);
        renderer.clear();
        camera.position.x = side * 2 - 1;
        renderer.render(scene, camera);
      });
    };
    return { ...step, render };
  },
  stencil(stage) {
    const { T } = stage;
    const mask = { stencilWrite: true, stencilRef: 1, stencilZPass: T.ReplaceStencilOp, colorWrite: false };
    const inside = { stencilWrite: true, stencilRef: 1, stencilFunc: T.EqualStencilFunc };
    mesh(stage, new T.CircleGeometry(0.8, 6), new T.MeshBasicMaterial({ ...mask, depthWrite: false })).renderOrder = -1;
    return knot(stage, new T.MeshNormalMaterial(inside), { lit: false });
  },
  shapes(stage) {
    const { T } = stage;
    daylight(stage);
    const curve = new T.CatmullRomCurve3([-2, -1, 0, 1, 2].map((x) => new T.Vector3(x, Math.sin(x * 3) * 0.5, 0)));
    mesh(stage, new T.TubeGeometry(curve, 64, 0.1, 12), new T.MeshStandardMaterial({ color: 0xff8866 }));
    const profile = Array.from({ length: 10 }, (_, i) => new T.Vector2(0.2 + 0.3 * Math.sin(i / 2), i / 6 - 0.8));
    const lathe = new T.MeshStandardMaterial({ color: 0x8888ff, side: T.DoubleSide });
    mesh(stage, new T.LatheGeometry(profile, 24), lathe, [1.4, 0.5, -1]);
    mesh(
      stage,
      new T.CapsuleGeometry(0.3, 0.6, 8, 16),
      new T.MeshStandardMaterial({ color: 0x88ff88 }),
      [-1.4, 0.5, -1]
    );
  },
};

const passes = {
  blur: (stage) =>
    after(stage, async (drawn) => (await display('GaussianBlurNode')).gaussianBlur(drawn.getTextureNode(), 2, 4)),
  dots: (stage) =>
    after(stage, async (drawn) => (await display('DotScreenNode')).dotScreen(drawn.getTextureNode(), 1.2, 0.6)),
  shift: (stage) =>
    after(stage, async (drawn) => (await display('RGBShiftNode')).rgbShift(drawn.getTextureNode(), 0.01)),
  film: (stage) => after(stage, async (drawn) => (await display('FilmNode')).film(drawn.getTextureNode())),
  sepia: (stage) => after(stage, async (drawn) => (await display('Sepia')).sepia(drawn.getTextureNode())),
  afterImage: (stage) =>
    after(stage, async (drawn) => (await display('AfterImageNode')).afterImage(drawn.getTextureNode(), 0.8)),
  async pixelation(stage) {
    const { pixelationPass } = await display('PixelationPassNode');
    return after(stage, () => pixelationPass(stage.scene, stage.camera, 4, 0.3, 0.4));
  },
  outline: (stage) =>
    after(stage, async (drawn, { color }, made) => {
      const { outline } = await display('OutlineNode');
      const { visibleEdge } = outline(stage.scene, stage.camera, { selectedObjects: [made] });
      return drawn.add(visibleEdge.mul(color(0xffff00)).mul(3));
    }),
};

export const threeScenes = { ...looks, ...nodes, ...lights, ...drawing, ...passes };
