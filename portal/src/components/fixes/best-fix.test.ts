import type { CohortTakers, VulnerabilityFix } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { findDeploymentForm } from '../addresses.ts'
import { findBest } from './best-fix.ts'

const cohort = (readyDeviceCount: number, isUnderWay = false) =>
  ({ readyDeviceCount, isUnderWay }) as CohortTakers
const fix = (hasArtifact: boolean, ...cohorts: CohortTakers[]) =>
  ({ hasArtifact, cohorts }) as VulnerabilityFix

it('leads to the cohort in which most devices can take it, where it is not on its way already', () => {
  const fixes = [
    fix(true, cohort(3), cohort(40, true)),
    fix(true, cohort(21)),
    fix(false, cohort(90)),
  ]
  expect(findBest(fixes)?.cohort.readyDeviceCount).toBe(21)
  expect(findBest([fix(true, cohort(0))])).toBeUndefined()
})

it('begins carefully, unless a share of the devices is hardly one', () => {
  const phasesOf = (deviceCount?: number) =>
    findDeploymentForm('w', { versionId: 'v', deviceCount }).search.phases
  expect([phasesOf(), phasesOf(450), phasesOf(9)]).toEqual(['careful', 'careful', 'all'])
})
