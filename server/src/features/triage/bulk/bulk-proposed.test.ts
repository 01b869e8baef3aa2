/** What is proposed because its code was not compiled is accepted in bulk. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenFolder } from '../../../../test/given-feeds.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  upload,
} from '../../../../test/given.ts'
import { importFeeds } from '../../advisories/index.ts'

let test: TestApp
let client: Client

const record = (cveId: string, programFile: string) => ({
  dataType: 'CVE_RECORD',
  dataVersion: '5.1',
  cveMetadata: { cveId, state: 'PUBLISHED' },
  containers: {
    cna: {
      providerMetadata: { shortName: 'Linux' },
      descriptions: [{ lang: 'en', value: `About ${cveId}.` }],
      affected: [
        {
          vendor: 'Linux',
          product: 'Linux',
          defaultStatus: 'affected',
          versions: [
            {
              version: '6.7',
              lessThanOrEqual: '*',
              versionType: 'original_commit_for_fix',
              status: 'unaffected',
            },
          ],
          programFiles: [programFile],
        },
      ],
    },
  },
})

beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
  const records = [
    record('CVE-2026-0001', 'net/sctp/socket.c'),
    record('CVE-2026-0002', 'net/core/dev.c'),
    record('CVE-2026-0003', 'net/xfrm/xfrm_user.c'),
  ]
  await importFeeds(test.ctx, { path: givenFolder({ 'cvelist.jsonl': records }) })
  client = await givenClient(test)
})

it('a proposal is accepted for all findings of a version it is made of, and for no other', async () => {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const files = ['net/core/dev.c', 'net/ipv4/tcp.c', 'drivers/net/tun.c', 'fs/ext4/inode.c']
  const kernel = {
    type: 'operating-system',
    name: 'linux-yocto',
    version: '6.6.21',
    cpe: 'cpe:2.3:o:linux:linux_kernel:6.6.21:*:*:*:*:*:*:*',
    components: files.map((name) => ({ type: 'file', name })),
  }
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [kernel] }
  await upload(test, client, {
    firmwareVersionId,
    files: [{ name: 'image.json', bytes: JSON.stringify(bom) }],
  })
  await matchedSboms(client, firmwareVersionId)
  const body = {
    filter: { proposed: true, firmwareVersionIds: [firmwareVersionId] },
    assessment: 'NotAffected',
    justification: 'vulnerable_code_not_present',
  }
  const accept = (more: object = {}) =>
    client.post('/vulnerability-findings/bulk-assess', { ...body, ...more })

  const preview = await accept({ dryRun: true })
  const others = await accept({ dryRun: true, filter: { ...body.filter, proposed: false } })
  const accepted = await accept()
  const again = await accept()

  expect(preview.json()).toMatchObject({ matched: 2, changed: 2 })
  expect(others.json()).toMatchObject({ matched: 1 })
  expect(accepted.json()).toEqual({
    ...preview.json<object>(),
    decisionBatchId: expect.any(String) as string,
  })
  expect(again.json()).toEqual({ matched: 0, changed: 0, assessments: [] })
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const list = await client.post(path, { sortColumn: 'CveId', ascending: true })
  const { findings } = list.json<{ findings: { assessment: string }[] }>()
  expect(findings.map(({ assessment }) => assessment)).toEqual([
    'NotAffected',
    'NotAssessed',
    'NotAffected',
  ])
})
