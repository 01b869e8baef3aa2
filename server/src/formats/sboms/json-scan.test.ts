import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { findJsonFault } from './json-fault.ts'
import { scanJson } from './json-scan.ts'
import { SbomError } from './sbom-error.ts'

const UNLIMITED = { depth: 1e9, values: 1e9, valuesLimit: 1e9 }

function scan(text: string) {
  return scanJson(Buffer.from(text), UNLIMITED)
}

describe('scanJson', () => {
  it.each`
    text                                   | values | depth
    ${'1'}                                 | ${1}   | ${0}
    ${'[]'}                                | ${2}   | ${1}
    ${'{"a": [1, 2, {"b": null}]}'}        | ${6}   | ${3}
    ${'["[[[[", "{,,,}", "\\"[", "\\\\"]'} | ${5}   | ${1}
    ${'   [  \n\t  [ ]   ]     '}          | ${3}   | ${2}
    ${'["ä[", "\u{1f600}{", "é\\"["]'}     | ${4}   | ${1}
  `(
    'counts $values values, $depth deep, in $text',
    ({ text, values, depth }: { text: string; values: number; depth: number }) => {
      expect(scan(text)).toEqual({ values, depth, members: text.startsWith('{') ? 2 : 0 })
    },
  )

  it('agrees with a walk over the parsed value for any JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 1, 2, 4), (json, indent) => {
        const value: unknown = JSON.parse(json)
        const { values, depth } = scan(JSON.stringify(value, null, indent))

        const walked = walk(value)

        expect(depth).toBe(walked.depth)
        expect(values).toBeGreaterThanOrEqual(walked.values)
        expect(values).toBeLessThanOrEqual(walked.values + walked.emptyContainers)
      }),
    )
  })

  it('refuses nesting above the limit, naming the byte', () => {
    const deep = Buffer.from('['.repeat(1_000_000))

    expect(() => scanJson(deep, { ...UNLIMITED, depth: 1_000 })).toThrow(
      new SbomError('too-large', 'The document nests more than 1000 levels deep (at byte 1000).'),
    )
  })

  it('refuses more values than allowed', () => {
    const many = Buffer.from(`[${'0,'.repeat(100)}0]`)

    expect(() => scanJson(many, { depth: 10, values: 100, valuesLimit: 100 })).toThrow(
      'The document holds more than 100 values.',
    )
  })
})

interface JsonCounts {
  values: number
  depth: number
  emptyContainers: number
}

function walk(value: unknown): JsonCounts {
  if (typeof value !== 'object' || value === null)
    return { values: 1, depth: 0, emptyContainers: 0 }
  const inside = Object.values(value).map(walk)
  return {
    values: inside.reduce((sum, one) => sum + one.values, 1),
    depth: 1 + Math.max(0, ...inside.map((one) => one.depth)),
    emptyContainers: inside.reduce(
      (sum, one) => sum + one.emptyContainers,
      inside.length === 0 ? 1 : 0,
    ),
  }
}

describe('findJsonFault', () => {
  it.each`
    text            | offset | what
    ${'{"a": tru}'} | ${6}   | ${'expected a value, found "t"'}
    ${'{"a":1,}'}   | ${7}   | ${'expected a property name in double quotes, found "}"'}
    ${'[1,]'}       | ${3}   | ${'expected a value, found "]"'}
    ${'[1 2]'}      | ${3}   | ${'expected a comma or ], found "2"'}
    ${'{"a" 1}'}    | ${5}   | ${'expected a colon after the property name, found "1"'}
    ${"{'a': 1}"}   | ${1}   | ${'expected a property name in double quotes or }, found "\'"'}
    ${'[1, 2'}      | ${5}   | ${'expected a comma or ], found the end of the file'}
    ${'["abc'}      | ${1}   | ${'a string that begins here never ends'}
    ${'["a\nb"]'}   | ${3}   | ${'a line break or control character stands in a string'}
    ${'["\\x"]'}    | ${2}   | ${'unknown escape in a string'}
    ${'[01]'}       | ${2}   | ${'expected a comma or ], found "1"'}
    ${'{} x'}       | ${3}   | ${'expected the end of the document, found "x"'}
    ${'[NaN]'}      | ${1}   | ${'expected a value or ], found "N"'}
  `(
    'finds at $offset of $text: $what',
    ({ text, offset, what }: { text: string; offset: number; what: string }) => {
      expect(findJsonFault(text)).toEqual({ offset, what })
    },
  )

  it('finds a fault exactly where JSON.parse refuses', () => {
    const almostJson = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', '[', '\\', '0', ' '))
      .map(
        ([json, at, change]) =>
          json.slice(0, at % (json.length + 1)) + change + json.slice((at % (json.length + 1)) + 1),
      )
    fc.assert(
      fc.property(almostJson, (text) => {
        expect(findJsonFault(text) === undefined).toBe(isJson(text))
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })
})

describeWithSharedData('JSONTestSuite', (folder) => {
  it.each(readCases(folder))(
    '$name is scanned, and judged as JSON.parse judges it',
    ({ base64 }) => {
      const bytes = Buffer.from(base64, 'base64')
      const text = bytes.toString('utf8')

      expect(() => scanJson(bytes, UNLIMITED)).not.toThrow()
      expect(findJsonFault(text) === undefined).toBe(isJson(text))
    },
  )
})

interface Case {
  name: string
  base64: string
}

function readCases(folder: string): Case[] {
  if (folder === '') return []
  const file = gunzipSync(readFileSync(`${folder}/conformance/json/JSONTestSuite.jsonl.gz`))
  const lines = file.toString().trim().split('\n')
  return lines.map((line): unknown => JSON.parse(line)).filter(isCase)
}

function isCase(value: unknown): value is Case {
  return typeof value === 'object' && value !== null && 'base64' in value && 'name' in value
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
