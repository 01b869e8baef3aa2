/** From what a release was made, as SLSA's provenance in an in-toto statement: https://slsa.dev/spec/v1.0/provenance */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './command.ts'
import type { ReleaseFacts } from './facts.ts'
import { REPOSITORY } from './paths.ts'

/** `files`: names of files in `dist`. No time and no machine is in it, so that two builds of a commit state the same. */
export async function describeProvenance(
  facts: ReleaseFacts,
  { dist, files }: { dist: string; files: readonly string[] },
): Promise<object> {
  const commit = await readCommit()
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map((name) => ({ name, digest: { sha256: hashFile(join(dist, name)) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:plimsoll:build:npm-run-release:1',
        externalParameters: { command: 'npm ci && npm run release', version: facts.version },
        internalParameters: { node: process.version, ...facts.platform, epoch: facts.epoch },
        resolvedDependencies: [
          commit === undefined
            ? { name: 'plimsoll', uri: 'urn:plimsoll:sources:of-no-commit' }
            : { name: 'plimsoll', digest: { gitCommit: commit } },
          {
            name: 'package-lock.json',
            digest: { sha256: hashFile(join(REPOSITORY, 'package-lock.json')) },
          },
        ],
      },
      runDetails: { builder: { id: 'urn:plimsoll:builder:unstated:1' } },
    },
  }
}

export function hashFile(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

/** Undefined where the sources are those of no commit. */
async function readCommit(): Promise<string | undefined> {
  const ask = (...words: string[]) => runCommand('git', words, { cwd: REPOSITORY })
  try {
    const changes = await ask('status', '--porcelain', '--untracked-files=no')
    return changes === '' ? (await ask('rev-parse', 'HEAD')).trim() : undefined
  } catch {
    return undefined
  }
}
