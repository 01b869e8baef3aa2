/** The filters of the audit log: from the address to the request, and in words. */
import type { AuditKind, AuditLogCounts, AuditLogEntry } from '@plimsoll/api-client'
import type { AUDIT_TIMES, AuditSearch } from '../../searches.ts'
import { formatKind, KINDS } from './kind-words.ts'

type ActorType = AuditLogCounts['actors'][number]['actorType']

export interface AuditFilter {
  contains?: string
  actor?: string
  actorType?: ActorType
  /** The values, with commas between them. */
  kinds?: string
  action?: string
  subject?: string
  from?: string
  to?: string
}

/** In the place of one who acts: all of a type. */
const ACTOR_TYPES: readonly ActorType[] = ['User', 'ApiKey', 'System', 'Operator', 'Device']

export type AuditTime = (typeof AUDIT_TIMES)[number] | 'days'

const USUAL_TIME = '7'

/** The last days by themselves; of one subject or text all, as one asks for it whenever it was. */
export function readTime({ when, from, to, subject, contains }: AuditSearch): AuditTime {
  if (from !== undefined || to !== undefined) return 'days'
  return when ?? (subject === undefined && contains === undefined ? USUAL_TIME : 'any')
}

export function readFilter(search: AuditSearch, now: Date): AuditFilter {
  const { contains, actor, action, subject } = search
  const actorType = ACTOR_TYPES.find((type) => type === actor)
  const kinds = readKinds(search)
  return {
    ...(contains !== undefined && { contains }),
    ...(actor !== undefined && (actorType ? { actorType } : { actor })),
    ...(kinds.length > 0 && { kinds: kinds.join(',') }),
    ...(action !== undefined && { action }),
    ...(subject !== undefined && { subject }),
    ...readStretch(search, now),
  }
}

/** Those of the address that there are. */
export function readKinds({ kind }: Pick<AuditSearch, 'kind'>): AuditKind[] {
  const asked = kind?.split(',') ?? []
  return KINDS.filter((one) => asked.includes(one))
}

/** With the kind, or without it where it was chosen before; undefined: of every kind. */
export function toggleKind(search: Pick<AuditSearch, 'kind'>, kind: string): string | undefined {
  const chosen = readKinds(search)
  const next = KINDS.filter((one) => (one === kind) !== chosen.includes(one))
  return next.length === 0 ? undefined : next.join(',')
}

/** The days are whole ones, the first and the last included. */
function readStretch(search: AuditSearch, now: Date): Pick<AuditFilter, 'from' | 'to'> {
  const time = readTime(search)
  if (time === 'any') return {}
  if (time !== 'days') {
    const first = new Date(now.getFullYear(), now.getMonth(), now.getDate() - Number(time) + 1)
    return { from: first.toISOString() }
  }
  const begin = startOf(search.from, 0)
  const end = startOf(search.to, 1)
  return { ...(begin !== undefined && { from: begin }), ...(end !== undefined && { to: end }) }
}

/** When the day begins, or one some days later, in the reader's zone. undefined: it is no day. */
function startOf(day: string | undefined, daysLater: number): string | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '')
  if (!parts) return undefined
  const [, year, month, date] = parts
  const start = new Date(Number(year), Number(month) - 1, Number(date) + daysLater)
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString()
}

/** `2026-03-03`, in the reader's zone, some days before. */
export function formatDayInput(now: Date, daysBefore = 0): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBefore)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

export const TIME_WORDS: Record<Exclude<AuditTime, 'days'>, string> = {
  '1': 'Today',
  '7': 'Last 7 days',
  '30': 'Last 30 days',
  '90': 'Last 90 days',
  any: 'Any time',
}

/** After a count: "142 entries in the last 7 days". */
export function describeTime(search: AuditSearch): string {
  const time = readTime(search)
  if (time === 'any') return 'since the log began'
  if (time === '1') return 'today'
  if (time !== 'days') return `in the last ${time} days`
  const { from, to } = search
  if (to === undefined) return `since ${from}`
  return from === undefined ? `up to ${to}` : `from ${from} to ${to}`
}

/** What the entries call it; its id until one is here. */
export function nameSubject(subject: string, entries: readonly AuditLogEntry[]): string {
  const end = subject.indexOf(':')
  const [type, id] = [subject.slice(0, end), subject.slice(end + 1)]
  for (const { subjects } of entries) {
    const found = subjects.find((one) => one.type === type && one.id === id)
    if (found && found.name !== null) return found.name
  }
  return id
}

/** "Decision, Deployment". */
export const formatKinds = (search: Pick<AuditSearch, 'kind'>): string =>
  readKinds(search).map(formatKind).join(', ')

/** What a sheet of paper says of the filter; the time stands in the sentence below. */
export function describeFilter(
  { actor, actorType, kinds, action, subject, contains }: AuditFilter,
  entries: readonly AuditLogEntry[],
): string {
  const who = actorType ?? actor
  const named = who === undefined ? 'everybody' : nameActor(who, entries)
  return [
    `Who: ${named}`,
    `what: ${action ?? (kinds === undefined ? 'everything' : formatKinds({ kind: kinds }))}`,
    `about: ${subject === undefined ? 'anything' : nameSubject(subject, entries)}`,
    ...(contains === undefined ? [] : [`with the text “${contains}”`]),
  ].join(' · ')
}

const ALL_OF_TYPE: Readonly<Record<string, string>> = {
  User: 'all people',
  ApiKey: 'all keys',
  System: 'the service',
  Operator: 'the operator',
  Device: 'all devices',
}

function nameActor(actor: string, entries: readonly AuditLogEntry[]): string {
  const subjects = entries.flatMap((entry) => entry.subjects)
  return ALL_OF_TYPE[actor] ?? subjects.find(({ id }) => id === actor)?.name ?? actor
}

export function buildExportAddress(
  workspaceId: string,
  filter: AuditFilter,
  format: 'csv' | 'jsonl',
): string {
  const query = new URLSearchParams({ ...filter, format }).toString()
  return `/workspaces/${workspaceId}/audit-log/export?${query}`
}
