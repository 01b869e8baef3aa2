import { Command } from 'commander'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/app.ts'
import { givenClient, givenFirmwareVersion, parsedSboms, upload } from '../../test/given.ts'
import { addSbomCommands } from './sboms.ts'

let test: TestApp
let printed: unknown[]

beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
})

beforeEach(() => {
  printed = []
})

async function run(...args: string[]): Promise<void> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  addSbomCommands(program, {
    withContext: (use) => use(test.ctx),
    print: (_json, answer) => printed.push(answer),
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  await program.parseAsync(['sboms', ...args], { from: 'user' })
}

it('reparse queues the files of a workspace, or of one firmware version', async () => {
  const client = await givenClient(test)
  const versions = [await givenFirmwareVersion(client), await givenFirmwareVersion(client)]
  for (const firmwareVersionId of versions) {
    const bytes = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components: [] })
    await upload(test, client, { firmwareVersionId, files: [{ name: 'a.json', bytes }] })
    await parsedSboms(client, firmwareVersionId)
  }

  await run('reparse', '--workspace', client.workspaceId)
  await run('reparse', '--firmware-version', versions[0] ?? '')

  expect(printed).toEqual([{ queued: 2 }, { queued: 1 }])
  const audit = await client.get('/audit-log?limit=2')
  expect(audit.json()).toMatchObject({
    entries: [
      { action: 'sbom.reparse', after: { firmwareVersionId: versions[0], sbomCount: 1 } },
      { action: 'sbom.reparse', after: { firmwareVersionId: null, sbomCount: 2 } },
    ],
  })
})

it('reparse refuses what is not an id', async () => {
  await expect(run('reparse', '--workspace', 'acme')).rejects.toThrow('No workspace')
  await expect(run('reparse', '--firmware-version', '1')).rejects.toThrow('No firmware version')
  expect(printed).toEqual([])
})
