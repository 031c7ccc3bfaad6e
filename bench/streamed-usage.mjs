// Imported before a program by streamed.mjs: says at its end, on standard error, how much memory it took at the most.
process.on('exit', () => { console.error(`most memory: ${process.resourceUsage().maxRSS} KiB`); });
