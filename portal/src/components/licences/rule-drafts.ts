/** Licence rules as people type them: a licence a line. */
import type { LicenceRuleSet } from '@plimsoll/api-client'

export interface RulesDraft {
  allow: string
  deny: string
  review: string
  failOn: LicenceRuleSet['failOn']
}

export type LicenceOutcome = LicenceRuleSet['failOn'][number]

/** What nobody allowed is no less a fault than what somebody denied. */
const DEFAULT_FAIL_ON: LicenceOutcome[] = ['denied', 'notListed', 'unknown']

export function readDraft(rules: LicenceRuleSet | null): RulesDraft {
  return {
    allow: rules?.allow.join('\n') ?? '',
    deny: rules?.deny.join('\n') ?? '',
    review: rules?.review.join('\n') ?? '',
    failOn: rules?.failOn ?? DEFAULT_FAIL_ON,
  }
}

/** null: nothing is typed, so that there are no rules. */
export function writeRules({ allow, deny, review, failOn }: RulesDraft): LicenceRuleSet | null {
  const lists = { allow: readLines(allow), deny: readLines(deny), review: readLines(review) }
  return Object.values(lists).every((list) => list.length === 0) ? null : { ...lists, failOn }
}

const readLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
