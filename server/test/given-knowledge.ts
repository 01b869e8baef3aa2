/** Advisories as a merge leaves them, without a feed. */
import { sql } from 'kysely'
import { dropVendor } from '../src/formats/advisories/keys.ts'
import type {
  Advisory,
  AdvisorySource,
  AffectedPackage,
  Severity,
  VersionStatement,
} from '../src/formats/advisories/model.ts'
import { findEcosystemOfRegistry, findRegistryOfKey } from '../src/formats/ecosystems.ts'
import type { VersionScheme } from '../src/formats/versions/schemes.ts'
import type { Db } from '../src/platform/db/connect.ts'

export interface GivenAdvisory extends Partial<Omit<Advisory, 'affected'>> {
  id: string
  affected?: AffectedPackage[]
  /** The vulnerability it describes; by default the advisory's id. */
  vulnerabilityId?: string
  severity?: Severity
  score?: number
  isKnownExploit?: boolean
  at?: Date
}

const NAME = 'A flaw'

/** Inserts or replaces one advisory and its vulnerability. @returns the revision of knowledge. */
export async function givenAdvisory(db: Db, given: GivenAdvisory): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { id, source = 'nvd', vulnerabilityId = id, at = new Date() } = given
    // A withdrawn advisory affects no package, as after a merge.
    const affected = given.withdrawnAt === undefined ? (given.affected ?? []) : []
    const record = recordOf(given, source)
    const title = record.title ?? NAME
    await sql`
      insert into vulnerabilities (id, name, severity, primary_score, is_known_exploit, published_at, updated_at)
      values (${vulnerabilityId}, ${title}, ${given.severity ?? 'High'}, ${given.score ?? null},
        ${given.isKnownExploit ?? false}, ${given.publishedAt ?? null}, ${at})
      on conflict (id) do update set severity = excluded.severity, primary_score = excluded.primary_score`.execute(
      tx,
    )
    await sql`
      insert into advisories (source, id, content_hash, aliases, cve_ids, linked_ids, withdrawn_at, first_seen_at,
        changed_at)
      values (${source}, ${id}, ${Buffer.from(JSON.stringify(given))}, ${record.aliases},
        ${[vulnerabilityId]}, '{}', ${given.withdrawnAt ?? null}, ${at}, ${at})
      on conflict (source, id) do update set withdrawn_at = excluded.withdrawn_at`.execute(tx)
    await sql`
      insert into advisory_records (source, advisory_id, record)
      values (${source}, ${id}, ${JSON.stringify(record)}::json)
      on conflict (source, advisory_id) do update set record = excluded.record`.execute(tx)
    await sql`
      insert into advisory_vulnerabilities values (${source}, ${id}, ${vulnerabilityId}) on conflict do nothing`.execute(
      tx,
    )
    for (const alias of new Set([vulnerabilityId, id, ...record.aliases]))
      await sql`insert into vulnerability_aliases values (${alias}, ${vulnerabilityId}) on conflict do nothing`.execute(
        tx,
      )
    return replaceAffected(tx, { source, id, vulnerabilityId, affected })
  })
}

function recordOf(given: GivenAdvisory, source: AdvisorySource): Omit<Advisory, 'affected'> {
  return {
    source,
    id: given.id,
    aliases: given.aliases ?? [],
    publishedAt: given.publishedAt,
    modifiedAt: given.modifiedAt,
    withdrawnAt: given.withdrawnAt,
    status: given.status ?? 'Analyzed',
    title: given.title,
    description: given.description ?? 'A flaw that lets attackers in.',
    sourceUrl: given.sourceUrl ?? `https://example.org/${given.id}`,
    scores: given.scores ?? [],
    statedSeverity: given.statedSeverity,
    references: given.references ?? [],
    cweIds: given.cweIds ?? [],
  }
}

async function replaceAffected(
  tx: Db,
  given: { source: string; id: string; vulnerabilityId: string; affected: AffectedPackage[] },
): Promise<number> {
  const { source, id, vulnerabilityId, affected } = given
  const { rows } = await sql<{
    revision: number
  }>`select nextval('knowledge_revision') as revision`.execute(tx)
  const revision = rows[0]?.revision ?? 0
  await sql`
    insert into knowledge_changes (revision, key, vulnerability_id)
    select distinct ${revision}::bigint, named.key, ${vulnerabilityId}
    from advisory_vulnerabilities as link
    join advisory_affected as affected using (source, advisory_id)
    cross join lateral (values (affected.key), (affected.product_key)) as named (key)
    where link.vulnerability_id = ${vulnerabilityId} and named.key is not null`.execute(tx)
  await sql`delete from advisory_affected where source = ${source} and advisory_id = ${id}`.execute(
    tx,
  )
  for (const { key, statements } of affected) {
    const productKey = dropVendor(key) ?? null
    await sql`
      insert into advisory_affected (source, advisory_id, key, product_key, statements, vulnerable_code)
      values (${source}, ${id}, ${key}, ${productKey}, ${JSON.stringify(statements)}::json,
        ${JSON.stringify(statements[0]?.vulnerableCode) ?? null}::jsonb)`.execute(tx)
    if (/^purl:(?:deb|rpm|apk)\//.test(key))
      for (const { distro = key.split('/')[1] ?? '' } of statements)
        await sql`insert into known_distributions values (${distro}, 1) on conflict do nothing`.execute(
          tx,
        )
    await markComplete(tx, source, key)
    for (const changed of [key, ...(productKey === null ? [] : [productKey])])
      await sql`insert into knowledge_changes (revision, key, vulnerability_id)
        values (${revision}, ${changed}, ${vulnerabilityId}) on conflict do nothing`.execute(tx)
  }
  return revision
}

/** Tests of single records mean that all others of the same registry or distribution are known. */
async function markComplete(tx: Db, source: string, key: string): Promise<void> {
  const ecosystem = findEcosystemOfRegistry(findRegistryOfKey(key) ?? '')
  if (ecosystem === undefined) return
  await sql`
    insert into complete_ecosystems values (${source}, ${ecosystem}, now()) on conflict do nothing`.execute(
    tx,
  )
}

/** A public list names the vulnerability as exploited, or no longer. @returns the revision of knowledge. */
export async function toggleExploited(
  db: Db,
  id: string,
  list: 'cisa' | 'enisa' = 'cisa',
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    if (list === 'cisa')
      await sql`update vulnerabilities set is_known_exploit = not is_known_exploit where id = ${id}`.execute(
        tx,
      )
    else
      await sql`
        with gone as (delete from eu_exploited_entries where cve_id = ${id} returning cve_id)
        insert into eu_exploited_entries (cve_id, date_added)
        select ${id}, '2026-01-01' where not exists (select from gone) on conflict do nothing`.execute(
        tx,
      )
    const { rows } = await sql<{ revision: number }>`
      with revision as (select nextval('knowledge_revision') as revision), written as (
        insert into knowledge_changes (revision, key, vulnerability_id)
        select distinct revision.revision, named.key, ${id}
        from revision
        cross join advisory_vulnerabilities as link
        join advisory_affected as affected using (source, advisory_id)
        cross join lateral (values (affected.key), (affected.product_key)) as named (key)
        where link.vulnerability_id = ${id} and named.key is not null
      )
      select revision from revision`.execute(tx)
    return rows[0]?.revision ?? 0
  })
}

/** One key, affected in the ranges given. */
export function affectedIn(
  key: string,
  ranges: Partial<VersionStatement>[],
  scheme: VersionScheme = 'generic',
): AffectedPackage {
  const versions = ranges.map((range): VersionStatement => ({
    status: 'affected',
    text: JSON.stringify(range),
    ...range,
  }))
  return { key, statements: [{ scheme, defaultStatus: 'unaffected', versions }] }
}
