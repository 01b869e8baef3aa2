/**
 * The distributions, each with its ecosystem of OSV, the namespace of the purls by which its records name packages, and every name
 * that the generators of SBOMs have for it.
 *
 * The names are those of
 * - os-release, which Syft writes (`ID`, https://www.freedesktop.org/software/systemd/man/latest/os-release.html)
 * - Trivy (pkg/fanal/types/const.go, `OSType` and `OSTypeAliases`; pkg/purl/purl.go)
 * - cdxgen (lib/managers/binary.js): the namespace of Trivy, the qualifier of os-release
 * - OSV-Scalibr (extractor/filesystem/os/ecosystem/ecosystem.go): os-release as namespace, a code name or a release as qualifier
 * - Docker Scout: `os_name`, `os_version` and `os_distro` as qualifiers
 * - Tern (tern/formats/spdx_new/package_helpers.py): the first word of the package's vendor, as in `Red Hat, Inc.`
 * - Microsoft's component-detection (TypedComponent/LinuxComponent.cs): `red hat enterprise linux`
 * - OSV's ecosystems (https://ossf.github.io/osv-schema/#affectedpackage-field).
 */

interface Distribution {
  /** As OSV names it, where it does. */
  ecosystem: string
  /** The namespace of purls in records; in most distributions the `ID` of os-release. */
  namespace: string
  names: readonly string[]
  /** Its advisories are about a whole major release. */
  isByMajor?: true
}

const DISTRIBUTIONS: readonly Distribution[] = [
  {
    ecosystem: 'Debian',
    namespace: 'debian',
    names: ['debian', 'debian gnu/linux', 'debian linux'],
    isByMajor: true,
  },
  { ecosystem: 'Ubuntu', namespace: 'ubuntu', names: ['ubuntu', 'ubuntu linux'] },
  { ecosystem: 'Raspbian', namespace: 'raspbian', names: ['raspbian', 'raspbian gnu/linux'] },
  { ecosystem: 'Echo', namespace: 'echo', names: ['echo', 'echo linux'] },
  { ecosystem: 'Alpine', namespace: 'alpine', names: ['alpine', 'alpine linux', 'alpinelinux'] },
  { ecosystem: 'Wolfi', namespace: 'wolfi', names: ['wolfi', 'wolfi os'] },
  { ecosystem: 'Chainguard', namespace: 'chainguard', names: ['chainguard', 'chainguard os'] },
  { ecosystem: 'Alpaquita', namespace: 'alpaquita', names: ['alpaquita', 'alpaquita linux'] },
  {
    ecosystem: 'BellSoft Hardened Containers',
    namespace: 'bellsoft-hardened-containers',
    names: ['bellsoft-hardened-containers'],
  },
  { ecosystem: 'CleanStart', namespace: 'cleanstart', names: ['cleanstart', 'clnstrt'] },
  { ecosystem: 'MinimOS', namespace: 'minimos', names: ['minimos'] },
  { ecosystem: 'OpenWrt', namespace: 'openwrt', names: ['openwrt'] },
  { ecosystem: 'Arch Linux', namespace: 'arch', names: ['arch', 'arch linux', 'archlinux'] },
  {
    ecosystem: 'Red Hat',
    namespace: 'redhat',
    names: [
      'redhat',
      'red hat',
      'red',
      'rhel',
      'rhcos',
      'red hat enterprise linux',
      'red hat enterprise linux server',
      'enterprise_linux',
    ],
    isByMajor: true,
  },
  {
    ecosystem: 'CentOS',
    namespace: 'centos',
    names: ['centos', 'centos linux', 'centos-stream', 'centos stream'],
    isByMajor: true,
  },
  {
    ecosystem: 'Rocky Linux',
    namespace: 'rocky-linux',
    names: ['rocky', 'rocky linux', 'rockylinux'],
    isByMajor: true,
  },
  {
    ecosystem: 'AlmaLinux',
    namespace: 'almalinux',
    names: ['almalinux', 'alma', 'alma linux'],
    isByMajor: true,
  },
  {
    ecosystem: 'Oracle Linux',
    namespace: 'oracle',
    names: ['ol', 'oracle', 'oracle linux', 'oraclelinux', 'oracle linux server'],
    isByMajor: true,
  },
  {
    ecosystem: 'Fedora',
    namespace: 'fedora',
    names: ['fedora', 'fedora linux', 'coreos'],
    isByMajor: true,
  },
  {
    ecosystem: 'Amazon Linux',
    namespace: 'amzn',
    names: ['amzn', 'amazon', 'amazon linux', 'amazonlinux', 'amazon linux ami', 'amazon.com'],
    isByMajor: true,
  },
  {
    ecosystem: 'SUSE',
    namespace: 'suse',
    names: [
      'suse',
      'sles',
      'sled',
      'sles_sap',
      'slem',
      'sle-micro',
      'sl-micro',
      'sle-micro-rancher',
      'sle_hpc',
      'suse linux enterprise',
      'suse linux enterprise server',
      'suse linux enterprise desktop',
      'suse linux enterprise micro',
    ],
  },
  {
    ecosystem: 'openSUSE',
    namespace: 'opensuse',
    names: [
      'opensuse',
      'opensuse-leap',
      'opensuse.leap',
      'opensuse-tumbleweed',
      'opensuse leap',
      'opensuse-leap-micro',
      'opensuse-microos',
      'opensuse-aeon',
      'opensuse-kalpa',
    ],
  },
  { ecosystem: 'Mageia', namespace: 'mageia', names: ['mageia'], isByMajor: true },
  {
    ecosystem: 'Photon OS',
    namespace: 'photon',
    names: ['photon', 'photon os', 'photon linux', 'vmware photon os', 'vmware photon linux'],
    isByMajor: true,
  },
  { ecosystem: 'openEuler', namespace: 'openeuler', names: ['openeuler'] },
  {
    ecosystem: 'Azure Linux',
    namespace: 'azurelinux',
    names: ['azurelinux', 'azure linux', 'mariner', 'cbl-mariner', 'cbl mariner'],
    isByMajor: true,
  },
]

/** Tools write `opensuse.leap`, `opensuse-leap` and `openSUSE Leap`. */
function written(name: string): string {
  return name.toLowerCase().replace(/[\s._]+/g, '-')
}

const BY_NAME = new Map(
  DISTRIBUTIONS.flatMap((one) =>
    [one.ecosystem, one.namespace, ...one.names].map((name) => [written(name), one] as const),
  ),
)

/** The distribution that a name means, if it is the name of one. */
export function findDistribution(name: string | undefined): Distribution | undefined {
  return name === undefined ? undefined : BY_NAME.get(written(name))
}

/** The distribution with which a text begins: `alma-8.5`, `suse linux enterprise server-15.4`, `Amazon Linux 2`. */
export function findDistributionInText(text: string | undefined): Distribution | undefined {
  if (text === undefined) return undefined
  const words = written(text).slice(0, MAX_LENGTH).split(/[-:]/)
  for (let count = words.length; count > 0; count--) {
    const found = BY_NAME.get(words.slice(0, count).join('-'))
    if (found) return found
  }
  return BY_NAME.get(/^[a-z]+/.exec(words[0] ?? '')?.[0] ?? '')
}

const MAX_LENGTH = 200

/** The namespace by which the records of the distribution name its packages. */
export function findRecordsNamespace(namespace: string): string {
  return findDistribution(namespace)?.namespace ?? namespace
}
