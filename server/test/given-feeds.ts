/** Small feeds in the formats of their publishers, and a context to import them. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { advisoryMessages, type importFeeds } from '../src/features/advisories/index.ts'
import type { AppContext } from '../src/platform/context.ts'
import { createDb, createPool, type Db } from '../src/platform/db/connect.ts'
import { Queue } from '../src/platform/jobs/queue.ts'
import { NodeMemory } from '../src/platform/node-memory.ts'
import { createTestDatabase } from './database.ts'

export type ImportContext = Parameters<typeof importFeeds>[0] & Pick<AppContext, 'memory'>

export async function openImportContext(
  connectionString?: string,
): Promise<{ ctx: ImportContext; connectionString: string; close: () => Promise<void> }> {
  const database = connectionString ?? (await createTestDatabase()).connectionString
  const pool = createPool({ connectionString: database, poolSize: 4, onError: () => undefined })
  const log = pino({ level: 'silent' })
  const queue = new Queue({ connectionString: database, log, supervise: false })
  await queue.start(advisoryMessages)
  const memory = new NodeMemory()
  const ctx: ImportContext = { db: createDb(pool), pool, queue, memory, log, now: () => new Date() }
  const close = async () => {
    await queue.stop()
    await pool.end()
  }
  return { ctx, connectionString: database, close }
}

type FileContent = string | Uint8Array | object

/** Writes text and bytes unchanged, an array as one JSON value per line, any other object as JSON. */
export function givenFolder(files: Record<string, FileContent>): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-feeds-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), bytesOf(content))
  }
  return folder
}

function bytesOf(content: FileContent): string | Uint8Array {
  if (typeof content === 'string' || content instanceof Uint8Array) return content
  if (!Array.isArray(content)) return JSON.stringify(content, null, 2)
  return content.map((record) => `${JSON.stringify(record)}\n`).join('')
}

export interface GivenOsv {
  id: string
  aliases?: string[]
  upstream?: string[]
  modified?: string
  withdrawn?: string
  summary?: string
  /** Affected packages of PyPI with the version that fixes them. */
  fixed?: Record<string, string>
}

export function osvRecord({ fixed = {}, ...record }: GivenOsv) {
  return {
    schema_version: '1.7.0',
    modified: '2026-01-01T00:00:00Z',
    summary: `About ${record.id}`,
    ...record,
    affected: Object.entries(fixed).map(([name, version]) => ({
      package: { ecosystem: 'PyPI', name },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: version }] }],
    })),
  }
}

export interface GivenNvd {
  id: string
  lastModified?: string
  vulnStatus?: string
  description?: string
  score?: number
  /** CPE vendor and product with the version that fixes it. */
  fixed?: Record<string, string>
}

export function nvdRecord(given: GivenNvd) {
  const { id, lastModified = '2026-01-01T00:00:00.000', vulnStatus = 'Analyzed' } = given
  const { description = `NVD on ${id}. More.`, score, fixed = {} } = given
  const cvssData = {
    version: '3.1',
    vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    baseScore: score,
  }
  return {
    cve: {
      id,
      lastModified,
      published: '2025-12-31T00:00:00.000',
      vulnStatus,
      descriptions: [{ lang: 'en', value: description }],
      metrics: score === undefined ? {} : { cvssMetricV31: [{ source: 'nvd@nist.gov', cvssData }] },
      configurations: Object.entries(fixed).map(([product, versionEndExcluding]) => ({
        nodes: [
          {
            operator: 'OR',
            negate: false,
            cpeMatch: [
              {
                vulnerable: true,
                criteria: `cpe:2.3:a:${product}:*:*:*:*:*:*:*:*`,
                versionEndExcluding,
              },
            ],
          },
        ],
      })),
    },
  }
}

/** A feed file or a page of the API. */
export function nvdPage(records: readonly GivenNvd[], timestamp = '2026-01-02T00:00:00.000') {
  const totalResults = records.length
  const head = { resultsPerPage: totalResults, startIndex: 0, totalResults, format: 'NVD_CVE' }
  return { ...head, version: '2.0', timestamp, vulnerabilities: records.map(nvdRecord) }
}

export interface GivenCve {
  id: string
  title?: string
  dateUpdated?: string
  state?: 'PUBLISHED' | 'REJECTED'
  /** Vendor and product, `busybox/busybox`, with the version that fixes it. */
  fixed?: Record<string, string>
}

export function cveRecord({ id, title, dateUpdated, state = 'PUBLISHED', fixed = {} }: GivenCve) {
  const affected = Object.entries(fixed).map(([name, lessThan]) => {
    const [vendor, product] = name.split('/')
    const versions = [{ version: '0', status: 'affected', lessThan, versionType: 'custom' }]
    return { vendor, product, defaultStatus: 'unaffected', versions }
  })
  const cna =
    state === 'PUBLISHED'
      ? { title, descriptions: [{ lang: 'en', value: `The CNA on ${id}. More.` }], affected }
      : { rejectedReasons: [{ lang: 'en', value: `${id} was rejected. Really.` }] }
  return {
    dataType: 'CVE_RECORD',
    dataVersion: '5.1',
    cveMetadata: {
      cveId: id,
      assignerOrgId: '00000000-0000-4000-8000-000000000000',
      state,
      datePublished: '2026-01-01T00:00:00.000Z',
      dateUpdated: dateUpdated ?? '2026-01-01T00:00:00.000Z',
    },
    containers: { cna: { providerMetadata: { orgId: 'x', shortName: 'cna' }, ...cna } },
  }
}

export function kevCatalogue(cveIds: readonly string[], dateReleased: string) {
  return {
    title: 'CISA Catalog of Known Exploited Vulnerabilities',
    catalogVersion: dateReleased.slice(0, 10).replaceAll('-', '.'),
    dateReleased,
    count: cveIds.length,
    vulnerabilities: cveIds.map((cveID) => ({
      cveID,
      vendorProject: 'Vendor',
      product: 'Product',
      vulnerabilityName: `${cveID} in Product`,
      dateAdded: '2026-01-01',
      shortDescription: 'What it is.',
      requiredAction: 'What to do.',
      dueDate: '2026-02-01',
      knownRansomwareCampaignUse: 'Unknown',
    })),
  }
}

const TABLES = [
  'advisories',
  'advisory_records',
  'advisory_affected',
  'advisory_linked_ids',
  'advisory_vulnerabilities',
  'vulnerabilities',
  'vulnerability_aliases',
  'kev_entries',
  'eu_exploited_entries',
  'epss_scores',
  'knowledge_changes',
]

/** The row versions of the tables, which stay equal as long as nothing is written. */
export async function rowVersions(db: Db): Promise<unknown> {
  const versions = TABLES.map(
    (table) =>
      sql`select ${table} as name, count(*)::int as rows, md5(string_agg(ctid::text || xmin::text, ',' order by ctid)) as versions from ${sql.table(table)}`,
  )
  return (await sql.join(versions, sql` union all `).execute(db)).rows
}

/** All knowledge, without times. */
export async function knowledge(db: Db) {
  const [advisories, affected, links, vulnerabilities, aliases] = await Promise.all([
    sql`select source, id, content_hash, record, withdrawn_at
      from advisories join advisory_records as stored using (source)
      where stored.advisory_id = id order by source, id`.execute(db),
    sql`select source, advisory_id, key, product_key, statements from advisory_affected
      order by source, advisory_id, key`.execute(db),
    sql<{ source: string; advisoryId: string; vulnerabilityId: string }>`
      select source, advisory_id, vulnerability_id from advisory_vulnerabilities
      order by source, advisory_id, vulnerability_id`.execute(db),
    sql<{ id: string; isKnownExploit: boolean }>`
      select id, name, severity, primary_score, is_known_exploit, published_at, modified_at from vulnerabilities
      where id in (select vulnerability_id from advisory_vulnerabilities) order by id`.execute(db),
    sql<{ alias: string; vulnerabilityId: string }>`
      select alias, vulnerability_id from vulnerability_aliases order by alias, vulnerability_id`.execute(
      db,
    ),
  ])
  return {
    advisories: advisories.rows,
    affected: affected.rows,
    links: links.rows,
    vulnerabilities: vulnerabilities.rows,
    aliases: aliases.rows,
  }
}

/** Deletes all knowledge. */
export async function forgetKnowledge(db: Db): Promise<void> {
  await sql`truncate ${sql.join([...TABLES, 'advisory_parts', 'vulnerability_sources'].map((table) => sql.table(table)))} cascade`.execute(
    db,
  )
}
