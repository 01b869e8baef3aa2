/** Lists the findings of a workspace grouped by component. */
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import type { AppContext } from '../../../platform/context.ts'
import {
  type ComponentSortColumn,
  countHeldVersions,
  listComponentRows,
  type ListRequest,
  openWorkspaceList,
} from '../../findings/index.ts'

type ListVulnerableComponents = ListRequest<ComponentSortColumn>

export async function listVulnerableComponents(ctx: AppContext, input: ListVulnerableComponents) {
  const asked = { ...input, sortColumn: input.sortColumn ?? ('Risk' as const) }
  const { page, query } = await openWorkspaceList(ctx, 'vulnerable-components', asked)
  const { rows, total } = await listComponentRows(ctx.db, query)
  const cut = await page.cutAndCount(
    rows,
    ({ sortValues }) => sortValues,
    () => Promise.resolve(total),
  )
  const held = new Map(cut.page.map((row) => [row.name, row.packageIds]))
  const counts = await countHeldVersions(ctx.db, query, held)
  const components = cut.page.map((row) => ({
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
  return { components, ...cut.next, ...cut.total }
}
