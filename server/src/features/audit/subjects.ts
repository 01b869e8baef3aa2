/** What entries of the audit log are about, by what they hold. */
import type { Actor } from '../../platform/actor.ts'
import { decodeFindingId } from '../../formats/finding-id.ts'

export const SUBJECT_TYPES = [
  'alert-incident',
  'alert-rule',
  'api-key',
  'case',
  'crash-group',
  'customer',
  'deployment',
  'deployment-cohort',
  'device',
  'device-issuer',
  'device-key',
  'disclosure-report',
  'firmware',
  'firmware-version',
  'member',
  'notification-target',
  'package-override',
  'product-line',
  'security-advisory',
  'standing-address',
  'supplier-feed',
  'upstream-report',
  'vulnerability',
  'webhook',
] as const
export type SubjectType = (typeof SUBJECT_TYPES)[number]

export interface SubjectKey {
  type: SubjectType
  id: string
}

export interface Subject extends SubjectKey {
  /** As it was called then; null: nobody wrote it down. */
  name: string | null
}

/** A command may concern thousands; the first ones find its entry. */
const MOST_SUBJECTS = 1_000

/** Members of what was and what is that hold one id or a list of them. */
const HOLDERS: Readonly<Record<string, SubjectType>> = {
  added: 'device',
  cohortId: 'deployment-cohort',
  created: 'device',
  cveId: 'vulnerability',
  cveIds: 'vulnerability',
  deploymentCohortId: 'deployment-cohort',
  deviceId: 'device',
  deviceIds: 'device',
  firmwareId: 'firmware',
  firmwareVersionId: 'firmware-version',
  firmwareVersionIds: 'firmware-version',
  leftDeviceIds: 'device',
  removed: 'device',
  rollbackOfId: 'deployment',
  vulnerabilityId: 'vulnerability',
}

export interface AuditContent {
  actor: Pick<Actor, 'type' | 'id'>
  resourceType: string
  resourceId: string
  before?: unknown
  after?: unknown
  /** What else it is about, in order. */
  about?: readonly SubjectKey[] | undefined
}

/** Who did it comes first, then the resource. Each is there once. */
export function findSubjects(entry: AuditContent): SubjectKey[] {
  const all = [
    ...ofActor(entry.actor),
    ...ofResource(entry),
    ...(entry.about ?? []),
    ...heldBy(entry.before),
    ...heldBy(entry.after),
  ]
  const byName = new Map(all.map((one) => [nameKey(one), one]))
  return [...byName.values()].slice(0, MOST_SUBJECTS)
}

export const nameKey = ({ type, id }: SubjectKey) => `${type}:${id}`

/** The other way round; undefined: it names none. */
export function readSubjectKey(text: string): SubjectKey | undefined {
  const end = text.indexOf(':')
  const type = SUBJECT_TYPES.find((one) => one === text.slice(0, end))
  const id = text.slice(end + 1)
  return type && id !== '' ? { type, id } : undefined
}

function ofActor({ type, id }: AuditContent['actor']): SubjectKey[] {
  if (id === undefined) return []
  if (type === 'ApiKey') return [{ type: 'api-key', id }]
  if (type === 'Device') return [{ type: 'device', id }]
  return type === 'User' ? [{ type: 'member', id }] : []
}

function ofResource({ resourceType, resourceId: id }: AuditContent): SubjectKey[] {
  if (resourceType === 'vulnerability-finding') {
    const key = decodeFindingId(id)
    return key ? listFindingSubjects([key]) : []
  }
  const type = SUBJECT_TYPES.find((one) => one === resourceType)
  return type ? [{ type, id }] : []
}

/** The vulnerabilities and the firmware versions of findings. */
export function listFindingSubjects(
  findings: Iterable<{ vulnerabilityId: string; firmwareVersionId: string }>,
): SubjectKey[] {
  const vulnerabilities = new Set<string>()
  const versions = new Set<string>()
  for (const { vulnerabilityId, firmwareVersionId } of findings) {
    vulnerabilities.add(vulnerabilityId)
    versions.add(firmwareVersionId)
  }
  return [
    ...[...vulnerabilities].map((id) => ({ type: 'vulnerability' as const, id })),
    ...[...versions].map((id) => ({ type: 'firmware-version' as const, id })),
  ]
}

function heldBy(state: unknown): SubjectKey[] {
  if (typeof state !== 'object' || state === null) return []
  return Object.entries(state).flatMap(([member, value]) => {
    const type = Object.hasOwn(HOLDERS, member) ? HOLDERS[member] : undefined
    if (type) return textsOf(value).map((id) => ({ type, id }))
    return member === 'artifacts' && Array.isArray(value) ? value.flatMap(heldBy) : []
  })
}

function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.filter((one) => typeof one === 'string')
}
