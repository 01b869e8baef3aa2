/** Counts the rows of both lists of a workspace for each chip, with the statements that give the lists their totals. */
import { addDays, parseInstant } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { MOST_COUNTED } from '../../platform/http/paging.ts'
import {
  countWorkspaceRows,
  readState,
  withSwitches,
  type WorkspaceFindingFilter,
} from '../findings/index.ts'
import { type Chip, chipFilters, CHIPS, type COUNTED_LISTS, severityFilters } from './chips.ts'
import { countComponents } from './components/store.ts'
import * as store from './store.ts'

export interface CountFindings {
  workspaceId: string
  groupBy?: (typeof COUNTED_LISTS)[number]
  filter?: WorkspaceFindingFilter
  newSince?: string
  chips?: readonly Chip[]
}

export async function countFindings(ctx: AppContext, input: CountFindings) {
  const { filter: base = {}, newSince = addDays(ctx.now(), -1).toISOString() } = input
  const { chips = CHIPS } = input
  parseInstant(newSince, '/newSince')
  const count = (added: WorkspaceFindingFilter) => countRows(ctx, input, { ...base, ...added })
  const filters = chipFilters(newSince)
  const countIfAsked = (chip: keyof typeof filters) =>
    chips.includes(chip) ? count(filters[chip]) : null
  // One after another: a request holds one connection.
  const counts = {
    toDecide: await countIfAsked('toDecide'),
    exploited: await countIfAsked('exploited'),
    newSince: await countIfAsked('newSince'),
    overdue: await countIfAsked('overdue'),
    recheck: await countIfAsked('recheck'),
  }
  if (!chips.includes('bySeverity')) return { ...counts, bySeverity: null }
  const bySeverity = []
  for (const { severity, filter } of severityFilters)
    bySeverity.push({ severity, ...(await count(filter)) })
  return { ...counts, bySeverity }
}

async function countRows(
  ctx: AppContext,
  { workspaceId, groupBy = 'Vulnerability' }: CountFindings,
  filter: WorkspaceFindingFilter,
) {
  const at = ctx.now()
  const switched = await withSwitches(ctx, workspaceId, filter)
  const state = await readState(
    ctx,
    { workspaceId, filter: switched },
    { after: undefined, asOf: at },
  )
  const query = {
    workspaceId,
    sortColumn: 'CveId' as const,
    ascending: false,
    limit: 1,
    moment: { at, isPast: false },
    after: undefined,
    ...state,
  }
  const counted = await countBy[groupBy](ctx.db, query)
  return {
    filter,
    totalCount: Math.min(counted, MOST_COUNTED),
    totalCountIsLowerBound: counted > MOST_COUNTED,
  }
}

type Query = Parameters<typeof store.countVulnerabilities>[1] & { sortColumn: 'CveId' }

const countBy: Record<(typeof COUNTED_LISTS)[number], (db: Db, query: Query) => Promise<number>> = {
  Vulnerability: (db, query) => store.countVulnerabilities(db, query),
  Component: (db, query) =>
    countComponents(db, { ...query, sortColumn: 'Name', magnitudes: new Map() }),
  Finding: (db, query) => countWorkspaceRows(db, query, MOST_COUNTED + 1),
}
