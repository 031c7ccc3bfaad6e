// Import maps. https://html.spec.whatwg.org/multipage/webappapis.html#import-maps
import type { ImportMap } from './order';

type Specifiers = Readonly<Record<string, string>>;

const isRelative = (specifier: string): boolean => /^\.{0,2}\//.test(specifier);

/** Makes keys and addresses absolute where they are URLs. */
function resolved(specifiers: object, base: string): Specifiers {
  return Object.fromEntries(
    Object.entries(specifiers).map(([key, address]) => [
      isRelative(key) ? new URL(key, base).href : key,
      new URL(String(address), base).href,
    ])
  );
}

/** Joins the import maps of a page. @throws SyntaxError or TypeError if one is invalid */
export function joinImportMaps(texts: readonly string[], base: string): ImportMap {
  const maps = texts.map((text) => JSON.parse(text) as { imports?: object; scopes?: Record<string, object> });
  const scopes = maps.flatMap((map) => Object.entries(map.scopes ?? {}));
  return {
    imports: Object.assign({}, ...maps.map((map) => resolved(map.imports ?? {}, base))) as Specifiers,
    scopes: Object.fromEntries(
      scopes.map(([prefix, specifiers]) => [new URL(prefix, base).href, resolved(specifiers, base)])
    ),
  };
}

function lookUp(specifiers: Specifiers, key: string): string | null {
  if (Object.hasOwn(specifiers, key)) return specifiers[key]!;
  const prefixes = Object.keys(specifiers).filter((each) => each.endsWith('/') && key.startsWith(each));
  if (prefixes.length === 0) return null;
  const longest = prefixes.reduce((a, b) => (b.length > a.length ? b : a));
  return new URL(key.slice(longest.length), specifiers[longest]).href;
}

/** Resolves a specifier to a URL; null for a name that the map does not contain. */
export function resolveSpecifier({ imports, scopes }: ImportMap, specifier: string, parent: string): string | null {
  const isUrl = isRelative(specifier) || URL.canParse(specifier);
  const key = isUrl ? new URL(specifier, parent).href : specifier;
  const prefixes = Object.keys(scopes)
    .filter((prefix) => prefix === parent || (prefix.endsWith('/') && parent.startsWith(prefix)))
    .sort((a, b) => b.length - a.length);
  for (const specifiers of [...prefixes.map((prefix) => scopes[prefix]!), imports]) {
    const found = lookUp(specifiers, key);
    if (found !== null) return found;
  }
  return isUrl ? key : null;
}
