import { expect, it } from 'vitest'
import { imageOf, packageOf } from './image-packages.ts'
import { includes, rangesIn } from './image-ranges.ts'

const libc = { name: 'libc6', version: '2.31-13+deb11u3' }
const image = imageOf('docker.io/ghost@sha256:0123', [libc])

const nvd = (match: object) => ({ cve: { configurations: [{ nodes: [{ cpeMatch: [match] }] }] } })
const CPE = 'cpe:2.3:a:gnu:glibc'

it.each`
  record                                                                                                                              | isIncluded
  ${nvd({ criteria: `${CPE}:*:*:*:*:*:*:*:*`, versionEndExcluding: '2.32' })}                                                         | ${true}
  ${nvd({ criteria: `${CPE}:*:*:*:*:*:*:*:*`, versionEndExcluding: '2.31' })}                                                         | ${false}
  ${nvd({ criteria: `${CPE}:*:*:*:*:*:*:*:*`, versionStartIncluding: '2.4', versionEndIncluding: '2.31' })}                           | ${true}
  ${nvd({ criteria: `${CPE}:2.30:*:*:*:*:*:*:*` })}                                                                                   | ${false}
  ${nvd({ criteria: `${CPE}:2.31:rc1:*:*:*:*:*:*` })}                                                                                 | ${false}
  ${{ affected: [{ vendor: 'GNU', product: 'glibc', versions: [{ version: '2.0', lessThanOrEqual: '2.35', status: 'affected' }] }] }} | ${true}
  ${{ affected: [{ vendor: 'GNU', product: 'glibc', versions: [{ version: '2.35', status: 'affected' }] }] }}                         | ${false}
  ${{ affected: [{ ranges: [{ events: [{ introduced: '2.1' }, { fixed: '2.31' }] }] }] }}                                             | ${false}
`('tells whether $record includes glibc 2.31: $isIncluded', ({ record, isIncluded }) => {
  const ranges = rangesIn(record, ['gnu:glibc'])

  expect(ranges.map(({ product }) => product)).toEqual(['gnu:glibc'])
  expect(ranges.map((range) => includes(range, packageOf(image, libc.name, libc.version)))).toEqual(
    [isIncluded],
  )
})
