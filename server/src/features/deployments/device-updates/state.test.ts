import { describe, expect, it } from 'vitest'
import { applyUpdateEvent, type UpdateEvent, type UpdateStatus } from './state.ts'

const now = new Date('2026-01-02T00:00:00Z')
const before = new Date('2026-01-01T00:00:00Z')
const limits = { startDeadlineSeconds: 1000, deviceDeadlineSeconds: 100, maxAttempts: 1 }

const fresh: UpdateStatus = {
  state: 'pending',
  attempt: 1,
  reason: null,
  progress: null,
  startedAt: null,
  installedAt: null,
  installedRunId: null,
  finishedAt: null,
  deadlineAt: before,
  unconfirmed: false,
  cancelOffered: false,
}
const standings = {
  pending: fresh,
  inProgress: { ...fresh, state: 'inProgress', progress: 10, startedAt: before },
  installed: {
    ...fresh,
    state: 'inProgress',
    progress: 100,
    startedAt: before,
    installedAt: before,
    installedRunId: 'run',
  },
  succeeded: { ...fresh, state: 'succeeded', finishedAt: before, deadlineAt: null },
  unconfirmed: { ...fresh, state: 'succeeded', finishedAt: before, unconfirmed: true },
  failed: { ...fresh, state: 'failed', reason: 'x', finishedAt: before, deadlineAt: null },
  cancelled: { ...fresh, state: 'cancelled', finishedAt: before, deadlineAt: null },
  stopping: { ...fresh, state: 'cancelled', finishedAt: before, cancelOffered: true },
} satisfies Record<string, UpdateStatus>
const events = {
  started: { type: 'started', progress: 50 },
  installed: { type: 'installed', runId: 'run' },
  gaveUp: { type: 'gaveUp', reason: 'broken' },
  target: { type: 'runsTarget', unconfirmed: false },
  word: { type: 'runsTarget', unconfirmed: true },
  sameRun: { type: 'runsOther', runId: 'run', isAnyRun: false, running: 'gateway 1.0' },
  laterRun: { type: 'runsOther', runId: 'later', isAnyRun: false, running: 'gateway 1.0' },
  noRun: { type: 'runsOther', runId: null, isAnyRun: false, running: 'gateway 1.0' },
  anyRun: { type: 'runsOther', runId: null, isAnyRun: true, running: 'gateway 1.0' },
  deadline: { type: 'deadlinePassed' },
} satisfies Record<string, UpdateEvent>

describe('a device update', () => {
  it.each`
    from             | event          | to              | because
    ${'pending'}     | ${'started'}   | ${'inProgress'} | ${'the device works on it'}
    ${'pending'}     | ${'installed'} | ${'inProgress'} | ${'its word is no success'}
    ${'pending'}     | ${'gaveUp'}    | ${'failed'}     | ${'the device says so'}
    ${'pending'}     | ${'target'}    | ${'succeeded'}  | ${'it runs the version already'}
    ${'pending'}     | ${'laterRun'}  | ${'-'}          | ${'it has not begun'}
    ${'pending'}     | ${'deadline'}  | ${'failed'}     | ${'it did not begin'}
    ${'inProgress'}  | ${'started'}   | ${'inProgress'} | ${'there is progress'}
    ${'inProgress'}  | ${'installed'} | ${'inProgress'} | ${'its word is no success'}
    ${'inProgress'}  | ${'gaveUp'}    | ${'failed'}     | ${'the device says so'}
    ${'inProgress'}  | ${'target'}    | ${'succeeded'}  | ${'it runs the version'}
    ${'inProgress'}  | ${'laterRun'}  | ${'-'}          | ${'it may boot before it installs'}
    ${'inProgress'}  | ${'deadline'}  | ${'failed'}     | ${'it did not finish'}
    ${'installed'}   | ${'installed'} | ${'-'}          | ${'it said so before'}
    ${'installed'}   | ${'sameRun'}   | ${'-'}          | ${'it has yet to boot'}
    ${'installed'}   | ${'noRun'}     | ${'-'}          | ${'it has yet to tell of a run'}
    ${'installed'}   | ${'laterRun'}  | ${'failed'}     | ${'it came back with another version'}
    ${'installed'}   | ${'anyRun'}    | ${'failed'}     | ${'hawkBit clients name no runs'}
    ${'installed'}   | ${'target'}    | ${'succeeded'}  | ${'it came back with the version'}
    ${'installed'}   | ${'word'}      | ${'succeeded'}  | ${'its client never reports versions'}
    ${'installed'}   | ${'gaveUp'}    | ${'failed'}     | ${'the device says so'}
    ${'installed'}   | ${'deadline'}  | ${'failed'}     | ${'it did not come back'}
    ${'succeeded'}   | ${'target'}    | ${'-'}          | ${'nothing is new'}
    ${'succeeded'}   | ${'laterRun'}  | ${'failed'}     | ${'it went back'}
    ${'succeeded'}   | ${'gaveUp'}    | ${'-'}          | ${'it is over'}
    ${'succeeded'}   | ${'started'}   | ${'-'}          | ${'it is over'}
    ${'succeeded'}   | ${'deadline'}  | ${'-'}          | ${'it is over'}
    ${'unconfirmed'} | ${'target'}    | ${'succeeded'}  | ${'now it is confirmed'}
    ${'unconfirmed'} | ${'word'}      | ${'-'}          | ${'nothing is new'}
    ${'failed'}      | ${'target'}    | ${'succeeded'}  | ${'it runs the version after all'}
    ${'failed'}      | ${'laterRun'}  | ${'-'}          | ${'it failed before'}
    ${'failed'}      | ${'started'}   | ${'-'}          | ${'it is over'}
    ${'failed'}      | ${'installed'} | ${'-'}          | ${'it is over'}
    ${'failed'}      | ${'deadline'}  | ${'-'}          | ${'it is over'}
    ${'cancelled'}   | ${'target'}    | ${'-'}          | ${'nobody asks for it any more'}
    ${'cancelled'}   | ${'laterRun'}  | ${'-'}          | ${'nobody asks for it any more'}
    ${'cancelled'}   | ${'gaveUp'}    | ${'-'}          | ${'it stopped'}
    ${'cancelled'}   | ${'started'}   | ${'cancelled'}  | ${'the device has to be told to stop'}
    ${'stopping'}    | ${'started'}   | ${'-'}          | ${'it is told already'}
    ${'stopping'}    | ${'gaveUp'}    | ${'cancelled'}  | ${'it stopped'}
    ${'stopping'}    | ${'installed'} | ${'cancelled'}  | ${'it was too late to stop'}
    ${'stopping'}    | ${'deadline'}  | ${'-'}          | ${'it is over'}
  `(
    '$from, then $event: $to, as $because',
    (row: { from: keyof typeof standings; event: keyof typeof events; to: string }) => {
      const next = applyUpdateEvent(standings[row.from], events[row.event], { limits, now })

      expect(next?.state ?? '-').toBe(row.to)
      if (next && next.state !== 'pending' && next.state !== 'inProgress')
        expect(next).toMatchObject({ finishedAt: expect.any(Date) as Date })
    },
  )

  it('tells why it failed', () => {
    const { laterRun, deadline } = events
    const reason = (from: UpdateStatus, event: UpdateEvent) =>
      applyUpdateEvent(from, event, { limits, now })?.reason

    expect(reason(standings.installed, laterRun)).toBe('fell back to gateway 1.0')
    expect(reason(standings.pending, deadline)).toBe('did not begin in time')
    expect(reason(standings.inProgress, deadline)).toMatch(
      /^did not finish in time, .*log of its client/,
    )
    expect(reason(standings.installed, deadline)).toBe(
      'did not come back with the new version in time',
    )
  })

  it('begins anew with a new attempt, and another deadline, as long as there are any', () => {
    const generous = { limits: { ...limits, maxAttempts: 2 }, now }

    const second = applyUpdateEvent(standings.installed, events.gaveUp, generous)
    const third = second && applyUpdateEvent(second, events.gaveUp, generous)

    expect(second).toMatchObject({
      state: 'pending',
      attempt: 2,
      reason: 'broken',
      progress: null,
      startedAt: null,
      installedAt: null,
      deadlineAt: new Date(now.getTime() + 1_000_000),
    })
    expect(third).toMatchObject({ state: 'failed', attempt: 2 })
  })

  it('does not try again on a device that never began', () => {
    const generous = { limits: { ...limits, maxAttempts: 2 }, now }

    expect(applyUpdateEvent(standings.pending, events.deadline, generous)).toMatchObject({
      state: 'failed',
    })
  })

  it('has its time from when the device began, whatever it reports then', () => {
    const first = applyUpdateEvent(fresh, events.started, { limits, now })
    const later = new Date(now.getTime() + 50_000)
    const further =
      first && applyUpdateEvent(first, { ...events.started, progress: 60 }, { limits, now: later })

    const deadline = new Date(now.getTime() + 100_000)
    expect([first?.deadlineAt, further?.deadlineAt]).toEqual([deadline, deadline])
    expect(
      further && applyUpdateEvent(further, events.deadline, { limits, now: later }),
    ).toBeUndefined()
  })

  it('is not spoken of any more a week after it was cancelled', () => {
    const old = { ...standings.cancelled, finishedAt: new Date(now.getTime() - 7 * 86_400_000) }

    expect(applyUpdateEvent(old, events.started, { limits, now })).toBeUndefined()
  })
})
