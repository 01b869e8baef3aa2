/** A fact that the map of the law tells, and what facts are made of. */
import { formatNumber } from '../../formats/counts.ts'
import type { FirmwareCounts, PublicationCounts, VersionCounts } from './store.ts'

/** Pages of the portal that show more, below the workspace. */
export const OBLIGATION_PAGES = [
  '/advisories',
  '/alerts',
  '/cases',
  '/deployments',
  '/devices',
  '/disclosure-reports',
  '/figures',
  '/findings',
  '/firmware',
  '/product-lines',
  '/settings',
  '/settings/advisories',
  '/settings/audit-log',
] as const
type Page = (typeof OBLIGATION_PAGES)[number]

export interface ToldFact {
  /** For programs: stays the same, whatever the text says. */
  name: string
  text: string
  /** null: not known, or no number tells it. */
  count: number | null
  /** What it is a part of; null: of nothing. */
  total: number | null
  isKnown: boolean
  page: Page | null
}

export interface WorkspaceFacts {
  firmware: FirmwareCounts
  versions: VersionCounts
  publications: PublicationCounts
  sources: { count: number; staleCount: number }
  publisher: { isPublic: boolean; contactCount: number; servedUntil: Date | null }
  disclosure: { isPublic: boolean; hasPolicy: boolean; openCount: number; lateCount: number }
  lines: {
    count: number
    withoutEnd: number
    ended: number
    withoutUse: number
    firmwareWithout: number
  }
  retainedCount: number
  evidence: { keyCreatedAt: Date | null }
  /** Drills are counted apart. */
  cases: {
    open: number
    late: number
    proposed: number
    overdueProposals: number
    drills: number
    lastDrillAt: Date | null
  }
  newestSeal: { day: string } | null
  now: Date
}

interface Told {
  name: string
  text: string
  page?: Page
}

export const tell = (
  { page = null, ...fact }: Omit<Told, 'page'> & { page?: Page | null },
  counts = {},
) => ({
  count: null,
  total: null,
  isKnown: true,
  ...fact,
  page,
  ...counts,
})

/** `text` says what the counts are of: "3 of 5" stands before it. */
export const tellPart = (fact: Told, count: number, total: number): ToldFact =>
  tell(
    { ...fact, text: `${formatNumber(count)} of ${formatNumber(total)} ${fact.text}` },
    { count, total },
  )
export const tellCount = (fact: Told, count: number): ToldFact => tell(fact, { count })
export const tellUnknown = (name: string, text: string, page?: Page): ToldFact =>
  tell({ name, text, page: page ?? null }, { isKnown: false })
