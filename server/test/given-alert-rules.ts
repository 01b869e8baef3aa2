/** Alert rules that a client creates, a clock of the test, and points that devices report. */
import { evaluateDueRules } from '../src/features/alert-evaluation/index.ts'
import { sendReminders } from '../src/features/incidents/reminders/service.ts'
import type { TestApp } from './app.ts'
import { givenFleetDevices } from './given-fleet.ts'
import { type Client, givenClient } from './given.ts'
import { metrics, storeTelemetry } from './given-telemetry.ts'

export interface ShownRule {
  id: string
  name: string
  state: string
  condition: Record<string, unknown>
  targets: { id: string; name: string; type: string }[]
  hasFiringAlert: boolean
  incidentId: string | null
  nextEvaluationAt: string | null
  evaluations: { id: string; status: string; evaluationScheduledAt: string }[]
  warnings: string[]
}

export interface ShownIncident {
  id: string
  alertRule: { id: string; name: string; type: string }
  beganAt: string
  endedAt: string | null
  endedCause: string | null
  acknowledgedAt: string | null
  acknowledgedByEmail: string | null
  seriesCount: number
  firingSeriesCount: number
}

/** A rule that fires on devices whose average over the last minute is above 80. */
export const ruleBody = (more: object = {}) => ({
  name: 'CPU temperature',
  type: 'MetricFixedThreshold',
  evaluationFrequency: '1m',
  condition: { metric: 'temperature', operator: 'GreaterThan', threshold: 80 },
  ...more,
})

export async function givenRule(client: Client, more: object = {}): Promise<ShownRule> {
  const response = await client.post('/alert-rules', ruleBody(more))
  if (response.statusCode !== 201) throw new Error(response.body)
  return response.json<ShownRule>()
}

const BEGIN = Date.UTC(2026, 7, 22, 10, 0, 0)
const MINUTE_MS = 60_000

/** The time changes only when the test moves it; a tick then evaluates due rules and sends due reminders. */
export function givenClock(test: TestApp) {
  let time = BEGIN
  test.ctx.now = () => new Date(time)
  const tick = async (minutes = 1) => {
    time += minutes * MINUTE_MS
    await evaluateDueRules(test.ctx)
    await sendReminders(test.ctx)
  }
  return {
    tick,
    instant: (minutes: number) => new Date(BEGIN + minutes * MINUTE_MS).toISOString(),
    /** Moves the time by half a minute without evaluating rules. */
    pass: (ms = MINUTE_MS / 2) => {
      time += ms
    },
  }
}

export type ReportingDevices = Awaited<ReturnType<typeof givenReportingDevices>>

/** A workspace with these devices. In each `minute` they report, and due rules are evaluated after it. */
export async function givenReportingDevices(test: TestApp, deviceIds: string[]) {
  const clock = givenClock(test)
  const client = await givenClient(test)
  const { workspaceId } = client
  await givenFleetDevices(test.ctx, workspaceId, deviceIds)
  const minute = async (values: Record<string, number>) => {
    await report(test, workspaceId, { values })
    await clock.tick()
  }
  /** Of a rule that is firing. */
  const findIncidentId = async (ruleId: string) =>
    (await client.get(`/alert-rules/${ruleId}`)).json<ShownRule>().incidentId ?? ''
  return { clock, client, minute, findIncidentId }
}

/** Stores the values of one metric that devices report now. */
export async function report(
  { ctx }: TestApp,
  workspaceId: string,
  { metric = 'temperature', values }: { metric?: string; values: Record<string, number> },
): Promise<void> {
  const now = ctx.now()
  const reports = Object.entries(values).map(([deviceId, value]) =>
    metrics({ workspaceId, deviceId }, [{ name: metric, value }], now),
  )
  await storeTelemetry(ctx, ...reports)
}
