/** What the feed server publishes: advisories of packages of npm, some of them exploited. */
import type { FeedServer } from '../feed-server.ts'
import { kevCatalogue } from '../given-feeds.ts'
import { type OsvRecord, publishOsv } from '../given-publishers.ts'

export interface Flaw {
  cveId: string
  /** npm's package that has it before 2.0.0. */
  packageName: string
  isExploited: boolean
}

export const SHARED_PART = 'part-shared'
/** The part of an SBOM that may have a flaw. */
export const flawedPart = (index: number) => `part-${index}-0`

/** The flaws in the order in which they become known. Every other one is in a part of an early SBOM. */
const flawAt = (number: number): Flaw => ({
  cveId: `CVE-2026-${10_000 + number}`,
  packageName: number % 2 === 0 ? SHARED_PART : flawedPart(number),
  isExploited: number % 3 === 0,
})

const BEGIN = Date.UTC(2026, 0, 1)

function recordOf({ cveId, packageName }: Flaw, number: number): OsvRecord {
  const ranges = [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }]
  const at = new Date(BEGIN + number * 60_000).toISOString()
  return {
    schema_version: '1.6.0',
    id: `GHSA-aaaa-bbbb-${String(number).padStart(4, '0')}`,
    aliases: [cveId],
    modified: at,
    published: at,
    affected: [{ package: { ecosystem: 'npm', name: packageName }, ranges }],
  }
}

/** Publishes the first flaws. A later call has to publish more of them. */
export function publishFlaws(feeds: FeedServer, count: number): Flaw[] {
  const flaws = Array.from({ length: count }, (_, number) => flawAt(number))
  publishOsv(feeds, 'npm', flaws.map(recordOf))
  const exploited = flaws.filter(({ isExploited }) => isExploited)
  const released = new Date(BEGIN + count * 60_000).toISOString()
  feeds.put(
    '/kev.json',
    kevCatalogue(
      exploited.map(({ cveId }) => cveId),
      released,
    ),
  )
  return flaws
}
