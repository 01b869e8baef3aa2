/** The problem types of alert rules, notification targets and webhooks. */
import type { ProblemPage } from './fleet-problems.ts'

export const ALERT_PROBLEMS: Readonly<Record<string, ProblemPage>> = {
  'too-many-webhooks': {
    title: 'No more webhooks fit',
    advice: 'Delete one that is no longer used: GET …/webhooks lists them.',
  },
  'webhook-disabled': {
    title: 'The webhook is disabled',
    advice:
      'PUT …/webhooks/{webhookId} with the state `Enabled`. A server that answers 410 disables its webhook: `lastAnswer` tells.',
  },
  'webhook-not-found': {
    title: 'No such webhook',
    advice: 'GET …/webhooks lists them.',
  },
}
