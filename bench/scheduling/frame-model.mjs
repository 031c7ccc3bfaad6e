// A frame as phases of tasks, from its trace on one thread, and its time with any number of workers by a discrete-event
// simulation. Workers claim the tasks of a phase in their order, as the executor does, and a phase ends when all its
// tasks are done. Everything else, such as the calling thread's work between phases, is serial.

/** Categories of a worker's intervals that are not tasks. */
const NOT_TASKS = ['wait', 'module'];

/** Intervals of workers that are in no other interval, in their order. */
function tasksOf(events) {
  const ends = new Map();
  return events
    .filter(({ ph, tid, cat }) => ph === 'X' && tid > 0 && !NOT_TASKS.includes(cat))
    .sort((a, b) => a.ts - b.ts || b.dur - a.dur)
    .filter(({ tid, ts, dur }) => {
      if (ts < (ends.get(tid) ?? 0)) return false;
      ends.set(tid, ts + dur);
      return true;
    });
}

/**
 * Returns the phases of a frame that one worker drew, as { name, tasks: milliseconds }. `events`: of `takeTrace()`. A
 * phase ends where the kind of the tasks changes, or where the calling thread begins a step of a pass. The time from a
 * task to the next one of its phase is what claiming costs, and counts for the task.
 */
export function phasesOf(events) {
  const steps = events.filter(({ ph, tid, cat }) => ph === 'X' && tid === 0 && cat === 'pass').map(({ ts }) => ts);
  const tasks = tasksOf(events);
  const phases = [];
  for (const [index, { name, ts, dur }] of tasks.entries()) {
    const next = tasks[index + 1];
    const isLast = !next || next.name !== name || steps.some((step) => step > ts && step <= next.ts);
    const previous = phases.at(-1);
    const phase = previous && !previous.isComplete ? previous : { name, tasks: [] };
    if (phase !== previous) phases.push(phase);
    phase.tasks.push((isLast ? dur : next.ts - ts) / 1000);
    phase.isComplete = isLast;
  }
  return phases.map(({ name, tasks: durations }) => ({ name, tasks: durations }));
}

const sum = (values) => values.reduce((total, value) => total + value, 0);

/** The time of a phase with a number of workers. Each task goes to the worker that is free first. */
function makespan(tasks, workers) {
  const free = new Float64Array(workers);
  for (const task of tasks) {
    let first = 0;
    for (let worker = 1; worker < workers; worker++) if (free[worker] < free[first]) first = worker;
    free[first] += task;
  }
  return Math.max(...free);
}

/**
 * Returns the milliseconds of a frame with a number of workers. `serialMs`: what is in no phase; `slowdown`: how many
 * times as long a task takes while that number of workers share the memory.
 */
export const frameTime = ({ phases, serialMs }, workers, slowdown = 1) =>
  serialMs + slowdown * sum(phases.map(({ tasks }) => makespan(tasks, workers)));

/** Says what a frame would gain with a number of workers, and what limits it: shares of the predicted time. */
export function limitsOf({ phases, serialMs }, workers) {
  const parts = { 'serial work': serialMs };
  for (const { name, tasks } of phases) {
    const ideal = sum(tasks) / workers;
    const longest = Math.max(...tasks);
    parts[`${name} tasks`] = (parts[`${name} tasks`] ?? 0) + ideal;
    // A phase cannot be shorter than its longest task.
    const idle = makespan(tasks, workers) - ideal;
    const why = longest > ideal ? `the longest ${name} task` : `waiting for the last ${name} tasks`;
    parts[why] = (parts[why] ?? 0) + idle;
  }
  const total = frameTime({ phases, serialMs }, workers);
  return Object.entries(parts)
    .map(([what, ms]) => ({ what, share: ms / total }))
    .sort((a, b) => b.share - a.share);
}

/** The milliseconds of all tasks of a frame, by all workers. */
export const taskTime = (events) => sum(tasksOf(events).map(({ dur }) => dur)) / 1000;
