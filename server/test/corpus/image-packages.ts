/**
 * What a label does not say: the distribution of its image, and what kind of package it names. Both are derived from the
 * versions, as the labels state names, versions and the image's digest only.
 */
import { sourceNameOf } from './image-sources.ts'

export interface Image {
  /** The repository and the begin of the digest. */
  name: string
  distribution: Distribution | undefined
}

/** `namespace` and `release` as the purls of Syft have them: `debian`, `11`. */
export interface Distribution {
  type: 'deb' | 'rpm' | 'apk'
  namespace: string
  /** undefined: the versions do not tell. */
  release: string | undefined
}

export interface ImagePackage {
  image: Image
  name: string
  version: string
  /** The distribution's namespace, or the registry. */
  ecosystem: string
  purl: string | undefined
  /** What Syft adds: a guess, from the name of the package. */
  cpe: string
  /** The source package of a distribution's package. */
  source: string
}

interface NameAndVersion {
  name: string
  version: string
}

export function imageOf(exact: string, packages: readonly NameAndVersion[]): Image {
  const [repository = '', digest = ''] = exact.split('@sha256:')
  const name = `${repository.replace(/^docker\.io\//, '')}@${digest.slice(0, 12)}`
  return { name, distribution: distributionOf(repository, packages) }
}

const RPM_VERSION = /\.(?:el|amzn)\d|\.module\+el\d/
const APK_VERSION = /-r\d+$/

/** Images whose distribution only their name tells. */
const BY_NAME: readonly (readonly [repository: RegExp, distribution: Distribution])[] = [
  [/\/sles12sp4$/, { type: 'rpm', namespace: 'sles', release: '12.4' }],
  [/chainguard/, { type: 'apk', namespace: 'wolfi', release: '20230201' }],
]

function distributionOf(
  repository: string,
  packages: readonly NameAndVersion[],
): Distribution | undefined {
  const named = BY_NAME.find(([pattern]) => pattern.test(repository))
  if (named) return named[1]
  const versions = packages.map(({ version }) => version)
  const rpm = rpmDistributionOf(repository, versions)
  if (rpm) return rpm
  if (versions.some((version) => /ubuntu\d/.test(version)))
    return { type: 'deb', namespace: 'ubuntu', release: releaseBy(UBUNTU, packages) }
  if (packages.some(({ name }) => name === 'libc6'))
    return { type: 'deb', namespace: 'debian', release: releaseBy(DEBIAN, packages) }
  if (versions.some((version) => APK_VERSION.test(version)))
    return { type: 'apk', namespace: 'alpine', release: releaseBy(ALPINE, packages) }
  return undefined
}

function rpmDistributionOf(
  repository: string,
  versions: readonly string[],
): Distribution | undefined {
  const [, amazon] = firstMatch(versions, /\.amzn(\d+)/)
  if (amazon !== undefined) return { type: 'rpm', namespace: 'amzn', release: amazon }
  const [, release] = firstMatch(versions, /\.(?:module\+)?el(\d+)/)
  if (release === undefined) return undefined
  const namespace = /\/(?:almalinux|oraclelinux)$/.exec(repository)?.[0].slice(1) ?? 'redhat'
  return { type: 'rpm', namespace: namespace.replace('oraclelinux', 'ol'), release }
}

function firstMatch(texts: readonly string[], pattern: RegExp): readonly string[] {
  return texts.map((text) => pattern.exec(text)).find((found) => found !== null) ?? []
}

type Sign = readonly [name: RegExp, version: RegExp, release: string]

/** The C library of each release (packages.debian.org, launchpad.net/ubuntu/+source/glibc and eglibc). */
const DEBIAN: readonly Sign[] = [
  [/^libc6$/, /^2\.19-/, '8'],
  [/^libc6$/, /^2\.24-/, '9'],
  [/^libc6$/, /^2\.28-/, '10'],
  [/^libc6$/, /^2\.31-/, '11'],
  [/^libc6$/, /^2\.36-/, '12'],
]
const UBUNTU: readonly Sign[] = [
  [/^libc6$/, /^2\.17-/, '13.04'],
  [/^libc6$/, /^2\.19-/, '14.04'],
  [/^libc6$/, /^2\.21-/, '15.04'],
  [/^libc6$/, /^2\.27-/, '18.04'],
  [/^libc6$/, /^2\.30-/, '19.10'],
  [/^libc6$/, /^2\.31-/, '20.04'],
  [/^libc6$/, /^2\.32-/, '20.10'],
  [/^libc6$/, /^2\.33-/, '21.04'],
]
/** Each release is known by its version of BusyBox, or of OpenSSL where no other package has a label (pkgs.alpinelinux.org). */
const ALPINE: readonly Sign[] = [
  [/^(?:busybox|ssl_client)$/, /^1\.31\.1-r(?:9|10|11)$/, '3.11'],
  [/^(?:busybox|ssl_client)$/, /^1\.31\.1-r(?:1[6-9]|2\d)$/, '3.12'],
  [/^(?:busybox|ssl_client)$/, /^1\.32\.1-/, '3.13'],
  [/^(?:busybox|ssl_client)$/, /^1\.33\.1-/, '3.14'],
  [/^(?:busybox|ssl_client)$/, /^1\.34\.1-/, '3.15'],
  [/^(?:busybox|ssl_client)$/, /^1\.35\.0-/, '3.16'],
]

function releaseBy(signs: readonly Sign[], packages: readonly NameAndVersion[]) {
  return signs.find(([ofName, ofVersion]) =>
    packages.some(({ name, version }) => ofName.test(name) && ofVersion.test(version)),
  )?.[2]
}

export function packageOf(image: Image, name: string, version: string): ImagePackage {
  const { distribution } = image
  const cpe = `cpe:2.3:a:${quoted(name)}:${quoted(name)}:${quoted(version)}:*:*:*:*:*:*:*`
  const bare = { image, name, version, cpe, source: name }
  if (distribution !== undefined && isOfDistribution(distribution, name, version)) {
    const { namespace, release } = distribution
    const source = sourceNameOf(distribution, name, version)
    const purl = distributionPurl(distribution, { name, version, source })
    return { ...bare, source, purl, ecosystem: `${namespace} ${release ?? '?'}` }
  }
  const ecosystem = languageOf(image, name, version)
  return {
    ...bare,
    ecosystem,
    purl: ecosystem === 'binary' ? undefined : registryPurl(ecosystem, name, version),
    // The classifiers of Syft know the vendor of an executable.
    ...(ecosystem === 'binary' && {
      cpe: `cpe:2.3:a:${BINARIES.get(name) ?? quoted(name)}:${quoted(version)}:*:*:*:*:*:*:*`,
    }),
  }
}

const DEB_VERSION = /^(?:\d+:)?\d[\w.+~]*-[\d.]+[\w.+~]*$/
/** Debian's own programs, whose versions have no revision. */
const DEBIAN_NATIVE = /^(?:apt|apt-transport-https|libapt-pkg[\d.]+|dpkg|sensible-utils)$/

function isOfDistribution(
  { type, namespace }: Distribution,
  name: string,
  version: string,
): boolean {
  if (type === 'apk') return APK_VERSION.test(version)
  if (type === 'rpm')
    return namespace === 'sles' ? /-\d+(?:\.\d+)+$/.test(version) : RPM_VERSION.test(version)
  return DEB_VERSION.test(version) || DEBIAN_NATIVE.test(name)
}

function distributionPurl(
  { type, namespace, release }: Distribution,
  { name, version, source }: NameAndVersion & { source: string },
): string {
  const [, epoch, bare = version] = /^(?:(\d+):)?(.*)$/.exec(version) ?? []
  const qualifiers = [
    ...(release === undefined ? [] : [`distro=${namespace}-${release}`]),
    ...(type === 'rpm' && epoch !== undefined ? [`epoch=${epoch}`] : []),
    ...(type === 'rpm' ? [`upstream=${encodeURIComponent(`${source}-${bare}.src.rpm`)}`] : []),
    ...(type !== 'rpm' && source !== name ? [`upstream=${encodeURIComponent(source)}`] : []),
  ]
  const stated = encodeURIComponent(type === 'rpm' ? bare : version)
  const path = `pkg:${type}/${namespace}/${encodeURIComponent(name)}@${stated}`
  return qualifiers.length === 0 ? path : `${path}?${qualifiers.join('&')}`
}

/** Executables that Syft recognises by their content, and the CPE it gives them. */
const BINARIES = new Map([
  ['busybox', 'busybox:busybox'],
  ['go', 'golang:go'],
  ['nginx', 'f5:nginx'],
  ['node', 'nodejs:node.js'],
  ['postgresql', 'postgresql:postgresql'],
  ['python', 'python:python'],
  ['ruby', 'ruby-lang:ruby'],
])

/** Registries of names that occur in images of another language. */
const REGISTRIES = new Map([
  ['aiohttp', 'pypi'],
  ['ftpd', 'gem'],
  ['guava', 'maven'],
  ['kubernetes', 'pypi'],
  ['numpy', 'pypi'],
  ['pip', 'pypi'],
  ['pyOpenSSL', 'pypi'],
  ['PyYAML', 'pypi'],
  ['rpm', 'pypi'],
  ['urllib3', 'pypi'],
  ['xmldom', 'npm'],
])

/** The language of the images, as far as the names of their packages tell it. */
const LANGUAGES: readonly (readonly [image: RegExp, registry: string])[] = [
  [/^(?:jenkins|sonatype|vulhub)\//, 'maven'],
  [/^anchore\/test_images@b3534fc2e379/, 'maven'],
  [/^anchore\/test_images@b2b58a55c03b/, 'pypi'],
  [/^(?:gitlab\/|anchore\/test_images@5763c8a225f9)/, 'gem'],
  [/^(?:node|ghost|anchore\/test_images@ba42ded8613f)/, 'npm'],
]

/** The editor within GitLab consists of npm packages that are named like what they support, with such versions. */
const EDITOR_VERSION = /^(?:0\.0\.0-DEVELOPMENT|1\.0\.[03]|0\.0\.2|5\.0\.0-beta\.36|1\.3\.7)$/
const EXECUTABLE_VERSION = /^\d+\.\d+(?:\.\d+)?(?:p\d+|[a-z]?-[a-z]Z\d)?$/

function languageOf(image: Image, name: string, version: string): string {
  if (name.includes('.') && /^[\w-]+(?:\.[\w-]+)+\//.test(name)) return 'golang'
  if (name === 'stdlib') return 'golang'
  const known = REGISTRIES.get(name)
  if (known !== undefined) return known
  if (image.name.startsWith('gitlab/') && EDITOR_VERSION.test(version)) return 'npm'
  const language = LANGUAGES.find(([pattern]) => pattern.test(image.name))?.[1]
  const isExecutable = BINARIES.has(name) && EXECUTABLE_VERSION.test(version)
  if (isExecutable && language !== 'pypi') return 'binary'
  return language ?? 'binary'
}

/** The groups of artefacts, by the begin of their name; without one, Syft repeats the name. */
const GROUPS: readonly (readonly [artefact: RegExp, group: string])[] = [
  [/^org\.apache\.karaf\./, 'org.apache.karaf'],
  [/^jetty-(?!setuid)/, 'org.eclipse.jetty'],
  [/^jetty-setuid-java$/, 'org.eclipse.jetty.toolchain.setuid'],
  [/^maven-resolver-/, 'org.apache.maven.resolver'],
  [/^maven-shared-utils$/, 'org.apache.maven.shared'],
  [/^maven-/, 'org.apache.maven'],
  [/^shiro-/, 'org.apache.shiro'],
  [/^netty(?:-codec|$)/, 'io.netty'],
  [/^netty-reactive-streams$/, 'com.typesafe.netty'],
  [/^jackson-databind$/, 'com.fasterxml.jackson.core'],
  [/^xstream$/, 'com.thoughtworks.xstream'],
  [/^guava$/, 'com.google.guava'],
  [/^log4j$/, 'log4j'],
  [/^log4j-over-slf4j$/, 'org.slf4j'],
  [/^spring-core$/, 'org.springframework'],
  [/^commons-compress$/, 'org.apache.commons'],
  [/^tika-core$/, 'org.apache.tika'],
  [/^h2$/, 'com.h2database'],
  [/^httpclient$/, 'org.apache.httpcomponents'],
  [/^elasticsearch$/, 'org.elasticsearch'],
  [/^postgresql$/, 'org.postgresql'],
  [/^jsoup$/, 'org.jsoup'],
  [/^xmlsec$/, 'org.apache.santuario'],
  [/^xz$/, 'org.tukaani'],
  [/^geronimo-(?:stax|activation)/, 'org.apache.geronimo.specs'],
  [/^keycloak-/, 'org.keycloak'],
  [/^activemq-protobuf$/, 'org.apache.activemq.protobuf'],
  [/^nexus-/, 'org.sonatype.nexus'],
  [/^jenkins-core$/, 'org.jenkins-ci.main'],
  [/^hazelcast-/, 'com.hazelcast'],
  [/^(?:php|python)-(?:checks|frontend)$/, 'org.sonarsource.$1'],
]

function registryPurl(registry: string, name: string, version: string): string {
  const stated = encodeURIComponent(version)
  if (registry === 'maven') {
    const [pattern, known = name] = GROUPS.find(([artefact]) => artefact.test(name)) ?? []
    const group = pattern === undefined ? name : known.replace('$1', pattern.exec(name)?.[1] ?? '')
    return `pkg:maven/${group}/${name}@${stated}`
  }
  return `pkg:${registry}/${registry === 'pypi' ? name.toLowerCase() : name}@${stated}`
}

/** As a CPE writes it: small, with a backslash before marks. */
function quoted(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9._-]/g, '\\$&')
}
