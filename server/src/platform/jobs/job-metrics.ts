import type { Registry } from 'prom-client'
import { createTraceableHistogram } from '../open-metrics.ts'
import { createExemplar, presentTraceId } from '../tracing/tracing.ts'
import type { AttemptEnd } from './queue.ts'

const BUCKETS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 900]

/** How long attempts of jobs take, by queue. */
export function measureAttempts(register: Registry): (end: AttemptEnd) => void {
  const durations = createTraceableHistogram(register, {
    name: 'plimsoll_job_duration_seconds',
    help: 'How long an attempt of a job takes; one that fails is tried again',
    labelNames: ['queue', 'status'],
    buckets: BUCKETS,
  })
  return ({ queue, status, seconds }) =>
    durations.observe({
      labels: { queue, status },
      value: seconds,
      exemplarLabels: createExemplar(presentTraceId()),
    })
}
