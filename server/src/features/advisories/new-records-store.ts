/** Records that are written past the staging table, as most of a first import. */
import { sql } from 'kysely'
import type { AdvisorySource } from '../../formats/advisories/model.ts'
import type { Tx } from '../../platform/db/connect.ts'

/** Whether nobody knows most of the staged records yet. They are looked up one by one, as they are few beside the known ones. */
export async function areMostlyNew(tx: Tx, source: AdvisorySource): Promise<boolean> {
  const { rows } = await sql<{ areMostlyNew: boolean }>`
    select 10 * count(stored.id) < count(*) as are_mostly_new
    from staged_advisories as staged
    left join lateral (
      select id from advisories where advisories.source = ${source} and advisories.id = staged.id offset 0
    ) as stored on true
    where staged.source = ${source}`.execute(tx)
  return rows[0]?.areMostlyNew === true
}

/** Which of these records are stored or staged. */
export async function findKnown(
  tx: Tx,
  source: AdvisorySource,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select known.id
    from unnest(${ids}::text[]) as given (id) cross join lateral (
      select id from advisories where advisories.source = ${source} and advisories.id = given.id offset 0
    ) as known
    union
    select id from staged_advisories where source = ${source} and id = any(${ids}::text[])`.execute(
    tx,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Fills `changed` and `moved`: each record stands for the vulnerability with its id. */
export async function noteNew(
  tx: Tx,
  source: AdvisorySource,
  { ids, areWithdrawn }: { ids: readonly string[]; areWithdrawn: readonly boolean[] },
): Promise<void> {
  await sql`
    insert into changed (id, is_new, is_relinked, is_withdrawal, is_repeated)
    select id, true, true, is_withdrawn, false
    from unnest(${ids}::text[], ${areWithdrawn}::boolean[]) as given (id, is_withdrawn) order by id collate "C"`.execute(
    tx,
  )
  await sql`
    insert into moved (source, advisory_id, vulnerability_id, is_new)
    select ${source}, id, id, true from changed`.execute(tx)
  await sql`analyze changed, moved`.execute(tx)
}

/** As `rememberRead`, for the records in `changed`. */
export async function rememberNew(tx: Tx): Promise<void> {
  await sql`
    insert into read_ids (id) select id from changed order by id on conflict do nothing`.execute(tx)
}

/** Packages with these keys have to be matched again, whatever the vulnerability. */
export async function noteKeys(tx: Tx, keys: readonly string[]): Promise<void> {
  await sql`
    insert into changed_keys (key, vulnerability_id)
    select key, '*' from unnest(${keys}::text[]) as given (key) order by key collate "C"
    on conflict do nothing`.execute(tx)
}
