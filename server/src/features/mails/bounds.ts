/** How many mails may leave within an hour: to one address, and of the installation. Those of a workspace are quotas. */
import { createHash } from 'node:crypto'
import type { WindowQuota } from '../quotas/index.ts'

export type MailKind =
  | 'Alert'
  | 'Test'
  | 'Weekly'
  | 'Colleague'
  | 'Advisory'
  | 'Confirmation'
  | 'Invitation'
  | 'PasswordReset'

export type AddressBound = 'WorkspaceAddress' | 'Address'
export type MailBound = AddressBound | 'Installation'

/**
 * To one address from one workspace. One mail holds up to 100 alerts, so that no team gets so many. null: requests for new
 * passwords are counted by account and network when they are made, and no flood of other mails may hold up their mails.
 */
const MOST_OF_A_WORKSPACE: Readonly<Record<MailKind, number | null>> = {
  Alert: 120,
  Test: 30,
  Weekly: 30,
  Colleague: 60,
  Advisory: 30,
  Confirmation: 5,
  Invitation: 5,
  PasswordReset: null,
}

/** From all workspaces together, so that one of them cannot use up what the others may send to a person. */
const WORKSPACES = 5

/** The workspace is limited in all its mails, and in those to people who have not agreed yet. */
export function listMailQuotas(kind: MailKind): WindowQuota[] {
  if (kind === 'Invitation') return ['mailsPerHour', 'invitationMailsPerHour']
  return kind === 'Confirmation' ? ['mailsPerHour', 'confirmationMailsPerHour'] : ['mailsPerHour']
}

/** Mails that are about to be sent. */
export interface PlannedMails {
  kind: MailKind
  /** undefined: they concern no workspace. */
  workspaceId?: string
  addresses: readonly string[]
}

export interface MailCount {
  bound: MailBound
  /** The hash of what is counted, in hexadecimal digits. */
  key: string
  amount: number
  /** null: any number. */
  most: number | null
}

/** In the order of their keys: whoever locks several counts locks them in this order. */
export function listMailCounts(
  { kind, workspaceId, addresses }: PlannedMails,
  mostOfInstallation: number | null,
): MailCount[] {
  const most = MOST_OF_A_WORKSPACE[kind]
  const ofAddresses = addresses.flatMap((address): MailCount[] => {
    if (most === null || workspaceId === undefined) return []
    const key = hashKey(kind, address, workspaceId)
    return [
      { bound: 'WorkspaceAddress', key, amount: 1, most },
      { bound: 'Address', key: hashKey(kind, address), amount: 1, most: most * WORKSPACES },
    ]
  })
  const installation: MailCount = {
    bound: 'Installation',
    key: hashKey('installation'),
    amount: addresses.length,
    most: most === null ? null : mostOfInstallation,
  }
  return [...ofAddresses, installation].toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

function hashKey(...parts: string[]): string {
  return createHash('sha256').update(parts.join('\u0000')).digest('hex')
}
