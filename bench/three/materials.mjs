// Materials and light.
import { checker, daylight, environment, floor, mesh, texture } from './kit.mjs';

const turn = (object, speed = 1) => ({
  at: (time) => {
    object.rotation.y = time * speed;
  },
});

export const materials = {
  /** Metalness and roughness under sun and sky. */
  standard(stage) {
    const { T } = stage;
    daylight(stage);
    return turn(
      mesh(
        stage,
        new T.TorusKnotGeometry(1, 0.35, 200, 32),
        new T.MeshStandardMaterial({ color: 0x5588cc, roughness: 0.35, metalness: 0.3 })
      )
    );
  },

  /** Clear coat, sheen, iridescence, anisotropy, specular colour. */
  physical(stage) {
    const { T, scene } = stage;
    const row = new T.Group();
    daylight(stage);
    environment(stage);
    [
      { color: 0xaa2233, roughness: 0.5, metalness: 0.6, clearcoat: 1, clearcoatRoughness: 0.1 },
      { color: 0x334466, roughness: 0.9, sheen: 1, sheenColor: new T.Color(0xff88aa), sheenRoughness: 0.4 },
      { color: 0x999999, roughness: 0.2, iridescence: 1, iridescenceIOR: 1.8 },
      { color: 0xcc9944, roughness: 0.3, metalness: 1, anisotropy: 0.8 },
      { color: 0x226644, roughness: 0.25, specularIntensity: 1, specularColor: new T.Color(0xffdd88) },
    ].forEach((parameters, i) => {
      const ball = new T.Mesh(new T.SphereGeometry(0.45, 48, 24), new T.MeshPhysicalMaterial(parameters));
      ball.position.x = (i - 2) * 1;
      row.add(ball);
    });
    scene.add(row);
    return {
      at: (time) => {
        row.rotation.y = Math.sin(time) * 0.4;
      },
    };
  },

  /** Image-based light alone, with a blurred background of the same map. */
  environment(stage) {
    const { T, scene } = stage;
    environment(stage, { background: true });
    scene.backgroundBlurriness = 0.3;
    return turn(
      mesh(
        stage,
        new T.TorusKnotGeometry(0.9, 0.3, 160, 24),
        new T.MeshStandardMaterial({ color: 0xf0f0f0, roughness: 0.15, metalness: 1 })
      )
    );
  },

  /** Glass: refracts and blurs what it occludes. */
  transmission(stage) {
    const { T } = stage;
    daylight(stage);
    environment(stage);
    floor(stage, new T.MeshStandardMaterial({ map: checker(stage) }));
    mesh(stage, new T.BoxGeometry(0.6, 1.6, 0.6), new T.MeshStandardMaterial({ color: 0xdd5522 }), [-0.6, -0.2, -1.4]);
    return turn(
      mesh(
        stage,
        new T.SphereGeometry(0.9, 48, 32),
        new T.MeshPhysicalMaterial({
          roughness: 0.1,
          transmission: 1,
          thickness: 0.8,
          ior: 1.45,
          attenuationColor: new T.Color(0xccffee),
          attenuationDistance: 2,
        })
      )
    );
  },

  /** Normal map, roughness map, emission, alpha test, double-sided material. */
  maps(stage) {
    const { T } = stage;
    daylight(stage);
    const bumps = texture(
      stage,
      64,
      (x, y) => [128 + 80 * Math.sin(x * 0.4), 128 + 80 * Math.cos(y * 0.4), 220].map(Math.round),
      { color: false, repeat: 2 }
    );
    const rough = texture(stage, 32, (x) => [0, x * 8, 0], { color: false });
    const glow = texture(stage, 32, (x, y) => (x % 8 === 0 || y % 8 === 0 ? [255, 160, 40] : [0, 0, 0]));
    const holes = texture(stage, 32, (x, y) => [255, 255, 255, (x - 16) ** 2 + (y - 16) ** 2 < 90 ? 0 : 255], {
      repeat: 4,
    });
    mesh(
      stage,
      new T.SphereGeometry(0.8, 48, 24),
      new T.MeshStandardMaterial({ color: 0x8899aa, normalMap: bumps, roughnessMap: rough, roughness: 1 }),
      [-1.7, 0, 0]
    );
    mesh(
      stage,
      new T.BoxGeometry(1.1, 1.1, 1.1),
      new T.MeshStandardMaterial({ color: 0x222222, emissive: 0xffffff, emissiveMap: glow }),
      [0, 0, 0]
    ).rotation.set(0.4, 0.6, 0);
    return turn(
      mesh(
        stage,
        new T.CylinderGeometry(0.7, 0.7, 1.4, 40, 1, true),
        new T.MeshStandardMaterial({ map: holes, alphaTest: 0.5, side: T.DoubleSide, color: 0x66cc88 }),
        [1.7, 0, 0]
      )
    );
  },

  /** Lambert, Phong, toon, matcap, normals; fog. */
  shading(stage) {
    const { T, scene } = stage;
    daylight(stage);
    scene.fog = new T.Fog(0x1c2230, 4, 8);
    const steps = new T.DataTexture(new Uint8Array([60, 140, 255]), 3, 1, T.RedFormat);
    steps.needsUpdate = true;
    const matcap = texture(stage, 64, (x, y) => {
      const d = Math.hypot(x - 32, y - 32) / 32;
      return d > 1 ? [0, 0, 0] : [255 * (1 - d), 200 * (1 - d * d), 120].map(Math.round);
    });
    const geometry = new T.TorusGeometry(0.45, 0.2, 24, 64);
    [
      new T.MeshLambertMaterial({ color: 0xdd8866 }),
      new T.MeshPhongMaterial({ color: 0x66aadd, shininess: 60, specular: 0xffffff }),
      new T.MeshToonMaterial({ color: 0x77cc66, gradientMap: steps }),
      new T.MeshMatcapMaterial({ matcap }),
      new T.MeshNormalMaterial(),
    ].forEach((material, i) => mesh(stage, geometry, material, [(i - 2) * 1.15, 0, -Math.abs(i - 2)]));
    return {
      at: (time) =>
        scene.children.forEach((child) => {
          if (child.isMesh) child.rotation.x = time;
        }),
    };
  },

  /** A sun with percentage-closer filtering. */
  shadow(stage) {
    const { T, renderer } = stage;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = T.PCFShadowMap;
    const sun = daylight(stage);
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    Object.assign(sun.shadow.camera, { left: -4, right: 4, top: 4, bottom: -4, near: 0.5, far: 20 });
    floor(stage).receiveShadow = true;
    const knot = mesh(
      stage,
      new T.TorusKnotGeometry(0.8, 0.28, 200, 32),
      new T.MeshStandardMaterial({ color: 0xcc8844, roughness: 0.4, metalness: 0.1 }),
      [0, 0.4, 0]
    );
    knot.castShadow = knot.receiveShadow = true;
    return turn(knot);
  },

  /** A spot light with a penumbra, and a point light with shadows in all directions. */
  lamps(stage) {
    const { T, renderer, scene } = stage;
    renderer.shadowMap.enabled = true;
    floor(stage).receiveShadow = true;
    const spot = new T.SpotLight(0xffe0b0, 60, 0, 0.5, 0.5);
    spot.position.set(2.5, 3.5, 1.5);
    const point = new T.PointLight(0x88aaff, 8);
    point.position.set(-0.8, 0.6, 0.6);
    for (const light of [spot, point]) {
      light.castShadow = true;
      light.shadow.mapSize.set(512, 512);
      scene.add(light);
    }
    const posts = new T.Group();
    for (let i = 0; i < 6; i++) {
      const post = new T.Mesh(new T.BoxGeometry(0.3, 1.2, 0.3), new T.MeshStandardMaterial({ color: 0xbbbbbb }));
      post.position.set(Math.cos(i) * 1.4, -0.4, Math.sin(i) * 1.4);
      post.castShadow = post.receiveShadow = true;
      posts.add(post);
    }
    scene.add(posts);
    return turn(posts, 0.5);
  },

  /** Node materials. */
  async nodes(stage) {
    const { T } = stage;
    const { mx_noise_float, normalLocal, positionLocal, time, uniform, vec3 } = await import('three/tsl');
    daylight(stage);
    const phase = uniform(0);
    const noise = mx_noise_float(positionLocal.mul(2.5).add(phase));
    const material = new T.MeshStandardNodeMaterial({ roughness: 0.4 });
    material.positionNode = positionLocal.add(normalLocal.mul(noise.mul(0.25)));
    material.colorNode = noise
      .mul(0.5)
      .add(0.5)
      .mix(vec3(0.1, 0.2, 0.6), vec3(1, 0.7, 0.2));
    material.emissiveNode = time.mul(0).add(noise.max(0).mul(vec3(0.2, 0.05, 0)));
    mesh(stage, new T.IcosahedronGeometry(1.2, 32), material);
    return {
      at: (seconds) => {
        phase.value = seconds;
      },
    };
  },
};
