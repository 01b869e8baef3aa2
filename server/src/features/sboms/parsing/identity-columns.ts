import type { FindOverride } from '../../../formats/identity.ts'
import { type IdentifiableComponent, identifyComponent } from '../../../formats/identity.ts'
import type { BuiltFrom, ComponentScope } from '../../../formats/sboms/model.ts'
import { type PackageRow, writePackageRow } from './parser-messages.ts'

type Component = Parameters<typeof identifyComponent>[0]

/** The columns of a component that its identification decides. */
export interface IdentityColumns {
  packageId: string | null
  sourceName: string | null
  notMatchedReason: string | null
  overrideId: string | null
}

/** Answers the package, too, if the component has one. */
export function writeIdentityColumns(
  component: Component,
  findOverride: FindOverride,
): IdentityColumns & { package: PackageRow | undefined } {
  const { overrideId = null, identification } = identifyComponent(component, findOverride)
  const { notMatchedReason = null } = identification
  if (!('identity' in identification))
    return {
      packageId: null,
      sourceName: null,
      notMatchedReason,
      overrideId,
      package: undefined,
    }
  const { identity, sourceName = null } = identification
  return {
    packageId: identity.id,
    sourceName,
    notMatchedReason,
    overrideId,
    package: writePackageRow(identity),
  }
}

/** The columns of a component that identify it. */
export interface DeclaredColumns {
  vendor: string | null
  packageName: string
  version: string | null
  purl: string | null
  cpes: string[]
  downloadLocation: string | null
  addresses: string[]
  scope: ComponentScope | null
  builtFrom: BuiltFrom | null
}

export function readIdentifiable(row: DeclaredColumns): IdentifiableComponent {
  return {
    vendor: row.vendor ?? undefined,
    packageName: row.packageName,
    version: row.version ?? undefined,
    purl: row.purl ?? undefined,
    cpes: row.cpes,
    scope: row.scope ?? undefined,
    builtFrom: row.builtFrom ? withAllFields(row.builtFrom) : undefined,
    downloadLocation: row.downloadLocation ?? undefined,
    ...(row.addresses.length > 0 && { addresses: row.addresses }),
  }
}

/** JSON has no `undefined`: fields may be missing. */
function withAllFields(stored: BuiltFrom): BuiltFrom {
  const { vendor, packageName, version, purl, cpes, downloadLocation, isListed } = stored
  const { addresses, distribution } = stored
  const shown = {
    vendor,
    packageName,
    version,
    purl,
    cpes,
    downloadLocation,
    ...(addresses && { addresses }),
    ...(distribution !== undefined && { distribution }),
  }
  return isListed === true ? { ...shown, isListed } : shown
}
