import type { ProblemPages } from '../../platform/errors.ts'

export const upstreamReportProblems: ProblemPages = {
  'upstream-report-not-found': {
    title: 'No such upstream report',
    advice: 'GET …/upstream-reports lists them.',
  },
  'too-many-upstream-reports': {
    title: 'The workspace has as many upstream reports as it may have',
    advice: 'Delete those that were recorded by mistake.',
  },
}
