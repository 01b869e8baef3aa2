/** Lists as CSV: the rows that the list has with the same filter, in its order. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenFleet } from '../../../test/given-fleet.ts'
import { givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'

let service: TestApp
let client: Client
let version: { firmwareVersionId: string }
let product: { product: string; cveIds: string[] }
beforeAll(async () => {
  service = await sharedTestApp()
  client = await givenClient(service)
  const given = await givenProduct(service.ctx, ['Low', 'Critical', 'High', 'Critical'])
  const component = { packageName: given.product, version: '1.0', cpes: given.cpes }
  version = await givenVersion(service.ctx, client.workspaceId, [component])
  product = given
})

const LISTS = [
  ['/vulnerabilities', 'vulnerabilities', { sortColumn: 'CveId', ascending: true }],
  ['/vulnerability-findings', 'findings', { sortColumn: 'Severity' }],
  ['/firmware-versions/$version/vulnerability-findings', 'findings', {}],
] as const
const pathOf = (path: string) => path.replace('$version', version.firmwareVersionId)

/** Of cells without quotes. */
const records = (csv: string) =>
  csv
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))

describe('a list as CSV', () => {
  it.each(LISTS)('of %s has the rows of the list', async (path, name, order) => {
    const body = { ...order, filter: { severities: ['Critical', 'High'] } }

    const exported = await client.post(`${pathOf(path)}/export`, body)
    const listed = await client.post(`${pathOf(path)}/list`, body)
    const [header = [], ...rows] = records(exported.body)
    const rowsOfList = listed.json<Record<string, { cveId: string; severity: string }[]>>()[name]

    expect(exported.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': expect.stringMatching(/^attachment; filename=".*\.csv"/) as string,
    })
    expect(rows.map((row) => row[header.indexOf('cveId')])).toEqual(
      rowsOfList?.map(({ cveId }) => cveId),
    )
    expect(rows.map((row) => row[header.indexOf('severity')])).toEqual(
      rowsOfList?.map(({ severity }) => severity),
    )
    expect(rows).toHaveLength(3)
  })

  it.each(LISTS.slice(1).map(([path]) => path))(
    'of %s has the source of components',
    async (path) => {
      const source = `source-${product.product}`
      const [id, purl] = [
        `DSA-${source}`,
        `pkg:deb/debian/libx@1.0-1?distro=debian-12&upstream=${source}`,
      ]
      const affected = [affectedIn(`purl:deb/debian/${source}`, [{ fixed: '2.0-1' }], 'deb')]
      await givenAdvisory(service.ctx.db, { id, source: 'osv', affected })
      const built = { packageName: 'libx', version: '1.0-1', purl }
      const { firmwareVersionId } = await givenVersion(service.ctx, client.workspaceId, [built])

      const body = { filter: { cveIds: [id] } }
      const url = path.replace('$version', firmwareVersionId)
      const [header = [], row = []] = records((await client.post(`${url}/export`, body)).body)

      const cells = ['componentName', 'componentSource'].map((name) => row[header.indexOf(name)])
      expect(cells).toEqual(['libx', source])
    },
  )

  it('of components has those of the filter', async () => {
    const filter = { firmwareVersionIds: [version.firmwareVersionId] }

    const all = records((await client.post('/components/export', { filter })).body)
    const none = await client.post('/components/export', {
      filter: { ...filter, name: [{ contains: 'nothing' }] },
    })

    expect(all[0]?.slice(0, 2)).toEqual(['packageName', 'version'])
    expect(all.slice(1).map((row) => row.slice(0, 2))).toEqual([[product.product, '1.0']])
    const judged = ['supportState', 'supportEndsOn', 'supportedAs', 'licenceOutcome']
    expect(all.map((row) => row.slice(-4))).toEqual([judged, ['NotKnown', '', '', '']])
    expect(records(none.body)).toHaveLength(1)
  })

  it('of devices has what each runs, with the mark of what is unknown', async () => {
    for (const id of ['pump-1', 'pump-2']) await client.post('/devices', { id, tags: ['lab', 'a'] })
    await sql`insert into device_firmwares (workspace_id, device_id, slug, version, since)
      values (${client.workspaceId}, 'pump-1', 'gateway', '9.9', now())`.execute(service.ctx.db)

    const body = { filter: { tags: ['lab'] }, sortColumn: 'Id', ascending: false }
    const [header = [], ...rows] = records((await client.post('/devices/export', body)).body)

    const cells = (name: string) => rows.map((row) => row[header.indexOf(name)])
    expect(cells('id')).toEqual(['pump-2', 'pump-1'])
    expect(cells('firmware')).toEqual(['', 'gateway@9.9 (unknown)'])
    expect(cells('tags')).toEqual(['"a; lab"', '"a; lab"'])
  })

  it('of deployments, of their devices, and of what a device got', async () => {
    const fleet = await givenFleet(service, 3)
    const [broken = '', done = '', waiting = ''] = fleet.deviceIds
    const first = await fleet.deploy('1.0')
    const { id } = await fleet.deploy('2.0')
    const updateId = (await fleet.desired(broken))?.updateId ?? ''
    await fleet.reports(broken, { updateId, state: 'failed', reason: 'flash, full' })
    await fleet.boots(done, '2.0')

    const asked = async (path: string, body = {}) => {
      const exported = await fleet.client.post(`${path}/export`, body)
      const [header = [], ...rows] = records(exported.body.replaceAll('"flash, full"', 'full'))
      return (...names: string[]) =>
        rows.map((row) => names.map((name) => row[header.indexOf(name)]))
    }

    const deployments = await asked(fleet.path)
    expect(deployments('id', 'state', 'firmwareVersions', 'failed', 'succeeded')).toEqual([
      [id, 'Running', 'gateway@2.0', '1', '1'],
      [first.id, 'Superseded', 'gateway@1.0', '0', '0'],
    ])
    const all = await asked(`${fleet.path}/${id}/device-updates`)
    expect(all('deviceId', 'deviceState', 'reason')).toEqual(
      [
        [broken, 'failed', 'full'],
        [done, 'reporting', ''],
        [waiting, 'waiting', ''],
      ].toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    )
    const filter = { deviceStates: ['failed'] }
    const failed = await asked(`${fleet.path}/${id}/device-updates`, { filter })
    expect(failed('deviceId')).toEqual([[broken]])
    const ofDevice = await asked(`/devices/${done}/updates`)
    expect(ofDevice('deploymentId', 'state')).toEqual([
      [id, 'succeeded'],
      [first.id, 'cancelled'],
    ])
  })

  it.each([...LISTS.map(([path]) => path), '/components', '/devices'])(
    'of %s is refused without the scope, to strangers, and with fields of a page',
    async (path) => {
      const stranger = await givenClient(service)
      const key = await service.givenKey(client.workspaceId, ['Alerts: read'])
      const url = `${pathOf(path)}/export`

      const unscoped = await service.app.inject({
        method: 'POST',
        url: `/workspaces/${client.workspaceId}${url}`,
        headers: { authorization: `Bearer ${key}` },
        payload: {},
      })
      const paged = await client.post(url, { limit: 1 })
      const foreign = await stranger.post(url, {})

      expect([unscoped.statusCode, paged.statusCode]).toEqual([403, 400])
      // What names a version is not found; the others are lists of the stranger's own.
      if (path.includes('$version')) expect(foreign.statusCode).toBe(404)
      else expect(records(foreign.body)).toHaveLength(1)
    },
  )
})
