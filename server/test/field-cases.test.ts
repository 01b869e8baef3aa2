/** Inputs from public trackers, each with what is right, through upload, import and list. */
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { describeFieldCase, givenJudgedSbom, importRecords } from './field-cases.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
})

describeFieldCase('b03-libssh', (folder) => {
  it('finds 0.11.1 affected and 0.11.3 not, as the record bounds it', async () => {
    await importRecords(service, folder)

    const { findings } = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    const versions = findings.map(({ componentVersion }) => componentVersion)
    expect(new Set(versions)).toEqual(new Set(['0.11.1']))
  })
})
