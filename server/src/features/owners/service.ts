/** Owner rules and teams, and whom findings belong to. */
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { invalid } from '../../platform/errors.ts'
import type { App } from '../../platform/http/app.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { isMembers } from '../../platform/http/read-only.ts'
import { newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { type Colleague, findMemberOf } from '../discussions/index.ts'
import { readOwners, type StoredOwners } from './rules.ts'
import type { OwnersCommand } from './schemas.ts'
import * as store from './store.ts'

interface Change {
  workspaceId: string
  actor: Actor
  precondition?: Precondition | undefined
}

export async function getOwnerRules(db: Db, { workspaceId }: { workspaceId: string }) {
  const teams = await store.listTeams(db, workspaceId)
  const rules = await store.listRules(db, workspaceId)
  return {
    teams,
    rules: rules.map(({ isVacant, personId, teamId, ...rule }) => ({
      ...withoutEmail(rule),
      memberId: personId,
      team: teamId === null ? null : rule.owner.name,
      vacancy: isVacant ? describeVacancy(rule.owner) : null,
    })),
  }
}

function withoutEmail<Rule extends { personEmail: string | null }>({ ...rule }: Rule) {
  const { personEmail: _, ...shown } = rule
  return shown
}

const describeVacancy = ({ type, name }: store.RuleRow['owner']) =>
  type === 'Member'
    ? `${name || 'The member'} left the workspace, so the rule gives nothing.`
    : `No member of the team ${name} is left, so the rule gives nothing.`

async function readStored(db: Db, workspaceId: string): Promise<StoredOwners> {
  return {
    teams: await store.listTeams(db, workspaceId),
    rules: await store.listRules(db, workspaceId),
  }
}

async function readCommand(db: Db, workspaceId: string, command: OwnersCommand) {
  return readOwners(command, {
    before: await readStored(db, workspaceId),
    members: await store.listMemberEmails(db, workspaceId),
    firmwareIds: await store.listFirmwareIds(db, workspaceId),
    createId: newId,
  })
}

export async function replaceOwnerRules(ctx: AppContext, input: Change & OwnersCommand) {
  const { workspaceId, actor, precondition, ...command } = input
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockOwners(tx, workspaceId)
    const before = await getOwnerRules(tx, { workspaceId })
    precondition?.(before)
    await store.replaceOwners(tx, workspaceId, await readCommand(tx, workspaceId, command))
    const after = await getOwnerRules(tx, { workspaceId })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      resourceType: 'workspace',
      resourceId: workspaceId,
      action: 'owner-rules.update',
      before: summarise(before),
      after: summarise(after),
    })
    return after
  })
}

/** All that is needed to state it again. */
const summarise = ({ teams, rules }: Awaited<ReturnType<typeof getOwnerRules>>) => ({
  teams: teams.map(({ name, members }) => ({ name, members: members.map(({ email }) => email) })),
  rules: rules.map(({ components, purls, files, firmwares, owner }) => ({
    components,
    purls,
    files,
    firmwares: firmwares.map(({ id, name }) => name ?? id),
    owner: owner.name,
  })),
})

/** A rule that gives findings now, and whom it gives them to. */
export interface HoldingRule {
  id: string
  components: string[]
  purls: string[]
  files: string[]
  firmwareIds: string[]
  owner: store.RuleRow['owner']
  /** The members who own what it gives. */
  personIds: string[]
}

/** Rules that hold, in their order: those whose owner left give nothing. */
export async function listHoldingRules(db: Db, workspaceId: string): Promise<HoldingRule[]> {
  const rules = await store.listRules(db, workspaceId)
  if (rules.length === 0) return []
  const teams = rules.some(({ teamId }) => teamId !== null)
    ? await store.listTeams(db, workspaceId)
    : []
  return holdRules(rules, teams)
}

const holdRules = (rules: readonly store.RuleRow[], teams: StoredOwners['teams']): HoldingRule[] =>
  rules
    .filter(({ isVacant }) => !isVacant)
    .map(({ id, components, purls, files, firmwareIds, owner, personId, teamId }) => ({
      id,
      components,
      purls,
      files,
      firmwareIds,
      owner,
      personIds:
        personId === null
          ? (teams.find((team) => team.id === teamId)?.memberIds ?? [])
          : [personId],
    }))

/** The rules of a command as they would hold; nothing is written. */
export async function readHoldingRules(
  db: Db,
  workspaceId: string,
  command: OwnersCommand,
): Promise<HoldingRule[]> {
  const { teams, rules } = await readCommand(db, workspaceId, command)
  const emails = await store.listMemberEmails(db, workspaceId)
  return holdRules(
    rules.map((rule) => {
      const team = teams.find(({ id }) => id === rule.teamId)
      const owner: store.RuleRow['owner'] = team
        ? { type: 'Team', id: team.id, name: team.name }
        : { type: 'Member', id: rule.personId ?? '', name: rule.personEmail ?? '' }
      const isVacant = !team && !emails.has(rule.personId ?? '')
      return { ...rule, firmwares: [], owner, isVacant }
    }),
    teams,
  )
}

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
      : await store.listRulesOfPackages(db, { workspaceId, rules, among }, ids)
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
