import type { ProblemPages } from '../../platform/errors.ts'

export const auditProblems: ProblemPages = {
  'audit-entry-not-found': {
    title: 'No such entry of the audit log',
    advice: 'GET …/audit-log lists them, newest first.',
  },
}
