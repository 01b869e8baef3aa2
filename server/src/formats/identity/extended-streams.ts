/**
 * Streams in which Red Hat maintains a minor release for longer (EUS, AUS, TUS, E4S). They have builds of their own, whose release
 * ends with the minor release: `2.13.3-3.el8_6.1`. The number before it says nothing about repairs in other streams.
 */
import { isModular } from '../versions/rpm-modules.ts'

/** `8_6` of `Red Hat:rhel_aus:8.6::appstream`; undefined for what is of the major release. */
function minorOfStream(distro: string | undefined): string | undefined {
  const [, major, minor] =
    /^Red Hat:rhel_(?:eus|aus|tus|e4s)\w*:(\d+)\.(\d+)/.exec(distro ?? '') ?? []
  return major === undefined || minor === undefined ? undefined : `${major}_${minor}`
}

function minorOfBuild(version: string): string | undefined {
  return /\.el(\d+_\d+)(?![\d_])/.exec(version)?.[1]
}

/**
 * What the statement of an extended stream tells of a build. `all`: it is of this stream. `affected`: it is older than the minor
 * releases, so that it lacks the repair if the stream's first repaired build is newer; a newer number proves nothing.
 * Modules are left out: their packages keep the marks of the minor release in which they were last built.
 */
export function judgeStream(
  distro: string | undefined,
  version: string,
): 'all' | 'affected' | 'nothing' {
  const stream = minorOfStream(distro)
  if (stream === undefined || isModular(version)) return 'all'
  const own = minorOfBuild(version)
  if (own === undefined) return 'affected'
  return own === stream ? 'all' : 'nothing'
}

/** Whether the statement is of the extended stream that made the build. */
export function isOfOwnStream(distro: string | undefined, version: string): boolean {
  const stream = minorOfStream(distro)
  return stream !== undefined && stream === minorOfBuild(version)
}

/**
 * Records that tell nothing of the release itself: of the streams that maintain a minor release, or a release after its end, for
 * those who pay for it, and of products that are installed beside it.
 */
const BESIDE_THE_RELEASE: readonly RegExp[] = [
  // `enterprise_linux:8::baseos` and plain numbers are the release; `rhel_aus:8.6`, `openshift:4.12::el8` are not.
  /^Red Hat:(?!enterprise_linux(?::|$)|\d)/,
  /^Ubuntu:Pro(?::|$)/,
  // https://www.suse.com/support/policy.html: general support ends before that of LTSS, ESPOS and of SAP systems.
  /^SUSE:.*(?:LTSS|ESPOS|\bSAP\b)/i,
]

export function isOfExtendedStream(stated: string): boolean {
  return BESIDE_THE_RELEASE.some((pattern) => pattern.test(stated))
}
