/** Package overrides in words. */
import type { AnswerOf } from '../../api-client/src/index.ts'
import { plural } from './print.ts'
import { printable } from './printable.ts'

export type PackageOverride = AnswerOf<'createPackageOverride'>

export function selectorText({ selector }: Pick<PackageOverride, 'selector'>): string {
  const { purl, cpe, name, version } = selector
  return [name, purl, cpe, version === null ? null : `version ${version}`]
    .filter((part) => part !== null)
    .join(', ')
}

export function statementText({ purls, cpes, version, ignored, reason }: PackageOverride): string {
  if (ignored) return `ignored: ${reason ?? ''}`
  const stated = version === null ? [] : [`version ${version}`]
  return [...purls, ...cpes, ...stated].join(', ')
}

export function versionsText(versions: readonly string[]): string {
  return versions.map(declaredText).join(', ')
}

/** Components without a version are listed under an empty text. */
function declaredText(version: string): string {
  return version === '' ? '(none)' : version
}

/** One line for an override whose selector meets other versions than it was made for; else undefined. */
export function otherVersionsWarning(override: PackageOverride): string | undefined {
  const { id, otherVersions, madeFor } = override
  if (otherVersions.length === 0) return undefined
  const others = otherVersions.map(
    ({ version, componentCount }) =>
      `${declaredText(version)} (${plural(componentCount, 'component')})`,
  )
  return printable(
    `Override ${id} (${selectorText(override)}) was made for version ${versionsText(madeFor ?? [])} and is not applied to ${others.join(', ')}: create an override with --declared-version for each, or replace it by one with --any-version.`,
  )
}
