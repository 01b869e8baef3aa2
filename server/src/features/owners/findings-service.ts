/** Whom findings belong to: in filters, rows, files and mails. */
import { type RawBuilder, sql } from 'kysely'
import type { FindingKey } from '../../formats/finding-id.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { invalid } from '../../platform/errors.ts'
import type { App } from '../../platform/http/app.ts'
import { isMembers } from '../../platform/http/read-only.ts'
import { addDiscussions, type Colleague, findMemberOf } from '../discussions/index.ts'
import { type HoldingRule, listHoldingRules } from './service.ts'
import * as store from './store.ts'

interface Asked {
  workspaceId: string
  /** Ids of members and teams, and `none`. */
  owners: readonly string[]
  /** On `fact`: the findings that are asked for. */
  among: RawBuilder<unknown>
  /** Those that hold now if left out. */
  rules?: readonly HoldingRule[] | undefined
}

/** What a filter by owner stands for. */
export async function findOwned(
  db: Db,
  { workspaceId, owners, among, rules: given }: Asked,
): Promise<store.OwnedScope> {
  const rules = given ?? (await listHoldingRules(db, workspaceId))
  const wanted = rules.flatMap(({ owner, personIds }, number) =>
    owners.includes(owner.id) || personIds.some((id) => owners.includes(id)) ? [number] : [],
  )
  if (owners.includes('none')) wanted.push(rules.length)
  const scope = { workspaceId, rules, among }
  const found = wanted.length === 0 ? NOTHING : await store.findOwnedPackages(db, scope, wanted)
  return {
    ...found,
    personIds: owners.filter((id) => UUID.test(id)),
    findings: store.selectOwnedFindings(scope, wanted),
    isMixed: found.packageIds.length !== found.wholePackageIds.length,
  }
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/

const NOTHING: store.OwnedPackages = {
  packageIds: [],
  wholePackageIds: [],
  componentNames: [],
  wholeComponentNames: [],
}

interface OwnedRows<Row> {
  workspaceId: string
  among: RawBuilder<unknown>
  packagesOf: (row: Row) => readonly string[]
}

export interface Owner {
  type: 'Member' | 'Team'
  id: string
  name: string
  ruleId: string | null
}

/** To rows of vulnerabilities: whom their findings belong to. Whoever is assigned comes before all rules. */
export async function addOwners<Row extends { assignee: Colleague | null }>(
  db: Db,
  rows: readonly Row[],
  { workspaceId, among, packagesOf }: OwnedRows<Row>,
): Promise<(Row & { owners: Owner[]; isPartlyUnowned: boolean })[]> {
  const rules = rows.length === 0 ? [] : await listHoldingRules(db, workspaceId)
  const ids = [...new Set(rows.flatMap(packagesOf))]
  const placed =
    rules.length === 0
      ? new Map<string, number[]>()
      : await store.listRulesOfPackages(db, { workspaceId, rules, among, packageIds: ids })
  return rows.map((row) => {
    if (row.assignee) {
      const { subjectId: id, email: name } = row.assignee
      const owner = { type: 'Member' as const, id, name, ruleId: null }
      return { ...row, owners: [owner], isPartlyUnowned: false }
    }
    const numbers = [
      ...new Set(packagesOf(row).flatMap((id) => placed.get(id) ?? [rules.length])),
    ].toSorted((one, other) => one - other)
    return { ...row, ...nameOwners(rules, numbers) }
  })
}

/** Each owner once, by the first of the rules that give something to them. */
function nameOwners(rules: readonly HoldingRule[], numbers: readonly number[]) {
  const owners = new Map<string, Owner>()
  for (const number of numbers) {
    const rule = rules[number]
    if (rule && !owners.has(rule.owner.id))
      owners.set(rule.owner.id, { ...rule.owner, ruleId: rule.id })
  }
  return { owners: [...owners.values()], isPartlyUnowned: numbers.includes(rules.length) }
}

interface OfFindings {
  workspaceId: string
  findings: readonly (FindingKey | undefined)[]
}

/** The members who own each finding now: who is assigned, else those whom the first rule that fits gives it to. */
export async function listOwningMembers(
  db: Db,
  { workspaceId, findings }: OfFindings,
): Promise<string[][]> {
  const keys = findings.filter((key) => key !== undefined)
  const rules = keys.length === 0 ? [] : await listHoldingRules(db, workspaceId)
  const pairs =
    rules.length === 0 ? [] : await store.listRulesOfPairs(db, { workspaceId, rules }, keys)
  const placed = new Map(pairs.map((pair) => [namePair(pair), rules[pair.rule]?.personIds]))
  const named = keys.map(({ vulnerabilityId: cveId }) => ({ cveId }))
  const discussed = await addDiscussions(db, workspaceId, named)
  const assigned = new Map(discussed.map(({ cveId, assignee }) => [cveId, assignee?.subjectId]))
  return findings.map((key) => {
    if (!key) return []
    const assigneeId = assigned.get(key.vulnerabilityId)
    return assigneeId === undefined ? (placed.get(namePair(key)) ?? []) : [assigneeId]
  })
}

const namePair = ({ firmwareVersionId, packageId }: Omit<FindingKey, 'vulnerabilityId'>) =>
  `${firmwareVersionId} ${packageId}`

interface OfVersion {
  workspaceId: string
  firmwareVersionId: string
}

/** Whom the findings of a version belong to, by name. Whoever is assigned comes before all rules. */
export async function readOwnersOfVersion(
  db: Db,
  { workspaceId, firmwareVersionId }: OfVersion,
): Promise<(finding: { packageId: string; assignee: string | null }) => string | null> {
  const rules = await listHoldingRules(db, workspaceId)
  const among = sql`fact.firmware_version_id = ${firmwareVersionId}`
  const placed =
    rules.length === 0
      ? new Map<string, number[]>()
      : await store.listRulesOfPackages(db, { workspaceId, rules, among })
  return ({ packageId, assignee }) =>
    assignee ?? rules[placed.get(packageId)?.[0] ?? rules.length]?.owner.name ?? null
}

/** Filters name owners as people do: `me`, and teams by their name. Handlers get ids. */
export function installOwnerNames(workspace: App, ctx: AppContext): void {
  workspace.addHook('preHandler', async ({ params, body, principal }) => {
    const filter = isMembers(body) ? body['filter'] : undefined
    const named = isMembers(filter) ? filter['owners'] : undefined
    if (!isMembers(filter) || !Array.isArray(named)) return
    const { workspaceId } = params as { workspaceId: string }
    filter['owners'] = await resolveOwners(ctx.db, { workspaceId, named, actor: principal.actor })
  })
}

async function resolveOwners(
  db: Db,
  { workspaceId, named, actor }: { workspaceId: string; named: readonly unknown[]; actor: Actor },
): Promise<string[]> {
  const teams = await store.listTeams(db, workspaceId)
  const members = await store.listMemberEmails(db, workspaceId)
  const me = named.includes('me') ? await findMemberOf(db, workspaceId, actor) : undefined
  const resolved = named.map((given, place) => {
    const text = String(given)
    if (text === 'none') return text
    if (text === 'me' && me !== undefined) return me
    if (text === 'me')
      throw invalid('Whoever asks is no member of the workspace.', `/filter/owners/${place}`)
    const id = text.toLowerCase()
    // Who left owns nothing; a view that names them is listed as empty.
    if (members.has(id) || UUID.test(id)) return id
    const team = teams.find((one) => one.id === id) ?? teams.find(({ name }) => name === text)
    if (!team)
      throw invalid(
        `No member and no team of the workspace is ${JSON.stringify(text)}: state me, none, an id, or the name of a team.`,
        `/filter/owners/${place}`,
      )
    return team.id
  })
  return [...new Set(resolved)].toSorted()
}
