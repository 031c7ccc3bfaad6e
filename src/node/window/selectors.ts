// CSS selectors of names, ids, classes and attributes, joined by spaces or `>`. Other selectors match no element.
// https://drafts.csswg.org/selectors/

/** What selectors read of an element. */
interface Selectable {
  readonly localName: string;
  readonly parentElement: Selectable | null;
  getAttribute(name: string): string | null;
}

interface Compound {
  readonly tests: readonly ((element: Selectable) => boolean)[];
  /** Whether the compound before it must match the parent; otherwise any ancestor. */
  readonly isChild: boolean;
}

const PART = /^(?:\*|([\w-]+)|#([\w-]+)|\.([\w-]+)|\[\s*([\w-]+)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*)?\])/;

function testOf([, tag, id, name, attribute, ...values]: RegExpExecArray): (element: Selectable) => boolean {
  if (tag !== undefined) return (element) => element.localName === tag.toLowerCase();
  if (id !== undefined) return (element) => element.getAttribute('id') === id;
  if (name !== undefined) return (element) => classesOf(element).includes(name);
  if (attribute === undefined) return () => true;
  const value = values.find((each) => each !== undefined);
  return (element) => {
    const own = element.getAttribute(attribute);
    return own !== null && (value === undefined || own === value);
  };
}

/** Parses one selector without commas; null if it has anything but the parts above. */
function parse(selector: string): Compound[] | null {
  const compounds: Compound[] = [];
  let rest = selector.trim();
  let isChild = false;
  while (rest !== '') {
    const tests = [];
    for (let part = PART.exec(rest); part !== null; part = PART.exec(rest)) {
      tests.push(testOf(part));
      rest = rest.slice(part[0].length);
    }
    if (tests.length === 0) return null;
    compounds.push({ tests, isChild });
    const join = /^(?:\s*(>)\s*|\s+)/.exec(rest);
    if (join === null && rest !== '') return null;
    isChild = join?.[1] !== undefined;
    rest = rest.slice(join?.[0].length ?? 0);
  }
  return compounds;
}

function matchesFrom(element: Selectable, compounds: readonly Compound[], last: number): boolean {
  const { tests, isChild } = compounds[last]!;
  if (!tests.every((test) => test(element))) return false;
  if (last === 0) return true;
  for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
    if (matchesFrom(outer, compounds, last - 1)) return true;
    if (isChild) return false;
  }
  return false;
}

/** Returns a test for elements that any of the selectors matches. */
export function selectorTest(selectors: unknown): (element: Selectable) => boolean {
  const parsed = String(selectors)
    .split(',')
    .map(parse)
    .filter((each) => each !== null && each.length > 0) as Compound[][];
  return (element) => parsed.some((compounds) => matchesFrom(element, compounds, compounds.length - 1));
}

export const classesOf = (element: Pick<Selectable, 'getAttribute'>): string[] =>
  (element.getAttribute('class') ?? '').split(/\s+/).filter((name) => name !== '');
