import fc from 'fast-check'
import { expect, it } from 'vitest'
import { moveWindow, writeSearch, stepFor, readWindow, zoomWindow } from './time-window.ts'

const now = new Date('2026-11-23T12:34:56Z')
const HOUR = 3_600_000

it.each`
  range        | from                      | hours
  ${'1h'}      | ${'2026-11-23T11:34:50Z'} | ${1}
  ${'30d'}     | ${'2026-10-24T12:00:00Z'} | ${30 * 24}
  ${'all'}     | ${'2026-11-22T12:30:00Z'} | ${24}
  ${undefined} | ${'2026-11-22T12:30:00Z'} | ${24}
`('shows $hours hours for the range $range', ({ range, from, hours }: Record<string, string>) => {
  const window = readWindow({ range }, now)

  expect(window.from).toEqual(new Date(from ?? ''))
  expect((window.to.getTime() - window.from.getTime()) / HOUR).toBeCloseTo(Number(hours), -1)
})

it('shows a stretch as the address has it, and the last day for one that cannot be', () => {
  const stretch = writeSearch(new Date('2025-01-01T00:00:00Z'), new Date('2025-01-01T02:00:00Z'))

  expect(readWindow(stretch, now)).toMatchObject({
    from: new Date('2025-01-01T00:00:00Z'),
    to: new Date('2025-01-01T02:00:00Z'),
    range: undefined,
  })
  expect(readWindow({ from: 'yesterday', to: 'today' }, now).range).toBe('24h')
  expect(readWindow({ ...stretch, to: '2024-01-01T00:00:00Z' }, now).range).toBe('24h')
})

it('never asks for more than the service answers', () => {
  const instants = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(instants, instants, (from, to) => {
      const window = readWindow(writeSearch(from, to), now)
      const span = window.to.getTime() - window.from.getTime()

      expect(span).toBeGreaterThan(0)
      expect(span).toBeLessThanOrEqual(400 * 24 * HOUR)
      expect(span / window.stepMs).toBeLessThanOrEqual(402)
    }),
  )
})

it('takes whole hours where a line has room for them', () => {
  expect([HOUR, 7 * 24 * HOUR, 30 * 24 * HOUR].map((span) => stepFor(span))).toEqual([
    10_000,
    HOUR,
    2 * HOUR,
  ])
})

it('zooms about an instant, and moves by a share', () => {
  const window = { from: new Date(0), to: new Date(8 * HOUR) }

  expect(zoomWindow(window, new Date(2 * HOUR), 0.5)).toEqual({
    from: new Date(HOUR),
    to: new Date(5 * HOUR),
  })
  expect(moveWindow(window, -0.5)).toEqual({ from: new Date(-4 * HOUR), to: new Date(4 * HOUR) })
})
