/** Lists the findings of a workspace grouped by component. */
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import type { AppContext } from '../../../platform/context.ts'
import { openPage } from '../../../platform/http/paging.ts'
import {
  countHeld,
  type DeviceMagnitudes,
  readHeldVersions,
  readMagnitudes,
  readState,
  withSwitches,
  type WorkspaceFindingFilter,
} from '../../findings/index.ts'
import type { ComponentSortColumn } from './sort-columns.ts'
import * as store from './store.ts'

interface ListVulnerableComponents {
  workspaceId: string
  sortColumn?: ComponentSortColumn
  ascending?: boolean
  limit?: number
  cursor?: string
  filter?: WorkspaceFindingFilter
}

export async function listVulnerableComponents(ctx: AppContext, input: ListVulnerableComponents) {
  const { workspaceId, sortColumn = 'Risk', ascending = false } = input
  const filter = await withSwitches(ctx, workspaceId, input.filter ?? {})
  const scope = ['vulnerable-components', workspaceId, sortColumn, ascending, filter]
  const page = openPage(ctx, scope, input)
  const query = {
    workspaceId,
    sortColumn,
    ascending,
    limit: page.rowLimit,
    moment: { at: page.asOf, isPast: false },
    ...(await readState(ctx, { workspaceId, filter }, page)),
    after: page.after,
  }
  const magnitudes: DeviceMagnitudes =
    sortColumn === 'Risk' ? await readMagnitudes(ctx.db, query) : new Map<string, number>()
  const { rows, total } = await store.listComponents(ctx.db, { ...query, magnitudes })
  const cut = await page.cutAndCount(
    rows,
    ({ sortValues }) => sortValues,
    () => Promise.resolve(total),
  )
  return { components: await describe(ctx, query, cut.page), ...cut.next, ...cut.total }
}

async function describe(
  { db }: Pick<AppContext, 'db'>,
  query: Parameters<typeof readHeldVersions>[1],
  page: readonly store.ComponentRow[],
) {
  const packageIds = page.flatMap((row) => row.packageIds)
  const held = await readHeldVersions(db, query, packageIds)
  const counts = countHeld(held, new Map(page.map((row) => [row.name, row.packageIds])))
  return page.map((row) => ({
    name: row.name,
    versions: row.versions,
    packageIds: row.packageIds,
    severity: SEVERITIES.toReversed()[row.severityRank - 1] ?? 'Unknown',
    isExploited: row.isExploited,
    epssScore: row.epssScore,
    vulnerabilityCount: row.vulnerabilityCount,
    detectedAt: row.detectedAt,
    firmwareVersionCount: counts.get(row.name)?.versions ?? 0,
    affectedDeviceCount: counts.get(row.name)?.devices ?? 0,
  }))
}
