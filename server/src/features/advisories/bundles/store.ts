/** Reads all knowledge page by page, in key order. In one transaction all pages see the same state. */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/connect.ts'
import type { AdvisorySource } from '../../../formats/advisories/model.ts'
import type { FeedSource } from '../../../formats/feed-files.ts'

const PAGE = 1_000

interface Line {
  id: string
  line: string
}

/** How current each source is. */
export async function listSourceStates(tx: Tx) {
  return tx
    .selectFrom('vulnerabilitySources')
    .select(['source', 'lastSuccessAt', 'snapshotAt', 'recordCount'])
    .select(
      sql<string[]>`array(
        select ecosystem from complete_ecosystems as known
        where known.source = vulnerability_sources.source order by ecosystem)`.as('complete'),
    )
    .orderBy('source')
    .$narrowType<{ source: FeedSource }>()
    .execute()
}

/** Leaves out nulls of the record: absent members mean the same to the reader. */
export async function* streamAdvisoryLines(tx: Tx, source: AdvisorySource): AsyncGenerator<Line[]> {
  yield* pages((after) =>
    sql<Line>`
    select id, json_build_object(
      'source', source, 'hash', encode(content_hash, 'hex'), 'record', (
        select json_strip_nulls(stored.record) from advisory_records as stored
        where stored.source = advisories.source and stored.advisory_id = advisories.id),
      'affected', (
        select coalesce(json_agg(json_build_object('key', key, 'statements', statements) order by key), '[]')
        from advisory_affected as affected
        where affected.source = advisories.source and affected.advisory_id = advisories.id),
      'feedAt', to_char(feed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text as line
    from advisories where source = ${source} and id > ${after} order by id limit ${PAGE}`.execute(
      tx,
    ),
  )
}

export async function* streamKevLines(tx: Tx): AsyncGenerator<Line[]> {
  yield* pages((after) =>
    sql<Line>`
    select cve_id as id, json_build_object('source', 'kev', 'cveId', cve_id, 'dateAdded', date_added,
      'dueDate', due_date, 'details', details)::text as line
    from kev_entries where cve_id > ${after} order by cve_id limit ${PAGE}`.execute(tx),
  )
}

export async function* streamEpssLines(tx: Tx): AsyncGenerator<Line[]> {
  yield* pages((after) =>
    sql<Line>`
    select cve_id as id, json_build_object('source', 'epss', 'cveId', cve_id, 'score', score,
      'percentile', percentile)::text as line
    from epss_scores where cve_id > ${after} order by cve_id limit ${PAGE}`.execute(tx),
  )
}

export async function* streamEuvdLines(tx: Tx): AsyncGenerator<Line[]> {
  yield* pages((after) =>
    sql<Line>`
    select cve_id as id, json_build_object('source', 'euvd', 'cveId', cve_id, 'euvdId', euvd_id,
      'dateAdded', date_added)::text as line
    from eu_exploited_entries where cve_id > ${after} order by cve_id limit ${PAGE}`.execute(tx),
  )
}

export async function* streamSupportLines(tx: Tx): AsyncGenerator<Line[]> {
  yield* pages((after) =>
    sql<Line>`
    select name as id, json_build_object('source', 'endoflife', 'name', name, 'label', label, 'link', link,
      'identifiers', identifiers, 'cycles', cycles, 'goneAt',
      to_char(gone_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text as line
    from support_products where name > ${after} order by name limit ${PAGE}`.execute(tx),
  )
}

async function* pages(read: (after: string) => Promise<{ rows: Line[] }>): AsyncGenerator<Line[]> {
  for (let after = ''; ;) {
    const { rows } = await read(after)
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = last.id
  }
}
