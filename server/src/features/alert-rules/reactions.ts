import type { Reaction } from '../../platform/context.ts'

/** An alert rule and its open incident. */
interface RuleWithIncident {
  id: string
  incidentId: string | null
}

export interface RuleInterrupted {
  workspaceId: string
  rule: RuleWithIncident
  cause: 'RuleChanged' | 'RuleDisabled' | 'RuleDeleted'
}

export interface RepeatIntervalChanged {
  workspaceId: string
  rule: RuleWithIncident
  /** null: the alert rule no longer sends reminders. */
  repeatIntervalSeconds: number | null
}

declare module '../../platform/context.ts' {
  interface Reactions {
    /** An alert rule is about to be changed, disabled or deleted. Its row is locked, its targets are not changed yet. */
    alertRuleInterrupted: Reaction<RuleInterrupted>
    repeatIntervalChanged: Reaction<RepeatIntervalChanged>
  }
}
