/** The orderings of version texts; advisories name one, packages are compared in it. */
export const VERSION_SCHEMES = [
  'semver',
  'npm',
  'go',
  'cargo',
  'pypi',
  'maven',
  'gem',
  'nuget',
  'composer',
  'hex',
  'pub',
  'deb',
  'rpm',
  'apk',
  'alpm',
  'cran',
  'openssl',
  'kernel',
  'generic',
  'git',
] as const
export type VersionScheme = (typeof VERSION_SCHEMES)[number]
