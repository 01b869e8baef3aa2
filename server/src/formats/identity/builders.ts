/**
 * Who built a package. The records of a distribution are about its own builds: of what others build for its releases (PPAs, the
 * repositories of projects, rebuilds) they know neither the flaws nor the repairs.
 */
export interface OtherBuilder {
  /** In words for people. */
  reason: string
  /** The release whose sources the build has: its records hold. */
  sourcesOf?: string
}

interface BuildFacts {
  ecosystem: string
  version: string | undefined
  /** The major release, where one is stated. */
  release?: string | undefined
  /** The names of the package and of its source. */
  names?: readonly string[] | undefined
  /** Whether it is a kernel package with a version numbering of its own. */
  isApart?: boolean | undefined
  /** Who supplies it, as the SBOM says: the vendor of an rpm, the maintainer of a deb. */
  vendor?: string | undefined
  /** Where it comes from, as the purl says. */
  repository?: string | undefined
}

/** Undefined for a build of the distribution itself, and for one about which nothing says otherwise. */
export function findOtherBuilder(facts: BuildFacts): OtherBuilder | undefined {
  const { ecosystem, version = '', vendor, repository, names = [] } = facts
  const backport = findBackport(ecosystem, version)
  if (backport) return backport
  const mark = foreignMark(ecosystem, version)
  if (mark !== undefined)
    return {
      reason: `“${mark}” in its version is not a mark of ${ecosystem}, so another builder’s`,
    }
  const builder = names.flatMap(findBuilderOfName)[0]
  if (builder !== undefined) return { reason: `${builder}, not ${ecosystem}` }
  if (facts.isApart === true)
    return { reason: `${version} is not the version of a kernel of ${ecosystem}` }
  if (lacksTag(facts))
    return { reason: `${version} has no mark of ${ecosystem}, so that another built it` }
  if (vendor !== undefined && isOtherVendor(ecosystem, vendor))
    return { reason: `${vendor} built it, not ${ecosystem}` }
  if (repository !== undefined && OTHER_REPOSITORIES.test(repository))
    return { reason: `it comes from ${repository}, not from ${ecosystem}` }
  return undefined
}

/**
 * Debian builds packages of its next release once more for the current one. Its security team does not look after them
 * (https://backports.debian.org/FAQ/), and its tracker has no entries for them. Their sources are those of the next release
 * (https://backports.debian.org/), so that what its records say of these sources holds.
 */
function findBackport(ecosystem: string, version: string): OtherBuilder | undefined {
  const [, release] = (ecosystem === 'Debian' && DEBIAN_BACKPORT.exec(version)) || []
  if (release === undefined) return undefined
  // bpo60 is of Debian 6.0, bpo8 of Debian 8.
  const own = release.length > 1 && release.endsWith('0') && release !== '10' ? release[0] : release
  const sourcesOf = String(Number(own) + 1)
  return {
    reason: `a backport for Debian ${own} has the sources of Debian ${sourcesOf}, and Debian ${own} has no records of it`,
    sourcesOf,
  }
}

const DEBIAN_BACKPORT = /[~+]bpo(\d+)(?:\+\d+|\.\d+)*$/

/** The version of the sources of a backport: `8.12.1-1` of `8.12.1-1~bpo12+1`. */
export function withoutBackport(version: string): string {
  return version.replace(DEBIAN_BACKPORT, '')
}

/** Marks of builders that are known by name, in versions of every form. */
const KNOWN_MARKS =
  /[~+.\d-](?:ppa\d*|deb\.sury\.org|sury|nodesource|pgdg|remi|elrepo|ngx|rpmfusion|ius|art|nux|psychotic|percona|maria|cpanel|copr|dotdeb)(?=$|[^a-z])/i

/** Letters in the revision that each distribution writes itself; other letters are another builder's. */
const OWN_MARKS: Partial<Record<string, RegExp>> = {
  /**
   * Debian Developer's Reference, 5.8.5.4 and 5.11.2: `+deb12u1`, `+nmu1`, `+b1`. Until Debian 7 security updates had the name of
   * the release: `+squeeze1`, `sarge3`, `.woody.2`. `~bookworm` and all later names are of others.
   */
  Debian:
    /^(?:debu?|u|b|nmu|build|exp|pre|rc|alpha|beta|git|svn|cvs|hg|bzr|dfsg|ds|repack|really|hurd|lts|potato|woody|sarge|etch|etchnhalf|lenny|squeeze|wheezy|[a-z])$/i,
  /**
   * Ubuntu: `ubuntu0.22.04.1`, `build2`, `+esm1`, `+Fips1` (https://canonical-ubuntu-packaging-guide.readthedocs-hosted.com, version
   * strings), and what it takes over from Debian. Kernels of later releases had the name of the release until 2012.
   */
  Ubuntu:
    /^(?:ubuntu|build|esm|fips|cvm|fde|hwe|ga|debu?|u|b|nmu|exp|pre|rc|alpha|beta|git|svn|cvs|hg|bzr|dfsg|ds|repack|really|snap|hardy|jaunty|karmic|lucid|maverick|natty|oneiric|precise|[a-z])$/i,
}

/** Marks of the distribution for which an rpm was built (`%{dist}`), and whose they are. */
const DIST_TAGS: readonly (readonly [RegExp, ReadonlySet<string>])[] = [
  [
    /\.(?:module[+_])?el\d/,
    new Set(['Red Hat', 'CentOS', 'Rocky Linux', 'AlmaLinux', 'Oracle Linux']),
  ],
  [/\.fc\d/, new Set(['Fedora'])],
  [/\.amzn\d/, new Set(['Amazon Linux'])],
  [/\.mga\d/, new Set(['Mageia'])],
  [/\.ph\d/, new Set(['Photon OS'])],
  [/\.(?:cm|azl)\d/, new Set(['Azure Linux'])],
  [/\.oe\d/, new Set(['openEuler'])],
]
const RPM_DISTRIBUTIONS = new Set([
  ...DIST_TAGS.flatMap(([, whose]) => [...whose]),
  'SUSE',
  'openSUSE',
])

/** What follows the mark. */
const TAIL = /\.(?:el|fc|amzn|mga|ph|cm|azl|oe)\d+[a-z]*(?<tail>.*)$/

/**
 * Words in it of those who rebuild Red Hat's packages, and of other distributions. SUSE's builds have no mark but the project in which they are
 * built (`lp155.2.1`, `bp155.2.1`); those of Packman have `.pm.1`.
 */
const REBUILDERS: Partial<Record<string, RegExp>> = {
  CentOS: /^(?:centos|plus)$/,
  'Red Hat': /^centos$/,
  AlmaLinux: /^(?:alma|plus)$/,
  'Rocky Linux': /^(?:rocky|cloud)$/,
  Mageia: /^(?:tainted|nonfree)$/,
  SUSE: /^(?:lp|bp|slfo)$/,
  openSUSE: /^(?:lp|bp|slfo)$/,
}

/** The part of a version that the distribution does not write. */
function foreignMark(ecosystem: string, version: string): string | undefined {
  const [known] = KNOWN_MARKS.exec(version) ?? []
  if (known !== undefined) return known.replace(/^[\d-]/, '')
  if (RPM_DISTRIBUTIONS.has(ecosystem)) return foreignRelease(ecosystem, version)
  const own = OWN_MARKS[ecosystem]
  return own && foreignRevision(version, own)
}

/** Finds what another builder added to the revision of a deb. A native package has no revision; its marks follow a `+` or `~`. */
function foreignRevision(version: string, own: RegExp): string | undefined {
  const dash = version.lastIndexOf('-')
  const revision = dash > 0 ? version.slice(dash) : (/[+~].*$/.exec(version)?.[0] ?? '')
  // Commits and days of a snapshot: `+git20231108.1a2b3c4`.
  const plain = revision.replace(/\.?(?:git|svn|hg|bzr)?[.-]?\d{8}(?:\.[0-9a-f]{6,})?/g, '')
  const word = [...plain.matchAll(/[a-z]+/gi)].find(([letters]) => !own.test(letters))
  if (word === undefined) return undefined
  const start = plain.slice(0, word.index)
  const mark = /[~+.]?[\d.]*$/.exec(start)?.[0] ?? ''
  return `${/^[~+]/.test(mark) ? mark : ''}${/^[a-z\d.]+/i.exec(plain.slice(word.index))?.[0] ?? ''}`
}

/** Packages that no distribution has, whichever they are installed on. */
const OTHER_PACKAGES: readonly (readonly [RegExp, builder: string, source: string])[] = [
  [
    /^linux-upstream$/,
    'somebody built it by “make deb-pkg” of the kernel',
    'https://github.com/torvalds/linux/blob/v6.12/scripts/package/mkdebian',
  ],
  [
    /^(?:pve|proxmox)-kernel(?:$|-)/,
    'Proxmox built it',
    'https://git.proxmox.com/?p=pve-kernel.git',
  ],
  [/^nvidia-l4t-/, 'NVIDIA built it', 'https://repo.download.nvidia.com/jetson/'],
]

function findBuilderOfName(name: string): string[] {
  return OTHER_PACKAGES.flatMap(([pattern, builder]) => (pattern.test(name) ? [builder] : []))
}

/**
 * Distributions whose every build has the mark (`%{?dist}`), since the release. Red Hat's did not all have it before 7. Of AlmaLinux's
 * 7,203 versions in OSV two lack it.
 */
const TAGGED_SINCE: Partial<Record<string, number>> = {
  'Red Hat': 7,
  CentOS: 7,
  'Rocky Linux': 8,
  AlmaLinux: 8,
  'Oracle Linux': 7,
  'Azure Linux': 2,
  'Photon OS': 2,
  openEuler: 20,
}

/** Whether the version is the build of an rpm without the mark that all builds of its distribution have: `6.1.55-1` of “make rpm-pkg”. */
function lacksTag({ ecosystem, version = '', release = '', names = [] }: BuildFacts): boolean {
  // rpm keeps the keys that it trusts as packages.
  if (names.includes('gpg-pubkey')) return false
  const since = TAGGED_SINCE[ecosystem]
  if (since === undefined || !(Number.parseInt(release, 10) >= since)) return false
  const build = /-([^-]+)$/.exec(version)?.[1]
  return build !== undefined && !DIST_TAGS.some(([tag]) => tag.test(build))
}

/** Finds the builder that the release of an rpm names. */
function foreignRelease(ecosystem: string, version: string): string | undefined {
  const release = version.slice(version.lastIndexOf('-') + 1)
  const tags = DIST_TAGS.flatMap(([tag, whose]) => {
    const found = tag.exec(release)
    return found ? [{ found, whose }] : []
  })
  const foreign = tags.find(({ whose }) => !whose.has(ecosystem))
  if (foreign && !tags.some(({ whose }) => whose.has(ecosystem)))
    return /^\.[a-z+_]+\d+/.exec(release.slice(foreign.found.index))?.[0]
  const tail = /SUSE/.test(ecosystem) ? `.${release}` : (TAIL.exec(release)?.groups?.['tail'] ?? '')
  const own = REBUILDERS[ecosystem]
  const word = [...tail.matchAll(/(?:(?<=[._])|(?<=\+)(?![\da-f]{7}))[a-z]{2,}/g)].find(
    ([one]) => own?.test(one) !== true,
  )
  return word === undefined ? undefined : `.${word[0]}`
}

/** Who builds for releases of others, by the name that their packages state. */
const OTHER_VENDORS =
  /launchpad ppa|elrepo|remi(?:['’]s rpm repository| collet)|rpm ?fusion|postgresql global development|pgdg|nodesource|support@docker\.com|nginx[ -]packaging|\bius (?:community|project)|mariadb (?:developers|foundation)|percona (?:development|llc)|fedora copr/i

/** EPEL is built by the Fedora Project for the releases of Red Hat and its rebuilds, and has no mark of its own. */
function isOtherVendor(ecosystem: string, vendor: string): boolean {
  if (OTHER_VENDORS.test(vendor)) return true
  return (
    ecosystem !== 'Fedora' && RPM_DISTRIBUTIONS.has(ecosystem) && /fedora project/i.test(vendor)
  )
}

const OTHER_REPOSITORIES =
  /epel|elrepo|remirepo|rpmfusion|copr|download\.docker\.com|docker-ce|nginx\.org|nginx-(?:stable|mainline)|pgdg|postgresql\.org|nodesource|launchpad|\bppa\b|sury\.org|percona|mariadb\.(?:org|com)|packman/i

/** Whether a record about a release of the distribution holds for the build. */
export function isOfRecords({ otherBuilder }: { otherBuilder?: OtherBuilder }): boolean {
  return otherBuilder === undefined || otherBuilder.sourcesOf !== undefined
}

/**
 * Whether the build is of a later version of upstream than the release ever had. A release stays with one version and repairs it:
 * the updates of Debian 12 end with `+deb12u1`, those of Ubuntu with `ubuntu0.22.04.1` or `ubuntu4.2`. A build without such a mark and
 * of a newer version comes from elsewhere, so that these repairs say nothing of it.
 */
export function isOfLaterUpstream(
  version: string,
  { ecosystem, release }: { ecosystem: string; release?: string },
  fixes: readonly string[],
): boolean {
  const update =
    ecosystem === 'Debian'
      ? new RegExp(`[+~]deb${release ?? '\\d+'}u\\d`)
      : ecosystem === 'Ubuntu'
        ? /ubuntu\d+\.\d/
        : undefined
  if (update === undefined || /[+~]deb\d+u\d|-\S*ubuntu\d/.test(version)) return false
  const updates = fixes.filter((fixed) => update.test(fixed))
  return updates.length > 0 && updates.every((fixed) => isLaterSeries(version, fixed))
}

/** Compares the first two numbers: updates raise the third of a few packages, such as the kernel. */
function isLaterSeries(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) =>
    /^(?:\d+:)?(\d+)(?:\.(\d+))?/
      .exec(text)
      ?.slice(1)
      .map((number) => Number(number ?? 0)),
  )
  if (!a || !b) return false
  const [major = 0, minor = 0] = a
  const [otherMajor = 0, otherMinor = 0] = b
  return major > otherMajor || (major === otherMajor && minor > otherMinor)
}
