/** Samples per pixel. Counts other than 1 and 4 need the device feature 'extended-sample-counts'. */
export const SAMPLE_COUNTS = [1, 2, 4, 8, 16] as const;
export type SampleCount = (typeof SAMPLE_COUNTS)[number];
