// Line charts of the report.
import { AXIS, base, COLORS, figure, GRID_LINE, isNumber, LABEL, legend, SEQUENCE, WIDTH } from './draw.mjs';

const HEIGHT = 300;

/**
 * Lines over named steps, such as numbers of workers, on a logarithmic axis. `limit`: a horizontal line. The last value
 * of each line is written after it.
 * @param series { name, values: one for each step }
 */
export function lines({ steps, series, axis, unit, limit }) {
  const values = series.flatMap((each) => each.values).filter(isNumber);
  return {
    width: WIDTH,
    height: HEIGHT + 110,
    option: {
      ...base,
      legend: { ...legend(series.map(({ name }) => name)), type: 'plain' },
      grid: { left: 60, right: 70, top: 66, height: HEIGHT - 20 },
      xAxis: {
        type: 'category',
        data: steps,
        name: axis,
        nameLocation: 'middle',
        nameGap: 28,
        nameTextStyle: AXIS,
        axisLabel: AXIS,
        axisTick: { show: false },
        axisLine: { lineStyle: { color: COLORS.quiet } },
      },
      yAxis: {
        type: 'log',
        logBase: 2,
        min: Math.min(0.5, ...values),
        max: Math.max(2, ...values) * 1.1,
        name: unit,
        nameLocation: 'middle',
        nameGap: 42,
        nameTextStyle: AXIS,
        axisLabel: { ...AXIS, formatter: figure },
        splitLine: GRID_LINE,
      },
      series: series.map(({ name, values: points }, i) => ({
        name,
        type: 'line',
        symbolSize: 6,
        itemStyle: { color: SEQUENCE[i % SEQUENCE.length] },
        lineStyle: { color: SEQUENCE[i % SEQUENCE.length], width: 2, type: i < SEQUENCE.length ? 'solid' : 'dashed' },
        data: points.map((value) => (isNumber(value) ? value : '-')),
        endLabel: { ...LABEL, show: true, formatter: ({ value }) => figure(value) },
        ...(i === 0 && isNumber(limit)
          ? {
              markLine: {
                silent: true,
                symbol: 'none',
                data: [{ yAxis: limit, label: { show: false } }],
                lineStyle: { color: COLORS.ink, type: 'dashed', width: 1.2 },
              },
            }
          : {}),
      })),
    },
  };
}
