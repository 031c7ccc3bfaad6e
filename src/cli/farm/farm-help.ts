/** Output of `rasterloom farm --help`. */
export const FARM_HELP = `rasterloom farm: renders many pictures on many machines, with a queue in Redis

  apt-get install redis-server                   Redis holds the queue
  npm install rasterloom bullmq ioredis          the libraries that speak to it
  rasterloom farm add jobs.jsonl                 adds the jobs of a file, one JSON object per line
  rasterloom farm work -o pictures               renders jobs until it is stopped; start any number of these,
                                                 on any machine that reaches Redis and the models
  rasterloom farm status --watch                 shows what the farm does

  rasterloom farm failed                         lists quarantined jobs with their reasons
  rasterloom farm retry [NAME ...]               lets quarantined jobs run again: all, or those that are named
  rasterloom farm pause                          lets running jobs end, and starts no others
  rasterloom farm resume                         goes on
  rasterloom farm drain                          removes jobs that have not started, and animations in chunks that are
                                                 not complete
  rasterloom farm clean                          removes finished jobs from Redis; their pictures stay

A job has an input, an output, and options of "rasterloom render" by their long names, or it names a module:
  {"input": "chair.glb", "output": "chair.png", "size": "512x512"}
  {"module": "poster", "data": {"title": "Chair"}, "output": "poster.png"}
An animation with a "chunk" is drawn by many workers, and then put together: to numbered files, an animated picture,
with "sheet" instead of "output" to a sheet, or by the module that "encoder" names:
  {"input": "robot.glb", "output": "robot.webp", "frames": 240, "chunk": 24}
Inputs are files below --input, or addresses. Outputs are names below the worker's --output. A job may also have an
"id", its name in results, a "priority", and the "sha256" of an input at an address.

A job is run once, however often it is added: its identity is the hash of its inputs, its options and the version of
rasterloom. After Redis has lost data, add the same file again, which adds what is missing. Workers of another version
leave a job alone. A job that fails for a reason that may pass is tried again later; then it is quarantined. If a
worker is lost, another one begins its jobs after about eight seconds.

Options of all
      --queue NAME        Name of the queue (default: default).
      --redis URL         Where Redis is: redis://host:6379, or rediss://user:password@host:6379 for TLS (default:
                          the environment variable RASTERLOOM_REDIS, which keeps a password out of lists of
                          processes, or redis://127.0.0.1:6379).
      --redis-ca FILE     Certificate authority of the server, for rediss:.
      --json              Prints JSON on standard output.
  -h, --help              Prints this text.

Options of "add"
      --input FOLDER      Folder of the models (default: the working folder). Their content is hashed.
      --priority N        0 to 2097151: jobs of a lower number run first (default: 0).
      --attempts N        Tries of a job, 1 to 100 (default: 3).
      --backoff S         Seconds before the second try; twice as long before each further one (default: 1).
      --delay S           Seconds before the first try (default: 0).
      --chunk N           Splits jobs with more frames into chunks of N frames, 1 to 10000, which any workers draw
                          (default: they are not split).
      --allow-private-network  Also asks addresses on private networks for the versions of inputs.
      --wait              Waits for all results, and prints them. Jobs that Redis loses meanwhile are added again.
  -q, --quiet             Prints only errors and what was asked for.

Options of "work"
  -o, --output PLACE      Folder for outputs, or the beginning of addresses that ends with a slash, such as
                          s3://bucket/pictures/. Required.
      --input FOLDER      Folder of inputs, outside of which no job can read (default: the working folder).
      --concurrency N     Jobs at the same time, each in a process of its own, 1 to 64 (default: processor cores).
      --modules LIST      Modules that jobs may name, as in poster=./poster.mjs,chart=./chart.mjs.
      --timeout S         Seconds that a try may take (default: 300).
      --memory MIB        Memory that the worker may take with all its processes (default: 80 % of the machine's).
      --threads N         Rendering threads of all jobs together (default: processor cores).
      --rate N/s          Most jobs that all workers of the queue start per s, min or h. Give all the same.
      --keep N            Finished jobs, and failed ones, that Redis keeps (default: 10000, for a day and a week).
      --grace S           Seconds that running jobs have after SIGTERM or SIGINT (default: 10). Then they are handed
                          back to the queue.
      --input-addresses A Beginnings of addresses of inputs, separated by commas, such as s3://bucket/models/.
      --allow-network     Allows inputs from every public http and https address, also those that models name.
      --allow-external    Lets .gltf files name files outside their own folders, on this machine.
      --allow-private-network  Allows inputs and outputs on this machine and on private networks by http and https.
      --overwrite         Replaces outputs at addresses that hold other bytes, which are errors otherwise.
      --input-cache MIB   Most inputs from addresses that are kept on this machine (default: 4096).
      --until-empty       Ends when no job waits or runs.
      --health PORT       Answers /healthz while the process runs, and /readyz while it takes jobs (0: any free port).
      --host ADDRESS      Where --health listens (default: 127.0.0.1). Containers need 0.0.0.0.
      --telemetry FILE    Module that registers an SDK of OpenTelemetry, to which metrics and traces go. If it exports
                          a function "shutdown", that is called at the end.
      --json              Prints a structured log on standard output: one JSON object for each event.
  -q, --quiet             Prints only errors.

Options of "status"
      --watch             Shows the status until it is interrupted, on a terminal.
      --page              Serves the status as a page, with failed jobs and new pictures, until it is interrupted.
      --port N            Port of the page (default: any free one).
      --host ADDRESS      Where the page listens (default: 127.0.0.1). It has no password.
  -o, --output FOLDER     Folder whose pictures the page shows (default: none).
Options of "failed" and "retry"
      --code CODE         Only jobs that have failed with this code, such as timeout.
Options of "clean"
      --failed            Removes quarantined jobs instead of finished ones.
      --older S           Only those that ended more than S seconds ago (default: 0).

Examples
  rasterloom farm work -o pictures --input models --concurrency 4
  rasterloom farm add jobs.jsonl --wait --json | jq -r .output
  rasterloom farm retry --code timeout
  RASTERLOOM_REDIS=rediss://:secret@farm.example:6379 rasterloom farm status --json

"rasterloom --help" lists the exit codes of all commands. If some jobs failed, those of "add --wait" and
"work --until-empty" are 1.
`;
