/** Output of `rasterloom --help`. */
export const HELP = `rasterloom: renders glTF models to pictures and compiles WGSL shaders, on the CPU, the same bits on every machine

  rasterloom render model.glb -o picture.png     a model to a picture
  rasterloom render - -o -                       standard input to standard output
  rasterloom render --sample                     the scene that comes with rasterloom, to sample.png
  rasterloom shader file.wgsl                    checks a shader and counts its instructions;
                                                 see "rasterloom shader --help"
  rasterloom tile model.glb -o tiles             cuts a model's images into pages, for --stream;
                                                 see "rasterloom tile --help"

Options of "render"
  -o, --output FILE       the picture, a .png file, or - for standard output; messages then go to standard
                          error (default: the model's name with .png, in the working folder)
      --pass PASS         what the picture shows: color; overdraw, how many fragment invocations ran
                          for each pixel (one that covers several pixels counts for each); encoding,
                          how the samples of each pixel are stored (not with --samples 1); or
                          shading-rate, how many pixels were shaded at once. The last three add a
                          legend, print their numbers on standard output, and name the picture
                          .overdraw.png, .encoding.png or .shading-rate.png (default: color)
  -s, --size WxH          width and height in pixels (default: 1280x720)
      --samples N         samples per pixel: 1, 2, 4, 8 or 16 (default: 4)
  -c, --camera VIEW       orbit:azimuth,elevation[,distance], in degrees and radii of the model.
                          Azimuth 0 is the front, 90 the model's left. Without a distance the model
                          fills the picture (default: orbit:30,18)
      --aperture A        blurs what is out of focus: the diameter of the lens in units of the model,
                          as in 0.05, or the f-number of a full-frame camera, as in f/2.8, for models
                          in metres (default: everything is sharp)
      --focus D           the distance that is sharp, in units of the model along the viewing direction
                          (default: the distance of the model's middle)
      --shading-rate R    how many pixels, width x height, are shaded at once: 1x1, 1x2, 2x1, 2x2, 2x4,
                          4x2 or 4x4 everywhere; depth:near,far and 4, 8 or 16 rates for equal slices
                          of distance from the camera, with 1x1 outside; or auto: coarse where
                          --aperture blurs or, without it, where the scene is far away. Slices are
                          stored by window depth; a stored slice uses the finest rate that falls into it
  -b, --background C      #rgb, #rrggbb, #rrggbbaa, a name such as white, or transparent
                          (default: #cfd2d7)
      --engine ENGINE     how shaders run, with the same bits: jit compiles them to WebAssembly,
                          interpreter does not, auto compiles them if possible (default: auto)
      --threads N         threads that render and decode images, with the same bits for any number;
                          0 does everything on one (default: as many as the machine has cores)
      --stats             prints what was drawn, how long each part took, and how much memory was used;
                          reading the clock slows rendering by a few per cent
      --json              prints the same as JSON on standard output, at the same cost
      --trace FILE        writes what every thread did and when, as a .json file for Chrome's
                          about:tracing or https://ui.perfetto.dev, at the same cost
      --sample            renders the bundled scene instead of a model
      --stream FOLDER     reads images page by page, as needed, from the tiles in FOLDER (see
                          "rasterloom tile"): the same bits, in less time and memory if few are needed
      --model-memory MIB  how much memory the model's files, numbers and images may take while they are
                          read (default: 512)
      --allow-external    lets a .gltf read files outside its own folder
      --allow-network     lets a .gltf fetch its files over http and https

  -h, --help              prints this page
  -v, --version           prints the version

Examples
  rasterloom render chair.glb                                        writes chair.png
  rasterloom render chair.glb -o back.png --camera orbit:180,10      from the back
  rasterloom render chair.glb -o icon.png -s 256x256 -b transparent  an icon
  rasterloom render chair.glb --pass overdraw                        how often each pixel was shaded
  rasterloom render chair.glb --pass encoding --samples 8            how 8 samples per pixel are stored
  rasterloom render chair.glb --aperture 0.1 --shading-rate auto     through a lens, and faster
  rasterloom render chair.glb --shading-rate depth:2,6,1x1,1x1,2x2,4x4 --pass shading-rate
                                                                     the rates of a table
  rasterloom render chair.glb --json > chair.json                    numbers for a script
  curl -L example.com/chair.glb | rasterloom render - -o - > chair.png   from one program to another

Reads .glb and .gltf files (glTF 2.0) with PNG, JPEG and WebP images. Files that a .gltf on standard
input refers to are looked up in the working folder. Exit code 0 is success, 1 is failure; a picture is
written whole or not at all.
`;

/** Output of `rasterloom shader --help`. */
export const SHADER_HELP = `rasterloom shader: checks a WGSL shader, and shows what it is compiled to

  rasterloom shader file.wgsl                    prints its errors or, if it has none, a table of its entry points
  rasterloom shader -                            the same for standard input

Errors are printed with line, column and caret on standard error. For a valid shader, the table has a row for each entry
point: its inputs, outputs and resources; the nodes of its optimised IR; the instructions and registers of the
interpreter's bytecode, and the values that are computed once per draw call; the instructions and bytes of the
WebAssembly that the JIT compiles it to.

Options
  -p, --print WHAT        prints, instead of the table, a comma-separated list of: interface (inputs, outputs,
                          bindings), ir, bytecode and wasm (WebAssembly text); or all
  -e, --entry NAME        only this entry point
      --stage STAGE       only entry points of this stage: vertex, geometry, primitive, tess_control,
                          tess_evaluation, fragment or compute
      --override N=VALUE  the value of an override, by its name or, if it has an @id, by that number; may be repeated
      --json              prints messages, entry points, counts and what --print selects, as JSON on standard output
  -h, --help              prints this page

Examples
  rasterloom shader water.wgsl                                 is it right, and how large?
  rasterloom shader water.wgsl -e fs -p wasm > water.wat       the fragment shader as WebAssembly text
  rasterloom shader water.wgsl -p ir,bytecode --stage vertex   how the vertex shader is optimised and encoded
  rasterloom shader water.wgsl --override quality=3            as a pipeline with this constant has it
  rasterloom shader water.wgsl --json | jq .entryPoints        numbers for a script

Entry points are compiled alone; a pipeline also drops vertex outputs that its fragment stage does not read.
Exit code 0: the shader is valid. 1: it has errors, or an entry point that --entry or --print selects cannot be used
in a pipeline. 2: nothing was checked, because the file cannot be read or the command is wrong.
`;

/** Output of `rasterloom tile --help`. */
export const TILE_HELP = `rasterloom tile: cuts the images of a model, or one image, into pages that rendering loads as needed

  rasterloom tile model.glb -o tiles             the drawn images of a model, as files in the folder "tiles"
  rasterloom tile albedo.jpg -o tiles            one image
  rasterloom render model.glb --stream tiles     a picture of the model, the same bits as without --stream

Each file is named after the contents of the image: models that share an image share its tiles, and a folder may hold
the tiles of many models. A file holds all mip levels and is about as large as a PNG of them. A small picture of a model
with large images reads only a few hundredths of their data and decodes nothing, which saves time and memory.

Options
  -o, --output FOLDER     the folder for the files; it is created if it does not exist
      --page-size N       texels on a side of a page: 16, 32, 64, 128, 256, 512 or 1024 (default: 128)
      --data              the image holds numbers (normals, roughness), not colours; for models this is known
      --json              prints what was written, as JSON on standard output
      --allow-external    lets a .gltf read files outside its own folder
      --allow-network     lets a .gltf fetch its files over http and https
  -h, --help              prints this page

Exit code 0 is success, 1 is failure; each file is written whole or not at all.
`;
