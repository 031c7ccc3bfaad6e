// The language of comments and documents: full sentences in the field's terms. The patterns find phrases that are not
// understood at first reading. A hit is not always a mistake, so that a small share of lines is allowed.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { markdownFiles, read, ROOT, withoutCode } from '../docs/kit';

const WORDS_PER_SENTENCE = 40;
const WORDS_PER_CELL = 40;

/** What to write instead stands behind each pattern. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(
      /\bwho /.source
        + /(wants|comes|waits|needs|asks|takes|has|can|fills|holds|leaves|joins|runs|calls|reads|writes|gets|is|must)\b/
          .source,
      'i'
    ),
    'name the code: "the worker", "the caller"',
  ],
  [/\b(whoever|nobody|somebody)\b/i, 'name the code: "the worker", "no worker"'],
  [/\bas [a-z.`]+ (has|have|says|say|puts|gives|knows|sees) (it|them|that)\b/i, 'name the function or the record'],
  [/\bof (which|whom)\b/i, 'begin a second sentence'],
  [
    /^Of (an?|the|those|that|these|what|it|all|each|pages|vertices|draws|programs|passes|blocks|pixels|one)\b/,
    'begin with the subject, and use a verb',
  ],
  [/\b(is|are|be|was|were) had\b/i, '"is available"'],
  [
    /\b(stands?|lies?|lay) (in|at|on|behind|beside|before|above|below|here|there|where|next|together|side)\b/i,
    '"is in"',
  ],
  [/\b(behind|beside)\b/i, '"after", "with", "next to"'],
  [
    new RegExp(
      /\b(once|twice|bits?|bytes?|texels?|values?|words?|u(8|16|32|64)|times) an? /.source
        + /(draw|block|quad|pixel|sample|tile|warp)\b/.source,
      'i'
    ),
    '"per"',
  ],
  [/\bgo(es)? on\b/i, '"continue"'],
  [/\b(is|are) (not )?there\b/i, '"exists", "is available"'],
  [/\bso many\b|\b(is|are) told\b/i, 'give the number, or name the field'],
  [/\bseveral samples\b/i, '"multisampled"'],
];
/** Percent of the comment lines in each folder that may match a pattern. */
const ALLOWED = { src: 0.5, assembly: 0.5 };

interface Line {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(new URL(`${folder}/`, ROOT), { recursive: true })
    .map((path) => `${folder}/${String(path).replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts'));

/** The lines of all comments of a file, without their marks. */
function commentLines(file: string): readonly Line[] {
  const text = readFileSync(fileURLToPath(new URL(file, ROOT)), 'utf8');
  const found: Line[] = [];
  const seen = new Set<number>();
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const note = (comments: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of comments ?? []) {
      if (seen.has(pos)) continue;
      seen.add(pos);
      const first = source.getLineAndCharacterOfPosition(pos).line + 1;
      text
        .slice(pos, end)
        .split('\n')
        .forEach((line, i) =>
          found.push({
            file,
            line: first + i,
            text: line
              .replace(/^\s*(\/\/|\/\*+|\*\/|\*)\s?/, '')
              .replace(/\*\/\s*$/, '')
              .trim(),
          })
        );
    }
  };
  const visit = (node: ts.Node): void => {
    note(ts.getLeadingCommentRanges(text, node.getFullStart()));
    note(ts.getTrailingCommentRanges(text, node.getEnd()));
    node.forEachChild(visit);
  };
  visit(source);
  visit(source.endOfFileToken);
  return found.filter((line) => line.text !== '');
}

const complaintOf = (text: string): string | undefined => {
  const hit = PATTERNS.map(([pattern, instead]) => [pattern.exec(text)?.[0], instead]).find(([match]) => match);
  return hit && `"${hit[0]}": ${hit[1]}`;
};

test.each(Object.entries(ALLOWED))(
  'comments in %s are in plain English',
  (folder, allowed) => {
    const lines = filesIn(folder).flatMap(commentLines);
    const hits = lines.flatMap(({ file, line, text }) => {
      const complaint = complaintOf(text);
      return complaint ? [`${file}:${line}: ${complaint}`] : [];
    });
    const share = (100 * hits.length) / lines.length;
    expect(lines.length).toBeGreaterThan(1000);
    expect(share, `${share.toFixed(1)} % of the comment lines:\n${hits.join('\n')}`).toBeLessThanOrEqual(allowed);
  },
  60_000
);

describe.each(markdownFiles())('%s', (file) => {
  const words = (text: string): number => text.trim().split(/\s+/).filter(Boolean).length;
  const text = withoutCode(read(file))
    .replace(/`[^`]*`/g, 'x')
    .replace(/\]\([^)]*\)/g, ']');

  test('has no sentence that is too long', () => {
    const sentences = text.split(/[.!?](?:\s|$)|\n\n|\||\n *(?:[-*]|\d+\.) |\n#+ /);
    expect(sentences.filter((sentence) => words(sentence) > WORDS_PER_SENTENCE)).toEqual([]);
  });

  test('has no table cell that is too long', () => {
    const cells = text
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .flatMap((line) => line.split('|'));
    expect(cells.filter((cell) => words(cell) > WORDS_PER_CELL)).toEqual([]);
  });
});

test('patterns find what they are for', () => {
  expect(complaintOf('Who waits for it goes on when it is there.')).toContain('Who waits');
  expect(complaintOf('Of a draw: its bytes.')).toContain('begin with the subject');
  expect(complaintOf('The worker claims a tile.')).toBeUndefined();
});
