import { expect, it } from 'vitest'
import { type Arrival, judgeRepetitions } from './repetitions.ts'

const arrival = (at: number, more: Partial<Arrival> = {}): Arrival => ({
  messageId: 'one',
  pid: 7,
  at,
  answeredAt: at + 100,
  ...more,
})
const NONE = { kills: [], outages: [] }

it.each`
  because                                             | before                                       | kills                       | outages                      | avoidable
  ${'its sender was killed before the answer'}        | ${arrival(1_000, { answeredAt: undefined })} | ${[{ pid: 7, at: 1_050 }]}  | ${[]}                        | ${false}
  ${'its sender was killed right after the answer'}   | ${arrival(1_000)}                            | ${[{ pid: 7, at: 1_150 }]}  | ${[]}                        | ${false}
  ${'its sender had ended when it was looked for'}    | ${arrival(1_000, { pid: undefined })}        | ${[]}                       | ${[]}                        | ${false}
  ${'its sender had no database until it was killed'} | ${arrival(1_000)}                            | ${[{ pid: 7, at: 21_000 }]} | ${[{ from: 0, to: 25_000 }]} | ${false}
  ${'its sender lives'}                               | ${arrival(1_000)}                            | ${[]}                       | ${[]}                        | ${true}
  ${'another process was killed'}                     | ${arrival(1_000)}                            | ${[{ pid: 8, at: 1_050 }]}  | ${[]}                        | ${true}
  ${'its sender had ten seconds to record it'}        | ${arrival(1_000)}                            | ${[{ pid: 7, at: 11_100 }]} | ${[]}                        | ${true}
  ${'the database was back for long'}                 | ${arrival(1_000)}                            | ${[{ pid: 7, at: 21_000 }]} | ${[{ from: 0, to: 2_000 }]}  | ${true}
  ${'its sender was killed after the repetition'}     | ${arrival(1_000)}                            | ${[{ pid: 7, at: 99_000 }]} | ${[]}                        | ${true}
`('takes a repetition for avoidable: $avoidable, as $because', ({ before, avoidable, ...hurt }) => {
  const arrivals = [arrival(60_000, { pid: 9 }), before as Arrival]

  const judged = judgeRepetitions(arrivals, hurt as Parameters<typeof judgeRepetitions>[1])

  expect(judged).toEqual(
    avoidable === true
      ? { avoidable: ['one'], unavoidable: [] }
      : { avoidable: [], unavoidable: ['one'] },
  )
})

it('has nothing to say of messages that arrived once', () => {
  expect(judgeRepetitions([arrival(1), arrival(2, { messageId: 'two' })], NONE)).toEqual({
    avoidable: [],
    unavoidable: [],
  })
})
