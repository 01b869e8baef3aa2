/** What a report is by its events, whatever happens to it. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addMs, HOUR_MS } from '../../formats/instants.ts'
import { EVENT_KINDS, readStanding, type ReportEvent } from './standing.ts'

const receivedAt = new Date('2026-11-02T10:00:00.000Z')
const times = { answerDays: 5, assessmentDays: 10, disclosureDays: 90 }

const histories = fc
  .array(
    fc.record({ kind: fc.constantFrom(...EVENT_KINDS), hours: fc.integer({ min: 1, max: 500 }) }),
    {
      maxLength: 20,
    },
  )
  .map((given) => {
    let at = receivedAt
    return given.map(({ kind, hours }, index): ReportEvent => {
      at = addMs(at, hours * HOUR_MS)
      const instant = kind === 'Embargo' ? addMs(at, 1_000 * HOUR_MS) : null
      const detail = kind === 'Joined' ? { caseId: `case-${index}` } : {}
      const by = { byType: kind === 'Addition' ? null : 'User', byEmail: null }
      return { id: String(index), kind, recordedAt: at, ...by, text: 'x', instant, detail }
    })
  })

it('ends all clocks by an end, keeps what was late, and is done no earlier than it was received', () => {
  fc.assert(
    fc.property(histories, fc.integer({ min: 0, max: 5_000 }), (events, hours) => {
      const now = addMs(receivedAt, hours * HOUR_MS)
      const standing = readStanding({ receivedAt, credit: null }, events, { times, now })

      const hasEnded = standing.state === 'Dismissed' || standing.state === 'Disclosed'
      for (const { dueAt, doneAt, state } of standing.clocks) {
        expect(dueAt.getTime()).toBeGreaterThan(receivedAt.getTime())
        if (hasEnded) expect(doneAt).not.toBeNull()
        if (doneAt === null) expect(state).toBe(now > dueAt ? 'Late' : 'Running')
        else {
          expect(doneAt.getTime()).toBeGreaterThan(receivedAt.getTime())
          expect(state).toBe(doneAt > dueAt ? 'DoneLate' : 'Done')
        }
      }
      expect(hasEnded && standing.hasUnanswered).toBe(false)
    }),
  )
})
