/** Owner rules and teams, and which of them hold. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import type { MemberLeaving } from '../workspaces/index.ts'
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
    return auditChange(ctx, tx, { workspaceId, actor, before })
  })
}

/** Puts another member in the place of one who leaves, in rules and teams. */
export async function handOverOwned(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, personId, toId, actor }: MemberLeaving,
): Promise<void> {
  await store.lockOwners(tx, workspaceId)
  const { teams, rules } = await readStored(tx, workspaceId)
  const isNamed =
    rules.some((rule) => rule.personId === personId) ||
    teams.some(({ memberIds }) => memberIds.includes(personId))
  if (!isNamed) return
  const before = await getOwnerRules(tx, { workspaceId })
  const personEmail = (await store.listMemberEmails(tx, workspaceId)).get(toId) ?? null
  const swap = (id: string) => (id === personId ? toId : id)
  await store.replaceOwners(tx, workspaceId, {
    teams: teams.map(({ id, name, memberIds }) => ({
      id,
      name,
      memberIds: [...new Set(memberIds.map(swap))],
    })),
    rules: rules.map(({ id, components, purls, files, firmwareIds, teamId, ...of }) => ({
      id,
      components,
      purls,
      files,
      firmwareIds,
      teamId,
      personId: of.personId && swap(of.personId),
      personEmail: of.personId === personId ? personEmail : of.personEmail,
    })),
  })
  await auditChange(ctx, tx, { workspaceId, actor, before })
}

interface AuditedChange extends Change {
  before: Awaited<ReturnType<typeof getOwnerRules>>
}

async function auditChange(ctx: AppContext, tx: Tx, { workspaceId, actor, before }: AuditedChange) {
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
