/** What a workspace states for SSVC, its trees, and what these decide. */
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { invalid, refuseFaults } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { CLASS_COUNT, RATED_CLASS_COUNT } from '../../formats/ssvc/classes.ts'
import type { DecisionTree } from '../../formats/ssvc/decision-table.ts'
import { POINTS } from '../../formats/ssvc/points.ts'
import { recordAudit } from '../audit/index.ts'
import { readContextsOfVersions, readRatedClass, readVersionContexts } from './conditions-store.ts'
import { EXPOSURES, PREVALENCES, type SsvcCommand, WELL_BEINGS } from './schemas.ts'
import * as store from './store.ts'
import { type DecidingTree, requireTree } from './trees-service.ts'

const DEFAULTS: store.SettingsRow = {
  revision: 0,
  inputsRevision: 0,
  tree: 'Fleet',
  manyDevices: 100,
  products: {},
  exposures: {},
  targetDays: {},
  gateFrom: null,
  changedAt: null,
}

export const readSettings = async (db: Db, workspaceId: string): Promise<store.SettingsRow> =>
  (await store.findSettings(db, workspaceId)) ?? DEFAULTS

interface SsvcFilter {
  ssvcOutcomes?: readonly string[]
  ssvcFrom?: string
}

export const asksOutcomes = ({ ssvcOutcomes, ssvcFrom }: SsvcFilter): boolean =>
  (ssvcOutcomes ?? ssvcFrom) !== undefined

/** The numbers of the outcomes that a filter selects; undefined: it does not ask for any. */
export function findOutcomes(tree: DecisionTree, filter: SsvcFilter): Set<number> | undefined {
  if (!asksOutcomes(filter)) return undefined
  const { ssvcOutcomes, ssvcFrom } = filter
  const from = ssvcFrom === undefined ? 0 : requireOutcome(tree, ssvcFrom, '/filter/ssvcFrom')
  const named = ssvcOutcomes?.map((text) => requireOutcome(tree, text, '/filter/ssvcOutcomes'))
  return new Set((named ?? [...tree.outcomes.keys()]).filter((outcome) => outcome >= from))
}

/** By name or key, whatever the case; -1: the tree has none. */
const findOutcome = ({ outcomes }: DecisionTree, text: string): number =>
  outcomes.findIndex((one) =>
    [one.name, one.key].some((word) => word.toLowerCase() === text.toLowerCase()),
  )

export function requireOutcome(tree: DecisionTree, text: string, pointer: string): number {
  const found = findOutcome(tree, text)
  if (found >= 0) return found
  const { name, outcomes } = tree
  const known = outcomes.map((one) => one.name).join(', ')
  throw invalid(
    `${JSON.stringify(text)} is no outcome of the SSVC tree ${JSON.stringify(name)}: ${known}.`,
    pointer,
  )
}

/** The tree that holds. */
export async function readDecidingTree(db: Db, workspaceId: string): Promise<DecidingTree> {
  const { tree } = await readSettings(db, workspaceId)
  return requireTree(db, workspaceId, tree)
}

const keyOf = (values: readonly { key: string; name: string }[], name: string | null) =>
  values.find((value) => value.name === name)?.key ?? null
const nameOf = <const Name extends string>(
  names: readonly Name[],
  values: readonly { key: string }[],
  key: string | null,
): Name | null => names[values.findIndex((value) => value.key === key)] ?? null

type Command = SsvcCommand

export function toRow({ tree, manyDevices, products, cohorts }: Command) {
  return {
    tree,
    manyDevices,
    products: Object.fromEntries(
      products.map(({ firmwareId, missionPrevalence, publicWellBeing }) => [
        firmwareId,
        {
          missionPrevalence: keyOf(POINTS.missionPrevalence.values, missionPrevalence),
          publicWellBeing: keyOf(POINTS.publicWellBeing.values, publicWellBeing),
        },
      ]),
    ),
    exposures: Object.fromEntries(
      cohorts.flatMap(({ cohortId, exposure }) => {
        const key = keyOf(POINTS.exposure.values, exposure)
        return key === null ? [] : [[cohortId, key]]
      }),
    ),
  }
}

/** Targets of outcomes that the tree has; what is not stated stays. */
function readTargets(
  { tree: { name, outcomes } }: DecidingTree,
  command: Command,
  now: TargetDays,
) {
  const { targetDays } = command
  const isThere = (outcome: string) => outcomes.some((one) => one.name === outcome)
  const stated = Object.entries(targetDays ?? now)
  if (!targetDays) return Object.fromEntries(stated.filter(([outcome]) => isThere(outcome)))
  refuseFaults(
    stated
      .filter(([outcome]) => !isThere(outcome))
      .map(([outcome]) => ({
        pointer: `/targetDays/${outcome.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        detail: `is no outcome of the SSVC tree ${JSON.stringify(name)}`,
      })),
    'targets are wrong',
  )
  return targetDays
}

type TargetDays = store.SettingsRow['targetDays']

/** It stays where it is not stated, so another tree has to have it: a gate never ends unnoticed. */
function readGateFrom(
  { tree }: DecidingTree,
  { gateFrom }: Command,
  now: string | null,
): string | null {
  const stated = gateFrom === undefined ? now : gateFrom
  if (stated === null) return null
  const found = tree.outcomes[findOutcome(tree, stated)]
  if (found) return found.name
  const known = tree.outcomes.map(({ name }) => name).join(', ')
  throw invalid(
    `The release gate asks for ${JSON.stringify(stated)}, which is no outcome of the SSVC tree ${JSON.stringify(tree.name)}: ${known}.`,
    '/gateFrom',
  )
}

/** By number of the outcome: the days of its target; undefined where it has none. */
export async function readTargetDays(
  db: Db,
  workspaceId: string,
): Promise<{ deciding: DecidingTree; days: (number | undefined)[] } | undefined> {
  const { tree, targetDays } = await readSettings(db, workspaceId)
  if (Object.keys(targetDays).length === 0) return undefined
  const deciding = await requireTree(db, workspaceId, tree)
  return { deciding, days: deciding.tree.outcomes.map(({ name }) => targetDays[name]) }
}

/** By version: in how many days a finding of the vulnerability is to be decided there, as its outcome has it. */
export async function listTargetDays(
  db: Db,
  workspaceId: string,
  { vulnerabilityId, versionIds }: { vulnerabilityId: string; versionIds: readonly string[] },
): Promise<Map<string, number | undefined>> {
  const targets = await readTargetDays(db, workspaceId)
  if (!targets) return new Map()
  const { deciding, days } = targets
  const { ratedClass } = await readRatedClass(db, vulnerabilityId)
  const contexts = await readContextsOfVersions(db, workspaceId, versionIds)
  return new Map(
    [...contexts].map(([id, some]) => [id, days[deciding.decisions.decide(ratedClass, some)]]),
  )
}

/** What was stated of firmwares and cohorts that are gone is left out. */
async function describe(db: Db, workspaceId: string, row: store.SettingsRow) {
  const { tree } = await requireTree(db, workspaceId, row.tree)
  const there = await store.findStated(db, workspaceId, {
    firmwareIds: Object.keys(row.products),
    cohortIds: Object.keys(row.exposures),
  })
  const products = Object.entries(row.products).filter(([id]) => there.has(id))
  const cohorts = Object.entries(row.exposures).filter(([id]) => there.has(id))
  return {
    tree: row.tree,
    manyDevices: row.manyDevices,
    products: products.map(([firmwareId, one]) => ({
      firmwareId,
      missionPrevalence: nameOf(
        PREVALENCES,
        POINTS.missionPrevalence.values,
        one.missionPrevalence,
      ),
      publicWellBeing: nameOf(WELL_BEINGS, POINTS.publicWellBeing.values, one.publicWellBeing),
    })),
    cohorts: cohorts.flatMap(([cohortId, key]) => {
      const exposure = nameOf(EXPOSURES, POINTS.exposure.values, key)
      return exposure === null ? [] : [{ cohortId, exposure }]
    }),
    targetDays: row.targetDays,
    gateFrom: row.gateFrom,
    treeName: tree.name,
    outcomes: tree.outcomes.map(({ name }) => name),
    id: workspaceId,
    updatedAt: row.changedAt,
  }
}

export async function getSsvc({ db }: Pick<AppContext, 'db'>, workspaceId: string) {
  return describe(db, workspaceId, await readSettings(db, workspaceId))
}

/** Refuses names of what the workspace does not have, and what is stated twice. */
async function refuseUnknown(db: Db, workspaceId: string, command: Command): Promise<void> {
  const stated = [
    ...command.products.map(({ firmwareId }, index) => ({
      id: firmwareId,
      pointer: `/products/${index}/firmwareId`,
    })),
    ...command.cohorts.map(({ cohortId }, index) => ({
      id: cohortId,
      pointer: `/cohorts/${index}/cohortId`,
    })),
  ]
  const there = await store.findStated(db, workspaceId, {
    firmwareIds: command.products.map(({ firmwareId }) => firmwareId),
    cohortIds: command.cohorts.map(({ cohortId }) => cohortId),
  })
  const seen = new Set<string>()
  const faults = stated.flatMap(({ id, pointer }) => {
    const isTwice = seen.has(id)
    seen.add(id)
    if (isTwice) return [{ pointer, detail: 'is named twice' }]
    return there.has(id) ? [] : [{ pointer, detail: 'is not in this workspace' }]
  })
  refuseFaults(faults, 'firmwares and cohorts are wrong')
}

const pickStated = ({
  tree,
  manyDevices,
  products,
  exposures,
  targetDays,
  gateFrom,
}: store.SettingsRow) => ({
  tree,
  manyDevices,
  products,
  exposures,
  targetDays,
  gateFrom,
})

/** What contexts of versions are counted by. */
type Inputs = Pick<store.SettingsRow, 'manyDevices' | 'products' | 'exposures'>
const listInputs = ({ manyDevices, ...rest }: Inputs) => [
  manyDevices,
  rest.products,
  rest.exposures,
]

export type UpdateSsvc = Command & {
  workspaceId: string
  actor: Actor
  precondition?: Precondition | undefined
}

export async function updateSsvc(ctx: AppContext, input: UpdateSsvc) {
  const { workspaceId, actor, precondition, ...command } = input
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockSettings(tx, workspaceId)
    const row = await readSettings(tx, workspaceId)
    const before = await describe(tx, workspaceId, row)
    precondition?.(before)
    const deciding = await checkCommand(tx, workspaceId, command)
    const targetDays = readTargets(deciding, command, row.targetDays)
    const gateFrom = readGateFrom(deciding, command, row.gateFrom)
    const stated = { ...toRow(command), targetDays, gateFrom }
    if (isDeepStrictEqual(stated, pickStated(row))) return before
    const revision = row.revision + 1
    const inputsRevision = isDeepStrictEqual(listInputs(stated), listInputs(row))
      ? row.inputsRevision
      : revision
    const written = { ...stated, revision, inputsRevision, changedAt: ctx.now() }
    await store.insertSettings(tx, workspaceId, written)
    const after = await describe(tx, workspaceId, written)
    const entry = {
      workspaceId,
      actor,
      resourceType: 'workspace' as const,
      resourceId: workspaceId,
    }
    await recordAudit(ctx, tx, { ...entry, action: 'ssvc.update', before, after })
    await ctx.reactions.ssvcChanged(ctx, tx, { workspaceId })
    return after
  })
}

/** The tree that a command names, all of which the workspace has. */
export async function checkCommand(
  db: Db,
  workspaceId: string,
  command: Command,
): Promise<DecidingTree> {
  await refuseUnknown(db, workspaceId, command)
  return requireTree(db, workspaceId, command.tree)
}

export interface Outcomes {
  ssvcOutcome: string
  ssvcLeastOutcome: string
}

/** What the tree that holds decides for the findings of a version, by the class of their vulnerability. */
export async function readVersionOutcomes(
  db: Db,
  version: { workspaceId: string; firmwareVersionId: string },
) {
  const { tree, decisions } = await readDecidingTree(db, version.workspaceId)
  const contexts = await readVersionContexts(db, version)
  const tell = (outcome: number) => tree.outcomes[outcome]?.name ?? ''
  return {
    tree,
    /** Numbers of outcomes. */
    ofClass: Array.from({ length: RATED_CLASS_COUNT }, (_, one) => decisions.decide(one, contexts)),
    decide: ({ ssvcClass, isListed }: { ssvcClass: number; isListed: boolean }): Outcomes => {
      const ratedClass = ssvcClass + (isListed ? CLASS_COUNT : 0)
      return {
        ssvcOutcome: tell(decisions.decide(ratedClass, contexts)),
        ssvcLeastOutcome: tell(decisions.decideLeast(ratedClass, contexts)),
      }
    },
  }
}

/** In files: “Act”, or “Track to Act” where something is not known. Of the past nothing is. */
export function describeOutcome({
  ssvcOutcome: most,
  ssvcLeastOutcome: least,
}: {
  [Name in keyof Outcomes]: string | null
}): string | null {
  return most === least ? most : `${least} to ${most}`
}
