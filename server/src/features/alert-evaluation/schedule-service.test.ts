import { expect, it, vi } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { givenClient } from '../../../test/given.ts'
import { givenRule } from '../../../test/given-alert-rules.ts'
import { startAlertSchedule } from './schedule-service.ts'

it('evaluates all due workspaces in one run, however many there are', async () => {
  const test = await startTestApp()
  const { ctx } = test
  let now = new Date('2026-08-22T10:00:00Z')
  ctx.now = () => now
  for (let count = 0; count < 9; count += 1) await givenRule(await givenClient(test))
  now = new Date('2026-08-22T10:01:00Z')
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const stop = startAlertSchedule(ctx)

  vi.advanceTimersByTime(1_000)

  await expect
    .poll(() => ctx.db.selectFrom('alertEvaluations').select('workspaceId').execute(), {
      timeout: 30_000,
    })
    .toHaveLength(9)
  vi.useRealTimers()
  await stop()
})
