/** Exports the assessments of a firmware version as a VEX document. */
import { formatCpe, parseCpe } from '../../../formats/cpe.ts'
import type { ExportedThing, VexPublisher, VexVerdict } from '../../../formats/vex/export.ts'
import { formatPurl, makePurl } from '../../../formats/purl.ts'
import { type ExportFormat, writeVex } from '../../../formats/vex/write-vex.ts'
import type { AppContext } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { VERSION } from '../../../version.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import { contentId } from '../statement-row.ts'
import * as store from './store.ts'
import type { VersionScope } from '../targets/store.ts'
import { listContestedStatements } from '../decisions/store.ts'
import { versionPurl } from '../targets/service.ts'

export interface ExportVex {
  workspaceId: string
  firmwareVersionId: string
  format: ExportFormat
}

/** The same assessments always give the same document. */
export async function exportVex(ctx: AppContext, input: ExportVex) {
  const { workspaceId, format } = input
  const version = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const purl = versionPurl(version)
  const product: ExportedThing = {
    ref: purl,
    name: version.firmware.name,
    version: version.name,
    purl,
    cpe: formattedCpe(version.cpe),
  }
  const scope = { workspaceId, firmwareVersionId: version.id }
  const verdicts = await readVerdicts(ctx, scope)
  if (verdicts.length === 0)
    throw new AppError(
      'conflict',
      'vex-nothing-stated',
      'No finding of this firmware version is assessed, so there is nothing to export.',
    )
  const publisher = await publisherOf(ctx, workspaceId)
  return writeVex(format, {
    id: contentId(publisher, product, verdicts),
    publisher,
    statedAt: verdicts.reduce(
      (newest, { statedAt }) => (statedAt > newest ? statedAt : newest),
      '',
    ),
    tool: { name: 'Plimsoll', version: VERSION },
    product,
    verdicts,
  })
}

async function publisherOf(ctx: AppContext, workspaceId: string): Promise<VexPublisher> {
  const { name, ...publisher } = ctx.config.vexPublisher
  return { ...publisher, name: name ?? (await store.findWorkspaceName(ctx.db, workspaceId)) }
}

/** All reads see the same state. */
async function readVerdicts(ctx: AppContext, scope: VersionScope): Promise<VexVerdict[]> {
  const tx = await ctx.db.startTransaction().setIsolationLevel('repeatable read').execute()
  try {
    const things = thingsOf(await store.listHeldPackages(tx, scope))
    const contested = new Set(await listContestedStatements(tx, scope))
    const received = await store.listReceived(tx, scope)
    const decided = await store.listDecided(tx, scope)
    return verdictsOf({ things, contested, received, decided })
  } finally {
    await tx.rollback().execute()
  }
}

interface ExportedRows {
  things: ReadonlyMap<string, ExportedThing>
  /** Statements that some finding does not follow. */
  contested: ReadonlySet<string>
  received: readonly store.ReceivedRow[]
  decided: readonly store.DecidedRow[]
}

function verdictsOf({ things, contested, received, decided }: ExportedRows): VexVerdict[] {
  const thingsNamed = (ids: readonly string[]) => ids.flatMap((id) => things.get(id) ?? [])
  const whole = received.filter(({ id }) => !contested.has(id))
  const ids = new Set(whole.map(({ id }) => id))
  const stated = whole.map((row): VexVerdict => {
    const { format, original, envelope, documentId, packageIds, isWhole } = row
    return {
      ...verdictOf(row, row.vulnerability),
      components: isWhole ? [] : thingsNamed(packageIds),
      received: { format, original, envelope, documentId },
    }
  })
  const own = decided
    .filter(({ statementId }) => statementId === null || !ids.has(statementId))
    .map((row): VexVerdict => ({
      ...verdictOf(row, row.vulnerabilityId),
      components: thingsNamed([row.packageId]),
      received: undefined,
    }))
  const keyOf = ({ vulnerability, components, statedAt }: VexVerdict) =>
    JSON.stringify([vulnerability, components.map(({ ref }) => ref), statedAt])
  return [...stated, ...own].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function verdictOf(
  row: store.DecidedRow | store.ReceivedRow,
  vulnerability: string,
): Omit<VexVerdict, 'components' | 'received'> {
  return {
    vulnerability,
    title: row.title ?? undefined,
    assessment: row.assessment,
    justification: row.justification ?? undefined,
    detail: row.detail ?? undefined,
    responses: row.responses,
    statedAt: row.statedAt.toISOString(),
  }
}

/** The exported packages, by package id. Documents refer to them by purl, not by that id. */
function thingsOf(packages: readonly store.HeldPackage[]): Map<string, ExportedThing> {
  const refs = new Set<string>()
  return new Map(
    packages.map(({ packageId, name, version, purl, cpe }) => {
      const made = makePurl({ type: 'generic', name, version: version ?? undefined })
      const named = purl ?? ('purl' in made ? formatPurl(made.purl) : `pkg:generic/${name}`)
      let ref = named
      for (let count = 2; refs.has(ref); count++) ref = `${named}~${count}`
      refs.add(ref)
      const thing = {
        ref,
        name,
        version: version ?? undefined,
        purl: named,
        cpe: formattedCpe(cpe),
      }
      return [packageId, thing]
    }),
  )
}

/** Writes CPE 2.3: `cpe23` of OpenVEX and CSAF do not allow `cpe:/…`, which OpenWrt and older tools write. */
function formattedCpe(declared: string | null): string | undefined {
  if (declared === null) return undefined
  if (declared.startsWith('cpe:2.3:')) return declared
  const cpe = parseCpe(declared)
  return cpe && formatCpe(cpe)
}
