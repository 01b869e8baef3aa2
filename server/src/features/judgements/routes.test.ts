/** Why a component has a vulnerability, or has it not, through the API. */
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { cpeOf, givenVersion, type GivenVersion } from '../../../test/given-findings.ts'
import type { GivenComponent } from '../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'
import { newId } from '../../platform/ids.ts'

let service: TestApp
let client: Client
beforeAll(async () => {
  service = await startTestApp()
  client = await givenClient(service)
})

interface Comparison {
  key: string
  range: string
  verdict: string
  confidence: string | null
  outrankedBy: string | null
}
interface Judgements {
  component: { packageName: string; pathsToRoot: string[][]; sbom: { fileName: string } }
  identity: {
    steps: { rule: string; text: string }[]
    names: { key: string; isKnown: boolean }[]
    advice: string[]
  }
  vulnerabilities: {
    cveId: string
    isDisputed: boolean
    conclusion: string
    text: string
    confidence: string | null
    findingId: string | null
    records: {
      source: string
      advisoryId: string
      verdict: string
      comparisons: Comparison[]
      otherNames: string[]
    }[]
  }[]
}

async function pathOf(version: GivenVersion & { sbomId: string }, cveId?: string) {
  const { id } = await service.ctx.db
    .selectFrom('sbomComponents')
    .select('id')
    .where('workspaceId', '=', version.workspaceId)
    .where('sbomId', '=', version.sbomId)
    .orderBy('node')
    .executeTakeFirstOrThrow()
  const query = cveId === undefined ? '' : `?cveId=${cveId}`
  return `/firmware-versions/${version.firmwareVersionId}/components/${id}/judgements${query}`
}

async function judged(component: GivenComponent, cveId?: string): Promise<Judgements> {
  const version = await givenVersion(service.ctx, client.workspaceId, [component])
  const response = await client.get(await pathOf(version, cveId))
  expect(response.statusCode).toBe(200)
  return response.json<Judgements>()
}

const newProduct = () => `product-${newId()}`
const newCve = () => `CVE-2026-${newId()}`

describe('judgements of a component', () => {
  it('say by which name, range and ordering a finding came, and link it', async () => {
    const [product, id] = [newProduct(), newCve()]
    await givenAdvisory(service.ctx.db, {
      id,
      affected: [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0', text: '< 2.0' }])],
    })

    const { vulnerabilities, identity } = await judged(
      { packageName: product, version: '1.0', cpes: [cpeOf(product, '1.0')] },
      id,
    )

    const [one] = vulnerabilities
    expect(one).toMatchObject({
      cveId: id,
      conclusion: 'affected',
      confidence: 'High',
      records: [
        {
          source: 'nvd',
          advisoryId: id,
          verdict: 'affected',
          comparisons: [
            {
              key: `cpe:acme:${product}`,
              version: '1.0',
              range: '< 2.0',
              rangeInWords: 'before 2.0',
              comparator: 'generic',
              verdict: 'affected',
              outrankedBy: null,
            },
          ],
        },
      ],
    })
    const finding = await client.get(`/vulnerability-findings/${one?.findingId ?? ''}`)
    expect(finding.json()).toMatchObject({ cve: { id } })
    expect(identity.names).toMatchObject([{ key: `cpe:acme:${product}`, isKnown: true }])
  })

  it('say that the vulnerability is disputed', async () => {
    const [product, id] = [newProduct(), newCve()]
    const { db } = service.ctx
    await givenAdvisory(db, { id, affected: [affectedIn(`cpe:acme:${product}`, [{}])] })
    const component = { packageName: product, version: '1.0', cpes: [cpeOf(product, '1.0')] }
    const before = await judged(component, id)
    await db.updateTable('vulnerabilities').set({ isDisputed: true }).where('id', '=', id).execute()

    const after = await judged(component, id)

    const read = ({ vulnerabilities }: Judgements) =>
      vulnerabilities.map(({ isDisputed }) => isDisputed)
    expect([read(before), read(after)]).toEqual([[false], [true]])
  })

  it('show a match that another record outranks', async () => {
    const [product, id] = [newProduct(), newCve()]
    const name = `purl:npm/${product}`
    await givenAdvisory(service.ctx.db, {
      id,
      affected: [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])],
    })
    await givenAdvisory(service.ctx.db, {
      id: `GHSA-${id}`,
      source: 'osv',
      vulnerabilityId: id,
      affected: [affectedIn(name, [{ fixed: '0.9' }], 'npm')],
    })

    const { vulnerabilities } = await judged(
      {
        packageName: product,
        version: '1.0',
        purl: `pkg:npm/${product}@1.0`,
        cpes: [cpeOf(product, '1.0')],
      },
      id,
    )

    expect(vulnerabilities).toMatchObject([
      {
        conclusion: 'not affected',
        findingId: null,
        text: expect.stringContaining('outranks') as string,
        records: [
          {
            source: 'nvd',
            verdict: 'affected',
            comparisons: [
              {
                outrankedBy: 'the record of its own distribution or registry',
                verdict: 'affected',
              },
            ],
          },
          { source: 'osv', verdict: 'unaffected', comparisons: [{ key: name }] },
        ],
      },
    ])
  })

  it('show records that could not be compared, and records about another release', async () => {
    const [product, id] = [newProduct(), newCve()]
    const ours = affectedIn(`purl:deb/debian/${product}`, [{ fixed: '2.0', text: '< 2.0' }], 'deb')
    await givenAdvisory(service.ctx.db, {
      id: `DSA-${id}`,
      source: 'osv',
      vulnerabilityId: id,
      affected: [
        { ...ours, statements: ours.statements.map((one) => ({ ...one, distro: 'Debian:11' })) },
      ],
    })
    const purl = `pkg:deb/debian/${product}@1.0-1`

    const unstated = await judged({ packageName: product, version: '1.0-1', purl }, id)
    const other = await judged(
      { packageName: product, version: '1.0-1', purl: `${purl}?distro=debian-12` },
      id,
    )

    expect(unstated.vulnerabilities).toMatchObject([
      {
        conclusion: 'undecided',
        records: [
          {
            verdict: 'undecided',
            comparisons: [
              {
                range: 'affected: < 2.0',
                rangeInWords: 'affected: before 2.0',
                notes: ['distribution release not stated'],
              },
            ],
          },
        ],
      },
    ])
    expect(unstated.identity.advice).toEqual([
      expect.stringContaining('Add the release to the purl (distro=debian-…)'),
    ])
    expect(other.vulnerabilities).toMatchObject([
      {
        conclusion: 'not affected',
        records: [
          {
            verdict: 'silent',
            comparisons: [{ notes: ['it is about Debian:11, which the component is not of'] }],
          },
        ],
      },
    ])
  })

  it('name the products of records that have none of the names', async () => {
    const [product, id] = [newProduct(), newCve()]
    await givenAdvisory(service.ctx.db, {
      id,
      affected: [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])],
    })

    const { vulnerabilities, identity } = await judged(
      { packageName: product, version: '1.0', purl: `pkg:npm/${product}@1.0` },
      id,
    )

    expect(vulnerabilities).toMatchObject([
      {
        conclusion: 'not named',
        records: [{ verdict: 'other names', otherNames: [`cpe:acme:${product}`] }],
      },
    ])
    expect(identity).toMatchObject({
      names: [{ key: `purl:npm/${product}`, isKnown: false }],
      advice: [
        `If it is acme:${product}, declare cpe:2.3:*:acme:${product}:1.0:*:*:*:*:*:*:* to be matched by the record that names it so.`,
      ],
    })
  })

  it('say why a component without version is not looked up, and what would help', async () => {
    const [product, id] = [newProduct(), newCve()]
    await givenAdvisory(service.ctx.db, {
      id,
      affected: [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])],
    })

    const { vulnerabilities, identity } = await judged(
      { packageName: `${product}-sources`, cpes: [cpeOf(product, '*')] },
      id,
    )

    expect(vulnerabilities).toMatchObject([
      { conclusion: 'not named', findingId: null, records: [{ verdict: 'other names' }] },
    ])
    expect(identity.names).toEqual([])
    expect(identity.steps.map(({ rule }) => rule)).toEqual(['declared', 'not matched'])
  })

  it('say that no source has a record, or that all are withdrawn', async () => {
    const [product, id] = [newProduct(), newCve()]
    await givenAdvisory(service.ctx.db, { id, withdrawnAt: '2026-01-01T00:00:00Z' })
    const component = { packageName: product, version: '1.0' }

    const withdrawn = await judged(component, id)
    const unknown = await judged(component, 'CVE-1999-99999')
    const identityOnly = await judged(component)

    expect(withdrawn.vulnerabilities).toMatchObject([
      { conclusion: 'no record', records: [{ verdict: 'withdrawn' }] },
    ])
    expect(unknown.vulnerabilities).toMatchObject([
      { cveId: 'CVE-1999-99999', conclusion: 'no record', records: [] },
    ])
    expect(identityOnly.vulnerabilities).toEqual([])
  })

  it('show the ways from the component up to the root of its SBOM', async () => {
    const [product, image] = [newProduct(), newProduct()]
    const version = await givenVersion(service.ctx, client.workspaceId, [
      { packageName: product, version: '1.0', parents: [1] },
      { packageName: image, version: '2.0' },
    ])

    const { component } = (await client.get(await pathOf(version))).json<Judgements>()

    expect(component).toMatchObject({
      packageName: product,
      pathsToRoot: [[expect.stringContaining(product), expect.stringContaining(image)]],
    })
  })

  it('are refused to other workspaces, versions and scopes', async () => {
    const component = { packageName: newProduct(), version: '1.0' }
    const version = await givenVersion(service.ctx, client.workspaceId, [component])
    const other = await givenVersion(service.ctx, client.workspaceId, [component])
    const path = await pathOf(version)
    const stranger = await givenClient(service)
    const key = await service.givenKey(client.workspaceId, ['SBOMs: read'])

    const answers = [
      await stranger.get(path),
      await client.get(path.replace(version.firmwareVersionId, other.firmwareVersionId)),
      await client.get(path.replace(/components\/[^/]+/, `components/${newId()}`)),
      await client.get(path.replace(/components\/[^/]+/, 'components/none')),
    ]
    const unscoped = await service.app.inject({
      url: `/workspaces/${client.workspaceId}${path}`,
      headers: { authorization: `Bearer ${key}` },
    })

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404])
    expect(unscoped.statusCode).toBe(403)
  })
})
