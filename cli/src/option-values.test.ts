import { describe, expect, it } from 'vitest'
import {
  readLabels,
  readListOf,
  readOneOf,
  readPositive,
  readPositiveInteger,
} from './option-values.ts'

const WORDS = ['NotAssessed', 'InTriage'] as const

describe('option values', () => {
  it.each(['InTriage', 'in-triage', 'in_triage', 'INTRIAGE'])('takes %s as InTriage', (text) => {
    expect(readOneOf(WORDS)(text)).toBe('InTriage')
  })

  it('unites lists that are given several times', () => {
    const read = readListOf(WORDS)

    expect(read('in-triage,notassessed', read('InTriage'))).toEqual(['InTriage', 'NotAssessed'])
  })

  it.each(['', 'triage', 'InTriage,'])('refuses %j, saying what there is', (text) => {
    expect(() => readListOf(WORDS)(text)).toThrow('Use one of: NotAssessed, InTriage.')
  })

  it.each(['', ' ', '0', '-1', 'x', 'Infinity', '1e999'])(
    'takes %j for no length of time',
    (text) => {
      expect(() => readPositive(text)).toThrow('It must be a number above 0.')
    },
  )

  it('takes a fraction for a time, not for a count', () => {
    expect(readPositive('0.5')).toBe(0.5)
    expect(() => readPositiveInteger('0.5')).toThrow('whole number')
  })

  it('collects labels, whose values may hold anything', () => {
    expect(readLabels('b=c=d', readLabels('a='))).toEqual({ a: '', b: 'c=d' })
    expect(() => readLabels('=x')).toThrow('name=value')
  })
})
