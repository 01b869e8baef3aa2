import type { ProblemPages } from '../../platform/errors.ts'

export const telemetryProblems: ProblemPages = {
  'query-too-large': {
    title: 'The query took too long',
    advice:
      'Ask for a shorter time or fewer devices. Queries of metrics with steps of whole hours, beginning at a whole hour, read sums and take a fraction of the time. Operators may raise `PLIMSOLL_TELEMETRY_QUERY_SECONDS`.',
  },
}
