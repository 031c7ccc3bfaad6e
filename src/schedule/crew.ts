// The worker threads of a process. Devices that were dropped without destroy() keep theirs until a collection comes,
// and none comes as long as the engine sees no garbage: 500 devices had 407 threads and 2.9 GB, now 35 and 0.4 GB.
// So there are so many and no more: a device that wants some gets those of the device that has been idle the longest,
// and while all are busy its calling thread does the work.
import { clockMs } from '../base/clock';

/** Workers of one device. */
export interface CrewMember {
  /** Threads that it takes. */
  readonly wanted: number;
  /** `clockMs()` when its last job ended; Infinity while it must keep its threads. */
  readonly idleSince: number;
  /** Asks for its threads again, because there may be room now. */
  call(): void;
  /** Ends its threads; `threadEnded` is told of each that has. */
  dismiss(): void;
}

/** Threads of all devices: a process of Node has a dozen of its own, and 40 are not too many for a server. */
const MOST_THREADS = 24;
/** Of a device that has had a job so lately the next one comes soon. */
const IDLE_MS = 200;

export class Crew {
  private readonly members = new Set<CrewMember>();
  private threads = 0;
  /** Those that found no room, in their order; dropped devices are not held for it. */
  private readonly waiting: WeakRef<CrewMember>[] = [];
  private readonly isWaiting = new WeakSet<CrewMember>();

  constructor(private readonly now = clockMs) {}

  /** Whether the member may start its threads now; others may be ended for it, and it asks again. */
  admit(member: CrewMember): boolean {
    if (this.threads + member.wanted > this.most(member)) {
      this.makeRoom(member);
      // Threads end in their own time, where that can be known.
      if (this.threads + member.wanted > this.most(member)) {
        if (!this.isWaiting.has(member)) this.waiting.push(new WeakRef(member));
        this.isWaiting.add(member);
        return false;
      }
    }
    this.isWaiting.delete(member);
    this.members.add(member);
    this.threads += member.wanted;
    return true;
  }

  /** The member has ended its threads, or will. */
  leave(member: CrewMember): void {
    this.members.delete(member);
    this.isWaiting.delete(member);
  }

  threadEnded(): void {
    this.threads--;
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      const member = next.deref();
      if (member && this.isWaiting.has(member)) {
        if (this.threads + member.wanted > this.most(member)) return;
        this.isWaiting.delete(member);
        this.waiting.shift();
        member.call();
      } else this.waiting.shift();
    }
  }

  /** Two devices of as many workers as a large machine has cores go on side by side. */
  private most(member: CrewMember): number { return Math.max(MOST_THREADS, 2 * member.wanted); }

  private makeRoom(member: CrewMember): void {
    let room = this.most(member) - this.threads;
    const before = this.now() - IDLE_MS;
    const idle = [...this.members].filter(({ idleSince }) => idleSince < before)
      .sort((a, b) => a.idleSince - b.idleSince);
    for (const other of idle) {
      if (room >= member.wanted) return;
      room += other.wanted;
      this.members.delete(other);
      other.dismiss();
    }
  }
}

/** Of this process, or page. */
export const crew = new Crew();
