/** Package overrides in words. */
import type { PackageOverride } from '../../api-client/src/index.ts'
import { note, formatCount } from './print.ts'
import { sanitise } from './printable.ts'
import type { Session } from './session.ts'

export const OVERRIDES = '/workspaces/{workspaceId}/package-overrides'

export function formatSelector({ selector }: Pick<PackageOverride, 'selector'>): string {
  const { purl, cpe, name, version } = selector
  return [name, purl, cpe, version === null ? null : `version ${version}`]
    .filter((part) => part !== null)
    .join(', ')
}

export function formatStatement({
  purls,
  cpes,
  version,
  ignored,
  reason,
}: PackageOverride): string {
  if (ignored) return `ignored: ${reason ?? ''}`
  const stated = version === null ? [] : [`version ${version}`]
  return [...purls, ...cpes, ...stated].join(', ')
}

export function formatVersions(versions: readonly string[]): string {
  return versions.map(declaredText).join(', ')
}

/** Components without a version are listed under an empty text. */
function declaredText(version: string): string {
  return version === '' ? '(none)' : version
}

/** One line for an override whose selector meets other versions than it was made for; else undefined. */
function otherVersionsWarning(override: PackageOverride): string | undefined {
  const { id, otherVersions, madeFor } = override
  if (otherVersions.length === 0) return undefined
  const others = otherVersions.map(
    ({ version, componentCount }) =>
      `${declaredText(version)} (${formatCount(componentCount, 'component')})`,
  )
  return sanitise(
    `Override ${id} (${formatSelector(override)}) was made for version ${formatVersions(madeFor ?? [])} and is not applied to ${others.join(', ')}: create an override with --declared-version for each, or replace it by one with --any-version.`,
  )
}

export function noteOtherVersions(overrides: readonly PackageOverride[]): void {
  for (const override of overrides) {
    const warning = otherVersionsWarning(override)
    if (warning !== undefined) note(warning)
  }
}

/** Notes the overrides whose selectors meet components of the firmware version that they were not made for. */
export async function noteOverridesNotApplied(
  { client, workspaceId }: Session,
  firmwareVersionId: string,
): Promise<void> {
  const request = { params: { workspaceId }, query: { firmwareVersionId } }
  const { overrides } = await client.get(OVERRIDES, request)
  noteOtherVersions(overrides)
}
