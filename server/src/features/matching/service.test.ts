import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { matchParsedSbom } from '../../../test/given-findings.ts'
import { startTestApp, type TestApp, poolsOf } from '../../../test/app.ts'
import { givenFirmwareVersion, givenSbom } from '../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'
import { waitForLocks } from '../../../test/lock-waits.ts'
import type { AppContext } from '../../platform/context.ts'
import { lockPackages } from '../../platform/db/package-locks.ts'
import { newId } from '../../platform/ids.ts'
import { matchChangedPackages } from './service.ts'
import { matchFirmwareVersion } from '../findings/index.ts'

let service: TestApp
let ctx: AppContext
beforeAll(async () => {
  service = await startTestApp({ databasePools: poolsOf(16) })
  ctx = service.ctx
})

const cpe = (product: string, version = '1.0') =>
  `cpe:2.3:a:acme:${product}:${version}:*:*:*:*:*:*:*`
const newProduct = () => `product-${newId()}`

async function givenVersion() {
  const { workspaceId } = await service.givenWorkspace()
  return { workspaceId, firmwareVersionId: await givenFirmwareVersion(ctx, workspaceId) }
}

const givenFlaw = (product: string, fixed = '2.0', id = `CVE-2024-${newId()}`) =>
  givenAdvisory(ctx.db, { id, affected: [affectedIn(`cpe:acme:${product}`, [{ fixed }])] })

interface MatchOfProduct {
  vulnerabilityId: string
  confidence: string
  since: Date
  until: Date | null
  cause: string
  endedCause: string | null
}

async function matchesOf(product: string): Promise<MatchOfProduct[]> {
  const { rows } = await sql<MatchOfProduct>`
    select distinct match.vulnerability_id, match.confidence, match.since, match.until, match.cause, match.ended_cause
    from package_matches as match join package_keys using (package_id)
    where package_keys.key = ${`cpe:acme:${product}`} order by since, vulnerability_id`.execute(
    ctx.db,
  )
  return rows
}

const evaluatedAt = async (sbomId: string) =>
  (
    await ctx.db
      .selectFrom('sboms')
      .select('vulnerabilitiesParsedAt')
      .where('id', '=', sbomId)
      .executeTakeFirstOrThrow()
  ).vulnerabilitiesParsedAt

describe('a new package', () => {
  it('is matched once, and its SBOM is evaluated then', async () => {
    const [version, product] = [await givenVersion(), newProduct()]
    await givenFlaw(product)
    const sbomId = await givenSbom(ctx, {
      ...version,
      components: [{ packageName: 'a', cpes: [cpe(product)] }],
    })
    const before = await evaluatedAt(sbomId)

    await matchParsedSbom(ctx, { workspaceId: version.workspaceId, sbomId })

    expect(before).toBeNull()
    expect(await evaluatedAt(sbomId)).toBeInstanceOf(Date)
    expect(await matchesOf(product)).toMatchObject([
      { confidence: 'High', until: null, cause: 'PackageMatched' },
    ])
  })

  it('that another workspace has had matched needs no matching', async () => {
    const [version, other, product] = [await givenVersion(), await givenVersion(), newProduct()]
    const components = [{ packageName: 'a', cpes: [cpe(product)] }]
    await givenSbom(ctx, { ...version, components })
    await matchFirmwareVersion(ctx, version)
    const sbomId = await givenSbom(ctx, { ...other, components })

    await matchFirmwareVersion(ctx, other)

    expect(await evaluatedAt(sbomId)).toBeInstanceOf(Date)
  })

  it('counts what could not be decided, by reason', async () => {
    const [version, product] = [await givenVersion(), newProduct()]
    const commits = affectedIn(`cpe:acme:${product}`, [{ introduced: 'a'.repeat(40) }], 'git')
    await givenAdvisory(ctx.db, { id: `CVE-2024-${newId()}`, affected: [commits] })
    await givenSbom(ctx, { ...version, components: [{ packageName: 'a', cpes: [cpe(product)] }] })

    await matchFirmwareVersion(ctx, version)

    const { rows } = await sql`
      select undecided from packages join package_keys on package_id = id where key = ${`cpe:acme:${product}`}`.execute(
      ctx.db,
    )
    expect(rows).toEqual([{ undecided: { 'version cannot be compared': 1 } }])
  })

  it('of a deleted SBOM is nobody’s concern', async () => {
    await matchParsedSbom(ctx, { workspaceId: newId(), sbomId: newId() })
  })

  it('is found by a name of one product alone, and by its vendor’s other spelling', async () => {
    const [version, product] = [await givenVersion(), newProduct()]
    await givenAdvisory(ctx.db, {
      id: `CVE-2024-${newId()}`,
      affected: [affectedIn(`name:acme/${product}`, [{ fixed: '2.0' }])],
    })
    const cpes = [cpe(product)]
    await givenSbom(ctx, {
      ...version,
      components: [
        { packageName: product, version: '1.5' },
        { packageName: 'a', cpes },
      ],
    })

    await matchFirmwareVersion(ctx, version)

    const { rows } = await sql<{ confidence: string }>`
      select confidence from package_matches join firmware_version_packages using (package_id)
      where firmware_version_id = ${version.firmwareVersionId} order by confidence`.execute(ctx.db)
    expect(rows.map(({ confidence }) => confidence)).toEqual(['Medium', 'Medium'])
  })
})

describe('changed knowledge', () => {
  async function givenMatched() {
    const [version, product, id] = [await givenVersion(), newProduct(), `CVE-2024-${newId()}`]
    await givenFlaw(product, '2.0', id)
    await givenSbom(ctx, { ...version, components: [{ packageName: 'a', cpes: [cpe(product)] }] })
    await matchFirmwareVersion(ctx, version)
    return { product, id, version }
  }

  it('ends what no longer holds, and begins what does, with its cause', async () => {
    const { product, id } = await givenMatched()

    await matchChangedPackages(ctx, { revision: await givenFlaw(product, '0.5', id) })
    await matchChangedPackages(ctx, { revision: await givenFlaw(product, '3.0', id) })

    const [first, second] = await matchesOf(product)
    expect(first).toMatchObject({ cause: 'PackageMatched', endedCause: 'KnowledgeChanged' })
    expect(first?.until).toBeInstanceOf(Date)
    expect(second).toMatchObject({ vulnerabilityId: id, cause: 'KnowledgeChanged', until: null })
  })

  it('keeps a match whose evidence alone has changed', async () => {
    const { product, id } = await givenMatched()
    const [before] = await matchesOf(product)

    await matchChangedPackages(ctx, { revision: await givenFlaw(product, '3.0', id) })

    expect(await matchesOf(product)).toEqual([before])
    const { rows } = await sql<{ range: string }>`
      select evidence -> 0 ->> 'range' as range from package_match_evidence where vulnerability_id = ${id}`.execute(
      ctx.db,
    )
    expect(rows).toEqual([{ range: '{"fixed":"3.0"}' }])
  })

  it('makes another match of another confidence', async () => {
    const { product, id } = await givenMatched()
    const affected = [affectedIn(`cpe:acme:${product}`, [{}])]

    await matchChangedPackages(ctx, { revision: await givenAdvisory(ctx.db, { id, affected }) })

    expect(
      (await matchesOf(product)).map(({ confidence, until }) => [confidence, until === null]),
    ).toEqual([
      ['High', false],
      ['Low', true],
    ])
  })

  it('ends the matches of a withdrawn advisory', async () => {
    const { product, id } = await givenMatched()
    const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
    const revision = await givenAdvisory(ctx.db, {
      id,
      affected,
      withdrawnAt: '2024-05-05T00:00:00.000Z',
    })

    await matchChangedPackages(ctx, { revision })

    expect(await matchesOf(product)).toMatchObject([{ endedCause: 'KnowledgeChanged' }])
  })

  it('does the same when its message comes twice', async () => {
    const { product } = await givenMatched()
    const revision = await givenFlaw(product)
    await matchChangedPackages(ctx, { revision })
    const before = await matchesOf(product)

    await matchChangedPackages(ctx, { revision })

    expect(before).toHaveLength(2)
    expect(await matchesOf(product)).toEqual(before)
  })

  it('reaches the packages of a product without vendor', async () => {
    const [version, product] = [await givenVersion(), newProduct()]
    const cpes = [`cpe:2.3:*:*:${product}:1.0:*:*:*:*:*:*:*`]
    await givenSbom(ctx, { ...version, components: [{ packageName: 'a', cpes }] })
    await matchFirmwareVersion(ctx, version)

    await matchChangedPackages(ctx, { revision: await givenFlaw(product) })

    const { rows } = await sql<{ confidence: string }>`
      select confidence from package_matches join package_keys using (package_id)
      where key = ${`cpe:*:${product}`}`.execute(ctx.db)
    expect(rows).toEqual([{ confidence: 'Medium' }])
  })
})

describe('a name without vendor', () => {
  const recipe = (product: string) => `pkg:yocto/core/${product}@1.0`
  const source = (product: string) => `pkg:deb/debian/lib${product}1@1.0-2?upstream=${product}`
  const flawOf = (vendor: string, product: string) =>
    givenAdvisory(ctx.db, {
      id: `CVE-2024-${newId()}`,
      affected: [affectedIn(`cpe:${vendor}:${product}`, [{ fixed: '2.0' }])],
    })

  async function givenMatched(purl: string, addresses: string[] = []) {
    const version = await givenVersion()
    await givenSbom(ctx, { ...version, components: [{ packageName: 'a', purl, addresses }] })
    await matchFirmwareVersion(ctx, version)
    return async () => {
      const { rows } = await sql<{ confidence: string; key: string; notes: string[] }>`
        select match.confidence, entry ->> 'key' as key, entry -> 'notes' as notes
        from package_matches as match
        join firmware_version_packages as held using (package_id)
        join package_match_evidence as kept using (package_id, vulnerability_id)
        cross join lateral jsonb_array_elements(kept.evidence) as entry
        where held.firmware_version_id = ${version.firmwareVersionId} and match.until is null
        order by key`.execute(ctx.db)
      return rows
    }
  }

  beforeAll(async () => {
    const affected = [affectedIn('purl:deb/debian/another', [{ fixed: '1.0' }], 'deb')]
    await givenAdvisory(ctx.db, { id: `CVE-2024-${newId()}`, source: 'osv', affected })
  })

  it.each([recipe, source])('is the one product that records know by it', async (purlOf) => {
    const product = newProduct()
    await flawOf('acme', product)

    const matches = await givenMatched(purlOf(product))

    expect(await matches()).toMatchObject([
      {
        confidence: 'Medium',
        key: `cpe:acme:${product}`,
        notes: expect.arrayContaining([
          `the records know one product named ${product}: acme:${product}`,
        ]) as string[],
      },
    ])
  })

  it('is both of two products, with low confidence, and says which', async () => {
    const product = newProduct()
    await flawOf('acme', product)
    await flawOf('other', product)

    const matches = await givenMatched(recipe(product))

    expect(await matches()).toMatchObject([
      { confidence: 'Low', key: `cpe:acme:${product}` },
      { confidence: 'Low', key: `cpe:other:${product}` },
    ])
    expect((await matches())[0]?.notes).toContain(
      `the records know 2 products of this name: acme:${product}, other:${product}`,
    )
  })

  it('is matched anew, whole, when records begin to name another product', async () => {
    const product = newProduct()
    await flawOf('acme', product)
    const matches = await givenMatched(source(product))

    await matchChangedPackages(ctx, { revision: await flawOf('other', product) })
    const shared = await matches()
    for (let nth = 0; nth < 5; nth++)
      await matchChangedPackages(ctx, { revision: await flawOf('other', product) })

    expect(shared.map(({ confidence }) => confidence)).toEqual(['Low', 'Low'])
    const after = await matches()
    expect(after).toHaveLength(6)
    expect(new Set(after.map(({ key, confidence }) => `${key} ${confidence}`))).toEqual(
      new Set([`cpe:other:${product} Medium`]),
    )
  })

  it('is certain from the first record that refers to its repository until the last one is gone', async () => {
    const product = newProduct()
    const address = `https://github.com/acme/${product}`
    const id = `CVE-2024-${newId()}`
    await flawOf('acme', product)
    const matches = await givenMatched(recipe(product), [address])
    const before = await matches()
    const affected = [
      affectedIn(`cpe:acme:${product}`, [{ fixed: '0.1' }]),
      { key: `reference:github.com/acme/${product}`, statements: [] },
    ]

    await matchChangedPackages(ctx, { revision: await givenAdvisory(ctx.db, { id, affected }) })
    const agreed = await matches()
    await matchChangedPackages(ctx, {
      revision: await givenAdvisory(ctx.db, { id, affected: affected.slice(0, 1) }),
    })

    expect(before).toMatchObject([{ confidence: 'Medium' }])
    expect(agreed).toMatchObject([{ confidence: 'High' }])
    expect(agreed[0]?.notes).toContain(
      `its repository or homepage github.com/acme/${product} is the one that records of acme:${product} refer to`,
    )
    expect(await matches()).toMatchObject([{ confidence: 'Medium' }])
  })

  it('of a versioned package is the product without the version', async () => {
    const product = newProduct()
    await flawOf('acme', product)

    const matches = await givenMatched(`pkg:deb/debian/lib${product}@1.0-2?upstream=${product}-11`)

    expect(await matches()).toMatchObject([{ confidence: 'Medium', key: `cpe:acme:${product}` }])
  })
})

describe('work at the same time', () => {
  it('loses no match when an upload waits for the package an import is matching', async () => {
    const [version, product] = [await givenVersion(), newProduct()]
    await givenSbom(ctx, { ...version, components: [{ packageName: 'a', cpes: [cpe(product)] }] })
    const blocker = await ctx.db.startTransaction().execute()
    const unmatched = await blocker
      .selectFrom('packages')
      .select('id')
      .where('matchedAt', 'is', null)
      .execute()
    await lockPackages(
      blocker,
      unmatched.map(({ id }) => id),
      'exclusive',
    )

    const first = matchFirmwareVersion(ctx, version)
    await waitForLocks(ctx)
    const delta = matchChangedPackages(ctx, { revision: await givenFlaw(product) })
    await waitForLocks(ctx, 2)
    await blocker.rollback().execute()
    await Promise.all([first, delta])

    expect(await matchesOf(product)).toMatchObject([{ until: null }])
  })
})
