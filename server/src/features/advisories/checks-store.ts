/** What `admin doctor` examines of knowledge: what is kept beside the records. */
import { sql } from 'kysely'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { examined, inSnapshot, type InstallationCheck } from '../../platform/doctor/check.ts'
import { lockMerges } from './merge-store.ts'
import { flagExploitsAgain } from './merge-service.ts'

async function listMisflagged(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from vulnerabilities
    where is_known_exploit <> exists (select from kev_entries where cve_id = vulnerabilities.id)
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** As they are counted when advisories are merged: pairs of record and package. */
const RECOUNT = sql`
  select stated, count(*)::int as amount
  from advisory_affected as affected
  cross join lateral (
    select distinct coalesce(statement ->> 'distro', split_part(affected.key, '/', 2)) as stated
    from jsonb_array_elements(affected.statements) as statement
  ) as distributions
  where affected.source not in ('cvelist', 'nvd') and affected.key ~ '^purl:(deb|rpm|apk)/'
  group by stated`

interface Miscounted {
  stated: string
  amount: number | null
  expected: number | null
}

async function listMiscounted(db: Db): Promise<Miscounted[]> {
  const { rows } = await sql<Miscounted>`
    select stated, known.amount, recount.amount as expected
    from known_distributions as known full join (${RECOUNT}) as recount using (stated)
    where known.amount is distinct from recount.amount order by stated`.execute(db)
  return rows
}

/** No merge writes meanwhile. */
async function recountDistributions({ db }: AppContext): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockMerges(tx)
    await sql`delete from known_distributions`.execute(tx)
    await sql`insert into known_distributions (stated, amount) ${RECOUNT}`.execute(tx)
  })
}

export const advisoryChecks: readonly InstallationCheck[] = [
  {
    scope: 'Installation',
    name: 'exploited-vulnerabilities',
    meaning: 'vulnerabilities are marked as exploited that the catalogue of CISA names',
    find: (ctx) =>
      inSnapshot(ctx, async (db) =>
        examined((await listMisflagged(db)).map((id) => `${id} is marked otherwise than listed`)),
      ),
    repair: flagExploitsAgain,
  },
  {
    scope: 'Installation',
    name: 'known-distributions',
    meaning: 'records of each distribution are as many as a recount gives',
    find: (ctx) =>
      inSnapshot(ctx, async (db) =>
        examined(
          (await listMiscounted(db)).map(
            ({ stated, amount, expected }) =>
              `${stated}: ${amount ?? 0} records instead of ${expected ?? 0}`,
          ),
        ),
      ),
    repair: recountDistributions,
  },
]
