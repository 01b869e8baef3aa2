/** What the management port says about alert rules: whether they are evaluated in time. */
import { formatCountOf } from '../../formats/counts.ts'
import type { AppContext } from '../../platform/context.ts'
import { type InstallationCheck, summariseFaults } from '../../platform/doctor/check.ts'
import type { Extra } from '../../platform/management.ts'
import { readAlertHealth } from './store.ts'

type Health = Awaited<ReturnType<typeof readAlertHealth>>

export function reportAlertHealth(ctx: Pick<AppContext, 'db' | 'now'>): Extra {
  const read = () => readAlertHealth(ctx.db, ctx.now())
  const gauge = (name: string, help: string, valueOf: (health: Health) => number) => ({
    name: `plimsoll_alert_${name}`,
    help,
    labelNames: [],
    values: async () => [{ labels: {}, value: valueOf(await read()) }],
  })
  return {
    detail: 'alerts',
    describe: read,
    gauges: [
      gauge(
        'evaluation_lag_seconds',
        'How long the alert rule that has waited longest is overdue',
        ({ lagSeconds }) => lagSeconds,
      ),
      gauge('rules', 'Enabled alert rules', ({ enabledRules }) => enabledRules),
      gauge('rules_firing', 'Alert rules with an open incident', ({ firingRules }) => firingRules),
    ],
  }
}

const LATE_SECONDS = 300

export const alertChecks: readonly InstallationCheck[] = [
  {
    scope: 'Installation',
    name: 'alert-evaluations',
    meaning: 'alert rules are evaluated within five minutes',
    remedy: '`plimsoll-admin status` says whether a worker runs.',
    find: async ({ db, now }) => {
      const { lagSeconds } = await readAlertHealth(db, now())
      const minutes = Math.round(lagSeconds / 60)
      return summariseFaults(
        lagSeconds > LATE_SECONDS
          ? [`an alert rule is overdue for ${formatCountOf(minutes, 'minute')}`]
          : [],
      )
    },
  },
]
