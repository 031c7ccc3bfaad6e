// Scenes of Babylon.js, each for another feature. A scene gets { B, scene, camera, engine } and fills the scene. It may
// return its changes over time (in seconds). Shaders are WGSL: the translator of GLSL would be loaded from a network.

const color = ({ B }, hex) => B.Color3.FromHexString(hex);

function sky(stage, intensity = 0.9) {
  return Object.assign(new stage.B.HemisphericLight('sky', stage.B.Vector3.Up(), stage.scene), { intensity });
}

function sun({ B, scene }, intensity = 2) {
  const made = new B.DirectionalLight('sun', new B.Vector3(-1, -2, 1), scene);
  made.position = new B.Vector3(3, 6, -3);
  made.intensity = intensity;
  return made;
}

function standard(stage, hex, more = {}) {
  const made = new stage.B.StandardMaterial('standard', stage.scene);
  return Object.assign(made, { diffuseColor: color(stage, hex) }, more);
}

function pbr(stage, hex, more = {}) {
  const made = new stage.B.PBRMaterial('pbr', stage.scene);
  return Object.assign(made, { albedoColor: color(stage, hex), metallic: 0.2, roughness: 0.4 }, more);
}

const knot = ({ B, scene }, material, more = {}) => {
  const options = { radius: 0.8, tube: 0.28, radialSegments: 96, tubularSegments: 16, ...more };
  return Object.assign(B.MeshBuilder.CreateTorusKnot('knot', options, scene), { material });
};

function ground(stage, material = standard(stage, '#8a8f98')) {
  const made = stage.B.MeshBuilder.CreateGround('ground', { width: 8, height: 8 }, stage.scene);
  return Object.assign(made, { material, receiveShadows: true, position: new stage.B.Vector3(0, -1.2, 0) });
}

/** A texture of `side`² texels by a function of column and row. */
function texture({ B, scene }, side, texel) {
  const data = new Uint8Array(side * side * 4);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) data.set([...texel(x, y), 255].slice(0, 4), (y * side + x) * 4);
  return B.RawTexture.CreateRGBATexture(data, side, side, scene, true, false, B.Texture.TRILINEAR_SAMPLINGMODE);
}

const checker = (stage) => texture(stage, 32, (x, y) => ((x >> 3) ^ (y >> 3) ? [235, 230, 220] : [60, 80, 120]));

/** A cube map of colours, as light of the surroundings. */
function surroundings({ B, scene }) {
  const faces = [
    [255, 120, 60],
    [60, 120, 255],
    [240, 240, 255],
    [60, 50, 40],
    [120, 200, 120],
    [200, 120, 200],
  ].map(([r, g, b]) => {
    const face = new Uint8Array(16 * 16 * 4);
    for (let i = 0; i < 256; i++)
      face.set(
        [r, g, b, 255].map((v) => Math.round(v * (0.5 + (i % 16) / 32))),
        i * 4
      );
    return face;
  });
  const { TEXTUREFORMAT_RGBA, TEXTURETYPE_UNSIGNED_BYTE } = B.Constants;
  scene.environmentTexture = new B.RawCubeTexture(
    scene,
    faces,
    16,
    TEXTUREFORMAT_RGBA,
    TEXTURETYPE_UNSIGNED_BYTE,
    true
  );
}

function turn(object, speed = 1) {
  return (time) => (object.rotation.y = time * speed);
}

/** Knot and ground with a pipeline of effects. */
function withEffects(stage, change) {
  sky(stage);
  ground(stage, standard(stage, '#ffffff', { diffuseTexture: checker(stage) }));
  const made = knot(stage, standard(stage, '#dd8844'));
  const pipeline = new stage.B.DefaultRenderingPipeline('effects', true, stage.scene, [stage.camera]);
  change(pipeline);
  return turn(made);
}

export const babylonScenes = {
  standard(stage) {
    sky(stage);
    return turn(knot(stage, standard(stage, '#5588cc', { specularPower: 40 })));
  },
  physical(stage) {
    sky(stage);
    surroundings(stage);
    const material = pbr(stage, '#aa3322', { metallic: 0.9, roughness: 0.25 });
    material.clearCoat.isEnabled = true;
    return turn(knot(stage, material));
  },
  sheen(stage) {
    sky(stage);
    surroundings(stage);
    const material = pbr(stage, '#334466', { metallic: 0, roughness: 0.8 });
    material.sheen.isEnabled = true;
    material.sheen.color = color(stage, '#ff88aa');
    material.iridescence.isEnabled = true;
    return turn(knot(stage, material));
  },
  refraction(stage) {
    sky(stage);
    surroundings(stage);
    const material = pbr(stage, '#ccffee', { metallic: 0, roughness: 0.1 });
    material.subSurface.isRefractionEnabled = true;
    material.subSurface.refractionIntensity = 0.9;
    return turn(knot(stage, material));
  },
  shadow(stage) {
    sky(stage, 0.4);
    const shadows = new stage.B.ShadowGenerator(512, sun(stage));
    shadows.usePercentageCloserFiltering = true;
    ground(stage);
    const made = knot(stage, standard(stage, '#66aa88'));
    shadows.addShadowCaster(made);
    return turn(made);
  },
  softShadow(stage) {
    sky(stage, 0.4);
    const shadows = new stage.B.ShadowGenerator(256, sun(stage));
    shadows.useBlurExponentialShadowMap = true;
    ground(stage);
    const made = knot(stage, standard(stage, '#ccaa66'));
    shadows.addShadowCaster(made);
    return turn(made);
  },
  spots(stage) {
    const { B, scene } = stage;
    ['#ff4444', '#44ff44', '#4444ff'].forEach((hex, i) => {
      const at = new B.Vector3(i * 2 - 2, 3, -1);
      const spot = new B.SpotLight(`spot${i}`, at, new B.Vector3(0, -1, 0.3), 1, 4, scene);
      spot.diffuse = color(stage, hex);
      spot.intensity = 2;
    });
    ground(stage, standard(stage, '#ffffff'));
    knot(stage, standard(stage, '#ffffff'));
  },
  instances(stage) {
    const { B } = stage;
    sky(stage);
    const made = B.MeshBuilder.CreateBox('box', { size: 0.18 }, stage.scene);
    made.material = standard(stage, '#ffffff');
    const count = 400;
    const matrices = new Float32Array(count * 16);
    const colors = new Float32Array(count * 4);
    for (let i = 0; i < count; i++) {
      const [x, y, z] = [(i % 20) * 0.25 - 2.4, Math.floor(i / 20) * 0.2 - 2, Math.sin(i) * 0.5];
      B.Matrix.Translation(x, y, z).copyToArray(matrices, i * 16);
      colors.set([(i % 20) / 20, Math.random(), 0.5, 1], i * 4);
    }
    made.thinInstanceSetBuffer('matrix', matrices, 16);
    made.thinInstanceSetBuffer('color', colors, 4);
  },
  morph(stage) {
    const { B, scene } = stage;
    sky(stage);
    const ball = (diameter) => B.MeshBuilder.CreateSphere('ball', { diameter, updatable: true }, scene);
    const made = ball(2);
    made.material = standard(stage, '#cc88ff');
    const other = B.MeshBuilder.CreateSphere('other', { diameterX: 1, diameterY: 3, diameterZ: 1 }, scene);
    other.setEnabled(false);
    const manager = new B.MorphTargetManager(scene);
    const target = B.MorphTarget.FromMesh(other, 'long', 0);
    manager.addTarget(target);
    made.morphTargetManager = manager;
    return (time) => (target.influence = 0.5 + 0.5 * Math.sin(time));
  },
  particles(stage) {
    const { B, scene } = stage;
    const system = new B.ParticleSystem('particles', 400, scene);
    system.particleTexture = texture(stage, 16, (x, y) => Array(3).fill(Math.hypot(x - 8, y - 8) < 7 ? 255 : 0));
    system.emitter = B.Vector3.Zero();
    system.emitRate = 400;
    system.minSize = system.maxSize = 0.15;
    system.preWarmCycles = 60;
    system.start();
  },
  lines(stage) {
    const { B, scene } = stage;
    const points = Array.from({ length: 200 }, (_, i) => {
      const angle = i / 8;
      return new B.Vector3(Math.cos(angle) * 1.5, i / 60 - 1.6, Math.sin(angle) * 1.5);
    });
    const colors = points.map((_, i) => new B.Color4(i / 200, 1 - i / 200, 0.5, 1));
    return turn(B.MeshBuilder.CreateLines('lines', { points, colors }, scene));
  },
  fog(stage) {
    sky(stage);
    stage.scene.fogMode = stage.B.Scene.FOGMODE_EXP2;
    stage.scene.fogDensity = 0.12;
    ground(stage);
    return turn(knot(stage, standard(stage, '#ffaa33')));
  },
  glow(stage) {
    sky(stage, 0.3);
    new stage.B.GlowLayer('glow', stage.scene, { mainTextureFixedSize: 128 }).intensity = 1.5;
    return turn(knot(stage, standard(stage, '#222222', { emissiveColor: color(stage, '#22aaff') })));
  },
  mirror(stage) {
    const { B, scene } = stage;
    sky(stage);
    const made = knot(stage, standard(stage, '#ee6633'));
    const mirror = new B.MirrorTexture('mirror', 256, scene, false);
    mirror.mirrorPlane = new B.Plane(0, -1, 0, -1.2);
    mirror.renderList.push(made);
    ground(stage, standard(stage, '#333344', { reflectionTexture: mirror }));
    return turn(made);
  },
  bloom: (stage) =>
    withEffects(stage, (pipeline) => Object.assign(pipeline, { bloomEnabled: true, bloomThreshold: 0.3 })),
  film: (stage) =>
    withEffects(stage, (pipeline) => {
      Object.assign(pipeline, { fxaaEnabled: true, grainEnabled: true, chromaticAberrationEnabled: true });
      pipeline.imageProcessing.vignetteEnabled = true;
      pipeline.imageProcessing.toneMappingEnabled = true;
    }),
  sharpen: (stage) => withEffects(stage, (pipeline) => Object.assign(pipeline, { sharpenEnabled: true, samples: 4 })),
  bumps(stage) {
    sky(stage, 0.3);
    sun(stage);
    const waves = texture(stage, 64, (x, y) =>
      [128 + 90 * Math.sin(x / 3), 128 + 90 * Math.cos(y / 3), 220].map(Math.round)
    );
    return turn(knot(stage, standard(stage, '#8899aa', { bumpTexture: waves, diffuseTexture: checker(stage) })));
  },
  glass(stage) {
    sky(stage);
    ground(stage, standard(stage, '#ffffff', { diffuseTexture: checker(stage) }));
    const made = knot(stage, standard(stage, '#44aaff', { alpha: 0.5, backFaceCulling: false }));
    made.hasVertexAlpha = true;
    return turn(made);
  },
  edges(stage) {
    const { B, scene } = stage;
    sky(stage);
    const made = B.MeshBuilder.CreatePolyhedron('solid', { type: 2, size: 1 }, scene);
    made.material = standard(stage, '#ddcc88', { wireframe: false });
    made.convertToFlatShadedMesh();
    const inner = knot(stage, standard(stage, '#ff0066', { wireframe: true }));
    inner.position.x = 0.5;
    return turn(made);
  },
  shapes(stage) {
    const { B, scene } = stage;
    sky(stage);
    const path = [-2, -1, 0, 1, 2].map((x) => new B.Vector3(x, Math.sin(x * 3) * 0.5, 0));
    B.MeshBuilder.CreateTube('tube', { path, radius: 0.1 }, scene).material = standard(stage, '#ff8866');
    const shape = Array.from({ length: 10 }, (_, i) => new B.Vector3(0.2 + 0.3 * Math.sin(i / 2), i / 6 - 0.8, 0));
    B.MeshBuilder.CreateLathe('lathe', { shape, sideOrientation: B.Mesh.DOUBLESIDE }, scene).material = standard(
      stage,
      '#8888ff'
    );
    B.MeshBuilder.CreateCapsule('capsule', { height: 1.2, radius: 0.3 }, scene).position.x = -1.6;
  },
  clipping(stage) {
    const { B, scene } = stage;
    sky(stage);
    scene.clipPlane = new B.Plane(0.3, 1, 0.2, -0.2);
    return turn(knot(stage, standard(stage, '#55aaff', { backFaceCulling: false })));
  },
  views(stage) {
    const { B, scene, camera } = stage;
    sky(stage);
    camera.viewport = new B.Viewport(0, 0, 0.5, 1);
    const other = new B.ArcRotateCamera('other', 0.5, 0.8, 6, B.Vector3.Zero(), scene);
    other.viewport = new B.Viewport(0.5, 0, 0.5, 1);
    scene.activeCameras = [camera, other];
    return turn(knot(stage, standard(stage, '#66cc88')));
  },
};
