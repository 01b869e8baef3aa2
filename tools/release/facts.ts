/** What every part of a release states: its version, its instant and what it was made from. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './command.ts'
import { REPOSITORY } from './paths.ts'

export interface ReleaseFacts {
  version: string
  /** Seconds since 1970: of the commit, not of the build, so that two builds are equal. */
  epoch: number
  platform: Platform
}

/** What `npm ci` installed native packages for. */
interface Platform {
  os: string
  arch: string
  /** Debian's word for it. */
  debian: string
}

const DEBIAN_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

export async function readFacts(): Promise<ReleaseFacts> {
  const manifest = readFileSync(join(REPOSITORY, 'package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  const { platform: os, arch } = process
  const debian = DEBIAN_ARCHITECTURES[arch] ?? arch
  return { version, epoch: await readEpoch(), platform: { os, arch, debian } }
}

/** https://reproducible-builds.org/specs/source-date-epoch/ */
async function readEpoch(): Promise<number> {
  // oxlint-disable-next-line no-process-env -- the standard's way to state the instant
  const given = process.env['SOURCE_DATE_EPOCH']
  if (given !== undefined && /^\d+$/.test(given)) return Number(given)
  try {
    const time = await runCommand('git', ['log', '-1', '--format=%ct'], { cwd: REPOSITORY })
    return Number(time.trim())
  } catch (error) {
    throw new Error('Set SOURCE_DATE_EPOCH: without Git, the instant of the commit is unknown.', {
      cause: error,
    })
  }
}

export function formatInstant({ epoch }: ReleaseFacts): string {
  return new Date(epoch * 1000).toISOString().replace('.000Z', 'Z')
}
