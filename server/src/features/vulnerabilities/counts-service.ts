/** Counts the rows of both lists of a workspace for each chip, with the statements that give the lists their totals. */
import { addDays, parseInstant } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Actor } from '../../platform/actor.ts'
import { MOST_COUNTED } from '../../platform/http/paging.ts'
import { countListedRows, type WorkspaceFindingFilter } from '../findings/index.ts'
import { readDecidingTree } from '../ssvc/index.ts'
import { type Chip, chipFilters, severityFilters, USUAL_CHIPS } from './chips.ts'

export interface CountFindings {
  workspaceId: string
  groupBy?: Parameters<typeof countListedRows>[1]['groupBy']
  filter?: WorkspaceFindingFilter
  newSince?: string
  chips?: readonly Chip[]
  /** Whoever asks; undefined: the service. */
  actor?: Actor
}

export async function countFindings(ctx: AppContext, input: CountFindings) {
  const { filter: base = {}, newSince = addDays(ctx.now(), -1).toISOString() } = input
  const { chips = USUAL_CHIPS, actor } = input
  parseInstant(newSince, '/newSince')
  const count = (added: WorkspaceFindingFilter) => countRows(ctx, input, { ...base, ...added })
  const personId = actor?.type === 'User' ? actor.id : undefined
  const filters = chipFilters(newSince, personId ?? '')
  const countIfAsked = (chip: keyof typeof filters) =>
    chips.includes(chip) ? count(filters[chip]) : null
  // One after another: a request holds one connection.
  const counts = {
    toDecide: await countIfAsked('toDecide'),
    mine: personId === undefined ? null : await countIfAsked('mine'),
    exploited: await countIfAsked('exploited'),
    newSince: await countIfAsked('newSince'),
    overdue: await countIfAsked('overdue'),
    recheck: await countIfAsked('recheck'),
  }
  return {
    ...counts,
    bySeverity: chips.includes('bySeverity') ? await countSeverities(count) : null,
    bySsvc: chips.includes('bySsvc')
      ? await countOutcomes(ctx, input, (name) => count({ ssvcFrom: name }))
      : null,
    bySsvcOutcome: chips.includes('bySsvcOutcome')
      ? await countOutcomes(ctx, input, (name) => count({ ssvcOutcomes: [name] }))
      : null,
  }
}

type Count = (added: WorkspaceFindingFilter) => ReturnType<typeof countRows>

async function countSeverities(count: Count) {
  const counts = []
  for (const { severity, filter } of severityFilters)
    counts.push({ severity, ...(await count(filter)) })
  return counts
}

/** Each outcome of the tree that holds, the most urgent first. */
async function countOutcomes(
  { db }: AppContext,
  { workspaceId }: CountFindings,
  count: (outcome: string) => ReturnType<typeof countRows>,
) {
  const { tree } = await readDecidingTree(db, workspaceId)
  const counts = []
  for (const { name } of tree.outcomes.toReversed())
    counts.push({ outcome: name, ...(await count(name)) })
  return counts
}

async function countRows(
  ctx: AppContext,
  { workspaceId, groupBy = 'Vulnerability' }: CountFindings,
  filter: WorkspaceFindingFilter,
) {
  const counted = await countListedRows(ctx, { workspaceId, filter, groupBy })
  return {
    filter,
    totalCount: Math.min(counted, MOST_COUNTED),
    totalCountIsLowerBound: counted > MOST_COUNTED,
  }
}
