import { CreateMultipartUploadCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasS3Server, type S3Server, startS3Server } from '../../../test/s3-server.ts'
import type { BlobStore } from './blob-store.ts'
import { openS3BlobStore } from './s3-blob-store.ts'

describe.skipIf(!hasS3Server)('the S3 blob store (skipped where versitygw is absent)', () => {
  let server: S3Server
  let store: BlobStore
  beforeAll(async () => {
    server = await startS3Server()
    store = openS3BlobStore(server.config)
  })
  afterAll(async () => {
    await server.stop()
  })

  it('signs links that give the byte-exact file its name', async () => {
    const content = randomBytes(50_000)
    await store.put('sboms/signed', Readable.from([content]))
    const fileName = `Gerät "5" 100% '船'.spdx.json`

    const url = await store.signedUrl('sboms/signed', { fileName, expiresInSeconds: 60 })
    const response = await fetch(url ?? '')

    expect(response.status).toBe(200)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(content)
    const disposition = response.headers.get('content-disposition') ?? ''
    const encoded = /filename\*=UTF-8''(\S+)$/.exec(disposition)?.[1] ?? ''
    expect(decodeURIComponent(encoded)).toBe(fileName)
  })

  it('signs links that end and that no one can turn to another file', async () => {
    await store.put('sboms/first', Readable.from([Buffer.from('1')]))
    await store.put('sboms/other', Readable.from([Buffer.from('2')]))
    const options = { fileName: 'a.json', expiresInSeconds: 1 }
    const url = (await store.signedUrl('sboms/first', options)) ?? ''

    expect((await fetch(url.replace('/first?', '/other?'))).status).toBe(403)
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    expect((await fetch(url)).status).toBe(403)
  })

  it('has no local files', () => {
    expect(store.localPath('sboms/signed')).toBeUndefined()
  })

  it('aborts the uploads that a killed service left, but none that may still run', async () => {
    const { config } = server
    const client = new S3Client({ ...config, endpoint: config.endpoint ?? '', credentials: config })
    const target = { Bucket: config.bucket, Key: 'sboms/left-over' }
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
    const part = { ...target, UploadId, PartNumber: 1, Body: 'left over' }
    await client.send(new UploadPartCommand(part))

    expect(await store.sweepTemporary(new Date(Date.now() - 60_000))).toBe(0)
    expect(await store.sweepTemporary(new Date(Date.now() + 60_000))).toBe(1)
    expect(await store.sweepTemporary(new Date(Date.now() + 60_000))).toBe(0)
    await expect(client.send(new UploadPartCommand(part))).rejects.toThrow()
  })
})
