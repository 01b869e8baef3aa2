/** Groups of stacks: which there are, and how stacks move between them. */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/connect.ts'
import type { GroupKey, Stack } from './stack.ts'

export interface PlacedStack {
  stackId: string
  /** It stays so while the build of the stack is held. */
  groupId: string
}

/** By signature. */
export async function listPlacedStacks(
  tx: Tx,
  workspaceId: string,
  signatures: readonly string[],
): Promise<Map<string, PlacedStack>> {
  const { rows } = await sql<PlacedStack & { signature: string }>`
    select signature, id as stack_id, group_id from crash_stacks
    where workspace_id = ${workspaceId} and signature = any(${signatures}::text[])`.execute(tx)
  return new Map(rows.map(({ signature, ...placed }) => [signature, placed]))
}

/** Locks those that exist. Whatever adds to groups, or takes from them, locks them all before, in the order of their signatures. */
export async function lockGroups(
  tx: Tx,
  workspaceId: string,
  {
    groupIds = [],
    signatures = [],
  }: { groupIds?: readonly string[]; signatures?: readonly string[] },
): Promise<void> {
  await sql`
    select id from crash_groups
    where workspace_id = ${workspaceId}
      and (id = any(${groupIds}::uuid[]) or signature = any(${signatures}::text[]))
    order by signature for no key update`.execute(tx)
}

export async function countStacks(tx: Tx, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from crash_stacks where workspace_id = ${workspaceId}`.execute(tx)
  return rows[0]?.count ?? 0
}

export type NewGroup = GroupKey & { id: string; firmwareId: string | null; reason: string }

/** Inserts groups that are missing, and locks all of them, so that none is deleted as empty. By signature. */
export async function holdGroups(
  tx: Tx,
  { workspaceId, at }: { workspaceId: string; at: Date },
  groups: readonly NewGroup[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ signature: string; id: string }>`
    insert into crash_groups as known (workspace_id, id, firmware_id, signature, reason, frames, build_id, created_at)
    select ${workspaceId}, given.id, given."firmwareId", given.signature, given.reason,
      array(select json_array_elements_text(given.frames)), given."buildId", ${at}
    from json_to_recordset(${JSON.stringify(groups)}::json) as given (
      id uuid, "firmwareId" uuid, signature text, reason text, frames json, "buildId" text)
    order by given.signature collate "C"
    on conflict (workspace_id, signature) do update set reason = known.reason
    returning signature, id`.execute(tx)
  return new Map(rows.map(({ signature, id }) => [signature, id]))
}

type NewStack = Stack & { id: string; signature: string; groupId: string }

export async function insertStacks(
  tx: Tx,
  workspaceId: string,
  stacks: readonly NewStack[],
): Promise<void> {
  await sql`
    insert into crash_stacks (workspace_id, id, signature, firmware_id, reason, build_id, addresses, group_id)
    select ${workspaceId}, given.id, given.signature, given."firmwareId", given.reason, given."buildId",
      array(select json_array_elements_text(given.addresses)), given."groupId"
    from json_to_recordset(${JSON.stringify(stacks)}::json) as given (
      id uuid, signature text, "firmwareId" uuid, reason text, "buildId" text, addresses json, "groupId" uuid)
    order by given.signature collate "C"
    on conflict (workspace_id, signature) do nothing`.execute(tx)
}

export interface StackOfBuild extends Stack {
  id: string
  groupId: string
  groupSignature: string
  /** How many stacks its group has. */
  groupSize: number
}

/** In the order of their ids. */
export async function listStacksOfBuild(
  tx: Tx,
  workspaceId: string,
  buildId: string,
): Promise<StackOfBuild[]> {
  const { rows } = await sql<StackOfBuild>`
    select stack.id, stack.firmware_id, stack.reason, stack.build_id, stack.addresses, stack.group_id,
      group_of.signature as group_signature, (
        select count(*)::int from crash_stacks as other
        where other.workspace_id = ${workspaceId} and other.group_id = stack.group_id) as group_size
    from crash_stacks as stack
    join crash_groups as group_of on group_of.workspace_id = ${workspaceId} and group_of.id = stack.group_id
    where stack.workspace_id = ${workspaceId} and stack.build_id = ${buildId}
    order by stack.id`.execute(tx)
  return rows
}

export async function listGroupSignatures(
  tx: Tx,
  workspaceId: string,
  signatures: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ signature: string }>`
    select signature from crash_groups
    where workspace_id = ${workspaceId} and signature = any(${signatures}::text[])`.execute(tx)
  return new Set(rows.map(({ signature }) => signature))
}

/** Groups keep their ids and their states when all of their stacks get the same names. */
export async function renameGroups(
  tx: Tx,
  workspaceId: string,
  groups: readonly (GroupKey & { id: string })[],
): Promise<void> {
  await sql`
    update crash_groups as known set signature = given.signature, build_id = given."buildId",
      frames = array(select json_array_elements_text(given.frames))
    from json_to_recordset(${JSON.stringify(groups)}::json) as given (
      id uuid, signature text, frames json, "buildId" text)
    where known.workspace_id = ${workspaceId} and known.id = given.id`.execute(tx)
}

export async function moveStacks(
  tx: Tx,
  workspaceId: string,
  moves: readonly { stackId: string; groupId: string }[],
): Promise<void> {
  await sql`
    update crash_stacks as stack set group_id = given.group_id
    from unnest(
      ${moves.map(({ stackId }) => stackId)}::uuid[], ${moves.map(({ groupId }) => groupId)}::uuid[]
    ) as given (id, group_id)
    where stack.workspace_id = ${workspaceId} and stack.id = given.id`.execute(tx)
}

/** Locks them first: a crash that is stored at the same time may have given one of them a stack. */
export async function deleteEmptyGroups(
  tx: Tx,
  workspaceId: string,
  groupIds: readonly string[],
): Promise<void> {
  await sql`
    select id from crash_groups
    where workspace_id = ${workspaceId} and id = any(${groupIds}::uuid[]) order by id for update`.execute(
    tx,
  )
  await sql`
    delete from crash_groups as empty
    where empty.workspace_id = ${workspaceId} and empty.id = any(${groupIds}::uuid[])
      and not exists (
        select from crash_stacks as stack
        where stack.workspace_id = ${workspaceId} and stack.group_id = empty.id)`.execute(tx)
}
