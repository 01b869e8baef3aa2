/** The kinds of acts, and how each is told. */
import type { Facts, Part } from './telling.ts'

export const AUDIT_KINDS = [
  'Decision',
  'Discussion',
  'Firmware',
  'Device',
  'Deployment',
  'Alert',
  'Case',
  'Customer',
  'Member',
  'SignIn',
  'Key',
  'Source',
  'Workspace',
  'Refusal',
] as const
export type AuditKind = (typeof AUDIT_KINDS)[number]

export interface ActTeller {
  kind: AuditKind
  tell: (facts: Facts) => Part[]
}

export const tellAs = (kind: AuditKind) => (tell: ActTeller['tell']) => ({ kind, tell })
