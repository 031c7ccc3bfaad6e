/** What `rasterloom --help` prints. */
export const HELP = `rasterloom: renders glTF models to pictures, on the CPU, the same bits on every machine

  rasterloom render model.glb -o picture.png     a model to a picture
  rasterloom render --sample                     the scene that comes with rasterloom, to sample.png

Options of "render"
  -o, --output FILE       the picture, a .png; otherwise the model's name with .png, in this folder
      --pass PASS         what the picture shows: color, or overdraw (how many fragment invocations
                          ran for each pixel, with a legend below and the numbers on standard
                          output; the file is then named .overdraw.png); otherwise color
  -s, --size WxH          width and height in pixels; otherwise 1280x720
      --samples N         samples a pixel, 1 or 4; otherwise 4, for smooth edges
  -c, --camera VIEW       orbit:azimuth,elevation[,distance], in degrees and radii of the model;
                          azimuth 0 is the front, 90 its left; without a distance the model
                          fills the picture; otherwise orbit:30,18
  -b, --background C      #rgb, #rrggbb, #rrggbbaa, a name such as white, or transparent;
                          otherwise #cfd2d7
      --stats             what was drawn, how long each part took, how much memory; reading the
                          clock for this slows rendering by a few per cent
      --json              the same for machines, as JSON on standard output (and as slow)
      --sample            the bundled scene instead of a model
      --allow-external    let a .gltf read files outside its own folder
      --allow-network     let a .gltf fetch its files over http and https

  -h, --help              this page
  -v, --version           the version

Examples
  rasterloom render chair.glb                                        writes chair.png
  rasterloom render chair.glb -o back.png --camera orbit:180,10      from behind
  rasterloom render chair.glb -o icon.png -s 256x256 -b transparent  an icon
  rasterloom render chair.glb --pass overdraw                        what was drawn how often
  rasterloom render chair.glb --json > chair.json                    numbers for a script

Reads .glb and .gltf (glTF 2.0) with PNG, JPEG and WebP images. Exit code 0 is success, 1 is failure;
a picture is written whole or not at all.
`;
