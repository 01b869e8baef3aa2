/** What published VEX documents say of accepted risks. */
import { expect, it } from 'vitest'
import { sharedTestApp } from '../../../../test/app.ts'
import { givenClient } from '../../../../test/given.ts'
import { givenProduct, givenVersion } from '../../../../test/given-findings.ts'

it('is affected and will not be fixed, or what was said, and not what only is ignored', async () => {
  const test = await sharedTestApp()
  const client = await givenClient(test)
  const { product, cpes, cveIds } = await givenProduct(test.ctx, ['High', 'High', 'High', 'High'])
  const { firmwareVersionId } = await givenVersion(test.ctx, client.workspaceId, [
    { packageName: product, cpes },
  ])
  const [accepted = '', said = '', denied = '', ignored = ''] = cveIds
  const decide = (path: string, cveId: string, body: object) =>
    client.post(`/vulnerability-findings/bulk-${path}`, { filter: { cveIds: [cveId] }, ...body })
  const acceptance = { reason: 'A secret of ours.' }
  await decide('assess', said, { assessment: 'Exploitable', response: 'workaround_available' })
  await decide('assess', denied, { assessment: 'NotAffected', justification: 'code_not_present' })
  for (const cveId of [accepted, said, denied])
    await decide('ignore', cveId, { ignored: true, acceptance })
  await decide('ignore', ignored, { ignored: true })
  const read = async (format: string) =>
    (await client.get(`/firmware-versions/${firmwareVersionId}/vex?format=${format}`)).body

  const cycloneDx = JSON.parse(await read('cyclonedx')) as {
    vulnerabilities: { id: string; analysis: { state: string; response?: string[] } }[]
  }
  const openVex = JSON.parse(await read('openvex')) as {
    statements: { vulnerability: { name: string }; status: string; action_statement?: string }[]
  }
  const csaf = await read('csaf')

  const states = cycloneDx.vulnerabilities.map(({ id, analysis }) => [
    id,
    analysis.state,
    analysis.response,
  ])
  expect(states).toEqual([
    [accepted, 'exploitable', ['will_not_fix']],
    [said, 'exploitable', ['workaround_available']],
    [denied, 'not_affected', undefined],
  ])
  expect(openVex.statements.map(({ status }) => status)).toEqual([
    'affected',
    'affected',
    'not_affected',
  ])
  const product_status = (
    JSON.parse(csaf) as {
      vulnerabilities: { product_status: object; remediations?: { category: string }[] }[]
    }
  ).vulnerabilities
  expect(product_status[0]).toMatchObject({ remediations: [{ category: 'no_fix_planned' }] })
  expect(Object.keys(product_status[0]?.product_status ?? {})).toEqual(['known_affected'])
  for (const format of ['cyclonedx', 'openvex', 'csaf'])
    expect(await read(format)).not.toContain('A secret of ours.')
})
