/** A job that failed all attempts is visible: on the SBOM, in the counts of the queue, and in the metrics. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  parsedSboms,
  upload,
} from '../../../../test/given.ts'
import { SmallSbomUploaded } from '../schemas.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
})

it('says that an SBOM could not be parsed when the last retry has failed', async () => {
  await test.queue.boss.updateQueue(SmallSbomUploaded.name, { retryLimit: 0 })
  const firmwareVersionId = await givenFirmwareVersion(client)
  await upload(test, client, { firmwareVersionId, files: [{ name: 'a.json', bytes: '{}' }] })
  // The store lost the file: an internal error, not a fault of the document.
  await rm(join(test.ctx.config.dataDir, 'blobs', 'sboms'), { recursive: true })

  await test.startWorker()
  const [sbom] = await parsedSboms(client, firmwareVersionId)

  expect(sbom).toMatchObject({ parsingState: 'Failed' })
  expect(sbom?.parsingError).toContain('because of an internal error')
  const failed = async () => {
    const counts = await test.queue.counts()
    return counts.find(({ name }) => name === SmallSbomUploaded.name)?.failedCount
  }
  await expect.poll(failed).toBe(1)
})
