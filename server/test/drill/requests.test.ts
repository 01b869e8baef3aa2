/** The rules by which the kill drill judges what it finds. */
import { describe, expect, it } from 'vitest'
import {
  countOvertaken,
  faultsOfOrder,
  inWords,
  type SentRequest,
  valuesThatMayHold,
} from './requests.ts'

const FIRST = { pid: 1, startedAt: new Date(1) }
const SECOND = { pid: 2, startedAt: new Date(2) }

/** Requests in the order in which they were sent: `value status run`, a status of `-` for no answer. */
function sentOf(...texts: string[]): SentRequest<string>[] {
  return texts.map((text, number) => {
    const [value = '', status = '', run] = text.split(' ')
    return {
      number,
      value,
      status: status === '-' ? undefined : Number(status),
      run: run === '2' ? SECOND : FIRST,
      sentAt: new Date(10 * number),
      endedAt: new Date(10 * number + 5),
    }
  })
}

describe('the value that may hold', () => {
  it.each`
    sent                               | expected      | because
    ${['a 200 1', 'b 200 1']}          | ${['b']}      | ${'the last accepted one does'}
    ${['a 200 1', 'b - 1']}            | ${['a', 'b']} | ${'nobody knows of one without an answer'}
    ${['a 200 1', 'b 503 1']}          | ${['a', 'b']} | ${'nobody knows of one that failed'}
    ${['a 200 1', 'b 409 1']}          | ${['a']}      | ${'a refused one changes nothing'}
    ${['a - 1', 'b 200 1']}            | ${['a', 'b']} | ${'an abandoned one may come later'}
    ${['a - 1', 'b 200 2']}            | ${['b']}      | ${'nothing comes of a process that ended'}
    ${['a - 1', 'b - 2', 'c 200 2']}   | ${['b', 'c']} | ${'only that of the living process may'}
    ${['a - 1', 'b 200 1', 'c 200 2']} | ${['c']}      | ${'the process of the abandoned one ended before'}
    ${['a - 1', 'b - 2']}              | ${['a', 'b']} | ${'nothing was accepted'}
  `('of $sent is one of $expected, as $because', ({ sent, expected }) => {
    expect(valuesThatMayHold(sentOf(...(sent as string[])))).toEqual(expected)
  })
})

describe('the order in which requests were applied', () => {
  it.each`
    sent                      | applied      | faults
    ${['a 200 1', 'b 200 1']} | ${[0, 1]}    | ${[]}
    ${['a 200 1', 'b 200 1']} | ${[0]}       | ${['request 1 (200) was applied 0 times']}
    ${['a 200 1', 'b 200 1']} | ${[1, 0]}    | ${['request 0 was applied after request 1']}
    ${['a 200 1', 'b 200 1']} | ${[0, 1, 0]} | ${['request 0 (200) was applied 2 times', 'request 0 was applied after request 1']}
    ${['a - 1', 'b 200 1']}   | ${[1]}       | ${[]}
    ${['a - 1', 'b 200 1']}   | ${[1, 0]}    | ${[]}
    ${['a - 1', 'b 200 2']}   | ${[1, 0]}    | ${['request 0 was applied after request 1']}
    ${['a 503 1', 'b 200 1']} | ${[0, 1, 0]} | ${['request 0 (503) was applied 2 times']}
    ${['a 409 1', 'b 200 1']} | ${[0, 1]}    | ${['request 0 (409) was applied 1 times']}
    ${['a 200 1']}            | ${[0, 7]}    | ${['request 7 was applied, and never sent']}
  `('of $sent as $applied: $faults', ({ sent, applied, faults }) => {
    expect(faultsOfOrder(sentOf(...(sent as string[])), applied as number[])).toEqual(faults)
  })
})

it('counts requests that were overtaken', () => {
  const sent = sentOf('a - 1', 'b 200 1', 'c 200 1')

  expect(
    [
      [0, 1, 2],
      [1, 0, 2],
      [1, 2],
    ].map((applied) => countOvertaken(sent, applied)),
  ).toEqual([0, 1, 0])
})

it('says of a request when it was sent, what came of it, and which process got it', () => {
  const [one] = sentOf('Exploitable -')

  expect(one && inWords(one)).toBe(
    'request 0: Exploitable, sent 1970-01-01T00:00:00.000Z, given up 1970-01-01T00:00:00.005Z, by process 1 of 1970-01-01T00:00:00.001Z',
  )
})
