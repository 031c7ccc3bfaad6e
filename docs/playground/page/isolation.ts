// Cross-origin isolation on hosts that do not send its headers: a service worker adds them, and the page is loaded
// once more. Without service workers, one thread draws.
const TRIED = 'rasterloom-isolation-tried';

export async function isolate(): Promise<void> {
  if (crossOriginIsolated || !isSecureContext || !('serviceWorker' in navigator)) return;
  if (sessionStorage.getItem(TRIED) !== null) return;
  sessionStorage.setItem(TRIED, 'yes');
  try {
    await navigator.serviceWorker.register(new URL('isolate.js', location.href));
    await navigator.serviceWorker.ready;
    location.reload();
  } catch {
    // Private windows may forbid service workers.
  }
}
