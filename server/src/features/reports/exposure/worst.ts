import { WORST } from '../../devices/index.ts'

type Worst = (typeof WORST)[number]

export interface DeviceRisk {
  worst: Worst
  devices: number
  exploited: number
}

/** Sums of devices: all `WORST`, worst first. */
export function sumExposure(risks: readonly DeviceRisk[]) {
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
