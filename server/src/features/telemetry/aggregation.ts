export const AGGREGATIONS = ['Average', 'Minimum', 'Maximum', 'Sum', 'Count', 'Last'] as const
export type Aggregation = (typeof AGGREGATIONS)[number]
