/** How many active findings each owner has, and would have by other rules. */
import type { AppContext } from '../../platform/context.ts'
import { countOwnedRows } from '../findings/index.ts'
import {
  type HoldingRule,
  listAssigned,
  listHoldingRules,
  type OwnersCommand,
  readHoldingRules,
} from '../owners/index.ts'

type Reading = Pick<AppContext, 'db' | 'now' | 'config'>

/** As the list counts them with the filter by this owner, so that each count leads to its rows. */
export async function countOwners(ctx: Reading, { workspaceId }: { workspaceId: string }) {
  const rules = await listHoldingRules(ctx.db, workspaceId)
  const owners = await listOwners(ctx, workspaceId, [rules])
  const counted = []
  for (const owner of owners)
    counted.push({ owner, ...(await countOwnedRows(ctx, { workspaceId, rules, id: owner?.id })) })
  return { owners: counted }
}

/** What the rules of the command would change; nothing is written. */
export async function previewOwners(
  ctx: Reading,
  { workspaceId, ...command }: OwnersCommand & { workspaceId: string },
) {
  const rules = await listHoldingRules(ctx.db, workspaceId)
  const others = await readHoldingRules(ctx.db, workspaceId, command)
  const owners = await listOwners(ctx, workspaceId, [rules, others])
  const changes = []
  for (const owner of owners) {
    const now = await countOwnedRows(ctx, { workspaceId, rules, id: owner?.id })
    const after = await countOwnedRows(ctx, { workspaceId, rules: others, id: owner?.id })
    changes.push({ owner, now: now.activeCount, after: after.activeCount })
  }
  return { owners: changes }
}

/** Each owner once, those of rules first; null, nobody, comes last. */
async function listOwners(
  { db }: Reading,
  workspaceId: string,
  rules: readonly (readonly HoldingRule[])[],
) {
  const assigned = await listAssigned(db, workspaceId)
  const named = [
    ...rules.flat().map(({ owner }) => owner),
    ...assigned.map(({ subjectId: id, email: name }) => ({ type: 'Member' as const, id, name })),
  ]
  return [...new Map(named.map((owner) => [owner.id, owner])).values(), null]
}
