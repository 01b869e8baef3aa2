/** Reads the version from the text that a build or a tag uses for it. */
import { isCommit } from './git.ts'
import type { VersionScheme } from './schemes.ts'

export { isCommit }

/** The suffix that OpenEmbedded adds for a recipe that follows a repository: `2.38+gitAUTOINC+0123abc-r0`. */
const SOURCE_REVISION =
  /\+(?:git|svn|hg|bzr)r?(?:AUTOINC|SRCPV|X|\$\{SRCPV\}|\d{0,3}\+(?!\d{8}\b)[0-9a-f]{7}).*$|\+(?:git|svn|hg)(?:-r\d+)?$/is

/** `refs/tags/v1.2`, `release/1.2`, `sdk/v1.2`, `name@1.2`. */
const PATH = /^[a-z@][a-z0-9@._/-]*[/@](?=v?\d+[._])/i

/** `curl-7_72_0`, `hostap_2_11`, `openssl-3.0.7`, `zephyr-v3.7.0`: a name (not `v1-`), then two numbers at least. */
const TAG = /^(?!v\d)([a-z][a-z0-9]*(?:[-_.+][a-z][a-z0-9]*)*)[-_ ](?:v[-_.]?)?(?=\d+[._]\d)/i

/** `TF-Mv2.3.0`: the lower-case `v` separates name and version. */
const RUN_ON_TAG = /^[A-Za-z][A-Za-z0-9_.+-]*[A-Z]v(?=\d+[._]\d)/

/** Words that do not name a product: a text that begins with one of them is a stage or a branch, not a release. */
const STAGES = new Set(
  'alpha beta pre preview rc cr dev snapshot nightly test milestone build git svn hg rev post patch p sp update'.split(
    ' ',
  ),
)

/** `v1.2`, `V10.4.3`, `v5`, FFmpeg's `n4.4`; not `v200r019c00`, which is a version of its own kind. */
const PREFIX =
  /^(?:version[\s:]*|release[\s:]+|v[-_.]?|n(?=\d+\.)|=)(?=\d+(?:$|[\s._+~-]|(?:rc|alpha|beta|pre|dev)\d*(?:$|[^a-z])))/i

/** FreeType's `VER-2-10-3`, also with what a builder adds. */
const HYPHENED_TAG = /^ver-(\d+(?:-\d+)+)((?:[-+_~][a-z].*)?)$/is

/** `7_72_0`, `9_3_P1`, `1_1_1s+quic1`: the underscores up to the suffix of a builder stand for dots. */
const UNDERSCORED = /^(\d{1,4}(?:_\d+)+(?:[-_]?[a-z]+\d*)?)((?:[-+~].*)?)$/is

/** What git-describe(1) adds to a tag. */
const DESCRIBED = /-\d+-g[\da-f]{4,40}(?![\da-z]).*$/is

/** Returns real versions, and texts that are not versions, unchanged. */
export function normaliseVersion(text: string): string {
  const trimmed = text.trim()
  if (isCommit(trimmed)) return trimmed
  const described = DESCRIBED.exec(trimmed)?.[0] ?? ''
  return described === ''
    ? withoutTag(trimmed)
    : withoutTag(trimmed.slice(0, -described.length)) + described
}

function withoutTag(text: string): string {
  const [, hyphened, suffix = ''] = HYPHENED_TAG.exec(text) ?? []
  if (hyphened !== undefined) return hyphened.replaceAll('-', '.') + suffix
  const tag = text.replace(SOURCE_REVISION, '')
  const name = tag.replace(PATH, '').replace(RUN_ON_TAG, '')
  const bare = withoutTagName(name).replace(PREFIX, '')
  const version = bare === tag ? bare : bare.replace(/[-_](?:release|final|stable)$/i, '')
  return version.replace(
    UNDERSCORED,
    (_, dotted: string, builder: string) => withDots(dotted) + builder,
  )
}

function withoutTagName(text: string): string {
  const match = TAG.exec(text)
  if (match === null) return text
  const [whole, name = ''] = match
  const lastWord =
    name
      .toLowerCase()
      .split(/[-_.+]/)
      .at(-1) ?? ''
  return STAGES.has(lastWord) ? text : text.slice(whole.length)
}

/** `7_72_0` is 7.72.0, `9_3_P1` is 9.3p1. */
function withDots(text: string): string {
  return text
    .replace(/_([a-z]+\d*)$/i, (_, word: string) => word.toLowerCase())
    .replaceAll('_', '.')
}

/**
 * The upstream part of a distribution's version, which CPE ranges name: without epoch, packaging revision and
 * repacking marks. `1.3+really1.2` is 1.2, packaged after 1.3.
 */
export function stripPackaging(scheme: VersionScheme, text: string): string {
  const withoutRevision = text.replace(/^\d+:/, '').replace(/-[^-]*$/, '')
  if (scheme === 'rpm' || scheme === 'alpm') return withoutRevision
  if (scheme === 'deb')
    return withoutRevision.replace(/^.*\+really/s, '').replace(/[+~.](?:dfsg|ds\d|repack).*$/s, '')
  return scheme === 'apk' ? text.replace(/-r\d+$/, '') : text
}
