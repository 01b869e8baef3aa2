/** An act of people on a case: which fields it asks for, who may do it, and what it sends. */
import type { Case } from '@plimsoll/api-client'
import { formatForField } from '../../format/dates.ts'

export interface ActField {
  /** As the service calls it, so that its faults stand beside it. */
  name: string
  label: string
  kind: 'instant' | 'text' | 'line' | 'choice' | 'check' | 'many'
  description?: string
  options?: readonly { value: string; label: string }[]
  isRequired?: boolean
  first?: string
  most?: number
}

export type ActValues = Readonly<Record<string, string>>

export interface CaseAct {
  title: string
  /** What it does, before it asks. */
  what: string
  verb: string
  /** What its notice says. */
  told: string
  scope: 'Cases: write' | 'Cases: decide'
  /** It stops clocks, or takes something back. */
  isEnding?: boolean
  fields: readonly ActField[]
  send: (values: ActValues) => Promise<unknown>
}

/** What each part of the page of a case gets. */
export interface CasePart {
  one: Case
  now: Date
  /** Opens the dialog of an act. */
  onAct: (act: CaseAct) => void
}

export const WHO_MAY = {
  'Cases: write': 'Engineers, admins and owners do this.',
  'Cases: decide': 'Admins and owners do this, as it stops clocks or takes something back.',
} as const

export const CASE = '/workspaces/{workspaceId}/cases/{caseId}'
export const buildReason = (label: string, isRequired = false): ActField => ({
  name: 'reason',
  label,
  kind: 'text',
  isRequired,
  most: 4000,
})
export const readReason = ({ reason: text = '' }: ActValues) =>
  text.trim() === '' ? null : text.trim()
export const readInstant = (value = '') => new Date(value).toISOString()

export interface ActOn {
  workspaceId: string
  one: Pick<Case, 'id' | 'title'>
}

export const readParams = ({ workspaceId, one }: ActOn) => ({ workspaceId, caseId: one.id })
export const tellNow = () => formatForField(new Date())
