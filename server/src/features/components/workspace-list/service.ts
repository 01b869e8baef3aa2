import { parseCpe } from '../../../formats/cpe.ts'
import { parseSelectorCpe } from '../../../formats/identity.ts'
import { parsePurl, formatPurlKey } from '../../../formats/purl.ts'
import { addMs, DAY_MS } from '../../../formats/instants.ts'
import type { LicenceOutcome } from '../../../formats/licences/licence-rules.ts'
import { decideState, formatDay, type SupportState } from '../../../formats/support/states.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { invalid } from '../../../platform/errors.ts'
import { openPage, type PageRequested } from '../../../platform/http/paging.ts'
import { getFirmwareVersion, listAffectedDevices } from '../../firmware/index.ts'
import { countLicences, listLicencesOfOutcomes, readLicenceJudge } from '../../licences/index.ts'
import {
  listWorkspaceComponents as listRows,
  type PackageName,
  type WorkspaceComponentQuery,
  type WorkspaceComponentRow,
} from './store.ts'
import { type CountedEnd, countEndsOfVersion, listKnownEnds } from './support-store.ts'

type StoreFilter = WorkspaceComponentQuery['filter']

interface ListWorkspaceComponents extends PageRequested {
  workspaceId: string
  filter?: Omit<StoreFilter, 'purls' | 'cpes' | 'support' | 'stated'> & {
    purls?: string[]
    cpes?: string[]
    supportStates?: SupportState[]
    supportEndsBefore?: string
    licenceOutcomes?: LicenceOutcome[]
  }
}

export async function listWorkspaceComponents(ctx: AppContext, input: ListWorkspaceComponents) {
  const { workspaceId, filter = {} } = input
  const { rowLimit, after, asOf, cut } = openPage(
    ctx,
    ['workspace-components', workspaceId, filter],
    input,
  )
  const { supportStates, supportEndsBefore, licenceOutcomes: _judged, ...named } = filter
  const day = formatDay(asOf)
  const support =
    supportStates || supportEndsBefore !== undefined
      ? { states: supportStates, endsBefore: supportEndsBefore, day }
      : undefined
  const rows = await listRows(ctx.db, {
    workspaceId,
    filter: {
      ...named,
      support,
      stated: await listStated(ctx.db, { workspaceId, ...filter }),
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
  const describe = await readDescription(ctx.db, { workspaceId, rows: page, day })
  const components = page.map((row) => ({
    ...asComponent(row, counts.get(row.firmwareVersion.id) ?? 0),
    ...describe(row),
  }))
  return { components, ...next }
}

function asComponent(row: WorkspaceComponentRow, affectedDeviceCount: number) {
  const { node: _, packageId: _package, isSpdx: _spdx, ...shown } = row
  return { ...shown, cpe: row.cpes[0] ?? null, affectedDeviceCount }
}

interface Judged {
  workspaceId: string
  licenceOutcomes?: LicenceOutcome[]
  firmwareIds?: string[] | undefined
  firmwareVersionIds?: string[] | undefined
}

/** Rules are of firmwares, and judging all components of a workspace would read them all. */
async function listStated(db: Db, { licenceOutcomes: outcomes, ...scope }: Judged) {
  if (!outcomes) return undefined
  const { workspaceId, firmwareIds, firmwareVersionIds } = scope
  if (!firmwareIds && !firmwareVersionIds)
    throw invalid(
      'Name firmwareIds or firmwareVersionIds as well: licences are judged by the rules of a firmware.',
      '/filter/licenceOutcomes',
    )
  return listLicencesOfOutcomes(db, { workspaceId, firmwareIds, firmwareVersionIds, outcomes })
}

type DescribedRow = Omit<WorkspaceComponentRow, 'node'>

/** What is known of the support of components, and what the licence rules say of them. */
async function readDescription(
  db: Db,
  { workspaceId, rows, day }: { workspaceId: string; rows: DescribedRow[]; day: string },
) {
  const packageIds = [...new Set(rows.flatMap(({ packageId }) => packageId ?? []))]
  const firmwareIds = [...new Set(rows.map(({ firmwareVersion }) => firmwareVersion.firmware.id))]
  const ends = await listKnownEnds(db, { workspaceId, packageIds })
  const byPackage = new Map(ends.map((end) => [end.packageId, end]))
  const judge = await readLicenceJudge(db, { workspaceId, firmwareIds })
  return ({ packageId, firmwareVersion, licenses, isSpdx, scope }: DescribedRow) => {
    const end = packageId === null ? undefined : byPackage.get(packageId)
    return {
      supportState: end ? decideState(end, day) : ('NotKnown' as const),
      supportEndsOn: end?.endsOn ?? null,
      supportedAs: end?.label ?? null,
      licenceOutcome: judge({ firmwareId: firmwareVersion.firmware.id, licenses, isSpdx, scope }),
    }
  }
}

/** As far ahead as "soon" is: the comparison of versions looks as far. */
const SOON_DAYS = 90

/** How many components a list of the version has with each filter. */
export async function countVersionComponents(
  ctx: Pick<AppContext, 'db' | 'now'>,
  input: { workspaceId: string; firmwareVersionId: string },
) {
  const { workspaceId } = input
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const version = { workspaceId, firmwareVersionId: id }
  const day = formatDay(ctx.now())
  const before = formatDay(addMs(ctx.now(), (SOON_DAYS + 1) * DAY_MS))
  const ends = await countEndsOfVersion(ctx.db, version)
  const sum = (of: (end: CountedEnd) => boolean) =>
    ends.filter(of).reduce((total, { componentCount }) => total + componentCount, 0)
  const count = (state: SupportState) => sum((end) => decideState(end, day) === state)
  return {
    componentCount: sum(() => true),
    day,
    supportStates: {
      Ended: count('Ended'),
      Ending: count('Ending'),
      NoEndPlanned: count('NoEndPlanned'),
      NotKnown: count('NotKnown'),
    },
    endingSoon: {
      before,
      count: sum(
        (end) => decideState(end, day) === 'Ending' && end.endsOn !== null && end.endsOn < before,
      ),
    },
    licenceOutcomes: await countLicences(ctx.db, version),
  }
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
