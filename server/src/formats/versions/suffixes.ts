/**
 * What follows a release in a version, and what it means: `2022.01-dirty` is release 2022.01, built by somebody; `9.3p1` of OpenSSH is
 * a later release, `1.0-rc1` an earlier one.
 */
import { rememberAnswers } from '../remembered.ts'
import { isStage, startsWithDate } from './generic.ts'
import { isCommit, normaliseVersion } from './normalise.ts'

/**
 * `own`: the text is a release or a stage of the product itself. `build`: it is built from the release. `around`: it is of an unknown
 * place near the release, such as a snapshot, or a count that may be the maker's or the builder's.
 */
export type SuffixMeaning = 'own' | 'build' | 'around'

export interface StatedVersion {
  /** The whole text where its suffix is the product's own. */
  release: string
  meaning: SuffixMeaning
}

/** The first that fits decides; all other suffixes are a builder's, who may write any text. */
const SUFFIXES: readonly (readonly [RegExp, SuffixMeaning, source: string])[] = [
  // No commit since the release, or so many.
  [/^-0+-g[\da-f]{4,40}(?![\da-z])/, 'build', 'https://git-scm.com/docs/git-describe'],
  [/^-\d+-g[\da-f]{4,40}(?![\da-z])/, 'around', 'https://git-scm.com/docs/git-describe'],
  // The kernel and U-Boot leave out the count where no tag is near.
  [
    /^[-+_]g[\da-f]{7,40}(?![\da-z])/,
    'around',
    'https://github.com/torvalds/linux/blob/v6.12/scripts/setlocalversion',
  ],
  // The commits since the release where a fourth part follows, else a release without changes of the code.
  [
    /^[-_.]?post\d/,
    'around',
    'https://packaging.python.org/en/latest/specifications/version-specifiers/#post-releases',
  ],
  // Snapshots of a repository: Debian's `+git20240101`, Alpine's `_git20240101`, OpenEmbedded's `+git0+abcdef1`.
  [/^[-+_~.]?(?:git|svn|hg|bzr|cvs|snap)(?![a-z])/, 'around', 'https://wiki.debian.org/Versioning'],
  // A tilde comes before the release for some distributions (Debian) and names the build for others (`~bookworm`).
  [/^~/, 'around', 'https://manpages.debian.org/trixie/dpkg-dev/deb-version.7.en.html'],
  // The packager's revision: OpenEmbedded's PR, opkg, apk.
  [
    /^[-_.]r\d+(?:\.\d+)*$/,
    'build',
    'https://docs.yoctoproject.org/ref-manual/variables.html#term-PR',
  ],
  // Counts that some makers use for later releases, and packagers for their own. `FAMILIES` has products that are known to.
  [/^[-_.+]?(?:p|pl|patch|sp|hf|hotfix|update|u|m)[-_.]?\d/, 'around', 'either'],
  [/^[-+_]\d/, 'around', 'either'],
]

interface Family {
  /** How a key ends that names one of the products. */
  products: RegExp
  /** Suffixes that name a later release. */
  later?: RegExp
  /** Versions of the state between two releases; the first group is the series. */
  between?: RegExp
  source: string
}

const FAMILIES: readonly Family[] = [
  {
    products: /[:/](?:openssh|openssh[-_]portable)$/,
    later: /^[-_.]?p\d+/i,
    source: 'https://www.openssh.com/portable.html',
  },
  {
    products: /[:/](?:opensmtpd|openntpd|openbgpd)(?:[-_]portable)?$/,
    later: /^[-_.]?p\d+/i,
    source: 'https://www.opensmtpd.org/portable.html',
  },
  {
    products: /[:/](?:ntp|ntpd|ntpsec)$/,
    later: /^[-_.]?p\d+/i,
    source: 'https://www.ntp.org/support/securitynotice/',
  },
  {
    products: /[:/]sudo$/,
    later: /^[-_.]?p\d+/i,
    source: 'https://www.sudo.ws/releases/stable/',
  },
  {
    products: /[:/](?:bash|readline)$/,
    later: /^[-_.]?p\d+/i,
    source: 'https://ftp.gnu.org/gnu/bash/bash-5.2-patches/',
  },
  {
    products: /[:/]ruby$/,
    later: /^[-_.]?p\d+/i,
    source: 'https://www.ruby-lang.org/en/news/2013/12/21/ruby-version-policy-changes-with-2-1-0/',
  },
  {
    // Patches, extended support, the editions for subscribers.
    products: /[:/](?:bind|bind9|dhcp|dhcpd|isc[-_]dhcp|dhcp_server|dhcp_client)$/,
    later: /^(?:[-_.]?(?:esv|[prsw]\d+))+/i,
    source: 'https://kb.isc.org/docs/aa-00896',
  },
  {
    products: /[:/]imagemagick$/,
    later: /^-\d+(?!-g[\da-f])/,
    source: 'https://imagemagick.org/script/download.php',
  },
  {
    // Patches of T. Dickey's programs have dates.
    products: /[:/](?:ncurses|dialog|cdk|byacc|luit)$/,
    later: /^[-+_.](?:19|20)\d{6}(?!\d)/,
    source: 'https://invisible-island.net/ncurses/ncurses.faq.html#which_version',
  },
  {
    // 3.5.99 is what follows 3.5.0 on the way to 3.6.0: releases of nRF Connect SDK have 3.5.99-ncs1.
    products: /[:/](?:sdk-)?(?:zephyr|mcuboot)$/,
    between: /^(\d+\.\d+)\.99(?!\d)/,
    source: 'https://github.com/zephyrproject-rtos/zephyr/issues/1558',
  },
]

/** The product of the key that a record uses tells how its maker counts. undefined: the text has no release, or begins with letters and is one. */
export function readStated(text: string, key: string): StatedVersion | undefined {
  const version = normaliseVersion(text)
  const numbered = isCommit(version) ? undefined : (readRelease(version) ?? readLettered(version))
  if (numbered === undefined) return undefined
  const family = FAMILIES.find(({ products }) => products.test(key))
  const series = family?.between?.exec(version)?.[1]
  if (series !== undefined) return { release: `${series}.0`, meaning: 'around' }
  // Most versions are a release and nothing else.
  return numbered === version
    ? { release: version, meaning: 'own' }
    : readSuffix(version, numbered, family)
}

function readSuffix(version: string, numbered: string, family: Family | undefined): StatedVersion {
  const later = family?.later?.exec(version.slice(numbered.length))?.[0] ?? ''
  const release = numbered + later
  const suffix = version.slice(release.length).toLowerCase()
  const count = DESCRIBED.test(suffix) ? '' : (COUNT.exec(suffix)?.[0] ?? '')
  if (count !== '' && count !== suffix)
    return {
      release: version.slice(0, release.length + count.length),
      meaning: findMeaning(suffix.slice(count.length)),
    }
  const meaning = findMeaning(suffix)
  return { release: meaning === 'own' ? version : release, meaning }
}

/** A count that may be the maker's, with a builder's suffix behind it: `1.9.5p2-dirty` is 1.9.5p2, which is 1.9.5 or follows it. */
const COUNT = /^[-_.+]?(?:(?:p|pl|patch|sp|hf|hotfix|update|u|m)[-_.]?)?\d+(?:\.\d+)*(?![\da-z])/
const DESCRIBED = /^-\d+-g[\da-f]{4,40}(?![\da-z])/

/** `r57` of `r57-dirty`, `b1.2`: a few makers put letters before the number. */
function readLettered(version: string): string | undefined {
  const letters = /^[a-z]{1,8}(?=\d)/i.exec(version)?.[0] ?? ''
  const rest = version.slice(letters.length)
  const release = letters === '' ? undefined : readRelease(rest)
  return release === undefined || release === rest ? undefined : letters + release
}

/** What banners and builders write instead of a hyphen: `1.30.0 (2020-01-01 …)`, `1.30.0#5`, `1.30.0^20240101git` of rpm. */
const SEPARATORS = /^[\s:,;/#@^]+/

function findMeaning(text: string): SuffixMeaning {
  const suffix = text.replace(SEPARATORS, '-')
  // `12.2(33)sxi4`
  if (!/^[-+_~.a-z]/.test(suffix)) return 'own'
  if (startsWithDate(suffix.slice(1))) return 'around'
  return SUFFIXES.find(([pattern]) => pattern.test(suffix))?.[1] ?? 'build'
}

/**
 * Whether two versions count on from the same release in the same way: `1.2-r3` and `1.2-r5`, `6.4+20240113` and `6.4-20230408`. Then their
 * order is known, whoever counts.
 */
export function countAlike(a: string, b: string): boolean {
  const own = countOf(a)
  return own !== undefined && own === countOf(b)
}

const countOf = rememberAnswers((text: string): string | undefined => {
  const version = normaliseVersion(text)
  const release = readRelease(version)
  if (release === undefined) return undefined
  const suffix = version.slice(release.length).toLowerCase()
  const bare = release.replace(/(?:\.0+)+$/, '')
  if (startsWithDate(suffix.slice(1))) return `${bare} date`
  const word = /^[-+_~.]?([a-z]*)[-_.]?\d+$/.exec(suffix)?.[1]
  return word === undefined ? undefined : `${bare} ${word}`
})

const NUMBER = /\d+/y
const HYPHENED_DATE = /(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)/y
/** `k`, `za`, `u292`: what is attached to the number without a separator is the maker's own, words apart. */
const ATTACHED = /[a-z]{1,2}(?=$|[^a-z\d])|(?![abmpr]\d)[a-z]\d+(?=$|[^a-z\d])/iy
const WORD = /([-_.~\s]?)([a-z]+)(?:([-_.]?)(\d+))?/iy

/** The numbers, the letters of later releases and the stages before one. */
function readRelease(version: string): string | undefined {
  let end = endOfNumbers(version)
  if (end === 0) return undefined
  end = findEnd(ATTACHED, version, end)
  for (let next = endOfStage(version, end); next > end; next = endOfStage(version, end)) end = next
  return version.slice(0, end)
}

/** A date is a number, but after a number it is a suffix: `2023-09-30`, `6.4.20230408`. */
function endOfNumbers(version: string): number {
  let end = findEnd(HYPHENED_DATE, version, 0) || findEnd(NUMBER, version, 0)
  while (end > 0 && version[end] === '.' && !startsWithDate(version.slice(end + 1, end + 20))) {
    const next = findEnd(NUMBER, version, end + 1)
    if (next === end + 1) break
    end = next
  }
  return end
}

function findEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : start
}

/** The end of `-rc1`, `~beta.2` or `b2` at this place; the same place where something else follows. */
function endOfStage(version: string, start: number): number {
  WORD.lastIndex = start
  const match = WORD.exec(version)
  if (match === null) return start
  const [whole, separator = '', name = '', , digits] = match
  const word = name.toLowerCase()
  if (!isStage(word, digits !== undefined)) return start
  const isCounted = digits !== undefined && !isDescription(version, start + whole.length)
  return isCounted ? start + whole.length : start + separator.length + word.length
}

/** `v5.1-dev-4528-g420ebd208a` counts commits since the tag `v5.1-dev`. */
function isDescription(version: string, end: number): boolean {
  return /^-g[\da-f]{4,40}(?![\da-z])/i.test(version.slice(end, end + 48))
}
