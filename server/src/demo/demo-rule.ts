/** Fires soon: simulated devices report 35 to 45 °C. */
export const DEMO_RULE = {
  name: 'CPU is warm',
  type: 'MetricFixedThreshold',
  evaluationFrequency: '1m',
  condition: {
    metric: 'cpu.temperature',
    aggregation: 'Maximum',
    operator: 'GreaterThan',
    threshold: 40,
    window: '2m',
  },
} as const
