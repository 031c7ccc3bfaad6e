// More scenes for first frames only: their pictures have no references (tests/images/three).
import { features } from './features.mjs';
import { checker, daylight, floor, mesh } from './kit.mjs';

/** A knot of a material on a floor. */
function knot(stage, material) {
  daylight(stage);
  floor(stage);
  mesh(stage, new stage.T.TorusKnotGeometry(0.8, 0.28, 120, 20), material);
}

/** Renders the scene in a pass, and what `output` makes of the pass. */
function after({ T, renderer, scene, camera }, pass, output) {
  const pipeline = new T.RenderPipeline(renderer);
  pipeline.outputNode = output(pass(scene, camera), camera);
  return { render: () => pipeline.render() };
}

const addon = (name) => import(`three/addons/tsl/display/${name}.js`);

export const looks = {
  ...features,
  basic: (stage) => knot(stage, new stage.T.MeshBasicMaterial({ map: checker(stage) })),
  lambert: (stage) => knot(stage, new stage.T.MeshLambertMaterial({ color: 0x44aa88 })),
  phong: (stage) => knot(stage, new stage.T.MeshPhongMaterial({ color: 0x8866cc, shininess: 60 })),
  toon: (stage) => knot(stage, new stage.T.MeshToonMaterial({ color: 0xdd8844 })),
  matcap: (stage) => knot(stage, new stage.T.MeshMatcapMaterial({ matcap: checker(stage, 1) })),

  fog(stage) {
    stage.scene.fog = new stage.T.Fog(0x1c2230, 3, 8);
    knot(stage, new stage.T.MeshStandardMaterial({ color: 0xcc5544 }));
  },

  /** Particles that a compute shader moves. */
  async particles(stage) {
    const { T, renderer, scene } = stage;
    const { Fn, float, hash, instancedArray, instanceIndex, time, vec3 } = await import('three/tsl');
    const positions = instancedArray(2000, 'vec3');
    const move = Fn(() => {
      const chance = (n) => hash(instanceIndex.mul(4).add(n)).sub(0.5);
      positions.element(instanceIndex).assign(vec3(chance(0).mul(4), chance(1).mul(3).add(time.sin()), chance(2)));
    })().compute(2000);
    const material = new T.SpriteNodeMaterial({ transparent: true, depthWrite: false });
    material.positionNode = positions.toAttribute();
    material.scaleNode = float(0.05);
    const sprites = new T.Sprite(material);
    sprites.count = 2000;
    sprites.frustumCulled = false;
    scene.add(sprites);
    return {
      render: () => {
        renderer.compute(move);
        renderer.render(scene, stage.camera);
      },
    };
  },

  async depthOfField(stage) {
    const { pass } = await import('three/tsl');
    const { dof } = await addon('DepthOfFieldNode');
    knot(stage, new stage.T.MeshStandardMaterial({ color: 0x99aabb }));
    return after(stage, pass, (drawn) => dof(drawn.getTextureNode(), drawn.getViewZNode(), 4, 2, 1));
  },

  async antialiasing(stage) {
    const { pass, renderOutput } = await import('three/tsl');
    const { fxaa } = await addon('FXAANode');
    knot(stage, new stage.T.MeshStandardMaterial({ color: 0x99aabb }));
    return after(stage, pass, (drawn) => fxaa(renderOutput(drawn)));
  },

  async occlusion(stage) {
    const { pass, vec4 } = await import('three/tsl');
    const { ao } = await addon('GTAONode');
    knot(stage, new stage.T.MeshStandardMaterial({ color: 0xbbbbbb }));
    return after(stage, pass, (drawn, camera) => {
      const dark = ao(drawn.getTextureNode('depth'), null, camera).getTextureNode().r;
      return drawn.getTextureNode().mul(vec4(dark, dark, dark, 1));
    });
  },
};
