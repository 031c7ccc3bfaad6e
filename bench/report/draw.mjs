// Converts figures to ECharts options for the charts of the report. The colours are Okabe and Ito's, which people with
// colour vision deficiency can tell apart.
export const WIDTH = 960;
export const COLORS = {
  ours: '#0072b2',
  first: '#e69f00',
  second: '#009e73',
  missed: '#d55e00',
  quiet: '#9aa5b1',
  ink: '#1f2933',
};
const TEXT = { fontFamily: 'system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif', color: COLORS.ink };
export const LABEL = { ...TEXT, fontSize: 11 };
export const AXIS = { ...TEXT, fontSize: 12 };
export const GRID_LINE = { lineStyle: { color: '#e4e7eb' } };

export const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
/** Formats a figure with about three digits, or as a dash if there is no number. */
export function figure(value) {
  if (!isNumber(value)) return '–';
  const size = Math.abs(value);
  return size >= 100
    ? value.toFixed(0)
    : size >= 10
      ? value.toFixed(1)
      : size >= 0.1
        ? value.toFixed(2)
        : value === 0
          ? '0'
          : value.toPrecision(2);
}

export const base = { animation: false, backgroundColor: '#ffffff', textStyle: TEXT };
export const legend = (names) => ({
  data: names,
  top: 0,
  left: 60,
  itemGap: 14,
  itemWidth: 14,
  itemHeight: 10,
  textStyle: AXIS,
});
/** Powers of ten that enclose the values; below them half of one, so that the smallest bar is visible. */
function decades(values) {
  const positive = values.filter((value) => isNumber(value) && value > 0);
  if (!positive.length) return { min: 1, max: 10 };
  const [least, most] = [Math.min(...positive), Math.max(...positive)];
  const below = 10 ** Math.floor(Math.log10(least));
  return { min: least / below < 1.5 ? below / 2 : below, max: 10 ** Math.ceil(Math.log10(most * 1.3)) };
}
const powers = (value) =>
  Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9 ? String(Number(value.toPrecision(6))) : '';

/**
 * Groups of vertical bars on a logarithmic axis, in one panel or several stacked panels.
 * @param panels { title, categories }; series: { name, color, values: one list per panel }
 */
export function groupedBars({ panels, series, unit, panelHeight = 230 }) {
  const range = decades(series.flatMap(({ values }) => values.flat()));
  const lines = Math.max(...panels.flatMap(({ categories }) => categories.map((name) => name.split('\n').length)));
  const step = panelHeight + 40 + lines * 15;
  return {
    width: WIDTH,
    height: 40 + panels.length * step,
    option: {
      ...base,
      legend: legend(series.map(({ name }) => name)),
      title: panels.map(({ title }, i) => ({
        text: title,
        left: 50,
        top: 28 + i * step,
        textStyle: { ...TEXT, fontSize: 13, fontWeight: 600 },
      })),
      grid: panels.map((_, i) => ({ left: 60, right: 16, top: 66 + i * step, height: panelHeight - 20 })),
      xAxis: panels.map(({ categories }, gridIndex) => ({
        gridIndex,
        type: 'category',
        data: categories,
        axisLabel: { ...AXIS, interval: 0, lineHeight: 15 },
        axisTick: { show: false },
        axisLine: { lineStyle: { color: COLORS.quiet } },
      })),
      yAxis: panels.map((_, gridIndex) => ({
        gridIndex,
        type: 'log',
        ...range,
        name: unit,
        nameLocation: 'middle',
        nameGap: 42,
        nameTextStyle: AXIS,
        axisLabel: { ...AXIS, formatter: powers },
        splitLine: GRID_LINE,
      })),
      series: panels.flatMap((_, i) =>
        series.map(({ name, color, values }) => ({
          name,
          type: 'bar',
          xAxisIndex: i,
          yAxisIndex: i,
          barGap: '8%',
          barCategoryGap: '22%',
          itemStyle: { color },
          data: values[i].map((value) => (isNumber(value) ? value : '-')),
          label: { ...LABEL, show: true, position: 'top', distance: 3, formatter: ({ value }) => figure(value) },
        }))
      ),
    },
  };
}

/**
 * Ratios as rows. The limit of each is a vertical line: the minimum, or with `atMost` the maximum. Panels are side by
 * side and share the rows' names.
 * @param panels { title, rows: [{ value, limit, text }] }
 */
export function ratioRows({
  names,
  panels,
  log = true,
  most,
  atMost = false,
  left: LEFT = 110,
  axis: name = 'times as fast',
}) {
  const ROW = 24;
  const GAP = 76;
  const width = Math.floor((WIDTH - LEFT - panels.length * GAP) / panels.length);
  const height = names.length * ROW;
  const values = panels.flatMap(({ rows }) => rows.flatMap(({ value, limit }) => [value, limit])).filter(isNumber);
  const top = most ?? Math.max(1, ...values) * (log ? 1.2 : 1.05);
  const axis = log
    ? { type: 'log', min: Math.min(0.5, ...values.filter((value) => value > 0)), max: top }
    : { type: 'value', min: 0, max: top };
  const missed = (row) => isNumber(row.limit) && !(atMost ? row.value <= row.limit : row.value >= row.limit);
  return {
    width: WIDTH,
    height: height + 84,
    option: {
      ...base,
      title: panels.map(({ title }, i) => ({
        text: title,
        left: LEFT + i * (width + GAP),
        top: 0,
        textStyle: { ...TEXT, fontSize: 13, fontWeight: 600 },
      })),
      grid: panels.map((_, i) => ({ left: LEFT + i * (width + GAP), top: 28, width, height })),
      yAxis: panels.map((_, gridIndex) => ({
        gridIndex,
        type: 'category',
        inverse: true,
        data: names,
        axisLabel: { ...AXIS, show: gridIndex === 0 },
        axisTick: { show: false },
        axisLine: { lineStyle: { color: COLORS.quiet } },
      })),
      xAxis: panels.map((_, gridIndex) => ({
        gridIndex,
        ...axis,
        name,
        nameLocation: 'middle',
        nameGap: 26,
        nameTextStyle: AXIS,
        axisLabel: { ...AXIS, ...(log ? { formatter: powers } : {}) },
        splitLine: GRID_LINE,
      })),
      series: panels.flatMap(({ rows }, i) => [
        {
          type: 'bar',
          xAxisIndex: i,
          yAxisIndex: i,
          barWidth: 13,
          data: rows.map((row) =>
            isNumber(row.value)
              ? { value: row.value, itemStyle: { color: missed(row) ? COLORS.missed : COLORS.ours } }
              : '-'
          ),
        },
        // The text comes after the bar or the limit, whichever ends later.
        {
          type: 'scatter',
          xAxisIndex: i,
          yAxisIndex: i,
          symbolSize: 1,
          itemStyle: { color: 'transparent', opacity: 1 },
          data: rows.map(({ value, limit }, y) =>
            isNumber(value) ? [Math.max(value, isNumber(limit) ? limit : value, log ? 1 : 0), y] : '-'
          ),
          label: {
            ...LABEL,
            show: true,
            position: 'right',
            distance: 8,
            formatter: ({ dataIndex }) => rows[dataIndex].text,
          },
        },
        {
          type: 'scatter',
          xAxisIndex: i,
          yAxisIndex: i,
          symbol: 'rect',
          symbolSize: [3, 19],
          itemStyle: { color: COLORS.ink, opacity: 1 },
          data: rows.map(({ limit }, y) => (isNumber(limit) ? [limit, y] : '-')),
          z: 3,
        },
      ]),
    },
  };
}

/** Points on a logarithmic axis, one row per name. `lines`: vertical lines, { at, text }. */
export function dots({ names, series, axis, lines, left = 240 }) {
  const ROW = 19;
  const values = series.flatMap((each) => each.values).filter((value) => isNumber(value) && value > 0);
  return {
    width: WIDTH,
    height: names.length * ROW + 92,
    option: {
      ...base,
      legend: { ...legend(series.map(({ name }) => name)), left },
      grid: { left, right: 24, top: 46, height: names.length * ROW },
      yAxis: {
        type: 'category',
        inverse: true,
        data: names,
        axisLabel: { ...AXIS, interval: 0 },
        axisTick: { show: false },
        splitLine: { show: true, ...GRID_LINE },
        axisLine: { lineStyle: { color: COLORS.quiet } },
      },
      xAxis: {
        type: 'log',
        min: Math.min(0.5, ...values),
        max: Math.max(10, ...values) * 1.15,
        name: axis,
        nameLocation: 'middle',
        nameGap: 28,
        nameTextStyle: AXIS,
        axisLabel: { ...AXIS, formatter: powers },
        splitLine: GRID_LINE,
      },
      series: series.map(({ name, color, symbol, values: points }, i) => ({
        name,
        type: 'scatter',
        symbol,
        symbolSize: 11,
        itemStyle: { color, opacity: 1 },
        data: points.map((value, y) => (isNumber(value) && value > 0 ? [value, y] : '-')),
        ...(i === 0
          ? {
              markLine: {
                silent: true,
                symbol: 'none',
                data: lines.map(({ at, text }) => ({
                  xAxis: at,
                  label: { ...LABEL, formatter: text, position: 'start', distance: 4 },
                  lineStyle: { color: COLORS.ink, type: at === 1 ? 'solid' : 'dashed', width: 1.2 },
                })),
              },
            }
          : {}),
      })),
    },
  };
}

/**
 * Cells in rows and columns, coloured by the logarithm of their value. Those of `marked` (row, column) have a border.
 * @param values one list per row; null where there is no cell
 */
export function heatMap({ rows, columns, values, marked = [], left = 190 }) {
  const ROW = 19;
  const cells = [];
  values.forEach((line, y) =>
    line.forEach((value, x) => {
      if (isNumber(value)) cells.push({ x, y, value });
    })
  );
  const logOf = (value) => Math.log10(Math.max(value, 1));
  const isMarked = (x, y) => marked.some(([row, column]) => row === y && column === x);
  return {
    width: WIDTH,
    height: rows.length * ROW + 62,
    option: {
      ...base,
      grid: { left, right: 16, top: 44, height: rows.length * ROW },
      xAxis: {
        type: 'category',
        data: columns,
        position: 'top',
        axisTick: { show: false },
        axisLabel: { ...LABEL, interval: 0, rotate: columns.length > 6 ? 20 : 0 },
        axisLine: { show: false },
      },
      yAxis: {
        type: 'category',
        inverse: true,
        data: rows,
        axisLabel: { ...LABEL, interval: 0 },
        axisTick: { show: false },
        axisLine: { show: false },
      },
      visualMap: {
        show: false,
        min: 0,
        max: Math.max(1, ...cells.map(({ value }) => logOf(value))),
        dimension: 2,
        inRange: { color: ['#eef6fb', '#a6cee3', '#56b4e9', '#f0e442', '#e69f00', '#d55e00'] },
      },
      series: [
        {
          type: 'heatmap',
          data: cells.map(({ x, y, value }) => ({
            value: [x, y, logOf(value), value],
            itemStyle: isMarked(x, y)
              ? { borderColor: COLORS.ink, borderWidth: 2 }
              : { borderColor: '#ffffff', borderWidth: 1 },
          })),
          label: { ...LABEL, fontSize: 10, show: true, formatter: ({ value }) => figure(value[3]) },
        },
      ],
    },
  };
}

export const SEQUENCE = ['#0072b2', '#56b4e9', '#009e73', '#f0e442', '#e69f00', '#cc79a7', '#d55e00'];

/** Horizontal bars of consecutive parts. `limit`: a vertical line. */
export function stackedRows({ rows, parts, unit, limit }) {
  const total = Math.max(
    ...rows.map(({ values }) => values.reduce((sum, value) => sum + (isNumber(value) ? value : 0), 0)),
    limit?.at ?? 0
  );
  const step = [5, 10, 25, 50, 100, 250, 500, 1000].find((each) => total / each < 9) ?? total;
  return {
    width: WIDTH,
    height: rows.length * 44 + 100,
    option: {
      ...base,
      legend: { ...legend(parts), left: 110 },
      grid: { left: 110, right: 40, top: 56, height: rows.length * 44 },
      yAxis: {
        type: 'category',
        inverse: true,
        data: rows.map(({ name }) => name),
        axisLabel: AXIS,
        axisTick: { show: false },
        axisLine: { lineStyle: { color: COLORS.quiet } },
      },
      xAxis: {
        type: 'value',
        min: 0,
        max: Math.ceil((total * 1.02) / step) * step,
        interval: step,
        name: unit,
        nameLocation: 'middle',
        nameGap: 28,
        nameTextStyle: AXIS,
        axisLabel: AXIS,
        splitLine: GRID_LINE,
      },
      series: parts.map((name, p) => ({
        name,
        type: 'bar',
        stack: 'parts',
        barWidth: 24,
        itemStyle: { color: SEQUENCE[p % SEQUENCE.length] },
        data: rows.map(({ values }) => (isNumber(values[p]) ? values[p] : '-')),
        label: {
          ...LABEL,
          show: true,
          color: [0, 2, 6].includes(p % SEQUENCE.length) ? '#ffffff' : COLORS.ink,
          formatter: ({ value }) => (value > total * 0.045 ? figure(value) : ''),
        },
        ...(p === 0 && limit
          ? {
              markLine: {
                silent: true,
                symbol: 'none',
                data: [
                  {
                    xAxis: limit.at,
                    label: { ...LABEL, formatter: limit.text, position: 'start', distance: 4 },
                    lineStyle: { color: COLORS.ink, type: 'dashed', width: 1.2 },
                  },
                ],
              },
            }
          : {}),
      })),
    },
  };
}
