// hostile.mjs preloads this module into each process. At exit, it writes the resource usage to file descriptor 3.
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread)
  process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    writeSync(3, JSON.stringify({ mib: maxRSS / 1024, cpuMs: (userCPUTime + systemCPUTime) / 1000 }));
  });
