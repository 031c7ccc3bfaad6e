import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Progress } from '../../src/cli/progress';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function terminal(isTTY: boolean): { isTTY: boolean; columns: number; text: string; write(text: string): void } {
  return {
    isTTY,
    columns: 60,
    text: '',
    write(text) {
      this.text += text;
    },
  };
}

describe('Progress', () => {
  it('shows nothing in the first second', () => {
    const out = terminal(true);
    const progress = new Progress(out);
    vi.advanceTimersByTime(900);
    progress.at('decode', 0.5);
    progress.end();
    expect(out.text).toBe('');
  });

  it('then shows a growing line, and removes it at the end', () => {
    const out = terminal(true);
    const progress = new Progress(out);
    progress.at('decode', 0.2);
    vi.advanceTimersByTime(1500);
    expect(out.text).toMatch(/█+░+ decode 1\.\d s/);
    const before = out.text.split('\r').pop()!.split('█').length;
    progress.at('encode');
    expect(out.text.split('\r').pop()!.split('█').length).toBeGreaterThan(before);
    progress.end();
    expect(out.text.endsWith('\r\x1b[K')).toBe(true);
  });

  it('shows nothing without a terminal', () => {
    const out = terminal(false);
    const progress = new Progress(out);
    vi.advanceTimersByTime(5000);
    progress.at('render');
    progress.end();
    expect(out.text).toBe('');
  });
});
