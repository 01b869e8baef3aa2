import type { FindOverride } from '../../../formats/identity.ts'
import { identifyComponent } from '../../../formats/identity.ts'
import { type PackageRow, packageRow } from './parser-messages.ts'

type Component = Parameters<typeof identifyComponent>[0]

/** The columns of a component that its identification decides. */
export interface IdentityColumns {
  packageId: string | null
  sourceName: string | null
  notMatchedReason: string | null
  overrideId: string | null
}

/** Answers the package, too, if the component has one. */
export function identityColumns(
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
    package: packageRow(identity),
  }
}
