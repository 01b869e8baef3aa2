import { parseCpe } from '../../../formats/cpe.ts'
import { parseSelectorCpe } from '../../../formats/identity.ts'
import { parsePurl, formatPurlKey } from '../../../formats/purl.ts'
import type { AppContext } from '../../../platform/context.ts'
import { invalid } from '../../../platform/errors.ts'
import { openPage, type PageRequested } from '../../../platform/http/paging.ts'
import { listAffectedDevices } from '../../firmware/index.ts'
import {
  listWorkspaceComponents as listRows,
  type PackageName,
  type WorkspaceComponentQuery,
  type WorkspaceComponentRow,
} from './store.ts'

type StoreFilter = WorkspaceComponentQuery['filter']

interface ListWorkspaceComponents extends PageRequested {
  workspaceId: string
  filter?: Omit<StoreFilter, 'purls' | 'cpes'> & { purls?: string[]; cpes?: string[] }
}

export async function listWorkspaceComponents(ctx: AppContext, input: ListWorkspaceComponents) {
  const { workspaceId, filter = {} } = input
  const { rowLimit, after, asOf, cut } = openPage(
    ctx,
    ['workspace-components', workspaceId, filter],
    input,
  )
  const rows = await listRows(ctx.db, {
    workspaceId,
    filter: {
      ...filter,
      purls: filter.purls?.map(readPurl),
      cpes: filter.cpes?.map(readCpe),
    },
    limit: rowLimit,
    at: asOf,
    after,
  })
  const { page, next } = cut(rows, ({ packageName, sbom, node }) => [packageName, sbom.id, node])
  const versionIds = [...new Set(page.map(({ firmwareVersion }) => firmwareVersion.id))]
  const version = { workspaceId, firmwareVersionIds: versionIds }
  const affected = await listAffectedDevices(ctx.db, version, ctx.now())
  const counts = new Map(
    versionIds.map((id, index) => [id, affected[index]?.affectedDeviceCount ?? 0]),
  )
  const components = page.map((row) => asComponent(row, counts.get(row.firmwareVersion.id) ?? 0))
  return { components, ...next }
}

function asComponent(row: WorkspaceComponentRow, affectedDeviceCount: number) {
  const { node: _, ...shown } = row
  return { ...shown, cpe: row.cpes[0] ?? null, affectedDeviceCount }
}

function readPurl(text: string, index: number): PackageName {
  const purl = parsePurl(text)
  if (!purl) throw invalid(`${JSON.stringify(text)} is not a valid purl.`, `/filter/purls/${index}`)
  return { key: formatPurlKey(purl), version: purl.version, text }
}

/** Reads `haxx:curl` or a complete CPE name. */
function readCpe(text: string, index: number): PackageName {
  const key = parseSelectorCpe(text)
  if (key === undefined)
    throw invalid(
      `${JSON.stringify(text)} is neither vendor:product nor a CPE name.`,
      `/filter/cpes/${index}`,
    )
  const version = /^cpe:/i.test(text) ? parseCpe(text)?.version : undefined
  const isAny = version === undefined || version === '*' || version === '-'
  return { key, version: isAny ? undefined : version, text }
}
