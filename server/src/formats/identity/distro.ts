/** The distribution and release that a package was built for. Distributions patch without raising upstream versions. */
import { findDistributionInText, findDistribution } from '../distributions.ts'
import { parseEcosystem } from '../ecosystems.ts'
import { isOfRecords, findOtherBuilder, type OtherBuilder } from './builders.ts'

/** Named as OSV names the ecosystem: `Debian` `12`, `Alpine` `3.19`, `Red Hat` `9`. */
export interface Distro {
  ecosystem: string
  /** undefined: stated nowhere. */
  release?: string
  /** Who else built the package. Absent: the distribution itself, as far as anything says. */
  otherBuilder?: OtherBuilder
}

/** https://wiki.debian.org/DebianReleases and https://wiki.ubuntu.com/Releases */
const CODE_NAMES = new Map(
  Object.entries({
    squeeze: '6',
    wheezy: '7',
    jessie: '8',
    stretch: '9',
    buster: '10',
    bullseye: '11',
    bookworm: '12',
    trixie: '13',
    forky: '14',
    duke: '15',
    precise: '12.04',
    trusty: '14.04',
    xenial: '16.04',
    bionic: '18.04',
    focal: '20.04',
    cosmic: '18.10',
    disco: '19.04',
    eoan: '19.10',
    groovy: '20.10',
    hirsute: '21.04',
    impish: '21.10',
    jammy: '22.04',
    kinetic: '22.10',
    lunar: '23.04',
    mantic: '23.10',
    noble: '24.04',
    oracular: '24.10',
    plucky: '25.04',
    questing: '25.10',
    resolute: '26.04',
  }),
)

interface DeclaredBuild {
  namespace: string | undefined
  /** The qualifiers of the purl. */
  qualifiers: Readonly<Record<string, string>>
  version: string | undefined
  /** Who supplies it, as the SBOM says. */
  vendor?: string | undefined
  /** The names of the package and of its source. */
  names?: readonly string[] | undefined
  /** Whether it is a kernel whose version is not the kernel's. */
  isApart?: boolean | undefined
}

/**
 * Tools state the release in `distro` (`debian-12.9`, `alpine-3.19.1`, `bookworm`, `3.16.4`), Docker Scout in `os_name` and
 * `os_version`, cdxgen also in `distro_name`, the code name.
 */
export function readDistro(build: DeclaredBuild): Distro | undefined {
  const { namespace, qualifiers, version, vendor, names, isApart } = build
  const stated = DISTRO_QUALIFIERS.flatMap((name) => findDistributionInText(qualifiers[name]) ?? [])
  const ecosystem = (findDistribution(namespace) ?? stated[0])?.ecosystem
  if (ecosystem === undefined) return undefined
  const { release, text } = statedRelease(ecosystem, build)
  const repository = REPOSITORY_QUALIFIERS.flatMap((name) => qualifiers[name] ?? []).join(' ')
  const facts = { ecosystem, release, version, vendor, names, isApart }
  const otherBuilder = findOtherBuilder({ ...facts, ...(repository !== '' && { repository }) })
  const built = otherBuilder && { otherBuilder }
  if (otherBuilder?.sourcesOf !== undefined)
    return { ecosystem, release: otherBuilder.sourcesOf, ...built }
  if (release === undefined) return { ecosystem, ...built }
  const isRebuild = ecosystem === 'CentOS' && isRebuiltRelease(release, { text, version })
  return { ecosystem: isRebuild ? REBUILT : ecosystem, release, ...built }
}

const DISTRO_QUALIFIERS = ['distro', 'os_name', 'os_distro', 'distro_name']
const RELEASE_QUALIFIERS = ['distro', 'os_version', 'os_distro', 'distro_name']

/** The release, and the text that states it. The version tells it only where no qualifier is meant to. */
function statedRelease(
  ecosystem: string,
  { qualifiers, version }: DeclaredBuild,
): { release: string | undefined; text?: string } {
  // os-release of openEuler leaves out the service pack, which its builds have.
  const ofBuild = ecosystem === 'openEuler' ? releaseOfVersion(ecosystem, version) : undefined
  if (ofBuild !== undefined) return { release: ofBuild }
  const texts = RELEASE_QUALIFIERS.flatMap((name) => qualifiers[name] ?? [])
  for (const text of texts) {
    const release = readRelease(ecosystem, text)
    if (release !== undefined) return { release, text }
  }
  const isUnreadable = texts.some((text) => findDistribution(text) === undefined)
  return { release: isUnreadable ? undefined : releaseOfVersion(ecosystem, version) }
}

const REPOSITORY_QUALIFIERS = ['repository_url', 'repository_id', 'repository', 'repo']

const REBUILT = 'Red Hat'

/**
 * CentOS Linux, up to release 8, was rebuilt from the sources of Red Hat's builds and kept their versions, so that Red Hat's records
 * hold (https://www.centos.org/about/). CentOS Stream comes before Red Hat's releases; its first is 8 too, and states no minor release.
 */
function isRebuiltRelease(
  release: string,
  { text = '', version = '' }: Record<'text' | 'version', string | undefined>,
): boolean {
  if (release !== '8') return Number(release) < 8
  return /(?:^|\D)8\.\d/.test(text) || /\.el8_\d/.test(version)
}

/** The namespace by which records name the package: of the distribution, or of the one that it rebuilds. */
export function findDistroNamespace(
  namespace: string | undefined,
  distro: Distro | undefined,
): string | undefined {
  const isOthers = namespace !== undefined && findDistribution(namespace) === undefined
  return isOthers ? namespace : (findDistribution(distro?.ecosystem)?.namespace ?? namespace)
}

function readRelease(ecosystem: string, text: string): string | undefined {
  // `bookworm`, `debian-bookworm`, `ubuntu-jammy`, and `trixie/sid` of what was to become trixie.
  const [named] = text
    .toLowerCase()
    .split(/[^a-z]+/)
    .flatMap((word) => CODE_NAMES.get(word) ?? [])
  if (named !== undefined) return named
  // `opensuse-tumbleweed-20260801` is a snapshot of the rolling release.
  // MicroOS and its desktops are Tumbleweed (https://en.opensuse.org/Portal:MicroOS).
  const [rolling] =
    /tumbleweed|edge|rawhide|sid|rolling/i.exec(
      text.replace(/microos|aeon|kalpa/i, 'tumbleweed'),
    ) ?? []
  if (rolling !== undefined) return rolling.toLowerCase()
  // `15 SP4`, and `22.03-LTS-SP3` of openEuler.
  const servicePack = /(\d+(?:\.\d+)*)(?:-LTS)?[ -]*SP *(\d+)/i.exec(text)
  if (servicePack) return `${servicePack[1]}.${servicePack[2]}`
  const numbers = /\d+(?:\.\d+)*/.exec(text)?.[0].split('.')
  if (numbers === undefined) return undefined
  // Debian 3.0 and 3.1 are two releases; since 4.0 the second number counts updates.
  const isMajor = findDistribution(ecosystem)?.isByMajor === true
  const isByMajor = isMajor && !(ecosystem === 'Debian' && Number(numbers[0]) < 4)
  return numbers.slice(0, isByMajor ? 1 : 2).join('.')
}

/** The release in a build's version, used where nothing else states it: `+deb12u3`, `ubuntu0.22.04.1`, `.el9_2`. */
function releaseOfVersion(ecosystem: string, version = ''): string | undefined {
  const patterns: Record<string, RegExp> = {
    Debian: /[+~](?:deb|bpo)(\d+)(?:u\d+)?/,
    Ubuntu: /(?:ubuntu\d*[.~]|~(?:ubuntu)?)(\d\d\.(?:04|10))(?!\d)/,
    'Red Hat': /\.(?:module[+_])?el(\d+)/,
    CentOS: /\.(?:module[+_])?el(\d+)/,
    'Rocky Linux': /\.(?:module[+_])?el(\d+)/,
    AlmaLinux: /\.(?:module[+_])?el(\d+)/,
    'Oracle Linux': /\.(?:module[+_])?el(\d+)/,
    Fedora: /\.fc(\d+)/,
    openEuler: /\.oe(\d{4})(?:sp(\d+))?/,
  }
  const [, release, servicePack] = patterns[ecosystem]?.exec(version) ?? []
  if (ecosystem !== 'openEuler' || release === undefined) return release
  const number = `${release.slice(0, 2)}.${release.slice(2)}`
  return servicePack === undefined ? number : `${number}.${servicePack}`
}

/**
 * The distribution of records as the column `packages.distribution` names it: `Ubuntu:22.04` of `Ubuntu:22.04:LTS`;
 * `Wolfi` of `wolfi`, whose records are for all releases.
 */
export function normaliseDistribution(stated: string): string {
  const { ecosystem: name, release: bare, suffix } = parseEcosystem(stated)
  const ecosystem = findDistribution(name)?.ecosystem ?? name
  const release = suffix === undefined ? undefined : readRelease(ecosystem, bare ?? suffix)
  return release === undefined ? ecosystem : `${ecosystem}:${release}`
}

/** Nobody publishes records of these in the formats that are read: their packages are upstream's, rebuilt. */
const WITHOUT_RECORDS = new Set(['OpenWrt', 'Arch Linux', 'Raspbian'])

/**
 * The distribution of a package, in words, if no record of it is known. `known` are distributions of records. Records of
 * any release do for a package that does not state its own.
 */
export function findUnknownDistribution(
  distro: Distro | undefined,
  known: ReadonlySet<string>,
): string | undefined {
  if (distro === undefined || WITHOUT_RECORDS.has(distro.ecosystem)) return undefined
  // Upstream's records decide about builds of others, whatever is known of the distribution.
  if (distro.otherBuilder !== undefined) return undefined
  const { ecosystem, release } = distro
  if (known.has(ecosystem)) return undefined
  if (release === undefined)
    return [...known].some((one) => one.startsWith(`${ecosystem}:`)) ? undefined : ecosystem
  return known.has(`${ecosystem}:${release}`) ? undefined : `${ecosystem} ${release}`
}

/**
 * The statements that count for a package, of those that are of its release. Ubuntu Pro maintains releases whose standard
 * support has ended, and packages without any (`Ubuntu:Pro:18.04:LTS`, versions with `esm`). Its statements decide about its
 * own builds, and about all builds where the standard stream says nothing. Certified builds (`1.1.1f-1ubuntu2.fips.22`, `linux-fips`) have a stream of their
 * own, by whose numbers alone they can be compared.
 */
export function selectStream<T extends { distro?: string }>(
  statements: readonly T[],
  { key, version }: { key: string; version: string },
): readonly T[] {
  const isCertified = key.startsWith('purl:deb/ubuntu/') && /fips/i.test(`${key} ${version}`)
  const ofStream = statements.filter(
    ({ distro }) =>
      distro?.startsWith('Ubuntu:') !== true || distro.startsWith(CERTIFIED) === isCertified,
  )
  const isPro = ({ distro }: T) => distro?.startsWith('Ubuntu:Pro:') === true
  const ofPro = ofStream.filter(isPro)
  if (ofPro.length === 0 || ofPro.length === ofStream.length) return ofStream
  return /esm\d/.test(version) ? ofPro : ofStream.filter((one) => !isPro(one))
}

const CERTIFIED = 'Ubuntu:Pro:FIPS'

/**
 * Whether an advisory for `stated` (an OSV ecosystem with its suffix: `Debian:12`, `Alpine:v3.19`,
 * `Red Hat:enterprise_linux:9::baseos`) applies to a package of this distribution. undefined when the release of the
 * package is unknown.
 */
export function isOfRelease(stated: string, distro: Distro | undefined): boolean | undefined {
  const { ecosystem: name, release: bare, suffix } = parseEcosystem(stated)
  const ecosystem = findDistribution(name)?.ecosystem ?? name
  if (distro === undefined || distro.ecosystem !== ecosystem) return false
  if (!isOfRecords(distro)) return false
  if (suffix === undefined) return true
  const release = readRelease(ecosystem, bare ?? suffix)
  if (release === undefined) return false
  return distro.release === undefined ? undefined : release === distro.release
}

/** Whether the distribution publishes records of its own builds. */
export function hasOwnRecords(distro: Distro | undefined): boolean {
  return (
    distro !== undefined &&
    distro.otherBuilder === undefined &&
    !WITHOUT_RECORDS.has(distro.ecosystem)
  )
}
