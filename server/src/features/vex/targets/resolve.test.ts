import { describe, expect, it } from 'vitest'
import type { VexProduct, VexThing } from '../../../formats/vex/model.ts'
import { readIdentifier } from '../../../formats/vex/reading.ts'
import { type ComponentRow, readInventory } from './inventory.ts'
import { resolveProducts } from './resolve.ts'

const VERSION = {
  firmwareSlug: 'gateway',
  firmwareName: 'Gateway',
  name: '1.0',
  purl: 'pkg:generic/gateway@1.0',
  cpe: 'cpe:2.3:o:acme:gateway_firmware:1.0:*:*:*:*:*:*:*',
  hashes: [],
}
const COMPONENT: ComponentRow = {
  sbomId: 's1',
  node: 0,
  ref: null,
  packageId: null,
  packageName: 'x',
  vendor: null,
  version: null,
  purl: null,
  cpes: [],
  hashes: [],
  isRoot: false,
  sourceName: null,
  sourceVersion: null,
}
const SBOM = {
  id: 's1',
  namespace: 'urn:cdx:a/1',
  fileName: 'image.json',
  format: 'CycloneDxJson',
  createdAt: new Date(0),
}
/** app contains zlib. With `isElsewhere`, zlib is also in the firmware outside app. */
function inventory(isElsewhere: boolean) {
  const row = (node: number, name: string, more: Partial<ComponentRow>): ComponentRow => ({
    ...COMPONENT,
    node,
    packageName: name,
    packageId: `package-${name}`,
    purl: `pkg:generic/${name}@1`,
    ...more,
  })
  const rows = [
    row(0, 'image', { isRoot: true, ref: 'root' }),
    row(1, 'app', {}),
    row(2, 'zlib', { cpes: ['cpe:2.3:a:zlib:zlib:1:*:*:*:*:*:*:*'] }),
  ]
  const parents = [[], [0], isElsewhere ? [0, 1] : [1]]
  const pairs = [{ key: 'purl:generic/zlib', version: '1' }]
  const read = readInventory(VERSION, [SBOM], rows, [{ packageId: 'package-zlib', pairs }])
  return (products: VexProduct[]) =>
    resolveProducts(products, read, ({ node }) =>
      (parents[node] ?? []).flatMap((parent) => read.components[parent] ?? []),
    )
}

function product(thing: VexThing, ...parts: VexThing[]): VexProduct {
  return { ...thing, subcomponents: parts }
}

it.each`
  named                                                  | targets                            | because
  ${'pkg:generic/gateway@1.0'}                           | ${[{}]}                            | ${'it is the firmware version'}
  ${'pkg:generic/gateway'}                               | ${[{}]}                            | ${'all its versions are meant'}
  ${'cpe:2.3:o:acme:gateway_firmware:1.0:*:*:*:*:*:*:*'} | ${[{}]}                            | ${'it is its CPE'}
  ${'pkg:generic/image@1'}                               | ${[{ sbomId: 's1' }]}              | ${'the SBOM describes it'}
  ${'urn:cdx:a/1'}                                       | ${[{ sbomId: 's1' }]}              | ${'it is the SBOM'}
  ${'urn:cdx:a/1#root'}                                  | ${[{ sbomId: 's1' }]}              | ${'it is the root of the SBOM'}
  ${'pkg:generic/zlib@1'}                                | ${[{ packageId: 'package-zlib' }]} | ${'it is a component'}
  ${'pkg:generic/zlib@2'}                                | ${[]}                              | ${'it is another version'}
  ${'pkg:generic/nothing@1'}                             | ${[]}                              | ${'it is nothing of this'}
`('$named is about $targets, as $because', ({ named, targets }) => {
  const resolution = inventory(false)([product(readIdentifier(String(named)))])

  expect(resolution.targets).toEqual(targets)
  expect(resolution.isAccepted).toBe((targets as unknown[]).length > 0)
  expect(resolution.unmatched.length).toBe(resolution.isAccepted ? 0 : 1)
})

describe('a part of a component', () => {
  const named = [product(readIdentifier('pkg:generic/app@1'), readIdentifier('pkg:generic/zlib@1'))]

  it('is meant where it is nowhere else', () => {
    expect(inventory(false)(named)).toEqual({
      targets: [{ packageId: 'package-zlib' }],
      unmatched: [],
      isAccepted: true,
    })
  })

  it('is not where the firmware has it apart from the component too', () => {
    expect(inventory(true)(named)).toMatchObject({
      targets: [],
      unmatched: [
        { reason: 'The part is in the firmware also outside the product.', isKept: true },
      ],
      isAccepted: true,
    })
  })
})

it('takes what fits of several products, and tells of the others', () => {
  const resolution = inventory(false)([
    product(readIdentifier('pkg:generic/nothing@1')),
    product(
      readIdentifier('pkg:generic/gateway@1.0'),
      readIdentifier('pkg:generic/zlib@1'),
      readIdentifier('pkg:generic/curl@8'),
    ),
  ])

  expect(resolution).toMatchObject({
    targets: [{ packageId: 'package-zlib' }],
    unmatched: [
      { product: 'pkg:generic/nothing@1', isKept: false },
      { product: 'pkg:generic/curl@8', isKept: true },
    ],
    isAccepted: true,
  })
})

describe('an id that several components have', () => {
  const merged = (second: Partial<ComponentRow>) => {
    const row = (node: number, more: Partial<ComponentRow>) => ({
      ...COMPONENT,
      node,
      ref: '1',
      ...more,
    })
    const rows = [
      row(0, {
        packageName: 'zlib',
        packageId: 'z',
        cpes: ['cpe:2.3:a:zlib:zlib:1:*:*:*:*:*:*:*'],
      }),
      row(1, { packageName: 'busybox', packageId: 'b', ...second }),
    ]
    const read = readInventory(VERSION, [SBOM], rows, [])
    return (thing: VexThing) => resolveProducts([product(thing)], read, () => [])
  }

  it.each(['1', 'urn:cdx:a/1#1'])('names neither of them: %s', (ref) => {
    expect(merged({})(readIdentifier(ref))).toMatchObject({
      targets: [],
      isAccepted: false,
      unmatched: [{ reason: expect.stringContaining('share this id') as unknown }],
    })
  })

  it('names both where they are one piece of software', () => {
    const same = { packageId: 'z' }

    expect(merged(same)(readIdentifier('1')).targets).toEqual([{ packageId: 'z' }])
  })

  it('leaves what else the statement says of it', () => {
    const named = { ...readIdentifier('1'), cpes: ['cpe:2.3:a:zlib:zlib:1:*:*:*:*:*:*:*'] }

    expect(merged({})(named).targets).toEqual([{ packageId: 'z' }])
  })
})

it('finds components and the version by checksum', () => {
  const value = 'AB'.repeat(32)
  const rows = [{ ...COMPONENT, packageId: 'x', hashes: [{ algorithm: 'SHA-256', value }] }]
  const hashed = { ...VERSION, hashes: [`md5:${'c'.repeat(32)}`] }
  const read = readInventory(hashed, [], rows, [])
  const named = (hash: string) =>
    resolveProducts(
      [product({ purls: [], cpes: [], versions: [], hashes: [hash] })],
      read,
      () => [],
    )

  expect(named(`sha256:${'ab'.repeat(32)}`).targets).toEqual([{ packageId: 'x' }])
  expect(named(`md5:${'c'.repeat(32)}`).targets).toEqual([{}])
  expect(named(`sha256:${'cd'.repeat(32)}`)).toMatchObject({ isAccepted: false })
})
