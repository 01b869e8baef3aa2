import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { BlobStore } from './blob-store.ts'
import { openFileBlobStore } from './file-blob-store.ts'

const RUNNER = resolve(import.meta.dirname, '../../../test/run-blob-upload.ts')
const UUID = '019a0000-0000-7000-8000-000000000000'

let folder: string
let store: BlobStore
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-blobs-'))
  store = openFileBlobStore(folder)
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function isEmpty(blobs: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _ of blobs) return false
  return true
}

function givenTemporary(name: string, ageSeconds: number): void {
  const path = join(folder, '.temporary', name)
  writeFileSync(path, 'x')
  utimesSync(path, new Date(), new Date(Date.now() - ageSeconds * 1000))
}

it('keeps a blob as a file that only the service can read', async () => {
  await store.put('sboms/one/a', Readable.from([Buffer.from('content')]))

  const path = store.localPath('sboms/one/a') ?? ''
  expect(readFileSync(path, 'utf8')).toBe('content')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'sboms/one')).mode & 0o777).toBe(0o700)
  expect(await store.signedUrl('sboms/one/a', { fileName: 'a', expiresInSeconds: 1 })).toBe(
    undefined,
  )
})

it('removes what an upload left whose process was killed, and shows none of it', async () => {
  const child = spawn(process.execPath, [RUNNER, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const whileRunning = await store.sweepTemporary(new Date(0))
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(readdirSync(join(folder, '.temporary'))).toHaveLength(1)

  const afterwards = await store.sweepTemporary(new Date(0))

  expect({ whileRunning, afterwards }).toEqual({ whileRunning: 0, afterwards: 1 })
  expect(readdirSync(join(folder, '.temporary'))).toEqual([])
  expect(await isEmpty(store.list(''))).toBe(true)
  await expect(store.get('sboms/interrupted')).rejects.toMatchObject({ code: 'blob-not-found' })
})

it('removes left-overs of its own process number and old ones of other hosts, nothing else', async () => {
  await store.put('sboms/one', Readable.from([]))
  givenTemporary(`${hostname()}.${process.pid}.${UUID}`, 86_400)
  givenTemporary(`other.host.1.${UUID}`, 86_400)
  const kept = [`another.1.${UUID}`, `${hostname()}.${process.pid}.${UUID.replace('a', 'b')}`]
  for (const name of kept) givenTemporary(name, 0)

  const removed = await store.sweepTemporary(new Date(Date.now() - 3_600_000))

  expect(removed).toBe(2)
  expect(readdirSync(join(folder, '.temporary')).toSorted()).toEqual(kept.toSorted())
})

it('has nothing to sweep or list before the first upload', async () => {
  const empty = openFileBlobStore(join(folder, 'none'))

  expect(await empty.sweepTemporary(new Date())).toBe(0)
  expect(await isEmpty(empty.list('sboms/'))).toBe(true)
})
