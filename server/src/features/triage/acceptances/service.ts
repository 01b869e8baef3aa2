/** Lists acceptances, and changes many of them: renews, hands over, ends. */
import { type Acceptance, describeAcceptance } from '../../../formats/acceptances.ts'
import { encodeFindingId, type FindingKey } from '../../../formats/finding-id.ts'
import { addDays, parseInstant } from '../../../formats/instants.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { lockPackages } from '../../../platform/db/package-locks.ts'
import { invalid } from '../../../platform/errors.ts'
import { openPage, type PageRequested } from '../../../platform/http/paging.ts'
import { type AuditAction, listFindingSubjects, recordAudit } from '../../audit/index.ts'
import { lockFirmwareVersions } from '../../firmware/index.ts'
import { recordLockedDecisions } from '../../findings/index.ts'
import { getSettings } from '../../workspaces/index.ts'
import type { DecisionAct } from '../batches/store.ts'
import { type BulkAct, changeAll, type Changes } from '../bulk/service.ts'
import type { BulkChange } from '../bulk/store.ts'
import { describeActor } from '../service.ts'
import * as store from './list-store.ts'
import { readEnd, type StatedConditions } from './terms.ts'
import { findOwner, readRepeatedTerms } from './terms-service.ts'

/** As for decisions: more findings would lock their firmware versions for minutes. */
const MOST_FINDINGS = 100_000

interface Asked {
  workspaceId: string
  filter?: store.AcceptanceFilter
}

async function readScope(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, filter = {} }: Asked,
): Promise<store.AcceptanceScopeAsked> {
  const { acceptanceNoticeDays } = await getSettings(ctx, workspaceId)
  const { endsBefore: before, endedSince: since, ...others } = filter
  const instants = {
    ...(before !== undefined && { endsBefore: readInstant(before, 'endsBefore') }),
    ...(since !== undefined && { endedSince: readInstant(since, 'endedSince') }),
  }
  return {
    workspaceId,
    filter: { ...others, ...instants },
    soon: addDays(ctx.now(), Math.max(1, acceptanceNoticeDays)),
  }
}

const readInstant = (text: string, name: string) =>
  parseInstant(text, `/filter/${name}`).toISOString()

export async function listAcceptances(ctx: AppContext, input: Asked & PageRequested) {
  const { workspaceId, filter, ...request } = input
  const scope = await readScope(ctx, input)
  const { after, rowLimit, cut } = openPage(
    ctx,
    ['acceptances', workspaceId, filter ?? {}],
    request,
  )
  const rows = await store.listAcceptances(ctx.db, scope, {
    limit: rowLimit,
    after: after && [Number(after[0]), String(after[1]), String(after[2]), String(after[3])],
  })
  const { page, next } = cut(rows, (row) => [
    row.place,
    row.firmwareVersionId,
    row.packageId,
    row.vulnerabilityId,
  ])
  const { states: _, ...others } = scope.filter
  const counts = await store.countAcceptances(ctx.db, { ...scope, filter: others })
  return { acceptances: page.map((row) => describeRow(row, scope.soon)), counts, ...next }
}

function describeRow(row: store.AcceptanceRow, soon: Date) {
  const { firmwareVersionId, firmwareVersionName, firmwareId, firmwareName, acceptance } = row
  const { componentName, componentVersion, severity, isExploited, epssScore } = row
  const { affectedDevices, ownerEmail, assessment } = row
  return {
    findingId: encodeFindingId(row),
    cveId: row.vulnerabilityId,
    state: chooseState(row, soon),
    componentName,
    componentVersion,
    firmwareVersion: {
      id: firmwareVersionId,
      name: firmwareVersionName,
      firmware: { id: firmwareId, name: firmwareName },
    },
    severity,
    isExploited,
    epssScore,
    affectedDevices,
    assessment,
    ownerEmail,
    acceptance: describeAcceptance(acceptance) ?? null,
  }
}

function chooseState({ ignored, acceptance }: store.AcceptanceRow, soon: Date) {
  if (!ignored) return 'Ended' as const
  const { until } = acceptance
  return until !== null && until <= soon.toISOString() ? ('EndingSoon' as const) : ('Open' as const)
}

interface ChangeMany extends Asked {
  actor: Actor
  findingIds?: string[]
  dryRun?: boolean
  decisionBatchId?: string
  expectedMatched?: number
}

/** Also those that ended: they are ignored again, until the new end. */
export async function renewAcceptances(
  ctx: AppContext,
  { until: asked, reason, ownerId, conditions, ...input }: ChangeMany & RenewedTerms,
) {
  const { workspaceId } = input
  const now = ctx.now()
  const until = readEnd(asked, now, '/until')
  const { owner, requireWhole } = await ctx.db.transaction().execute(async (tx) => ({
    owner: await readOwner(tx, workspaceId, ownerId),
    requireWhole: await readRepeatedTerms(tx, { workspaceId, pointer: '' }),
  }))
  const act = {
    action: 'acceptance.renew',
    act: 'Renew',
    summary: { until, reason, ...(owner && { owner }), ...(conditions && { conditions }) },
  } as const
  return changeMany(ctx, input, act, ({ acceptance }) => {
    const renewed = {
      owner: owner ?? acceptance.owner,
      conditions: { ...acceptance.conditions, ...conditions },
      until,
      reason: reason ?? acceptance.reason,
      acceptedAt: now.toISOString(),
      acceptedByEmail: input.actor.email ?? null,
    }
    requireWhole(renewed)
    return { ignored: true, acceptance: renewed }
  })
}

interface RenewedTerms {
  until: string | null
  /** Absent: each keeps its own. */
  reason?: string
  ownerId?: string
  /** Those that are absent stay. */
  conditions?: StatedConditions
}

async function readOwner(tx: Tx, workspaceId: string, ownerId: string | undefined) {
  const member = await findOwner(tx, workspaceId, ownerId ?? null, '/ownerId')
  return member && { id: member.subjectId, email: member.email }
}

export async function handOverAcceptances(
  ctx: AppContext,
  { ownerId, ...input }: ChangeMany & { ownerId: string },
) {
  const owner = await ctx.db
    .transaction()
    .execute((tx) => readOwner(tx, input.workspaceId, ownerId))
  const act = {
    action: 'acceptance.hand-over',
    act: 'HandOver',
    summary: { owner: owner?.email ?? null },
  } as const
  return changeMany(ctx, input, act, ({ ignored, acceptance }) =>
    ignored && acceptance.owner?.id !== owner?.id
      ? { ignored, acceptance: { ...acceptance, owner } }
      : undefined,
  )
}

export async function endAcceptances(ctx: AppContext, input: ChangeMany) {
  const act = { action: 'acceptance.end', act: 'Unignore', summary: {} } as const
  return changeMany(ctx, input, act, ({ ignored }) => (ignored ? { ignored: false } : undefined))
}

type Said = store.SaidOfFinding & { acceptance: Acceptance }

interface Act {
  action: AuditAction
  act: DecisionAct
  summary: object
}

/** `changeOf`: undefined where nothing changes. Findings that nobody accepted stay as they are. */
async function changeMany(
  ctx: AppContext,
  input: ChangeMany,
  act: Act,
  changeOf: (said: Said) => BulkChange | undefined,
) {
  const { filter, ...named } = input
  if ((named.findingIds === undefined) === (filter === undefined))
    throw invalid('State either findingIds or a filter.', filter ? '/filter' : '/findingIds')
  const scope = filter && (await readScope(ctx, input))
  const decided: BulkAct = {
    ...act,
    summary: { ...act.summary, ...(filter && { filter }) },
    assessment: null,
    ...(scope && { select: (_, tx, terms) => selectAccepted(tx, scope, terms) }),
  }
  return changeAll(ctx, named, decided, async (tx, keys) => {
    const said = await store.listSaid(tx, input.workspaceId, keys)
    return {
      assessments: said.map(({ assessment }) => assessment),
      changes: listChanges(said, changeOf),
    }
  })
}

function listChanges(
  said: readonly store.SaidOfFinding[],
  changeOf: (said: Said) => BulkChange | undefined,
): Changes['changes'] {
  return said.flatMap(({ acceptance, ...one }) => {
    const change = acceptance && changeOf({ ...one, acceptance })
    const { firmwareVersionId, packageId, vulnerabilityId } = one
    return change ? [{ firmwareVersionId, packageId, vulnerabilityId, ...change }] : []
  })
}

/** Found once to know what to lock, and again under the locks. */
async function selectAccepted(
  tx: Tx,
  scope: store.AcceptanceScopeAsked,
  { isLocking }: { isLocking: boolean },
): Promise<FindingKey[]> {
  const find = () => store.listAcceptedKeys(tx, scope, MOST_FINDINGS + 1)
  const found = await find()
  if (found.length > MOST_FINDINGS)
    throw invalid(
      `The filter selects more than ${MOST_FINDINGS} acceptances. Narrow it.`,
      '/filter',
    )
  if (!isLocking || found.length === 0) return found
  const distinct = (ids: readonly string[]) => [...new Set(ids)].toSorted()
  const versions = distinct(found.map((key) => key.firmwareVersionId))
  await lockFirmwareVersions(tx, scope.workspaceId, versions)
  await lockPackages(tx, distinct(found.map((key) => key.packageId)), 'shared')
  const known = new Set(found.map(encodeFindingId))
  return (await find()).filter((key) => known.has(encodeFindingId(key)))
}

interface MemberLeaving {
  workspaceId: string
  personId: string
  /** null: they stay without an owner. */
  toId: string | null
  actor: Actor
}

/** Gives what a member looks after to another, in the transaction in which the member leaves. */
export async function handOverOfMember(
  ctx: AppContext,
  tx: Tx,
  { workspaceId, personId, toId, actor }: MemberLeaving,
): Promise<void> {
  if (toId === null) return
  const member = await findOwner(tx, workspaceId, toId, '/query/acceptancesTo')
  if (!member || member.subjectId === personId)
    throw invalid('The member who leaves cannot take them.', '/query/acceptancesTo')
  const filter = { states: ['Open' as const, 'EndingSoon' as const], ownerIds: [personId] }
  const scope = { workspaceId, filter, soon: ctx.now() }
  const keys = await selectAccepted(tx, scope, { isLocking: true })
  if (keys.length === 0) return
  const owner = { id: member.subjectId, email: member.email }
  const changes = listChanges(
    await store.listSaid(tx, workspaceId, keys),
    ({ ignored, acceptance }) =>
      ignored ? { ignored, acceptance: { ...acceptance, owner } } : undefined,
  )
  const by = describeActor(actor)
  const decisions = changes.map((change) => ({ ...change, ...by }))
  await recordLockedDecisions(ctx, tx, { workspaceId, decisions })
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    action: 'acceptance.hand-over',
    resourceType: 'workspace',
    resourceId: workspaceId,
    after: {
      owner: owner.email,
      changed: changes.length,
      cveCount: new Set(keys.map((key) => key.vulnerabilityId)).size,
      firmwareVersionCount: new Set(keys.map((key) => key.firmwareVersionId)).size,
    },
    about: listFindingSubjects(keys),
  })
}
