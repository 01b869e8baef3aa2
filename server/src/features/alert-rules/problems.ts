import type { ProblemPages } from '../../platform/errors.ts'

export const alertRuleProblems: ProblemPages = {
  'alert-rule-not-found': {
    title: 'No such alert rule',
    advice: 'GET …/alert-rules lists them.',
  },
  'too-many-alert-rules': {
    title: 'Too many alert rules',
    advice: 'Delete one, or let one rule mean more devices: it tells which of them it fires on.',
  },
}
