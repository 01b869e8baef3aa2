/** What the form of an advisory holds, and what is sent of it. */
import type { BodyOf, SecurityAdvisory } from '@plimsoll/api-client'
import { formatForField } from '../../format/dates.ts'

type Body = BodyOf<'updateSecurityAdvisory'>
export type WrittenVulnerability = Body['vulnerabilities'][number]
export type WrittenRemediation = WrittenVulnerability['remediations'][number]

/** Empty texts: nothing is said. */
export interface DraftValues {
  title: string
  summary: string
  details: string
  /** As a field of the browser has it: in the zone of the reader, to the minute. */
  heldUntil: string
  heldReason: string
  vulnerabilities: WrittenVulnerability[]
}

export function readDraft(advisory: SecurityAdvisory): DraftValues {
  const { title, summary, details, heldUntil, heldReason, vulnerabilities } = advisory
  return {
    title,
    summary,
    details: details ?? '',
    heldUntil: heldUntil === null ? '' : formatForField(new Date(heldUntil)),
    heldReason: heldReason ?? '',
    vulnerabilities,
  }
}

const said = (text: string) => (text.trim() === '' ? null : text)

/** `before` keeps the seconds of a date that nobody touched. */
export function writeDraft(values: DraftValues, before: SecurityAdvisory): Body {
  const { heldUntil, heldReason, details, vulnerabilities, ...texts } = values
  const isUntouched = readDraft(before).heldUntil === heldUntil
  return {
    ...texts,
    details: said(details),
    heldUntil: isUntouched ? before.heldUntil : readInstant(heldUntil),
    heldReason: said(heldReason),
    vulnerabilities: vulnerabilities.map((one) => ({
      ...one,
      title: said(one.title ?? ''),
      exploitation: said(one.exploitation ?? ''),
      cvssVector: said(one.cvssVector ?? ''),
      cweId: said(one.cweId ?? ''),
      remediations: one.remediations.map((remedy) => ({ ...remedy, url: said(remedy.url ?? '') })),
    })),
  }
}

function readInstant(field: string): string | null {
  const at = new Date(field)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}

export const beginVulnerability = (vulnerabilityId: string): WrittenVulnerability => ({
  vulnerabilityId,
  title: null,
  description: '',
  exploitation: null,
  cvssVector: null,
  cweId: null,
  statuses: [],
  remediations: [],
})

/** A new remedy is for the affected versions that have none yet. */
export function beginRemediation({
  statuses,
  remediations,
}: WrittenVulnerability): WrittenRemediation {
  const remedied = new Set(remediations.flatMap((one) => one.firmwareVersionIds))
  return {
    kind: 'VendorFix',
    details: '',
    url: null,
    firmwareVersionIds: statuses.flatMap(({ firmwareVersionId, status }) =>
      status === 'KnownAffected' && !remedied.has(firmwareVersionId) ? [firmwareVersionId] : [],
    ),
  }
}

/** Nothing more is said of the version: remedies that were for it alone go with it. */
export function dropVersion(one: WrittenVulnerability, id: string): WrittenVulnerability {
  return {
    ...one,
    statuses: one.statuses.filter(({ firmwareVersionId }) => firmwareVersionId !== id),
    remediations: one.remediations.flatMap((remedy) => {
      const firmwareVersionIds = remedy.firmwareVersionIds.filter((other) => other !== id)
      return firmwareVersionIds.length === 0 ? [] : [{ ...remedy, firmwareVersionIds }]
    }),
  }
}
