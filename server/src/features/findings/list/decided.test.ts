/** Filters by decision give what the decisions say, now and of a past instant, which are read in different ways. */
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { type Assessment, ASSESSMENTS, isActive } from '../../../formats/assessments.ts'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  givenDecision,
  givenProduct,
  givenVersion,
  type GivenVersion,
} from '../../../../test/given-findings.ts'

interface GivenDecision {
  assessment: Assessment
  ignored: boolean
  confidence: 'High' | 'Low'
}

let test: TestApp
let client: Client
let version: GivenVersion
const findings = new Map<string, GivenDecision>()

/** Each assessment, ignored or not, of each confidence, and findings about which nobody has decided. */
const ALL = (['High', 'Low'] as const).flatMap((confidence) =>
  [...ASSESSMENTS, undefined].flatMap((assessment) =>
    [false, true].map((ignored) => ({ assessment, ignored, confidence })),
  ),
)

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
  const { db } = test.ctx
  const { product, cpes, cveIds } = await givenProduct(
    test.ctx,
    ALL.map(() => 'High'),
  )
  const component = { packageName: product, version: '1.0', cpes }
  version = await givenVersion(test.ctx, client.workspaceId, [component])
  for (const [index, { assessment, ignored, confidence }] of ALL.entries()) {
    const vulnerabilityId = cveIds[index] ?? ''
    await sql`update package_matches set confidence = ${confidence} where vulnerability_id = ${vulnerabilityId}`.execute(
      db,
    )
    const decision = { vulnerabilityId, ignored, assessment: assessment ?? 'NotAssessed' }
    if (assessment !== undefined) await givenDecision(test.ctx, version, decision)
    const given = { assessment: assessment ?? 'NotAssessed', confidence } as const
    findings.set(vulnerabilityId, { ...given, ignored: assessment !== undefined && ignored })
  }
})

const isOpen = ({ assessment }: GivenDecision) => ['NotAssessed', 'InTriage'].includes(assessment)

const FILTERS: Record<string, [filter: object, meets: (finding: GivenDecision) => boolean]> = {
  active: [{ activeOnly: true }, isActive],
  open: [{ assessments: ['NotAssessed', 'InTriage'] }, isOpen],
  'to decide': [
    { activeOnly: true, assessments: ['NotAssessed', 'InTriage'] },
    (finding) => isActive(finding) && isOpen(finding),
  ],
  exploitable: [{ assessments: ['Exploitable'] }, (one) => one.assessment === 'Exploitable'],
  'active and not ignored': [{ activeOnly: true, ignored: false }, isActive],
  'active and ignored': [{ activeOnly: true, ignored: true }, () => false],
  none: [{ activeOnly: true, assessments: [] }, () => false],
}

it.each(Object.entries(FILTERS))('by %s', async (_name, [filter, meets]) => {
  const url = `/firmware-versions/${version.firmwareVersionId}/vulnerability-findings/list`
  const wanted = [...findings].flatMap(([id, finding]) => (meets(finding) ? id : []))
  for (const asOf of [undefined, new Date().toISOString()])
    for (const sortColumn of ['Risk', 'Assessment']) {
      const response = await client.post(url, { filter, sortColumn, ...(asOf && { asOf }) })

      const page = response.json<{ findings: { cveId: string }[]; totalCount: number }>()
      expect(page.findings.map(({ cveId }) => cveId).toSorted()).toEqual(wanted.toSorted())
      expect(page.totalCount).toBe(wanted.length)
    }
})
