/**
 * Compares parse time with its yardsticks (docs/design/budgets.md): 3 × JSON.parse on the same bytes, 20 MB/s for tag-value and XML.
 * `node bench/parse.ts [repetitions] [an SBOM of your own]`
 */
import { readFileSync } from 'node:fs'
import { countArgument, declareOptionalPath, readBenchArguments } from './bench-arguments.ts'
import { generateSbom, type GeneratedFormat } from './generated-sboms.ts'
import { keepFigure } from './figures.ts'
import { parseSboms } from '../server/src/formats/sboms/parse.ts'

const { repetitions: REPETITIONS, sbom } = readBenchArguments({
  repetitions: countArgument(7),
  sbom: declareOptionalPath(),
})
const JSON_FACTOR = 3
const TEXT_MEGABYTES_PER_SECOND = 20

const FORMATS: readonly GeneratedFormat[] = [
  'CycloneDxJson',
  'Spdx2Json',
  'Spdx3JsonLd',
  'CycloneDxXml',
  'Spdx2TagValue',
]

interface Row {
  document: string
  'size MB': string
  'parse ms': string
  yardstick: string
  used: string
}

/** Medians of alternating runs after a warm-up, so that a busy machine delays all of them alike. */
function measure(...works: (() => unknown)[]): number[] {
  const times = works.map((): number[] => [])
  for (let i = 0; i <= REPETITIONS; i++)
    works.forEach((work, w) => {
      const start = performance.now()
      work()
      if (i > 0) times[w]?.push(performance.now() - start)
    })
  return times.map((all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0)
}

function benchmark(document: string, bytes: Uint8Array): Row {
  const isJson = bytes[0] === '{'.charCodeAt(0)
  const buffer = Buffer.from(bytes)
  const megabytes = bytes.length / 1e6
  const [parsing = 0, yardstick = 0] = measure(
    () => parseSboms([bytes]),
    () => isJson && JSON.parse(buffer.toString('utf8')),
  )
  const allowed = isJson ? JSON_FACTOR * yardstick : (megabytes / TEXT_MEGABYTES_PER_SECOND) * 1000
  keepFigure({ what: document, value: parsing, unit: 'ms', most: allowed })
  return {
    document,
    'size MB': megabytes.toFixed(1),
    'parse ms': parsing.toFixed(1),
    yardstick: isJson
      ? `3 × JSON.parse = ${allowed.toFixed(1)} ms`
      : `20 MB/s = ${allowed.toFixed(1)} ms, reached ${((megabytes / parsing) * 1000).toFixed(0)} MB/s`,
    used: `${Math.round((parsing / allowed) * 100)} %`,
  }
}

const rows: Row[] = []
for (const format of FORMATS)
  for (const components of [3_000, 20_000]) {
    const bytes = Buffer.from(generateSbom(format, { components, edges: components * 3 }))
    rows.push(benchmark(`${format}, ${components.toLocaleString('en')} components`, bytes))
  }
for (const format of FORMATS) {
  const bytes = Buffer.from(generateSbom(format, { components: 100_000, edges: 1_000_000 }))
  rows.push(benchmark(`${format}, 100,000 components, 1,000,000 edges`, bytes))
}
if (sbom !== undefined) rows.push(benchmark(sbom, readFileSync(sbom)))
console.table(rows)
