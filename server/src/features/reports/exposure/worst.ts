import { SEVERITIES } from '../../../formats/advisories/model.ts'

/** What is worst of a device: a severity, no active finding, or none in versions of which nothing is known. */
export const WORST = [...SEVERITIES, 'NotJudged', 'Clean'] as const
type Worst = (typeof WORST)[number]

export interface DeviceRisk {
  worst: Worst
  devices: number
  exploited: number
}

/** Sums of devices: all `WORST`, worst first. */
export function exposureOf(risks: readonly DeviceRisk[]) {
  const sum = (of: (risk: DeviceRisk) => number) =>
    risks.reduce((total, risk) => total + of(risk), 0)
  return {
    deviceCount: sum(({ devices }) => devices),
    exploited: sum(({ exploited }) => exploited),
    byWorst: WORST.map((worst) => ({
      worst,
      devices: sum((risk) => (risk.worst === worst ? risk.devices : 0)),
    })),
  }
}
