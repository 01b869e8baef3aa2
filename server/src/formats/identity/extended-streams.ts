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
export function toldByStream(
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
