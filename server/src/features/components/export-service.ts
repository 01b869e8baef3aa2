import type { Readable } from 'node:stream'
import { writeCsvTable } from '../../formats/csv.ts'
import type { AppContext } from '../../platform/context.ts'
import { spoolText } from '../../platform/http/spooled-text.ts'
import { listComponents } from './store.ts'
import { getSbom } from '../sboms/index.ts'

type Component = Awaited<ReturnType<typeof listComponents>>[number]

const TABLE = writeCsvTable<Component>([
  'id',
  'packageName',
  'version',
  'vendor',
  'purl',
  'cpes',
  'licenses',
  'supplier',
  'downloadLocation',
  'scope',
  'notMatchedReason',
])

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
  yield TABLE.header
  for (let afterNode = -1, more = true; more;) {
    const rows = await listComponents(ctx.db, { workspaceId, sbomId, afterNode, limit: PAGE })
    yield rows.map(TABLE.line).join('')
    afterNode = rows.at(-1)?.node ?? afterNode
    more = rows.length === PAGE
  }
}
