import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { BlobStore } from './blob-store.ts'
import { openBlobStore } from './open-blob-store.ts'
import { sweepLocalCopies, withLocalFiles } from './local-files.ts'

async function givenStore(): Promise<BlobStore> {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-local-files-'))
  const store = await openBlobStore({ kind: 'fs', directory })
  await store.put(
    'a/b',
    (async function* () {
      yield Buffer.from('content')
    })(),
  )
  return store
}

it('uses a file where it lies', async () => {
  const store = await givenStore()

  const paths = await withLocalFiles(store, ['a/b'], (files) => Promise.resolve(files))

  expect(paths).toEqual([store.localPath('a/b')])
})

it('copies what lies elsewhere, for as long as it is used', async () => {
  const store = await givenStore()
  const remote: BlobStore = { ...store, localPath: () => undefined }

  const seen = await withLocalFiles(remote, ['a/b'], ([path = '']) =>
    Promise.resolve({ path, text: readFileSync(path, 'utf8') }),
  )

  expect(seen.text).toBe('content')
  expect(existsSync(seen.path)).toBe(false)
})

it('removes the copies of processes that are gone, and of no other', async () => {
  const gone = join(tmpdir(), 'plimsoll-copies-999999999-x')
  const alive = join(tmpdir(), `plimsoll-copies-${process.ppid}-x`)
  for (const folder of [gone, alive]) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, '0'), 'copy')
  }

  await sweepLocalCopies()

  expect([existsSync(gone), existsSync(alive)]).toEqual([false, true])
})
