// Scenes with several passes.
import { checker, daylight, environment, floor, mesh } from './kit.mjs';

export const effects = {
  /** Bloom over a bright scene, with tone mapping. */
  async bloom(stage) {
    const { T, renderer, scene, camera } = stage;
    const { pass } = await import('three/tsl');
    const { bloom } = await import('three/addons/tsl/display/BloomNode.js');
    renderer.toneMapping = T.ACESFilmicToneMapping;
    daylight(stage, 0.6);
    const lamps = new T.Group();
    for (let i = 0; i < 12; i++) {
      const lamp = new T.Mesh(
        new T.IcosahedronGeometry(0.22, 2),
        new T.MeshStandardMaterial({
          color: 0x222222,
          emissive: new T.Color().setHSL(i / 12, 0.9, 0.5),
          emissiveIntensity: 4,
        })
      );
      lamp.position.set(Math.cos((i / 12) * 6.283) * 1.6, Math.sin(i * 1.7) * 0.6, Math.sin((i / 12) * 6.283) * 1.6);
      lamps.add(lamp);
    }
    scene.add(lamps);
    const pipeline = new T.RenderPipeline(renderer);
    const color = pass(scene, camera).getTextureNode('output');
    pipeline.outputNode = color.add(bloom(color, 0.8, 0.4, 0.2));
    return {
      at: (time) => {
        lamps.rotation.y = time * 0.3;
      },
      render: () => pipeline.render(),
    };
  },

  /** A picture of one scene on a box of another. */
  target(stage) {
    const { T, renderer, scene, camera } = stage;
    daylight(stage);
    const inner = new T.Scene();
    const eye = new T.PerspectiveCamera(50, 1, 0.1, 10);
    inner.background = new T.Color(0x553322);
    eye.position.z = 3;
    const knot = new T.Mesh(new T.TorusKnotGeometry(0.7, 0.25, 100, 16), new T.MeshNormalMaterial());
    inner.add(knot);
    const target = new T.RenderTarget(256, 256, { samples: 4 });
    const box = mesh(stage, new T.BoxGeometry(1.8, 1.8, 1.8), new T.MeshStandardMaterial({ map: target.texture }));
    return {
      at: (time) => {
        knot.rotation.y = time;
        box.rotation.set(0.3, time * 0.5 + 0.5, 0);
      },
      render: () => {
        renderer.setRenderTarget(target);
        renderer.render(inner, eye);
        renderer.setRenderTarget(null);
        renderer.render(scene, camera);
      },
    };
  },

  /** A ball that reflects its surroundings through a cube camera. */
  cube(stage) {
    const { T, renderer, scene, camera } = stage;
    daylight(stage);
    const target = new T.CubeRenderTarget(128, {
      type: T.HalfFloatType,
      generateMipmaps: true,
      minFilter: T.LinearMipmapLinearFilter,
    });
    const eye = new T.CubeCamera(0.1, 20, target);
    const ring = new T.Group();
    for (let i = 0; i < 8; i++) {
      const block = new T.Mesh(
        new T.BoxGeometry(0.4, 0.8, 0.4),
        new T.MeshStandardMaterial({ color: new T.Color().setHSL(i / 8, 0.8, 0.5) })
      );
      block.position.set(Math.cos((i / 8) * 6.283) * 1.9, 0, Math.sin((i / 8) * 6.283) * 1.9);
      ring.add(block);
    }
    scene.add(ring, eye);
    floor(stage, new T.MeshStandardMaterial({ map: checker(stage) }));
    const ball = mesh(stage, new T.SphereGeometry(0.9, 48, 24), new T.MeshBasicMaterial({ envMap: target.texture }));
    return {
      at: (time) => {
        ring.rotation.y = time * 0.5;
      },
      render: () => {
        ball.visible = false;
        eye.update(renderer, scene);
        ball.visible = true;
        renderer.render(scene, camera);
      },
    };
  },

  /** A mirroring floor, by a second view of the scene. */
  async mirror(stage) {
    const { T, scene } = stage;
    const { reflector, uniform } = await import('three/tsl');
    daylight(stage);
    const image = reflector();
    image.target.rotateX(-Math.PI / 2);
    image.target.position.y = -1;
    scene.add(image.target);
    const material = new T.MeshStandardNodeMaterial({ roughness: 0.6 });
    material.colorNode = image.mul(uniform(0.7)).add(0.08);
    floor(stage, material);
    const orange = new T.MeshStandardMaterial({ color: 0xee6633 });
    const knot = mesh(stage, new T.TorusKnotGeometry(0.7, 0.25, 120, 20), orange, [0, 0.3, 0]);
    return {
      at: (time) => {
        knot.rotation.y = time;
      },
    };
  },

  /** Multiple outputs of one pass, combined: colour with edges from normals. */
  async outputs(stage) {
    const { T, renderer, scene, camera } = stage;
    const { mrt, normalView, output, pass, vec4 } = await import('three/tsl');
    const { sobel } = await import('three/addons/tsl/display/SobelOperatorNode.js');
    daylight(stage);
    environment(stage);
    const shapes = new T.Group();
    [new T.BoxGeometry(1, 1, 1), new T.SphereGeometry(0.65, 32, 16), new T.ConeGeometry(0.6, 1.2, 32)].forEach(
      (geometry, i) => {
        const shape = new T.Mesh(geometry, new T.MeshStandardMaterial({ color: [0xdd5544, 0x55aa66, 0x5577cc][i] }));
        shape.position.x = (i - 1) * 1.6;
        shapes.add(shape);
      }
    );
    scene.add(shapes);
    const pipeline = new T.RenderPipeline(renderer);
    const all = pass(scene, camera);
    all.setMRT(mrt({ output, normal: normalView.mul(0.5).add(0.5) }));
    const lines = sobel(all.getTextureNode('normal'));
    pipeline.outputNode = vec4(all.getTextureNode('output').rgb.mul(lines.r.oneMinus()), 1);
    return {
      at: (time) => {
        shapes.children.forEach((shape) => shape.rotation.set(0.3, time, 0));
      },
      render: () => pipeline.render(),
    };
  },
};
