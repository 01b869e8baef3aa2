/** Purl types by who names their packages: upstream itself, a forge, or nobody's records. */

/** Types whose namespace and name are a repository on the host. */
export const FORGES = new Map([
  ['github', 'github.com'],
  ['gitlab', 'gitlab.com'],
  ['bitbucket', 'bitbucket.org'],
])

/** Types without a registry, which advisories do not name. */
const UNREGISTERED = new Set([
  'generic',
  'buildroot',
  'openwrt',
  // Packages of OpenWrt and of OpenEmbedded, by their package manager and the ending of its files.
  'opkg',
  'ipk',
  'brew',
  'swid',
  // Packages of these are built of upstream's releases under upstream's names: sbomnix writes `pkg:nix/openssl@3.0.12`.
  'bazel',
  'conda',
  'nix',
])

/** Types without advisories of their own: the name is upstream's. */
const UPSTREAM_TYPES = new Set([...UNREGISTERED, 'yocto', 'conan', 'vcpkg'])

export function isUpstreamType(type: string): boolean {
  return UPSTREAM_TYPES.has(type)
}

export function isUnregisteredType(type: string): boolean {
  return UNREGISTERED.has(type)
}

/** Recipes, files and repositories: people write their versions as they like. */
export function isWithoutRegistry(type: string): boolean {
  return UPSTREAM_TYPES.has(type) || FORGES.has(type)
}
