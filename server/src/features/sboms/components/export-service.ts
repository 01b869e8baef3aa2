import type { Readable } from 'node:stream'
import { type Cell, csvLine } from '../../../formats/csv.ts'
import type { AppContext } from '../../../platform/context.ts'
import { spoolText } from '../../../platform/http/spooled-text.ts'
import { listComponents } from './store.ts'
import { getSbom } from '../service.ts'

type Component = Awaited<ReturnType<typeof listComponents>>[number]

/** New columns are added at the end only. */
const COLUMNS: Readonly<Record<string, (component: Component) => Cell>> = {
  id: ({ id }) => id,
  packageName: ({ packageName }) => packageName,
  version: ({ version }) => version,
  vendor: ({ vendor }) => vendor,
  purl: ({ purl }) => purl,
  cpes: ({ cpes }) => cpes,
  licenses: ({ licenses }) => licenses,
  supplier: ({ supplier }) => supplier,
  downloadLocation: ({ downloadLocation }) => downloadLocation,
  scope: ({ scope }) => scope,
  notMatchedReason: ({ notMatchedReason }) => notMatchedReason,
}

const PAGE = 2_000

export async function exportComponents(
  ctx: AppContext,
  { workspaceId, sbomId }: { workspaceId: string; sbomId: string },
): Promise<{ content: Readable; fileName: string }> {
  const { id, fileName } = await getSbom(ctx, workspaceId, sbomId)
  const content = await spoolText(componentsCsv(ctx, workspaceId, id))
  return { content, fileName: `${fileName}-components.csv` }
}

async function* componentsCsv(ctx: AppContext, workspaceId: string, sbomId: string) {
  yield csvLine(Object.keys(COLUMNS))
  const columns = Object.values(COLUMNS)
  for (let afterNode = -1, more = true; more;) {
    const rows = await listComponents(ctx.db, { workspaceId, sbomId, afterNode, limit: PAGE })
    yield rows.map((row) => csvLine(columns.map((column) => column(row)))).join('')
    afterNode = rows.at(-1)?.node ?? afterNode
    more = rows.length === PAGE
  }
}
