/**
 * A sentence for every action of the audit log. Its subject is who did it; the sentence is what follows. An action that is not here
 * cannot be recorded: the compiler refuses it.
 */
import { CASE_SENTENCES } from './case-sentences.ts'
import { CUSTOMER_SENTENCES } from './customer-sentences.ts'
import { DECISION_SENTENCES } from './decision-sentences.ts'
import { FIRMWARE_SENTENCES } from './firmware-sentences.ts'
import { FLEET_SENTENCES } from './fleet-sentences.ts'
import type { ActTeller } from './kinds.ts'
import { PEOPLE_SENTENCES } from './people-sentences.ts'

const SENTENCES = {
  ...CASE_SENTENCES,
  ...CUSTOMER_SENTENCES,
  ...DECISION_SENTENCES,
  ...FIRMWARE_SENTENCES,
  ...FLEET_SENTENCES,
  ...PEOPLE_SENTENCES,
}

export type AuditAction = keyof typeof SENTENCES
export const AUDIT_ACTIONS = Object.keys(SENTENCES).filter(isAuditAction)

function isAuditAction(action: string): action is AuditAction {
  return Object.hasOwn(SENTENCES, action)
}

/** undefined: of a release that did what this one does not. */
export function findSentence(action: string): ActTeller | undefined {
  return isAuditAction(action) ? SENTENCES[action] : undefined
}
