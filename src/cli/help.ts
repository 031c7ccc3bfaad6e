/** Output of `rasterloom --help`. */
export const HELP =
  `rasterloom: renders glTF models to pictures and compiles WGSL shaders, on the CPU, the same bits on every machine

  rasterloom render model.glb -o picture.png     a model to a picture
  rasterloom render - -o -                       standard input to standard output
  rasterloom render --sample                     the scene that comes with rasterloom, to sample.png
  rasterloom shader file.wgsl                    checks a shader and counts its instructions;
                                                 "rasterloom shader --help" tells more
  rasterloom tile model.glb -o tiles             cuts a model's images into pages, for --stream;
                                                 "rasterloom tile --help" tells more

Options of "render"
  -o, --output FILE       the picture, a .png, or - for standard output, where words then go to standard
                          error; otherwise the model's name with .png, in this folder
      --pass PASS         what the picture shows: color; overdraw, how many fragment invocations ran
                          for each pixel, where one that stands for several counts for each; encoding,
                          how the samples of each pixel are stored (not with --samples 1); or
                          shading-rate, how many pixels were shaded at once. The last three have a
                          legend below and their numbers on standard output, and are named
                          .overdraw.png, .encoding.png, .shading-rate.png; otherwise color
  -s, --size WxH          width and height in pixels; otherwise 1280x720
      --samples N         samples a pixel, 1, 2, 4, 8 or 16; otherwise 4, for smooth edges
  -c, --camera VIEW       orbit:azimuth,elevation[,distance], in degrees and radii of the model;
                          azimuth 0 is the front, 90 its left; without a distance the model
                          fills the picture; otherwise orbit:30,18
      --aperture A        blurs what is out of focus, as a lens does: its diameter in units of the
                          model, as in 0.05, or the f-number of a full-frame camera, as in f/2.8, where
                          units are metres; otherwise all is sharp
      --focus D           the distance from the camera that is sharp, in units of the model along the
                          direction of view; otherwise that of the model's middle
      --shading-rate R    pixels, wide x high, that are shaded at once: 1x1, 1x2, 2x1, 2x2, 2x4, 4x2 or
                          4x4 everywhere; depth:near,far and 4, 8 or 16 of these, for equal slices
                          of distance from the camera, 1x1 outside; auto, coarse where --aperture
                          blurs, or without it where the scene is far. Slices are kept by window
                          depth: one that holds several of yours has the finest of their rates
  -b, --background C      #rgb, #rrggbb, #rrggbbaa, a name such as white, or transparent;
                          otherwise #cfd2d7
      --engine ENGINE     what runs shaders, with the same bits: jit compiles them to WebAssembly,
                          interpreter does not; otherwise auto, which compiles them where it can
      --threads N         threads that render and decode images, with the same bits for any number;
                          0 does all on one; otherwise as many as the machine has cores
      --stats             what was drawn, how long each part took, how much memory; reading the
                          clock for this slows rendering by a few per cent
      --json              the same for machines, as JSON on standard output (and as slow)
      --trace FILE        what every thread did and when, a .json for Chrome's about:tracing or
                          https://ui.perfetto.dev (and as slow)
      --sample            the bundled scene instead of a model
      --stream FOLDER     reads images page by page, as the picture needs them, from the tiles in FOLDER
                          (rasterloom tile): the same bits, in less time and memory where it needs few
      --model-memory MIB  what the model's files, numbers and images may take in memory when they are read;
                          otherwise 512
      --allow-external    let a .gltf read files outside its own folder
      --allow-network     let a .gltf fetch its files over http and https

  -h, --help              this page
  -v, --version           the version

Examples
  rasterloom render chair.glb                                        writes chair.png
  rasterloom render chair.glb -o back.png --camera orbit:180,10      from behind
  rasterloom render chair.glb -o icon.png -s 256x256 -b transparent  an icon
  rasterloom render chair.glb --pass overdraw                        what was drawn how often
  rasterloom render chair.glb --pass encoding --samples 8            what 8 samples a pixel take
  rasterloom render chair.glb --aperture 0.1 --shading-rate auto     as a lens sees it, and sooner
  rasterloom render chair.glb --shading-rate depth:2,6,1x1,1x1,2x2,4x4 --pass shading-rate
                                                                     which rates a table gives
  rasterloom render chair.glb --json > chair.json                    numbers for a script
  curl -L example.com/chair.glb | rasterloom render - -o - > chair.png   from one program to another

Reads .glb and .gltf (glTF 2.0) with PNG, JPEG and WebP images; files that a .gltf on standard input
names are looked for in this folder. Exit code 0 is success, 1 is failure; a picture is written whole
or not at all.
`;

/** Output of `rasterloom shader --help`. */
export const SHADER_HELP = `rasterloom shader: checks a WGSL shader, and shows what it is compiled to

  rasterloom shader file.wgsl                    what is wrong with it; if nothing is, its entry points
  rasterloom shader -                            the same for standard input

Mistakes are drawn with line, column and caret on standard error. The table of a valid shader has a row for each entry
point: the values that it takes and gives, the resources that it uses; nodes of its optimised IR; instructions and
registers of the interpreter's bytecode, and values that are computed once a draw; instructions and bytes of
the WebAssembly that the JIT makes of it.

Options
  -p, --print WHAT        instead of the table, any of these, with commas between: interface (inputs, outputs,
                          bindings), ir, bytecode, wasm (WebAssembly text); or all
  -e, --entry NAME        only this entry point
      --stage STAGE       only entry points of this stage: vertex, geometry, primitive, tess_control,
                          tess_evaluation, fragment or compute
      --override N=VALUE  the value of an override, by its name, or by its number where it has an @id; once for each
      --json              messages, entry points, counts and what --print asks for, as JSON on standard output
  -h, --help              this page

Examples
  rasterloom shader water.wgsl                                 is it right, and how large?
  rasterloom shader water.wgsl -e fs -p wasm > water.wat       the fragment program as WebAssembly text
  rasterloom shader water.wgsl -p ir,bytecode --stage vertex   how the vertex program is optimised and encoded
  rasterloom shader water.wgsl --override quality=3            the program that a pipeline with this constant has
  rasterloom shader water.wgsl --json | jq .entryPoints        numbers for a script

An entry point is compiled alone; a pipeline also drops what its vertex stage computes and its fragment stage does not read.
Exit code 0: the shader is valid. 1: it has errors, or an entry point that --entry or --print asks for cannot be used by a
pipeline. 2: nothing was checked, because the file cannot be read or the command is wrong.
`;

/** Output of `rasterloom tile --help`. */
export const TILE_HELP = `rasterloom tile: cuts the images of a model, or one image, into pages that pictures read as they need them

  rasterloom tile model.glb -o tiles             the images of a model that are drawn, as files in the folder "tiles"
  rasterloom tile albedo.jpg -o tiles            one image
  rasterloom render model.glb --stream tiles     a picture of the model, in the same bits as without --stream

Files are named after what the image's own file holds: models that share an image share its tiles, and a folder may
hold those of many models. Each has all mips, about as large as a PNG of them. A small picture of a model with large images
reads a few hundredths of them, decodes nothing, and takes that much less time and memory.

Options
  -o, --output FOLDER     takes the files; it is made if it is not there
      --page-size N       texels on a side of a page: 16, 32, 64, 128, 256, 512 or 1024; otherwise 128
      --data              one image holds numbers (normals, roughness), not colours; a model says so itself
      --json              what was written, as JSON on standard output
      --allow-external    let a .gltf read files outside its own folder
      --allow-network     let a .gltf fetch its files over http and https
  -h, --help              this page

Exit code 0 is success, 1 is failure; each file is written whole or not at all.
`;
