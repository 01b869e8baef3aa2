/** The first import of a source, whose rows the database's statistics do not know. */
import { rmSync } from 'node:fs'
import { type RawBuilder, sql } from 'kysely'
import { expect, it } from 'vitest'
import { csafDocument } from '../../../test/given-csaf.ts'
import {
  cveRecord,
  givenFolder,
  type ImportContext,
  nvdRecord,
  openImportContext,
} from '../../../test/given-feeds.ts'
import type { AdvisorySource } from '../../formats/advisories/model.ts'
import { importFeeds } from './service.ts'

/** More than one range of a merge. */
const RECORDS = 12_000
/** Of another source, so that the tables are large and all their statistics are about it. */
const OTHERS = 40_000

/** As an import leaves them, with two keys each. */
async function givenOthers({ db }: ImportContext, source: AdvisorySource): Promise<void> {
  const each = sql`generate_series(1, ${OTHERS}::int) as each (n)`
  const id = sql`'CVE-1999-' || (100000 + n)`
  const insert = (into: string, columns: RawBuilder<unknown>) =>
    sql`insert into ${sql.raw(into)} select ${columns} from ${each}`.execute(db)
  await insert(
    'vulnerabilities (id, name, severity, updated_at)',
    sql`${id}, 'A flaw', 'High', now()`,
  )
  await insert(
    'advisories (source, id, content_hash, aliases, cve_ids, linked_ids, first_seen_at, changed_at)',
    sql`${source}, ${id}, sha256(n::text::bytea), '{}', array[${id}], '{}', now(), now()`,
  )
  await insert('advisory_records (source, advisory_id, record)', sql`${source}, ${id}, '{}'`)
  await insert('advisory_vulnerabilities', sql`${source}, ${id}, ${id}`)
  await insert('vulnerability_aliases', sql`${id}, ${id}`)
  for (const part of ['a', 'b'])
    await insert(
      'advisory_affected (source, advisory_id, key, statements)',
      sql`${source}, ${id}, 'cpe:other:' || n || ${part}, '[]'`,
    )
  await sql`analyze`.execute(db)
}

const numbers = Array.from({ length: RECORDS }, (_, index) => index)
const idOf = (n: number) => `CVE-2099-${100_000 + n}`

function osvRecord(n: number, fixed: string, modified: string) {
  const affected = ['a', 'b', 'c'].map((part) => ({
    package: { ecosystem: `Debian:${11 + (n % 3)}`, name: `package-${n % 5000}-${part}` },
    ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }],
  }))
  return { id: `DEBIAN-${idOf(n)}`, modified, upstream: [idOf(n)], affected }
}

const RED_HAT = {
  cpes: { 'RHEL-8': 'cpe:/o:redhat:enterprise_linux:8' },
  purls: { openssl: 'pkg:rpm/redhat/openssl@1.1.1-1.el8?arch=src' },
  status: { known_affected: ['RHEL-8:openssl'] },
}

type Files = Record<string, object[]>

/** `version`: all records say something else in the second import. */
const FILES: Record<AdvisorySource, (version: number) => Files> = {
  osv: (version) => ({
    'osv.jsonl': numbers.map((n) =>
      osvRecord(n, `${version}.0-1`, `2099-01-0${version}T00:00:00Z`),
    ),
  }),
  nvd: (version) => ({
    'nvd.jsonl': numbers.map((n) =>
      nvdRecord({
        id: idOf(n),
        lastModified: `2099-01-0${version}T00:00:00.000`,
        fixed: { [`acme:product-${n % 5000}`]: `${version}.0` },
      }),
    ),
  }),
  cvelist: (version) => ({
    'cves.jsonl': numbers.map((n) =>
      cveRecord({
        id: idOf(n),
        dateUpdated: `2099-01-0${version}T00:00:00.000Z`,
        fixed: { [`acme/product-${n % 5000}`]: `${version}.0` },
      }),
    ),
  }),
  csaf: (version) => ({
    'csaf.jsonl': numbers
      .slice(0, 5000)
      .map((n) =>
        csafDocument({ ...RED_HAT, cve: idOf(n), modified: `2099-01-0${version}T00:00:00+00:00` }),
      ),
  }),
}

/** Rows that statements have read since the server began, as its sessions have told when they ended. */
async function readRows({ db }: ImportContext): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select (tup_returned + tup_fetched)::float8 as read from pg_stat_database where datname = current_database()`.execute(
    db,
  )
  return rows[0]?.read ?? 0
}

async function rowsReadBy(ctx: ImportContext, files: Files): Promise<number> {
  const path = givenFolder(files)
  try {
    const before = await readRows(ctx)
    const [outcome] = await importFeeds(ctx, { path })
    expect(outcome).toMatchObject({ skipped: 0 })
    return (await readRows(ctx)) - before
  } finally {
    rmSync(path, { recursive: true })
  }
}

it.each(['osv', 'nvd', 'cvelist', 'csaf'] as const)(
  'of %s reads a bounded number of rows for each record, as does the next one, which changes all',
  { timeout: 240_000 },
  async (source) => {
    const { ctx, close } = await openImportContext()
    try {
      // Nobody analyses meanwhile what the first import has written.
      for (const table of ['advisories', 'advisory_affected', 'advisory_vulnerabilities'])
        await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(ctx.db)
      await givenOthers(ctx, source === 'nvd' ? 'cvelist' : 'nvd')
      const counts: number[] = []
      for (const version of [1, 2]) {
        const files = FILES[source](version)
        const records = Object.values(files).flat().length
        counts.push((await rowsReadBy(ctx, files)) / records)
      }

      expect(Math.max(...counts)).toBeLessThan(MOST_ROWS_A_RECORD)
    } finally {
      await close()
    }
  },
)

/** About twice what was measured. Comparing each row of a range with each of the source takes tens of thousands. */
const MOST_ROWS_A_RECORD = 250
