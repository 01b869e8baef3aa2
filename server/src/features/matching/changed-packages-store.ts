/** Which packages have to be matched again after a merge. */
import { sql } from 'kysely'
import { REFERENCE_START } from '../../formats/advisories/reference-keys.ts'
import type { Db } from '../../platform/db/connect.ts'

export interface ChangedKnowledge {
  packageId: string
  /** undefined: all vulnerabilities of the package may have changed. */
  vulnerabilityIds: string[] | undefined
}

/**
 * Packages with a key or an address that a merge changed, those of distributions whose first records came or last ones went, and those
 * of registries that were loaded, in id order. A first import changes hundreds of thousands of keys.
 */
export async function listChangedPackages(db: Db, revision: number): Promise<ChangedKnowledge[]> {
  const ofKeys = db
    .selectFrom('knowledgeChanges as change')
    .innerJoin('packageKeys', 'packageKeys.key', 'change.key')
    .select(['packageKeys.packageId', 'change.vulnerabilityId'])
    .where('change.revision', '=', revision)
  const distribution = sql<string>`substr(change.key, ${DISTRIBUTION.length + 1})`
  const ofDistributions = db
    .selectFrom('knowledgeChanges as change')
    .innerJoin('packages', (join) =>
      join.on('packages.distribution', 'is not', null).on((at) =>
        at.or([
          at('packages.distribution', '=', distribution),
          // A package without release, and records for all releases.
          at('packages.distribution', '=', sql<string>`split_part(${distribution}, ':', 1)`),
          at(sql<string>`split_part(packages.distribution, ':', 1)`, '=', distribution),
        ]),
      ),
    )
    .select(['packages.id as packageId', 'change.vulnerabilityId'])
    .where('change.revision', '=', revision)
    .where(sql<boolean>`starts_with(change.key, ${DISTRIBUTION})`)
  const address = sql<string>`substr(change.key, ${REFERENCE_START.length + 1})`
  const ofAddresses = db
    .selectFrom('knowledgeChanges as change')
    // Whatever the planner thinks of the number of changes, it reads few packages for each.
    .innerJoinLateral(
      (from) =>
        from
          .selectFrom('packages')
          .select('packages.id as packageId')
          .where(sql<boolean>`packages.identity ? 'addresses'`)
          .where(sql<boolean>`packages.identity -> 'addresses' ? ${address}`)
          .offset(0)
          .as('addressed'),
      (join) => join.onTrue(),
    )
    .select(['addressed.packageId', 'change.vulnerabilityId'])
    .where('change.revision', '=', revision)
    .where('change.key', '>=', REFERENCE_START)
    .where('change.key', '<', AFTER_REFERENCES)
  const all = ofKeys
    .unionAll(ofDistributions)
    .unionAll(ofAddresses)
    .unionAll(packagesOfRegistries(db, revision))
  const rows = await db
    .selectFrom(all.as('changed'))
    .select('packageId')
    .select(
      sql<string[] | null>`
        case when bool_and(changed.vulnerability_id <> '*') then array_agg(distinct changed.vulnerability_id) end
      `.as('vulnerabilityIds'),
    )
    .groupBy('packageId')
    .orderBy('packageId')
    .execute()
  return rows.map(({ packageId, vulnerabilityIds }) => ({
    packageId,
    vulnerabilityIds: vulnerabilityIds ?? undefined,
  }))
}

/** Packages of the registries that were loaded. No index has registries: where none was, no package is read. */
function packagesOfRegistries(db: Db, revision: number) {
  const registry = sql<string>`substr(change.key, ${REGISTRY.length + 1})`
  return db
    .selectFrom('knowledgeChanges as change')
    .innerJoinLateral(
      (from) =>
        from
          .selectFrom('packages')
          .select('packages.id as packageId')
          .where('packages.registry', '=', registry)
          .offset(0)
          .as('registered'),
      (join) => join.onTrue(),
    )
    .select(['registered.packageId', 'change.vulnerabilityId'])
    .where('change.revision', '=', revision)
    .where('change.key', '>=', REGISTRY)
    .where('change.key', '<', AFTER_REGISTRIES)
}

/** Begins the keys of changed distributions: `distribution:Debian:11`. */
const DISTRIBUTION = 'distribution:'
const AFTER_REFERENCES = 'reference;'
/** Begins the keys of registries whose records are loaded from now on: `registry:purl:npm/`. */
const REGISTRY = 'registry:'
const AFTER_REGISTRIES = 'registry;'
