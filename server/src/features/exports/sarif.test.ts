import { expect, it } from 'vitest'
import { expectSarif } from '../../../test/sarif-shape.ts'
import { writeFindingsSarif } from './sarif.ts'
import type { DecidedFinding, ExportedVulnerability } from './store.ts'

/** GitHub refuses a run with more (docs.github.com, "SARIF support for code scanning"). */
const MOST_RESULTS = 25_000

const rated = { name: 'Flaw', severity: 'High', cvssScore: 7.5 } as const
const VULNERABILITY: ExportedVulnerability = {
  ...rated,
  id: 'CVE-2026-1000',
  description: null,
  sourceUrl: null,
}
const FINDING: Omit<DecidedFinding, 'packageId' | 'componentName' | 'place'> = {
  ...rated,
  vulnerabilityId: VULNERABILITY.id,
  epssScore: null,
  isKnownExploit: false,
  isDisputed: false,
  ssvcClass: 0,
  isListed: false,
  ssvcOutcome: 'Track to Act',
  assignee: null,
  owner: null,
  commentCount: 0,
  assessment: 'NotAssessed',
  justification: null,
  responses: [],
  detail: null,
  ignored: false,
  acceptance: null,
  isActive: true,
  confidence: 'High',
  componentVersion: null,
  componentVendor: null,
  componentPurl: null,
  componentCpe: null,
  fileName: 'bom.json',
  detectedAt: new Date('2026-01-01T00:00:00Z'),
  isAmbiguous: false,
}

interface Written {
  runs: { results: unknown[]; invocations?: object[] }[]
}

/** A firmware version with so many components that have the vulnerability. */
async function writeSarif(components: number): Promise<Written> {
  const firmwareVersionId = '01981d9f-0000-7000-8000-000000000000'
  const pieces = writeFindingsSarif({
    version: { firmwareVersionId, firmwareSlug: 'gateway', firmwareVersionName: '1.0.0' },
    release: '0.1.0',
    vulnerabilities: async function* () {
      yield VULNERABILITY
    },
    findings: async function* () {
      for (let index = 0; index < components; index += 1)
        yield {
          ...FINDING,
          packageId: firmwareVersionId,
          componentName: `part-${index}`,
          place: index + 1,
        }
    },
  })
  let text = ''
  for await (const piece of pieces) text += piece
  return JSON.parse(text) as Written
}

it('has as many results as GitHub takes, and says how many it leaves out', async () => {
  const whole = await writeSarif(MOST_RESULTS)
  const cut = await writeSarif(MOST_RESULTS + 3)

  expectSarif(cut)
  expect(whole.runs[0]?.invocations).toBeUndefined()
  expect([whole, cut].map(({ runs }) => runs[0]?.results.length)).toEqual([
    MOST_RESULTS,
    MOST_RESULTS,
  ])
  expect(cut.runs[0]?.invocations).toMatchObject([
    {
      toolExecutionNotifications: [
        {
          message: {
            text: expect.stringMatching(/^3 findings are left out, .*: 3 active\. /) as string,
          },
        },
      ],
    },
  ])
})
