import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../test/shared-data.ts'
import {
  ANY,
  CPE_ATTRIBUTES,
  readCpeValue,
  formatCpe,
  NA,
  parseCpe,
  readCpe,
  findCpeScheme,
} from './cpe.ts'
import type { VersionScheme } from './versions/schemes.ts'

describe('parseCpe', () => {
  it('tells ANY, NA and values apart', () => {
    const cpe = parseCpe('cpe:2.3:a:GNU:libstdc\\+\\+:13.2:-:*:*:*:linux:*:\\-')

    expect(cpe).toEqual({
      part: 'a',
      vendor: 'gnu',
      product: 'libstdc\\+\\+',
      version: '13.2',
      update: NA,
      edition: ANY,
      language: ANY,
      swEdition: ANY,
      targetSw: 'linux',
      targetHw: ANY,
      other: '\\-',
    })
    expect(readCpeValue(cpe?.product ?? '')).toBe('libstdc++')
    expect(readCpeValue(cpe?.other ?? '')).toBe('-')
    expect(readCpeValue(cpe?.update ?? '')).toBeUndefined()
    expect(readCpeValue('1.*')).toBeUndefined()
  })

  it.each`
    text                                              | formatted                                                | because
    ${'cpe:/a:openssl:openssl:1.0.2:k'}               | ${'cpe:2.3:a:openssl:openssl:1.0.2:k:*:*:*:*:*:*'}       | ${'of the URI'}
    ${'cpe:/o:linux:linux_kernel:-'}                  | ${'cpe:2.3:o:linux:linux_kernel:-:*:*:*:*:*:*:*'}        | ${'NA is NA in both'}
    ${'cpe:/a:hp:insight:7.4::~~online~win2003~x64~'} | ${'cpe:2.3:a:hp:insight:7.4:*:*:*:online:win2003:x64:*'} | ${'editions are packed'}
    ${'cpe:/a:x:y%2fz:8.%02'}                         | ${'cpe:2.3:a:x:y\\/z:8.*:*:*:*:*:*:*:*'}                 | ${'%02 is a wildcard'}
    ${'cpe:/a:x:y:8.%2a'}                             | ${'cpe:2.3:a:x:y:8.\\*:*:*:*:*:*:*:*'}                   | ${'%2a is a star'}
    ${'cpe:2.3:a:nginx:nginx:1.21.1'}                 | ${'cpe:2.3:a:nginx:nginx:1.21.1:*:*:*:*:*:*:*'}          | ${'the rest is left out'}
    ${'cpe:2.3:a:golang:x/net:v0+x:*:*:*:*:*:*:*'}    | ${'cpe:2.3:a:golang:x\\/net:v0\\+x:*:*:*:*:*:*:*'}       | ${'backslashes are left out'}
    ${'cpe:2.3:*:*:busybox:1.36.1:*:*:*:*:*:*:*'}     | ${'cpe:2.3:*:*:busybox:1.36.1:*:*:*:*:*:*:*'}            | ${'Yocto states no vendor'}
    ${'cpe:2.3:a:a\\:b:c:1\\:2.3:*:*:*:*:*:*:*'}      | ${'cpe:2.3:a:a\\:b:c:1\\:2.3:*:*:*:*:*:*:*'}             | ${'a quoted colon is no separator'}
    ${'cpe:2.3:a:a:b\\_c:1\\.0:*:*:*:*:*:*:*'}        | ${'cpe:2.3:a:a:b_c:1.0:*:*:*:*:*:*:*'}                   | ${'these need no backslash'}
  `(
    'reads $text as $formatted, as $because',
    ({ text, formatted }: { text: string; formatted: string }) => {
      const cpe = parseCpe(text)

      expect(cpe === undefined ? undefined : formatCpe(cpe)).toBe(formatted)
    },
  )

  it.each`
    text                                      | fault
    ${''}                                     | ${'it begins with neither cpe:2.3: nor cpe:/'}
    ${'cpe::gnu:ncurses:'}                    | ${'it begins with neither cpe:2.3: nor cpe:/'}
    ${'cpe:2.3:a:gnu'}                        | ${'it has no product'}
    ${'cpe:2.3:x:gnu:bash:5'}                 | ${'x is not a part'}
    ${'cpe:2.3:a:gnu:bash:5:1:2:3:4:5:6:7:8'} | ${'it has 12 attributes instead of 11'}
    ${'cpe:/a:gnu:bash:5:1:2:3:4'}            | ${'it has 8 attributes instead of 7'}
    ${'cpe:/a:gnu:bash:5::~1~2~3~4~5~6'}      | ${'its packed edition has more than 5 parts'}
    ${'cpe:2.3:a:gnu:ba*sh:5'}                | ${'ba*sh has a wildcard inside'}
  `('of "$text" says that $fault', ({ text, fault }: { text: string; fault: string }) => {
    expect(readCpe(text)).toEqual({ fault })
  })

  it('refuses what is longer than any name', () => {
    expect(readCpe(`cpe:2.3:a:${'?'.repeat(100_000)}`)).toEqual({
      fault: 'it is longer than 4096 characters',
    })
  })

  it('takes any text, and what it accepts is the same once written', () => {
    const piece = fc.constantFrom(
      'a',
      'B',
      ':',
      ':',
      '*',
      '-',
      '?',
      '\\',
      '~',
      '%02',
      '%',
      '.',
      '_',
      '+',
      'é',
    )
    const tail = fc.array(piece, { maxLength: 15 }).map((parts) => parts.join(''))
    const text = fc
      .tuple(fc.constantFrom('cpe:2.3:a:', 'cpe:/a:'), tail)
      .map((parts) => parts.join(''))

    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (any) => {
        const cpe = parseCpe(any)
        if (cpe !== undefined) expect(parseCpe(formatCpe(cpe))).toEqual(cpe)
      }),
    )
  })
})

it.each`
  vendor       | product           | scheme
  ${'linux'}   | ${'linux_kernel'} | ${'kernel'}
  ${ANY}       | ${'linux_kernel'} | ${'kernel'}
  ${'openssl'} | ${'openssl'}      | ${'openssl'}
  ${ANY}       | ${'openssl'}      | ${'openssl'}
  ${'redhat'}  | ${'openssl'}      | ${'generic'}
  ${'haxx'}    | ${'curl'}         | ${'generic'}
`(
  'the versions of $vendor:$product are $scheme ones',
  ({ vendor, product, scheme }: { vendor: string; product: string; scheme: VersionScheme }) => {
    expect(findCpeScheme({ vendor, product })).toBe(scheme)
  },
)

interface SyftCase {
  'cpe-string': string
  'cpe-url': string
  wfn: Record<string, string>
}

/** What the vectors say and we answer otherwise, with the reason. */
const DEVIATIONS: Record<string, string> = {
  'cpe:2.3:o:cisco:ios:12.2\\\\\\(25\\\\\\)seg2:*:*:*:*:*:*:*':
    'A quoted backslash is one backslash; the vector has its text two',
}

describeWithSharedData('CPE vectors', (folder) => {
  const conformance = join(folder, 'conformance/cpe')

  it('of Syft hold, 701 of 702, in both bindings and every attribute', () => {
    const file = join(conformance, 'syft-cpe-data.json')
    const cases = JSON.parse(readFileSync(file, 'utf8')) as SyftCase[]

    const failed = cases.filter((vector) => !holds(vector)).map((vector) => vector['cpe-string'])

    expect(failed).toEqual(Object.keys(DEVIATIONS))
    expect(cases.length - failed.length).toBe(701)
  })

  it('of the applicability language are all names', () => {
    const files = ['expression2_2.xml', 'expression2_3.xml', 'expression2_3.json']
    const texts = files.map((file) => readFileSync(join(conformance, 'nilp0inter', file), 'utf8'))
    const names = texts.flatMap((text) => text.match(/"cpe:(?:2\.3:|\/)[^"]+"/g) ?? [])

    expect(names).toHaveLength(15)
    expect(names.filter((name) => parseCpe(name.slice(1, -1)) === undefined)).toEqual([])
  })
})

function holds(vector: SyftCase): boolean {
  const string = parseCpe(vector['cpe-string'])
  const uri = parseCpe(vector['cpe-url'])
  if (string === undefined || uri === undefined) return false
  const texts = CPE_ATTRIBUTES.map((attribute) => {
    const value = string[attribute]
    const name = attribute.charAt(0).toUpperCase() + attribute.slice(1)
    const text = value === ANY ? '' : value === NA ? '-' : readCpeValue(value)
    return text === vector.wfn[name]
  })
  const isBound = [string, uri].every((cpe) => formatCpe(cpe) === vector['cpe-string'])
  return isBound && texts.every(Boolean)
}
