/**
 * A real S3-compatible store for tests: versitygw, which checks signatures and keeps multipart uploads apart. Install it
 * with `go install github.com/versity/versitygw/cmd/versitygw@v1.8.0`, and name the program in PLIMSOLL_TEST_VERSITYGW
 * unless it is on the PATH. PLIMSOLL_REQUIRE_S3=1 makes its absence an error.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { BlobStoreConfig } from '../src/platform/blobs/blob-store.ts'
import { freePort } from './service-process.ts'

export interface S3Server {
  config: Extract<BlobStoreConfig, { kind: 's3' }>
  stop: () => Promise<void>
}

const program = process.env['PLIMSOLL_TEST_VERSITYGW'] ?? 'versitygw'

export const hasS3Server = spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0

if (!hasS3Server && process.env['PLIMSOLL_REQUIRE_S3'] === '1')
  throw new Error(`The S3-compatible test server is required but cannot be run: ${program}`)

export async function startS3Server(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-s3-'))
  for (const name of ['data/blobs', 'metadata']) mkdirSync(join(folder, name), { recursive: true })
  const port = await freePort()
  const [accessKeyId, secretAccessKey] = ['test-access', 'test-secret']
  // Attributes are kept in a folder, since not every file system has extended attributes.
  const posix = ['posix', '--sidecar', join(folder, 'metadata'), join(folder, 'data')]
  const login = ['--access', accessKeyId, '--secret', secretAccessKey]
  const server = spawn(program, ['--quiet', '--port', `127.0.0.1:${port}`, ...login, ...posix], {
    stdio: 'ignore',
  })
  const endpoint = `http://127.0.0.1:${port}`
  while (!(await answers(endpoint))) {
    if (server.exitCode !== null) throw new Error(`${program} ended with ${server.exitCode}`)
    await delay(20)
  }
  return {
    config: {
      kind: 's3',
      endpoint,
      region: 'us-east-1',
      bucket: 'blobs',
      accessKeyId,
      secretAccessKey,
      forcePathStyle: true,
    },
    stop: async () => {
      server.kill()
      await once(server, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answers(endpoint: string): Promise<boolean> {
  return fetch(endpoint).then(
    () => true,
    () => false,
  )
}
