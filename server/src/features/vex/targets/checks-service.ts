/** What `admin doctor` examines of statements: that they apply to what they name in the present inventories. */
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import {
  type CheckFaults,
  summariseFaults,
  readSnapshot,
  type WorkspaceCheck,
  withoutTimeLimit,
} from '../../../platform/doctor/check.ts'
import { lockFirmwareVersion } from '../../firmware/index.ts'
import { listStatedVersions, listTargets, type StoredTarget, type TargetRow } from '../store.ts'
import { findTargets, type StatementTargets } from './service.ts'
import type { VersionScope } from './store.ts'

interface CheckOutcome {
  faults: string[]
  notJudged: string[]
}

async function judgeVersion(db: Db, scope: VersionScope): Promise<CheckOutcome> {
  const stored = Map.groupBy(await listTargets(db, scope), ({ statementId }) => statementId)
  const judged: CheckOutcome = { faults: [], notJudged: [] }
  for (const wanted of await findTargets(db, scope)) {
    const kept = stored.get(wanted.id) ?? []
    if (areSame(kept, wanted.rows)) continue
    const statement = `firmware version ${scope.firmwareVersionId}, statement ${wanted.id}`
    if (mayBeOfFormerName(wanted, kept))
      judged.notJudged.push(`${statement} names nothing that is there today, as after a new name`)
    else
      judged.faults.push(`${statement} applies to ${shown(kept)} instead of ${shown(wanted.rows)}`)
  }
  return judged
}

/** A new name of a firmware or version counts from the next change of the inventory on. */
const mayBeOfFormerName = ({ isAccepted }: StatementTargets, kept: readonly StoredTarget[]) =>
  !isAccepted && kept.every(({ isHeld }) => isHeld)

const describeTarget = ({ vulnerability, packageId, sbomId }: TargetRow) =>
  `${vulnerability} in ${packageId ?? sbomId ?? 'all'}`

function areSame(one: readonly TargetRow[], other: readonly TargetRow[]): boolean {
  const texts = new Set(one.map(describeTarget))
  return one.length === other.length && other.every((row) => texts.has(describeTarget(row)))
}

const MOST_TARGETS_SHOWN = 3

function shown(rows: readonly TargetRow[]): string {
  if (rows.length === 0) return 'nothing'
  const rest = rows.length - MOST_TARGETS_SHOWN
  const texts = rows.slice(0, MOST_TARGETS_SHOWN).map(describeTarget)
  return [...texts, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

/** Each version in a snapshot of its own: nothing is compared between them. */
const judge = (ctx: AppContext, workspaceId: string, firmwareVersionId: string) =>
  readSnapshot(ctx, (db) => judgeVersion(db, { workspaceId, firmwareVersionId }))

async function findWrongTargets(ctx: AppContext, workspaceId: string): Promise<CheckFaults> {
  const all: CheckOutcome = { faults: [], notJudged: [] }
  for (const firmwareVersionId of await listStatedVersions(ctx.db, workspaceId)) {
    const { faults, notJudged } = await judge(ctx, workspaceId, firmwareVersionId)
    for (const each of faults) all.faults.push(each)
    for (const each of notJudged) all.notJudged.push(each)
  }
  return summariseFaults(all.faults, all.notJudged)
}

/** As after a change of the inventory, after which statements also decide what they had missed. */
async function repairTargets(ctx: AppContext, workspaceId: string): Promise<void> {
  for (const firmwareVersionId of await listStatedVersions(ctx.db, workspaceId)) {
    if ((await judge(ctx, workspaceId, firmwareVersionId)).faults.length === 0) continue
    await ctx.db.transaction().execute(async (tx) => {
      await withoutTimeLimit(tx)
      if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return
      const cause = 'RulesChanged'
      await ctx.reactions.inventoryChanged(ctx, tx, { workspaceId, firmwareVersionId, cause })
    })
  }
}

export const vexChecks: readonly WorkspaceCheck[] = [
  {
    scope: 'Workspace',
    name: 'vex-targets',
    meaning: 'VEX statements apply to what they name in the inventories',
    find: findWrongTargets,
    repair: repairTargets,
  },
]
