/** What people call the subjects of an entry, in their workspace alone. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import { isUuid } from '../../platform/ids.ts'
import { nameKey, type Subject, type SubjectKey, type SubjectType } from './subjects.ts'
import { describeSelector } from './telling.ts'

interface NamedRow {
  id: string
  name: string
  /** What it is part of. */
  partOf?: Subject
}

type FindNames = (db: Db, workspaceId: string, ids: string[]) => Promise<NamedRow[]>

/** One statement, however many there are. */
const isOneOf = (column: string, ids: readonly string[]) =>
  sql<boolean>`${sql.ref(column)} = any(${ids}::uuid[])`

const inTable =
  (table: string): FindNames =>
  async (db, workspaceId, ids) => {
    const { rows } = await sql<NamedRow>`
      select id, name from ${sql.table(table)}
      where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])`.execute(db)
    return rows
  }

const findVersions: FindNames = async (db, workspaceId, ids) => {
  const rows = await db
    .selectFrom('firmwareVersions as version')
    .innerJoin('firmwares as firmware', (join) =>
      join
        .on('firmware.workspaceId', '=', workspaceId)
        .onRef('firmware.id', '=', 'version.firmwareId'),
    )
    .select(['version.id', 'version.name', 'firmware.id as firmwareId'])
    .select('firmware.name as firmwareName')
    .where('version.workspaceId', '=', workspaceId)
    .where(isOneOf('version.id', ids))
    .execute()
  return rows.map(({ id, name, firmwareId, firmwareName }) => ({
    id,
    name: `${firmwareName} ${name}`,
    partOf: { type: 'firmware', id: firmwareId, name: firmwareName },
  }))
}

const findDeployments: FindNames = async (db, workspaceId, ids) => {
  const rows = await db
    .selectFrom('deployments as deployment')
    .innerJoin('deploymentCohorts as cohort', (join) =>
      join
        .on('cohort.workspaceId', '=', workspaceId)
        .onRef('cohort.id', '=', 'deployment.cohortId'),
    )
    .select(['deployment.id', 'deployment.name', 'cohort.id as cohortId'])
    .select('cohort.name as cohortName')
    .where('deployment.workspaceId', '=', workspaceId)
    .where(isOneOf('deployment.id', ids))
    .execute()
  return rows.map(({ id, name, cohortId, cohortName }) => ({
    id,
    name,
    partOf: { type: 'deployment-cohort', id: cohortId, name: cohortName },
  }))
}

const findIncidents: FindNames = async (db, workspaceId, ids) => {
  const rows = await db
    .selectFrom('alertIncidents')
    .select(['id', 'ruleId', 'ruleName'])
    .where('workspaceId', '=', workspaceId)
    .where(isOneOf('id', ids))
    .execute()
  return rows.map(({ id, ruleId, ruleName: name }) => ({
    id,
    name,
    partOf: { type: 'alert-rule', id: ruleId, name },
  }))
}

/** Nobody outside the workspace is looked up. */
const findMembers: FindNames = (db, workspaceId, ids) =>
  db
    .selectFrom('members as member')
    .innerJoin('people as person', 'person.id', 'member.subjectId')
    .select(['person.id', 'person.displayName as name'])
    .where('member.workspaceId', '=', workspaceId)
    .where(isOneOf('member.subjectId', ids))
    .execute()

const findOverrides: FindNames = async (db, workspaceId, ids) => {
  const rows = await db
    .selectFrom('packageOverrides')
    .select(['id', 'selectedName', 'selectedVersion', 'selectedPurl', 'selectedCpe'])
    .where('workspaceId', '=', workspaceId)
    .where(isOneOf('id', ids))
    .execute()
  return rows.map(({ id, ...selector }) => ({ id, name: describeSelector(selector) }))
}

/** As the slice of crashes names them. */
const findCrashGroups: FindNames = async (db, workspaceId, ids) => {
  const rows = await db
    .selectFrom('crashGroups')
    .select(['id', 'reason', 'frames', 'buildId'])
    .where('workspaceId', '=', workspaceId)
    .where(isOneOf('id', ids))
    .execute()
  return rows.map(({ id, reason, frames: [top], buildId }) => {
    if (top === undefined) return { id, name: reason }
    return { id, name: `${reason} ${buildId === null ? `in ${top}` : `at ${top} of ${buildId}`}` }
  })
}

/** Ids of other types are what people call them. */
const FINDERS: Readonly<Partial<Record<SubjectType, FindNames>>> = {
  'alert-incident': findIncidents,
  'alert-rule': inTable('alert_rules'),
  'api-key': inTable('api_keys'),
  case: async (db, workspaceId, ids) =>
    db
      .selectFrom('cases')
      .select(['id', 'title as name'])
      .where('workspaceId', '=', workspaceId)
      .where(isOneOf('id', ids))
      .execute(),
  'crash-group': findCrashGroups,
  customer: inTable('customers'),
  deployment: findDeployments,
  'deployment-cohort': inTable('deployment_cohorts'),
  'device-issuer': inTable('device_issuers'),
  'device-key': inTable('device_keys'),
  'disclosure-report': async (db, workspaceId, ids) =>
    db
      .selectFrom('disclosureReports')
      .select(['id', 'title as name'])
      .where('workspaceId', '=', workspaceId)
      .where(isOneOf('id', ids))
      .execute(),
  firmware: inTable('firmwares'),
  'firmware-version': findVersions,
  member: findMembers,
  'notification-target': inTable('notification_targets'),
  'package-override': findOverrides,
  'product-line': inTable('product_lines'),
  'security-advisory': async (db, workspaceId, ids) =>
    db
      .selectFrom('securityAdvisories')
      .select(['id', 'title as name'])
      .where('workspaceId', '=', workspaceId)
      .where(isOneOf('id', ids))
      .execute(),
  'standing-address': inTable('shared_links'),
  'supplier-feed': inTable('supplier_feeds'),
  'upstream-report': async (db, workspaceId, ids) =>
    db
      .selectFrom('upstreamReports')
      .select(['id', 'recipient as name'])
      .where('workspaceId', '=', workspaceId)
      .where(isOneOf('id', ids))
      .execute(),
  webhook: inTable('webhooks'),
}

/** The subjects with their names, and after them what they are part of. */
export async function nameSubjects(
  db: Db,
  workspaceId: string,
  keys: readonly SubjectKey[],
): Promise<Subject[]> {
  const names = new Map<string, string>()
  const wholes: Subject[] = []
  for (const [type, ofType] of Map.groupBy(keys, (key) => key.type)) {
    const ids = ofType.map(({ id }) => id)
    for (const { id, name, partOf } of await findNames(db, workspaceId, { type, ids })) {
      names.set(nameKey({ type, id }), name)
      if (partOf) wholes.push(partOf)
    }
  }
  const named = keys.map((key) => ({ ...key, name: names.get(nameKey(key)) ?? null }))
  const known = new Set(keys.map(nameKey))
  const others = new Map(wholes.map((whole) => [nameKey(whole), whole]))
  return [...named, ...[...others.values()].filter((whole) => !known.has(nameKey(whole)))]
}

async function findNames(
  db: Db,
  workspaceId: string,
  { type, ids }: { type: SubjectType; ids: readonly string[] },
): Promise<NamedRow[]> {
  const find = FINDERS[type]
  if (!find) return ids.map((id) => ({ id, name: id }))
  const uuids = ids.filter(isUuid)
  return uuids.length === 0 ? [] : find(db, workspaceId, uuids)
}
