import { describe, expect, test } from 'vitest';
import { Crew, type CrewMember } from '../../src/schedule/crew';

/** A device's workers, which end immediately when told, or later. */
class Workers implements CrewMember {
  dismissed = 0;
  /** The answer when it was asked to call again. */
  admitted: boolean | null = null;
  constructor(
    private readonly crew: Crew,
    readonly wanted: number,
    public idleSince: number,
    private readonly atOnce = true
  ) {}

  call(): void {
    this.admitted = this.crew.admit(this);
  }

  dismiss(): void {
    this.dismissed++;
    if (this.atOnce) this.endThreads();
  }

  endThreads(): void {
    for (let i = 0; i < this.wanted; i++) this.crew.threadEnded();
  }
}

describe('the worker threads of a process', () => {
  test('are at most 24: new devices get those of the devices that have been idle longest', () => {
    const crew = new Crew(() => 1000);
    const members = Array.from({ length: 6 }, (_, index) => new Workers(crew, 4, index * 100));
    expect(members.map((each) => crew.admit(each))).toEqual(Array(6).fill(true));
    expect(crew.admit(new Workers(crew, 6, 0))).toBe(true);
    expect(members.map(({ dismissed }) => dismissed)).toEqual([1, 1, 0, 0, 0, 0]);
    expect(crew.admit(new Workers(crew, 2, 0))).toBe(true);
    expect(members.map(({ dismissed }) => dismissed)).toEqual([1, 1, 0, 0, 0, 0]);
  });

  test('stay with devices that are busy, or were a moment ago', () => {
    const crew = new Crew(() => 1000);
    const busy = new Workers(crew, 12, Infinity);
    const late = new Workers(crew, 12, 900);
    expect([crew.admit(busy), crew.admit(late), crew.admit(new Workers(crew, 4, 0))]).toEqual([true, true, false]);
    late.idleSince = 700;
    expect([crew.admit(new Workers(crew, 4, 0)), busy.dismissed, late.dismissed]).toEqual([true, 0, 1]);
  });

  test('count until they have ended; waiting devices are notified then', () => {
    const crew = new Crew(() => 1000);
    const slow = new Workers(crew, 24, 0, false);
    const next = new Workers(crew, 14, 0);
    const gone = new Workers(crew, 4, 0);
    const last = new Workers(crew, 11, 0);
    expect([slow, next, next, gone, last].map((each) => crew.admit(each))).toEqual([true, false, false, false, false]);
    crew.leave(gone);
    slow.endThreads();
    expect([slow.dismissed, next.admitted, gone.admitted, last.admitted]).toEqual([1, true, null, null]);
    next.endThreads();
    expect(last.admitted).toBe(true);
  });

  test('may exceed that for a device with many: two such devices run side by side', () => {
    const crew = new Crew(() => 1000);
    const all = [Infinity, Infinity, Infinity].map((since) => new Workers(crew, 64, since));
    expect(all.map((each) => crew.admit(each))).toEqual([true, true, false]);
  });
});
