import { describe, expect, it } from 'vitest'
import { sharedTestApp } from '../../../test/app.ts'
import { givenFleet } from '../../../test/given-fleet.ts'

const test = await sharedTestApp()

const PLAN = { windowSeconds: 3_600, builtIn: ['LogErrors'] }

async function plan(comparison: object, last: object = {}) {
  const fleet = await givenFleet(test, 2)
  const artifacts = [{ firmwareVersionId: fleet.versions['2.0'] }]
  const phases = [
    { percent: 50, comparison },
    { percent: 100, ...last },
  ]
  return fleet.client.post(fleet.path, { name: 'to 2.0', artifacts, phases })
}

describe('a phase that asks for a comparison', () => {
  it('is kept with what was left out, and shown as waiting', async () => {
    const response = await plan({
      windowSeconds: 3_600,
      metrics: [{ name: 'memory_used', worse: 'Higher' }],
    })
    const deployment = response.json<{ phases: object[]; comparisons: object[] }>()

    expect(response.statusCode).toBe(201)
    expect(deployment.phases).toMatchObject([
      {
        comparison: {
          windowSeconds: 3_600,
          marginPercent: 5,
          confidencePercent: 95,
          metrics: [{ name: 'memory_used', labels: {}, worse: 'Higher', marginPercent: null }],
          builtIn: [],
          tooFew: 'Wait',
        },
      },
      { comparison: null },
    ])
    expect(deployment.comparisons).toMatchObject([{ state: 'Waiting' }, { state: 'NotAsked' }])
  })

  it.each`
    comparison                                                                                                        | pointer                                 | because
    ${{ ...PLAN, windowSeconds: 0 }}                                                                                  | ${'/phases/0/comparison'}               | ${'a window of nothing has no values'}
    ${{ ...PLAN, windowSeconds: 40 * 86_400 }}                                                                        | ${'/phases/0/comparison'}               | ${'it is longer than a month'}
    ${{ ...PLAN, marginPercent: -1 }}                                                                                 | ${'/phases/0/comparison'}               | ${'a margin is not negative'}
    ${{ ...PLAN, confidencePercent: 100 }}                                                                            | ${'/phases/0/comparison'}               | ${'nothing is certain'}
    ${{ ...PLAN, builtIn: ['LogErrors', 'LogErrors'] }}                                                               | ${'/phases/0/comparison'}               | ${'a signal is named once'}
    ${{ windowSeconds: 3_600 }}                                                                                       | ${'/phases/0/comparison/metrics'}       | ${'nothing is compared'}
    ${{ windowSeconds: 3_600, metrics: [{ name: 'm', worse: 'Lower' }, { name: 'm', worse: 'Higher', labels: {} }] }} | ${'/phases/0/comparison/metrics/1'}     | ${'a metric is named once'}
    ${{ windowSeconds: 3_600, marginPercent: 100, metrics: [{ name: 'm', worse: 'Lower' }] }}                         | ${'/phases/0/comparison/marginPercent'} | ${'nothing falls by more than all of it'}
  `('is refused where $because', async ({ comparison, pointer }) => {
    const response = await plan(comparison as object)

    expect(response.statusCode).toBe(400)
    const problem = response.json<{ errors: { pointer: string }[] }>()
    expect(problem.errors[0]?.pointer).toContain(pointer)
  })

  it('is refused as the last one, as nothing follows', async () => {
    const response = await plan(PLAN, { comparison: PLAN })

    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ errors: [{ pointer: '/phases/1/comparison' }] })
  })
})
