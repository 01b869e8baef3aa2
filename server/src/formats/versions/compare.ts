import { alpm } from './alpm.ts'
import { apk } from './apk.ts'
import { composer } from './composer.ts'
import { cran } from './cran.ts'
import { deb } from './deb.ts'
import { gem } from './gem.ts'
import { generic } from './generic.ts'
import { git } from './git.ts'
import { kernel } from './kernel.ts'
import { maven } from './maven.ts'
import { nuget } from './nuget.ts'
import { openssl } from './openssl.ts'
import type { VersionOrdering } from './ordering.ts'
import { pypi } from './pypi.ts'
import { rpm } from './rpm.ts'
import type { VersionScheme } from './schemes.ts'
import { go, npm, pub, semver } from './semver.ts'

const ORDERINGS: Record<VersionScheme, VersionOrdering> = {
  semver,
  npm,
  go,
  cargo: semver,
  pypi,
  maven,
  gem,
  nuget,
  composer,
  hex: semver,
  pub,
  deb,
  rpm,
  apk,
  alpm,
  cran,
  openssl,
  kernel,
  generic,
  git,
}

/**
 * Negative, 0 or positive; undefined when one of the texts is not a version of the scheme. The advisory format, not the
 * scheme, decides whether the bound `0` means "every version".
 */
export function compareVersions(scheme: VersionScheme, a: string, b: string): number | undefined {
  return ORDERINGS[scheme].compare(a, b)
}

export function isVersion(scheme: VersionScheme, text: string): boolean {
  return ORDERINGS[scheme].isVersion(text)
}
