/** Puts stacks into groups: when they are new, and when the lines of their build change. */
import type { Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import * as lines from './lines/store.ts'
import { type GroupKey, groupStack, type SourceLine, type Stack } from './stack.ts'
import * as store from './groups-store.ts'
import { recountGroups } from './totals/store.ts'

/** Stacks of a workspace. What comes beyond is counted, and not kept. */
export const MOST_STACKS = 10_000

interface SignedStack {
  stack: Stack
  signature: string
}

/**
 * The stacks and their groups, by signature; the groups are locked until the transaction ends. Stacks for which there is no
 * room are missing.
 */
export async function placeStacks(
  tx: Tx,
  at: { workspaceId: string; at: Date },
  signed: readonly SignedStack[],
): Promise<Map<string, store.PlacedStack>> {
  const { workspaceId } = at
  const stacks = new Map(signed.map(({ signature, stack }) => [signature, stack]))
  const known = await store.listPlacedStacks(tx, workspaceId, [...stacks.keys()])
  const added = await chooseAdded(tx, workspaceId, { stacks, known })
  const held = [...stacks].filter(([signature]) => known.has(signature)).map(([, stack]) => stack)
  await lines.holdBuilds(tx, at, { known: listBuilds(held), added: listBuilds(added) })
  const linesOf = await readLines(tx, workspaceId, added)
  const keyed = added.map((stack) => ({ stack, key: groupStack(stack, linesOf(stack)) }))
  // The groups of known stacks stay as they are now.
  const settled = await store.listPlacedStacks(tx, workspaceId, [...known.keys()])
  await store.lockGroups(tx, workspaceId, {
    groupIds: [...settled.values()].map(({ groupId }) => groupId),
    signatures: keyed.map(({ key }) => key.signature),
  })
  if (keyed.length === 0) return settled
  const groups = await store.holdGroups(tx, at, listGroups(keyed))
  await store.insertStacks(
    tx,
    workspaceId,
    keyed.flatMap(({ stack, key }) => {
      const groupId = groups.get(key.signature)
      return groupId === undefined ? [] : [{ ...stack, groupId }]
    }),
  )
  return store.listPlacedStacks(tx, workspaceId, [...stacks.keys()])
}

type AddedStack = Stack & { id: string; signature: string }

/** Those that are missing, as far as there is room for them. */
async function chooseAdded(
  tx: Tx,
  workspaceId: string,
  { stacks, known }: { stacks: ReadonlyMap<string, Stack>; known: ReadonlyMap<string, unknown> },
): Promise<AddedStack[]> {
  const missing = [...stacks].filter(([signature]) => !known.has(signature))
  if (missing.length === 0) return []
  const room = MOST_STACKS - (await store.countStacks(tx, workspaceId))
  const fitting = missing.slice(0, Math.max(0, room))
  return fitting.map(([signature, stack]) => ({ id: newId(), signature, ...stack }))
}

const listBuilds = (stacks: readonly Stack[]) => [
  ...new Set(stacks.flatMap(({ buildId }) => buildId ?? [])),
]

type KeyedStack<One extends Stack> = { stack: One; key: GroupKey }

/** Each group once. */
function listGroups(keyed: readonly KeyedStack<Stack>[]): store.NewGroup[] {
  const groups = new Map(
    keyed.map(({ stack: { firmwareId, reason }, key }) => [
      key.signature,
      { id: newId(), firmwareId, reason, ...key },
    ]),
  )
  return [...groups.values()]
}

async function readLines(tx: Tx, workspaceId: string, stacks: readonly Stack[]) {
  const asked = stacks.flatMap(({ buildId, addresses }) =>
    addresses.flatMap((address) =>
      buildId === null || address === null ? [] : [{ buildId, address }],
    ),
  )
  const found = new Map<string, readonly SourceLine[]>()
  for (const { buildId, address, frames } of await lines.listLines(tx, workspaceId, asked))
    found.set(`${address} ${buildId}`, frames)
  return ({ buildId }: Stack) =>
    (address: string) =>
      buildId === null ? undefined : found.get(`${address} ${buildId}`)
}

/** The lines of the build changed: its stacks go to the groups that their names say now. Answers how many moved. */
export async function moveStacksOfBuild(
  tx: Tx,
  at: { workspaceId: string; at: Date },
  buildId: string,
): Promise<number> {
  const { workspaceId } = at
  const before = await listMoving(tx, workspaceId, buildId)
  if (before.length === 0) return 0
  const signatures = [...new Set(before.map(({ key }) => key.signature))]
  const leftIds = [...new Set(before.map(({ stack }) => stack.groupId))]
  await store.lockGroups(tx, workspaceId, { groupIds: leftIds, signatures })
  // Stacks of other builds may have come to the groups meanwhile.
  const moving = await listMoving(tx, workspaceId, buildId)
  const taken = await store.listGroupSignatures(tx, workspaceId, signatures)
  await store.renameGroups(tx, workspaceId, chooseRenamed(moving, taken))
  const groups = await store.holdGroups(tx, at, listGroups(moving))
  await store.moveStacks(
    tx,
    workspaceId,
    moving.flatMap(({ stack, key }) => {
      const groupId = groups.get(key.signature)
      return groupId === undefined ? [] : [{ stackId: stack.id, groupId }]
    }),
  )
  await recountGroups(tx, workspaceId, [...new Set([...leftIds, ...groups.values()])])
  await store.deleteEmptyGroups(tx, workspaceId, leftIds.toSorted())
  return moving.length
}

/** Stacks of the build, which is locked, that belong to another group than the one that they are in. */
async function listMoving(tx: Tx, workspaceId: string, buildId: string) {
  const stacks = await store.listStacksOfBuild(tx, workspaceId, buildId)
  const linesOf = await readLines(tx, workspaceId, stacks)
  return stacks
    .map((stack) => ({ stack, key: groupStack(stack, linesOf(stack)) }))
    .filter(({ stack, key }) => key.signature !== stack.groupSignature)
}

/** Of each new signature the first group that moves there as a whole. */
function chooseRenamed(
  moving: readonly KeyedStack<store.StackOfBuild>[],
  taken: ReadonlySet<string>,
): (GroupKey & { id: string })[] {
  const bySignature = new Map<string, GroupKey & { id: string }>()
  const byGroup = Map.groupBy(moving, ({ stack }) => stack.groupId)
  for (const { stack, key } of moving) {
    if (taken.has(key.signature) || bySignature.has(key.signature)) continue
    const together = byGroup.get(stack.groupId) ?? []
    const isWhole =
      together.length === stack.groupSize &&
      together.every((one) => one.key.signature === key.signature)
    if (isWhole) bySignature.set(key.signature, { id: stack.groupId, ...key })
  }
  return [...bySignature.values()]
}
