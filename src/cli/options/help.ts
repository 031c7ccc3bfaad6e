/** Output of `rasterloom --help`. */
export const HELP = `rasterloom: renders glTF models to pictures, and checks WGSL shaders

Everything runs on the CPU. A picture has the same bits on every machine.

  rasterloom render model.glb -o picture.png     renders a model to a picture
  rasterloom render --sample                     renders the bundled scene to sample.png
  rasterloom render 'models/*.glb' -o 'out/{name}.png'
                                                 renders many models in one process
  rasterloom render --jobs jobs.jsonl            renders what the lines of a file say
  rasterloom render - -o -                       reads a model from standard input and writes the picture
                                                 to standard output
  rasterloom shader file.wgsl                    checks a shader and counts its instructions;
                                                 see "rasterloom shader --help"
  rasterloom tile model.glb -o tiles             cuts a model's images into pages, for --stream;
                                                 see "rasterloom tile --help"
  rasterloom info model.glb                      says what is in a model, and what of it is drawn;
                                                 see "rasterloom info --help"
  rasterloom compare a.png b.png                 says how much two pictures differ;
                                                 see "rasterloom compare --help"
  rasterloom cache                               says where compiled shaders are kept, or removes them;
                                                 see "rasterloom cache --help"
  rasterloom farm                                renders on many machines, with a queue in Redis;
                                                 see "rasterloom farm --help"
  rasterloom page index.html -o page.png         runs a web page and takes a picture of its canvas;
                                                 see "rasterloom page --help"

Options of "render"

Model
      --sample            Renders the bundled scene instead of a model.
      --jobs FILE         Renders the jobs of FILE instead of a model, or of standard input with -. Each
                          line is a JSON object with "input", "output" and options by their long names, such as
                          {"input": "a.glb", "output": "a.png", "size": "64x64", "allow-empty": true}.
                          Options on the command line are defaults of all jobs; null removes one.
      --resume            Keeps outputs of an earlier run with --resume whose model, files that it refers to,
                          environment and options have not changed. Changed outputs are made again.
      --allow-external    Lets a .gltf file name files outside its own folder.
      --allow-network     Lets a .gltf file name files that are fetched over http and https.
      --model-memory MIB  Memory in MiB that reading the model may take, with its images: 1 to 999999.
                          A model that needs more is refused (default: 512).

      --scene NAME        Name or index of the scene to draw (default: the one that the file says).
      --variant NAME      Name of the variant of the materials (default: the materials as they are).
      --animation NAME    Name or index of the animation (default with --time: the first one).
      --time SECONDS      Moment of the animation to draw, from 0; after its end it begins again. Without
                          --time and --animation, the model is drawn at rest.
      --line-width W      Width of lines in pixels, 0.1 to 256 (default: 1).
      --point-size S      Size of points in pixels, 0.1 to 256 (default: 3).

Picture
  -o, --output FILE       The file to write: .png, .jpg, .jpeg, .webp, .avif (after npm install @jsquash/avif) or
                          .exr (linear light and exact values), or - for a PNG on standard output. With -, all
                          messages and reports are printed on standard error. The name may have placeholders:
                          {name} is the model's name, {n} its number from 1, {n:3} the same with three digits;
                          also {frame}, {view}, {animation}, {variant}, {scene} and {pass}
                          (default: {name}.png, in the working folder).
      --sheet FILE        Writes one picture with a grid of all pictures: .png, .jpg, .jpeg or .webp. Without
                          --output, the pictures have no files of their own.
      --sheet-columns N   Columns of the sheet, 1 to 1000 (default: about as wide as high).
      --sheet-cell WxH    Most pixels of a picture in the sheet, 1 to 2048 each (default: at most 256 each, with the
                          proportions of --size).
      --sheet-background C  Colour between the pictures of the sheet (default: #ffffff).
      --sheet-labels L    What is below each picture: names or none (default: names).
      --quality N         Quality of JPEG, WebP and AVIF, 1 to 100 (default: 80).
      --allow-empty       Also writes pictures in which nothing can be seen.
      --frames N          Draws N pictures from --time on, 1 to 10000: one file for each if --output has
                          {frame}, otherwise one animated .png or .webp file.
      --frame-range A-B   Draws only the frames A to B of --frames or --turntable, from 0; all have the same camera
                          as without this option (default: all).
      --fps F             Frames per second, above 0 to 1000 (default: 24).
      --turntable N       Draws N views around the vertical axis; with --fps, time passes as well if the
                          model has animations.
      --loop N            How often an animated picture shows its frames, 0 (for ever) to 65535 (default: 0).
  -s, --size WxH          Width and height in pixels, 1 to 8192 each (default: 1280x720).
      --samples N         Samples per pixel for antialiasing: 1 (none), 2, 4, 8 or 16 (default: 4).
  -b, --background C      #rgb, #rrggbb, #rrggbbaa, a basic CSS colour name such as white, or
                          transparent (default: #cfd2d7).
      --pass PASS,...     What the picture shows; several, with {pass} in --output, from one reading of the
                          model (default: color):
                            color         the model
                            albedo        base colours without light
                            depth         the distance along the viewing direction
                            normal        normals of surfaces in the axes of the model, with normal maps
                            object        the number of the node, as a colour, with a legend
                            material      the number of the material, as a colour, with a legend
                            ao            ambient occlusion: how much of the sky is visible
                            motion        pixels that surfaces move until the next frame at --fps; needs a
                                          moment: --time, --animation, --frames or --turntable
                            overdraw      how many fragment invocations ran for each pixel
                            encoding      how the samples of each pixel are stored in memory;
                                          needs at least 2 samples per pixel
                            shading-rate  how many pixels each fragment invocation stands for;
                                          needs --shading-rate
                          The last three add a legend below the picture. All but color print their
                          figures on standard output, and change the default name, for example to
                          model.overdraw.png.
      --depth BITS        Bits per channel: 8 or 16 of a .png file; 8, 10 or 12 of an .avif file; 16 or 32 of an
                          .exr file, but 16 for color and albedo (default: 8; for .exr 32 for depth and motion,
                          16 for others).
      --ao-radius R       Distance up to which surfaces hide the sky of --pass ao, above 0, in units of the
                          model (default: a quarter of the radius of its bounding sphere).
      --depth-range N,F   Distances that are black and white in a .png file of --pass depth, 0 or more, in
                          units of the model (default: the nearest and the farthest of each picture).

Camera
  -c, --camera VIEW       orbit:azimuth,elevation or orbit:azimuth,elevation,distance. The camera looks
                          at the middle of the model. Angles are in degrees: azimuth 0 is the front and
                          90 the model's left side; elevation is -90 to 90, with 90 above the model.
                          The distance is in radii of the model's bounding sphere, above 0 to 1000;
                          without it, the model fills the picture (default: orbit:30,18).
                          look:x,y,z,x,y,z: from the first point to the second, in units of the model.
                          file or file:NAME: the first camera of the model, or one by its name or index.
      --fov DEGREES       Vertical field of view, 1 to 170 (default: 30).
      --orthographic      Draws parallel lines parallel; things far away are as large as near ones.
      --margin M          Share of the picture that stays free on each side when the model fills it,
                          0 to 0.45 (default: 0.05).
      --aperture A        Blurs what is out of focus. A is either the diameter of the lens in units of the
                          model, such as 0.05, or the f-number of a full-frame camera, such as f/2.8, which
                          assumes a model in metres. Without this option, everything is in focus.
      --focus D           Distance at which the picture is in focus, in units of the model along the
                          viewing direction; needs --aperture (default: the distance of the model's middle).

Light
      --env ENVIRONMENT   The light that surrounds the model: a panorama (a .hdr or .exr file with an
                          equirectangular projection), studio, sky, sunset or night (default: the
                          image-based light of the file, or else the studio).
      --env-rotation D    Turns the environment around the vertical axis by -360 to 360 degrees,
                          counter-clockwise as seen from above; needs --env.
      --env-intensity X   Factor of the environment's light, 0 to 1000 (default: 1).
      --env-background B  Shows the environment behind the model instead of the background's colour,
                          blurred by 0 (sharp) to 1.
      --exposure EV       Stops by which the picture is brighter, -20 to 20 (default: 0).
      --tone-mapping T    How light becomes colours (default: neutral):
                            neutral  Khronos PBR Neutral, which keeps the colours of materials
                            aces     ACES as in films, with more contrast
                            agx      AgX, with soft highlights
                            linear   light above 1 is cut off
      --shadows S         Whether lights of the file cast shadows: on or off (default: on).
      --shadow-size N     Width of shadow maps in texels, 64 to 4096. In larger ones, shadows are sharper
                          (default: 1024).
      --ground            Draws a soft shadow on a plane under the model, where the model hides the sky.

Speed and memory (only --shading-rate changes the picture)
      --threads N         Number of threads that render and decode images, 0 to 64. With 0, all work runs on
                          the main thread (default: the number of processor cores).
      --parallel N        Number of processes that take models from one queue, 1 to 64 (default: 1). Each has
                          a device and about 160 MB of memory, and its share of the processor cores as
                          threads. Pictures and reports are the same, in the same order.
      --timeout S         Seconds that each model may take. One that takes longer fails, and the others go on.
      --memory MIB        Memory that all processes may take together, at least 256 for each. If they take more,
                          the model whose process is the largest fails.
      --engine ENGINE     How shaders run: jit compiles them to WebAssembly, interpreter interprets them, and
                          auto compiles them where the platform allows it (default: auto).
      --no-shader-cache   Neither reads nor writes compiled shaders and filtered light in the folder that
                          "rasterloom cache" names. With them, a command starts sooner.
      --stream FOLDER     Reads images page by page from the tiles that "rasterloom tile" has written to
                          FOLDER. Pages that the picture does not show are not read.
      --shading-rate R    Shades several pixels at once, which is faster and less sharp. R is one of:
                            1x1, 1x2, 2x1, 2x2, 2x4, 4x2 or 4x4
                                 pixels per fragment invocation, width x height, in the whole picture
                            auto
                                 coarse where --aperture blurs or, without it, far from the camera
                            depth:near,far,rate,rate,...
                                 4, 8 or 16 rates for equal slices of distance between near and far, in
                                 units of the model; 1x1 outside. A border between slices may move a
                                 little, and then the finer of the two rates applies.
                          Without this option, every pixel is shaded.

Reports
      --stats             Prints what was drawn, how long each part took, and how much memory was used.
      --json              Prints the same as JSON on standard output.
  -q, --quiet             Prints only errors and what the other options ask for.
      --trace FILE        Writes what each thread did and when to FILE, which must end in .json. Chrome's
                          about:tracing and https://ui.perfetto.dev open it.
                          Each of --stats, --json and --trace slows rendering by a few per cent.

  -h, --help              Prints this text.
  -v, --version           Prints the version.

Examples
  rasterloom render chair.glb                                        writes chair.png
  rasterloom render chair.glb -o back.png --camera orbit:180,10      the chair from behind
  rasterloom render chair.glb -o icon.png -s 256x256 -b transparent  an icon
  rasterloom render chair.glb -o turn.webp --turntable 36 -s 512x512 an animated turntable
  rasterloom render chair.glb --aperture 0.1 --focus 2.5             a blurred background
  rasterloom render chair.glb --aperture 0.1 --shading-rate auto     the same with less work for blurred parts
  rasterloom render chair.glb --shading-rate depth:2,6,1x1,1x1,2x2,4x4 --pass shading-rate
                                                                     a map of the rates by distance
  rasterloom render chair.glb --pass color,depth,normal -o '{name}.{pass}.exr'
                                                                     passes for compositing
  rasterloom render chair.glb --pass overdraw                        how often each pixel was shaded
  rasterloom render chair.glb --json > chair.json                    figures for a script
  curl -L example.com/chair.glb | rasterloom render - -o - > chair.png
                                                                     in a pipeline

Models are .glb and .gltf files (glTF 2.0) with PNG, JPEG and WebP images. Files that a .gltf on standard
input names are looked up in the working folder.

Models may be patterns with * and ?, ** for folders, [abc] and {a,b}; in quotes, no shell has to expand them.
If one model fails, the others are drawn all the same. Two models with the same output are refused at once.

Exit codes of all commands
  0   everything was done
  1   the answer is no: a shader has errors; or some of several models failed
  2   the arguments are wrong; nothing was started
  3   an input does not exist, cannot be read, or is refused as damaged or unsupported
  4   an output cannot be written
  5   no GPU is available, or it cannot do what was asked
  6   nothing can be seen in the picture, without --allow-empty
  7   the queue of a farm cannot be used: Redis does not answer, or a package is missing
  8   a page has errors that it did not catch
  9   a page took longer than its time limit
  10  an optional package is missing; the message names it
  70  a mistake in the command itself; please report it
`;

/** Output of `rasterloom shader --help`. */
export const SHADER_HELP = `rasterloom shader: checks a WGSL shader, and shows what it is compiled to

  rasterloom shader file.wgsl                    checks a file
  rasterloom shader -                            checks standard input

Errors and warnings are printed on standard error, with line and column. For a valid shader, a table has a row for
each entry point:

  rate                        what the entry point runs once for, such as vertex, pixel or sample
  inputs, outputs, resources  how many of each the entry point has
  IR nodes                    nodes of the optimised intermediate representation
  bytecode, registers         instructions and registers for the interpreter
  uniforms                    values that are computed once per draw call
  WASM, bytes                 instructions and bytes of the WebAssembly that the JIT emits
  ms                          milliseconds that writing bytecode and WebAssembly took

Options
  -p, --print WHAT        Prints the compiled forms instead of the table. WHAT is all, or any of these, separated by
                          commas:
                            interface  inputs, outputs and bindings
                            ir         the optimised intermediate representation
                            bytecode   the interpreter's instructions
                            wasm       WebAssembly text
  -e, --entry NAME        Selects one entry point. Default: all.
      --stage STAGE       Selects the entry points of one stage: vertex, geometry, primitive, tess_control,
                          tess_evaluation, fragment or compute. Default: all.
      --override N=VALUE  Sets an override to a number, true or false. N is its name or, if it has an @id, that number.
                          Repeat the option for each override. Default: the initial values in the shader.
      --json              Prints messages, entry points, counts and what --print selects, as JSON on standard output.
  -h, --help              Prints this text.

Examples
  rasterloom shader water.wgsl                                 whether it is valid, and how large it is
  rasterloom shader water.wgsl -e fs -p wasm > water.wat       the fragment shader as WebAssembly text
  rasterloom shader water.wgsl -p ir,bytecode --stage vertex   how the vertex shader is optimised and encoded
  rasterloom shader water.wgsl --override quality=3            as compiled with this pipeline constant
  rasterloom shader water.wgsl --json | jq .entryPoints        figures for a script

Each entry point is compiled alone. A pipeline may be smaller, because it drops vertex outputs that its fragment shader
does not read.

Exit code 0: the shader is valid. 1: it has errors, or a pipeline cannot use an entry point that --entry or --print
selects. 2: the command is wrong. 3: the file cannot be read. "rasterloom --help" lists the codes of all commands.
`;

/** Output of `rasterloom tile --help`. */
export const TILE_HELP = `rasterloom tile: cuts the images of a model, or one image, \
into pages that rendering loads as needed

  rasterloom tile model.glb -o tiles             cuts the images of a model into files in the folder "tiles"
  rasterloom tile albedo.jpg -o tiles            cuts one PNG, JPEG or WebP image
  rasterloom render model.glb --stream tiles     renders the model; the picture has the same bits as without --stream

A file holds an image with all its mip levels, and is about as large as a PNG of them. It is named after the contents of
the image, so models that share an image share its file, and a folder may hold the files of many models. A small picture
of a model with large images reads only a few per cent of their data, which saves time and memory.

Options
  -o, --output FOLDER     The folder for the files. It is created if it does not exist. Required.
      --page-size N       Width and height of a page in texels: 16, 32, 64, 128, 256, 512 or 1024 (default: 128).
                          Smaller pages read less that is not needed, in more reads.
      --data              Treats a single image as numbers, such as normals or roughness, not as sRGB colours.
                          The images of a model do not need this option.
      --json              Prints what was written, as JSON on standard output.
      --allow-external    Lets a .gltf file name files outside its own folder.
      --allow-network     Lets a .gltf file name files that are fetched over http and https.
  -h, --help              Prints this text.

Examples
  rasterloom tile chair.glb -o tiles                   all images that the chair is drawn with
  rasterloom tile normals.png -o tiles --data          a normal map
  rasterloom tile chair.glb -o tiles --page-size 64    smaller pages, for small pictures

Each file is written completely or not at all. "rasterloom --help" lists the exit codes of all commands.
`;

/** Output of `rasterloom info --help`. */
export const INFO_HELP = `rasterloom info: says what is in a model, and what of it is drawn

  rasterloom info model.glb                      prints sizes, counts, names and extensions
  rasterloom info model.glb --json               prints the same for programs

Nothing is drawn, so that it takes a fraction of a second. Cameras, variants, scenes and animations are listed with the
names that "rasterloom render" takes.

Options
      --json              Prints JSON on standard output.
      --allow-external    Lets a .gltf file name files outside its own folder.
      --allow-network     Lets a .gltf file name files that are fetched over http and https.
  -h, --help              Prints this text.

"rasterloom --help" lists the exit codes of all commands.
`;

/** Output of `rasterloom compare --help`. */
export const COMPARE_HELP = `rasterloom compare: says how much two pictures differ

  rasterloom compare a.png b.png                 compares two PNG, JPEG or WebP pictures of the same size
  rasterloom compare a.png b.png -o diff.png     also draws the differences in red

The exit code is 0 if the pictures are alike within the limits, and 1 if they differ or have different sizes.

Options
  -o, --output FILE       A picture of the differences, which must end in .png.
      --threshold T       Difference of two colours up to which they count as equal, 0 to 1, where black and white
                          differ by 1 (default: 0.1). Pixels that only differ in antialiasing do not count.
      --max-different S   Share of different pixels up to which the pictures are alike, 0 to 1 (default: 0).
      --min-ssim S        Structural similarity from which on the pictures are alike, -1 to 1 (default: -1).
      --json              Prints the figures as JSON on standard output.
  -h, --help              Prints this text.

"rasterloom --help" lists the exit codes of all commands.
`;

/** Output of `rasterloom cache --help`. */
export const CACHE_HELP = `rasterloom cache: says where compiled shaders are kept, or removes them

  rasterloom cache                               prints the folder, and the number and size of its files
  rasterloom cache clear                         removes the files that the cache has written

"rasterloom render" keeps compiled shaders and the engine's compiled code in the user's folder for caches, so that the
next command starts sooner. They take up to 64 MiB, and those that were not used for longest are removed. If other
users can change the folder, or if it cannot be written, the command renders without it. "rasterloom cache" says why.

  Linux      $XDG_CACHE_HOME/rasterloom/shaders, or ~/.cache/rasterloom/shaders
  macOS      the same with $XDG_CACHE_HOME, or ~/Library/Caches/rasterloom/shaders
  Windows    %LOCALAPPDATA%\\rasterloom\\shaders

Options
      --json              Prints the same as JSON on standard output.
  -h, --help              Prints this text.

"rasterloom --help" lists the exit codes of all commands.
`;

/** Output of `rasterloom page --help`. */
export const PAGE_HELP = `rasterloom page: runs a web page, and takes pictures of its canvas

  rasterloom page index.html -o page.png         the picture of the first frame
  rasterloom page index.html -o 'page-{frame}.png' --at-frame 1 --at-frame 60

The page's scripts run in Node, with its import map and the files of its folder. Time is virtual: a frame is 1/60 s,
and the clock stands while something is loading. Random numbers begin with a seed. Two runs give the same picture.
The package happy-dom parses the page: npm install happy-dom. Styles are not applied, and there is no WebGL.

Scripts run with the rights of this process. Run only pages that you trust.

Options
  -o, --output FILE       The picture: .png, .jpg, .jpeg or .webp, or - for a PNG on standard output. {frame} is the
                          number of the frame. Required.
      --size WxH          Size of the window, 1 to 16384 each (default: 1280x720).
      --at-frame N        Takes a picture of frame N, from 1 on. May be repeated (default: 1).
      --at-time SECONDS   Takes a picture of the frame at this time. May be repeated.
      --canvas SELECTOR   The canvas (default: the largest of WebGPU, or else of a 2D context).
      --root FOLDER       The folder that URLs of the page begin at (default: the folder of the page).
      --click X,Y         Clicks at this point of the canvas, one frame before the last picture. May be repeated.
      --key KEY           Presses a key, such as a or ArrowLeft, likewise.
      --script FILE       Runs a module in the page, likewise.
      --seed N            Seed of Math.random, 0 to 4294967295 (default: 1).
      --timeout SECONDS   Real time after which the page is stopped (default: 60).
      --threads N         Worker threads that render, 0 to 64 (default: the number of processor cores).
      --font FAMILY=FILE  Makes a font known to 2D canvases. May be repeated.
      --allow-network     Lets the page load from http and https.
      --allow-missing     Accepts files that are missing.
      --allow-errors      Accepts errors that the page does not catch.
      --allow-empty       Accepts a picture whose pixels are all equal.
  -h, --help              Prints this text.

Pictures are written even if files are missing, or the page has errors; the exit code tells. "rasterloom --help" lists
the exit codes of all commands.
`;
