/** Nodes of one database need one file store: a node with files of its own does not start. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { adoptFiles, claimFiles } from '../src/claim-files.ts'
import { openBlobStore } from '../src/platform/blobs/open-blob-store.ts'
import type { AppContext } from '../src/platform/context.ts'
import { AppError } from '../src/platform/errors.ts'
import { startTestApp, type TestApp } from './app.ts'

let test: TestApp

beforeAll(async () => {
  test = await startTestApp()
})

beforeEach(async () => {
  await test.ctx.db.deleteFrom('secrets').where('name', '=', 'file-store').execute()
})

/** A node on the database of the test, with a folder of its own or that of another node. */
async function givenNode(folder = newFolder()): Promise<AppContext & { folder: string }> {
  const blobs = { kind: 'fs', directory: folder } as const
  const config = { ...test.ctx.config, blobs }
  return { ...test.ctx, config, blobs: await openBlobStore(blobs), folder }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it('starts on an empty database, and again, and beside another node on the same folder', async () => {
  const node = await givenNode()
  const beside = await givenNode(node.folder)

  await Promise.all([claimFiles(node), claimFiles(beside)])

  await expect(claimFiles(node)).resolves.toBeUndefined()
})

it('refuses a node with a folder of its own, and names the setting', async () => {
  await claimFiles(await givenNode())

  await expect(claimFiles(await givenNode())).rejects.toThrow(
    /^PLIMSOLL_DATA_DIR: .*does not hold the files[^]*: npm run admin -- files adopt\.$/,
  )
})

it('refuses the second of two nodes that start at once', async () => {
  const nodes = [await givenNode(), await givenNode()]

  const outcomes = await Promise.allSettled(nodes.map((node) => claimFiles(node)))

  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['fulfilled', 'rejected']))
})

it('refuses the files of another database', async () => {
  const [mine, theirs] = [await givenNode(), await givenNode()]
  await claimFiles(theirs)
  await test.ctx.db.deleteFrom('secrets').where('name', '=', 'file-store').execute()
  await claimFiles(mine)

  await expect(claimFiles(theirs)).rejects.toThrow('holds files of another database')
})

it('takes over the folder where the database is new', async () => {
  const node = await givenNode()
  await claimFiles(node)
  await test.ctx.db.deleteFrom('secrets').where('name', '=', 'file-store').execute()

  await claimFiles(node)

  await expect(claimFiles(await givenNode())).rejects.toThrow('PLIMSOLL_DATA_DIR')
})

it('starts on a restored database without its files once the operator has said so', async () => {
  await claimFiles(await givenNode())
  const restored = await givenNode()

  await adoptFiles(restored)

  await expect(claimFiles(restored)).resolves.toBeUndefined()
})

it('starts without the files where the embedded database lies beside them', async () => {
  await claimFiles(await givenNode())
  const node = await givenNode()
  const embedded = { ...node, config: { ...node.config, databaseUrl: undefined } }

  await expect(claimFiles(embedded)).resolves.toBeUndefined()
})

it('starts while the file store is away', async () => {
  const node = await givenNode()
  const away = () => Promise.reject(new AppError('unavailable', 'storage-unavailable', 'away'))

  await expect(
    claimFiles({ ...node, blobs: { ...node.blobs, get: away } }),
  ).resolves.toBeUndefined()
})
