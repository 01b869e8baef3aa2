/** What `admin doctor` examines of knowledge: what is kept beside the records. */
import { sql } from 'kysely'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import {
  summariseFaults,
  readSnapshot,
  type InstallationCheck,
} from '../../platform/doctor/check.ts'
import { lockMerges } from './merging/store.ts'
import { flagExploitsAgain } from './merging/service.ts'

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
    from json_array_elements(affected.statements) as statement
  ) as distributions
  where affected.source not in ('cvelist', 'nvd') and affected.key ~ '^purl:(deb|rpm|apk)/'
  group by stated`

interface MiscountedTotal {
  stated: string
  amount: number | null
  expected: number | null
}

async function listMiscounted(db: Db): Promise<MiscountedTotal[]> {
  const { rows } = await sql<MiscountedTotal>`
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

/**
 * Advisories are evidence for the CVEs they name. Those that name none and share an id are evidence for the same
 * (links-store.ts). What they are evidence for can be found by its own name.
 */
export async function listMislinked(db: Db): Promise<string[]> {
  const { rows } = await sql<{ fault: string }>`
    with named as (
      select distinct source, id as advisory_id, unnest(cve_ids) as vulnerability_id, true as is_named from advisories
    ), linked as (
      select link.*, true as is_linked
      from advisory_vulnerabilities as link
      join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
      where advisory.cve_ids <> '{}'
    ), bare as (
      select advisory.source, advisory.id, advisory.linked_ids, array(
        select vulnerability_id from advisory_vulnerabilities as link
        where link.source = advisory.source and link.advisory_id = advisory.id order by 1) as vulnerability_ids
      from advisories as advisory where advisory.cve_ids = '{}'
    )
    select source || ' ' || advisory_id || case when is_named
        then ' names ' || vulnerability_id || ' and is no evidence for it'
        else ' is evidence for ' || vulnerability_id || ' and does not name it' end as fault
    from named full join linked using (source, advisory_id, vulnerability_id)
    where is_named is null or is_linked is null
    union all
    select source || ' ' || id || ' is evidence for nothing' from bare
    where linked_ids <> '{}' and vulnerability_ids = '{}'
    union all
    select 'advisories that share the id ' || shared.id || ' are evidence for different vulnerabilities'
    from bare cross join lateral unnest(linked_ids) as shared (id)
    group by shared.id having count(distinct vulnerability_ids) > 1
    union all
    select distinct link.vulnerability_id || ' is not found by its own name'
    from advisory_vulnerabilities as link
    where not exists (
      select from vulnerability_aliases as known
      where known.alias = link.vulnerability_id and known.vulnerability_id = link.vulnerability_id)
    union all
    select alias || ' is a name of ' || vulnerability_id || ', which does not exist'
    from vulnerability_aliases as known
    where not exists (select from vulnerabilities where vulnerabilities.id = known.vulnerability_id)
    order by fault`.execute(db)
  return rows.map(({ fault }) => fault)
}

export const advisoryChecks: readonly InstallationCheck[] = [
  {
    scope: 'Installation',
    name: 'advisory-links',
    meaning:
      'advisories are evidence for the vulnerabilities that their ids give, which have their names',
    remedy:
      'Import the source again (`plimsoll-admin feeds import`), which links its records anew.',
    find: (ctx) => readSnapshot(ctx, async (db) => summariseFaults(await listMislinked(db))),
  },
  {
    scope: 'Installation',
    name: 'exploited-vulnerabilities',
    meaning: 'vulnerabilities are marked as exploited that the catalogue of CISA names',
    find: (ctx) =>
      readSnapshot(ctx, async (db) =>
        summariseFaults(
          (await listMisflagged(db)).map((id) => `${id} is marked otherwise than listed`),
        ),
      ),
    repair: flagExploitsAgain,
  },
  {
    scope: 'Installation',
    name: 'known-distributions',
    meaning: 'records of each distribution are as many as a recount gives',
    find: (ctx) =>
      readSnapshot(ctx, async (db) =>
        summariseFaults(
          (await listMiscounted(db)).map(
            ({ stated, amount, expected }) =>
              `${stated}: ${amount ?? 0} records instead of ${expected ?? 0}`,
          ),
        ),
      ),
    repair: recountDistributions,
  },
]
