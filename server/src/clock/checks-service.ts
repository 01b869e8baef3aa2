/** Whether the clocks can be relied on: for doctor and health. */
import type { Pool } from 'pg'
import type { AppContext } from '../platform/context.ts'
import { readClockOffset } from '../platform/db/clock.ts'
import { type InstallationCheck, summariseFaults } from '../platform/doctor/check.ts'
import type { Extra } from '../platform/management.ts'
import { describeRecentJump } from './watch-service.ts'

/** The service goes by the clock of the database. Certificates, requests to S3 and the log go by that of the machine. */
const MOST_OFFSET_MS = 2_000

async function findClockFaults(ctx: Pick<AppContext, 'db' | 'now' | 'pool'>, nowMs: () => number) {
  const jump = await describeRecentJump(ctx)
  const offset = await describeOffset(ctx.pool, nowMs)
  return summariseFaults(
    [jump, offset].filter((fault) => fault !== undefined),
    ['clocks of other nodes: each one says its own in /health/ready'],
  )
}

async function describeOffset(pool: Pool, nowMs: () => number): Promise<string | undefined> {
  const { offsetMs, uncertainMs } = await readClockOffset(pool, nowMs)
  const seconds = (Math.abs(offsetMs) / 1_000).toFixed(1)
  const where = offsetMs > 0 ? 'ahead of' : 'behind'
  const isOff = Math.abs(offsetMs) > MOST_OFFSET_MS + uncertainMs
  return isOff
    ? `the clock of this machine is ${seconds} s ${where} that of the database`
    : undefined
}

/** Each node says its own, as nobody else can see it. */
export function reportClockHealth(ctx: Pick<AppContext, 'db' | 'now' | 'pool'>): Extra {
  const readSeconds = async () => (await readClockOffset(ctx.pool, Date.now)).offsetMs / 1_000
  return {
    detail: 'clock',
    describe: async () => ({
      aheadOfDatabaseSeconds: await readSeconds(),
      jump: (await describeRecentJump(ctx)) ?? null,
    }),
    gauges: [
      {
        name: 'plimsoll_clock_offset_seconds',
        help: 'How far the clock of this node is ahead of that of the database',
        labelNames: [],
        values: async () => [{ labels: {}, value: await readSeconds() }],
      },
    ],
  }
}

/** `nowMs`: the clock of this machine. The one in the context is set by that of the database. */
export function createClockCheck(nowMs: () => number): InstallationCheck {
  return {
    scope: 'Installation',
    name: 'clock',
    meaning: `the clock of the database was not set for a day, and that of this machine differs by at most ${MOST_OFFSET_MS / 1_000} s`,
    remedy: 'Let both machines follow one time server (chrony, systemd-timesyncd).',
    find: (ctx) => findClockFaults(ctx, nowMs),
  }
}
