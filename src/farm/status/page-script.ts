// The script of the status page. It is sent as text, so it uses nothing from outside of its function.
import type { StatusError, StatusSnapshot } from './types';

/** Shows what the server sends. All text is set as text, never as HTML. */
export function runStatusPage(): void {
  const at = (id: string): HTMLElement => document.getElementById(id)!;
  const element = (tag: string, text = '', className = ''): HTMLElement => {
    const made = document.createElement(tag);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const setText = (id: string, text: string): void => {
    if (at(id).textContent !== text) at(id).textContent = text;
  };
  const duration = (ms: number): string => {
    const seconds = Math.round(ms / 1000);
    if (seconds < 60) return `${seconds} s`;
    return seconds < 3600 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${(seconds / 3600).toFixed(1)} h`;
  };
  const row = (cells: readonly string[]): HTMLElement => {
    const made = element('tr');
    cells.forEach((text, i) => {
      const cell = element(i ? 'td' : 'th', text);
      if (!i) cell.setAttribute('scope', 'row');
      made.append(cell);
    });
    return made;
  };
  /** Replaces the children of an element if their contents have changed, so that a selection or a focus stays. */
  const shown = new Map<string, string>();
  const fill = (id: string, contents: unknown, make: () => HTMLElement[]): void => {
    const key = JSON.stringify(contents);
    if (shown.get(id) === key) return;
    shown.set(id, key);
    at(id).replaceChildren(...make());
  };

  const show = ({ queue, failed, pictures, jobsPerSecond }: StatusSnapshot): void => {
    document.title = `${queue.counts.waiting + queue.counts.active} open – ${queue.queue}`;
    setText('queue', queue.queue);
    setText('state', queue.isPaused ? 'Paused: running jobs end, and no others start' : 'Running');
    for (const [name, count] of Object.entries(queue.counts)) setText(`count-${name}`, count.toLocaleString());
    setText('speed', jobsPerSecond.toFixed(1));
    setText('age', duration(queue.ageMs));
    at('no-workers').hidden = queue.workers.length > 0;
    fill('workers', queue.workers, () =>
      queue.workers.map(({ id, host, version, busy, concurrency, done, failed: lost }) =>
        row([id, host, version, `${busy} of ${concurrency}`, String(done), String(lost)])
      )
    );
    at('flows-section').hidden = queue.flows.length === 0;
    fill('flows', queue.flows, () =>
      queue.flows.map(({ name, output, chunks, drawn }) => row([name ?? output, `${drawn} of ${chunks}`]))
    );
    at('no-failed').hidden = failed.length > 0;
    fill('failed', failed, () =>
      failed.map(({ name, identity, code, message, attempts, failedAt }) =>
        row([
          name ?? identity.slice(0, 12),
          code,
          message,
          String(attempts),
          failedAt > 0 ? new Date(failedAt).toLocaleString() : '',
        ])
      )
    );
    at('no-pictures').hidden = pictures.length > 0;
    fill('pictures', pictures, () =>
      pictures.map(({ name, version }) => {
        const figure = element('li');
        const link = element('a') as HTMLAnchorElement;
        const path = `pictures/${name.split('/').map(encodeURIComponent).join('/')}?${version}`;
        link.href = path;
        const image = element('img') as HTMLImageElement;
        image.src = path;
        image.alt = '';
        image.loading = 'lazy';
        link.append(image, element('span', name));
        figure.append(link);
        return figure;
      })
    );
  };

  const events = new EventSource('events');
  events.onmessage = ({ data }: MessageEvent<string>) => {
    const snapshot = JSON.parse(data) as StatusSnapshot | StatusError;
    if ('error' in snapshot) setText('state', `The queue does not answer: ${snapshot.error}`);
    else show(snapshot);
  };
  events.onerror = () => setText('state', 'The connection to this page’s server is lost; trying again');
}
