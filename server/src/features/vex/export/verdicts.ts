/** What a VEX document states about a firmware version, from what people decided and documents said. */
import { formatCpe, parseCpe } from '../../../formats/cpe.ts'
import { formatPurl, makePurl, normalisePurl } from '../../../formats/purl.ts'
import type { ExportedThing, VexVerdict } from '../../../formats/vex/export.ts'
import type { DecidedRow, HeldPackage, ReceivedRow } from './store.ts'

export interface ExportedRows {
  things: ReadonlyMap<string, ExportedThing>
  /** Statements that some finding does not follow. */
  contested: ReadonlySet<string>
  received: readonly ReceivedRow[]
  decided: readonly DecidedRow[]
}

export function listVerdicts({ things, contested, received, decided }: ExportedRows): VexVerdict[] {
  const thingsNamed = (ids: readonly string[]) => ids.flatMap((id) => things.get(id) ?? [])
  const whole = received.filter(({ id }) => !contested.has(id))
  const ids = new Set(whole.map(({ id }) => id))
  const stated = whole.map((row): VexVerdict => {
    const { format, original, envelope, documentId, packageIds, isWhole } = row
    return {
      ...createVerdict(row, row.vulnerability),
      components: isWhole ? [] : thingsNamed(packageIds),
      received: { format, original, envelope, documentId },
    }
  })
  const own = decided
    .filter(({ statementId }) => statementId === null || !ids.has(statementId))
    .map((row): VexVerdict => ({
      ...createVerdict(row, row.vulnerabilityId),
      components: thingsNamed([row.packageId]),
      received: undefined,
    }))
  const keyOf = ({ vulnerability, components, statedAt }: VexVerdict) =>
    JSON.stringify([vulnerability, components.map(({ ref }) => ref), statedAt])
  return [...stated, ...own].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function createVerdict(
  row: DecidedRow | ReceivedRow,
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
export function listExportedThings(packages: readonly HeldPackage[]): Map<string, ExportedThing> {
  const refs = new Set<string>()
  return new Map(
    packages.map(({ packageId, name, version, purl, cpe }) => {
      const made = makePurl({ type: 'generic', name, version: version ?? undefined })
      const own = 'purl' in made ? formatPurl(made.purl) : `pkg:generic/${name}`
      const named = purl === null ? own : normalisePurl(purl)
      let ref = named
      for (let count = 2; refs.has(ref); count++) ref = `${named}~${count}`
      refs.add(ref)
      const thing = {
        ref,
        name,
        version: version ?? undefined,
        purl: named,
        cpe: formatCpe23(cpe),
      }
      return [packageId, thing]
    }),
  )
}

/** Writes CPE 2.3: `cpe23` of OpenVEX and CSAF do not allow `cpe:/…`, which OpenWrt and older tools write. */
export function formatCpe23(declared: string | null): string | undefined {
  if (declared === null) return undefined
  if (declared.startsWith('cpe:2.3:')) return declared
  const cpe = parseCpe(declared)
  return cpe && formatCpe(cpe)
}
