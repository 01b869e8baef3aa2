import type { ProblemPages } from '../../platform/errors.ts'

export const alertRuleProblems: ProblemPages = {
  'alert-rule-not-found': {
    title: 'No such alert rule',
    advice: 'GET …/alert-rules lists all alert rules.',
  },
  'too-many-alert-rules': {
    title: 'Too many alert rules',
    advice:
      'Delete one, or let one rule watch more devices: an incident lists the devices on which the rule is firing.',
  },
}
