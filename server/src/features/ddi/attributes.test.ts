import { describe, expect, it } from 'vitest'
import { applyConfigData, readReportedFirmware, readConfigData } from './attributes.ts'

describe('what a device says it runs', () => {
  const slug = 'gateway'

  it.each([
    [{ 'firmware.gateway': '1', 'firmware.radio': '2' }, null, slug, ['gateway 1', 'radio 2']],
    [{ 'firmware.gateway': '1', version: '9' }, null, slug, ['gateway 1']],
    [{ version: ' 1.0 ' }, null, slug, ['gateway 1.0']],
    [{ version: '1.0' }, null, undefined, []],
    [{ version: '', 'firmware.': '1', 'firmware.x': ' ' }, null, slug, []],
    [{ sw: '3', version: '1' }, 'sw', slug, ['gateway 3']],
    [{ version: '1', 'firmware.gateway': '1' }, 'sw', slug, []],
    [{ board: 'a' }, null, slug, []],
    [{ board: 'a' }, 'constructor', slug, []],
    [{ version: '1'.repeat(257), 'firmware.gateway': '1'.repeat(257) }, null, slug, []],
  ])('of %j, by %s, is of %s: %j', (attributes, versionAttribute, only, expected) => {
    const told = readReportedFirmware(attributes, { versionAttribute, slug: only })

    expect(told.map((one) => `${one.slug} ${one.version}`)).toEqual(expected)
  })
})

describe('configData', () => {
  it('takes numbers and booleans for texts, and merges unless it says otherwise', () => {
    expect(readConfigData({ data: { a: 1, b: true } })).toEqual({
      mode: 'merge',
      data: { a: '1', b: 'true' },
    })
  })

  it('keeps a name that means something to JavaScript a name', () => {
    const sent = readConfigData(JSON.parse('{"data":{"__proto__":"x","constructor":"y"}}'))

    const after = applyConfigData({ known: '1' }, sent)

    expect(JSON.parse(JSON.stringify(after))).toEqual(
      JSON.parse('{"known":"1","__proto__":"x","constructor":"y"}'),
    )
  })

  it('refuses a merge that leaves too many', () => {
    const known = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`a${index}`, '']))

    expect(() => applyConfigData(known, { mode: 'merge', data: { more: '' } })).toThrow(
      'at most 100',
    )
  })
})
