// Limits of the cost map: least ratios of llvmpipe's times to ours.

/** Rows whose fixed work per pixel counts most. */
const FIXED = ['empty', 'discard of half', 'textureLoad 1:1, half floats', 'comparison ×4'];
const LIMITS = { fixed: 1.2, single: 1, multisampled: 1.3 };

const limitOf = ({ row, kind }) =>
  kind.endsWith('@1') ? (FIXED.includes(row) ? LIMITS.fixed : LIMITS.single) : LIMITS.multisampled;

/** Compares each row with its limit. A limit is missed if the whole interval is below it. */
export const judge = (rows) =>
  Object.entries(rows)
    .filter(([, { llvmpipe }]) => llvmpipe)
    .map(([what, row]) => {
      const [value, , high] = row.llvmpipe.ratio;
      const limit = limitOf(row);
      return { what, value, limit, reached: high >= limit };
    });
