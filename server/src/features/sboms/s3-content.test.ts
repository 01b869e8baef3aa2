/** The service with an S3-compatible store: files are streamed to it and downloaded through links that it signs. */
import { describe, expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { givenClient, givenFirmwareVersion, parsedSboms, upload } from '../../../test/given.ts'
import { hasS3Server, startS3Server } from '../../../test/s3-server.ts'

const BOM = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  components: [{ type: 'library', name: 'a', version: '1' }],
})

describe.skipIf(!hasS3Server)('an SBOM in an S3-compatible store', () => {
  it('is parsed from there, linked to by the store itself, and deleted with its row', async () => {
    const s3 = await startS3Server()
    const test = await startTestApp({ blobs: s3.config })
    await test.startWorker()
    const client = await givenClient(test)
    const firmwareVersionId = await givenFirmwareVersion(client)
    await upload(test, client, { firmwareVersionId, files: [{ name: 'größe.json', bytes: BOM }] })
    const [sbom] = await parsedSboms(client, firmwareVersionId)

    const link = (await client.get(`/sboms/${sbom?.id ?? ''}/content`)).json<{
      contentSasLink: string
    }>()
    const file = await fetch(link.contentSasLink)
    const text = await file.text()
    const deleted = await client.delete(`/sboms/${sbom?.id ?? ''}`)
    const gone = await fetch(link.contentSasLink)

    expect(sbom).toMatchObject({ parsingState: 'Succeeded', componentCount: 1 })
    expect(link.contentSasLink).toContain('X-Amz-Signature=')
    expect(text).toBe(BOM)
    expect(file.headers.get('content-disposition')).toContain(
      "filename*=UTF-8''gr%C3%B6%C3%9Fe.json",
    )
    expect([deleted.statusCode, gone.status]).toEqual([204, 404])
    await test.close()
    await s3.stop()
  })
})
