// streamed.mjs preloads this module into a process. At exit it prints the peak memory to standard error.
process.on('exit', () => {
  console.error(`most memory: ${process.resourceUsage().maxRSS} KiB`);
});
