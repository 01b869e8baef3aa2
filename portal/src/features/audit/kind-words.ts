/** The kinds of acts, in words. */
import type { AuditKind, AuditLogEntry } from '@plimsoll/api-client'
import { formatCountOf } from '../../format/counts.ts'

const WORDS: Readonly<Record<AuditKind, { title: string; one: string; many: string }>> = {
  Decision: { title: 'Decision', one: 'decision', many: 'decisions' },
  Discussion: {
    title: 'Discussion',
    one: 'entry of discussions',
    many: 'entries of discussions',
  },
  Firmware: { title: 'Firmware', one: 'change of firmware', many: 'changes of firmware' },
  Device: { title: 'Device', one: 'change of devices', many: 'changes of devices' },
  Deployment: { title: 'Deployment', one: 'act on deployments', many: 'acts on deployments' },
  Alert: { title: 'Alert', one: 'act on alerts', many: 'acts on alerts' },
  Member: { title: 'Member', one: 'change of members', many: 'changes of members' },
  SignIn: { title: 'Sign-in', one: 'sign-in or sign-out', many: 'sign-ins and sign-outs' },
  Key: { title: 'Key', one: 'change of keys', many: 'changes of keys' },
  Source: { title: 'Source', one: 'change of sources', many: 'changes of sources' },
  Workspace: { title: 'Workspace', one: 'change of settings', many: 'changes of settings' },
  Case: { title: 'Case', one: 'act on cases', many: 'acts on cases' },
  Customer: { title: 'Customer', one: 'act on customers', many: 'acts on customers' },
  Refusal: { title: 'Refusal', one: 'refusal', many: 'refusals' },
}

export const KINDS = Object.keys(WORDS) as readonly AuditKind[]

/** null: of a release that this one does not know. */
export const formatKind = (kind: AuditLogEntry['kind']) =>
  kind === null ? 'Unknown' : WORDS[kind].title

/** "31 decisions". */
export function formatKindCount(kind: AuditLogEntry['kind'], count: number): string {
  if (kind === null) return formatCountOf(count, 'unknown act')
  return formatCountOf(count, WORDS[kind].one, WORDS[kind].many)
}
