import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { givenClient, givenFirmwareVersion, matchedSboms, upload } from '../../../test/given.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { vexSchemas } from '../../../test/vex-schemas.ts'

describeWithSharedData('what Yocto says about an image', (folder) => {
  const yocto = join(folder, 'sbom/firmware')

  it('counts where it stands in the SPDX 3 document', async () => {
    const test = await startTestApp()
    await test.startWorker()
    const client = await givenClient(test)
    for (const id of ['CVE-2023-39810', 'CVE-2099-0001'])
      await givenAdvisory(test.ctx.db, {
        id,
        affected: [affectedIn('cpe:busybox:busybox', [{ fixed: '9' }])],
      })
    const firmwareVersionId = await givenFirmwareVersion(client)
    const name = 'core-image-minimal-qemux86-64.rootfs.spdx.json.gz'
    const bytes = readFileSync(join(yocto, 'yocto-core-image-minimal-qemux86-64', name))

    await upload(test, client, { firmwareVersionId, files: [{ name, bytes }] })
    await matchedSboms(client, firmwareVersionId)

    const path = `/firmware-versions/${firmwareVersionId}`
    const { documents } = (await client.get(`${path}/vex-documents`)).json<{
      documents: object[]
    }>()
    expect(documents).toMatchObject([{ format: 'Spdx3', statementCount: 72 }])
    const list = await client.post(`${path}/vulnerability-findings/list`, {})
    const { findings } = list.json<{ findings: { cveId: string; assessment: string }[] }>()
    expect(Object.fromEntries(findings.map((one) => [one.cveId, one.assessment]))).toEqual({
      'CVE-2023-39810': 'Resolved',
      'CVE-2099-0001': 'NotAssessed',
    })
  })

  it(
    'finds all components of a VEX document that refers to the SBOM by BOM-Links',
    { timeout: 180_000 },
    async () => {
      const test = await startTestApp()
      await test.startWorker()
      const client = await givenClient(test)
      const firmwareVersionId = await givenFirmwareVersion(client)
      const bom = readFileSync(join(yocto, 'yocto-spdx22-rootfs/cyclonedx-bom.json'))
      await upload(test, client, { firmwareVersionId, files: [{ name: 'bom.json', bytes: bom }] })
      await matchedSboms(client, firmwareVersionId)
      const vex = gunzipSync(readFileSync(join(yocto, 'yocto-spdx22-rootfs/cyclonedx-vex.json.gz')))
      const path = `/firmware-versions/${firmwareVersionId}/vex`

      const taken = await client.post(path, JSON.parse(vex.toString('utf8')) as object)

      expect(taken.statusCode).toBe(200)
      expect(taken.json()).toMatchObject({ statementCount: 7_239, changes: [], unmatched: [] })
      const validate = vexSchemas(folder)
      for (const format of ['openvex', 'cyclonedx', 'csaf'] as const) {
        const document = (await client.get(`${path}?format=${format}`)).json<object>()
        expect(validate(format, document)).toEqual([])
      }
    },
  )
})
