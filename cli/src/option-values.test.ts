import { describe, expect, it } from 'vitest'
import { labels, listOf, oneOf, positive, positiveInteger } from './option-values.ts'

const WORDS = ['NotAssessed', 'InTriage'] as const

describe('option values', () => {
  it.each(['InTriage', 'in-triage', 'in_triage', 'INTRIAGE'])('takes %s as InTriage', (text) => {
    expect(oneOf(WORDS)(text)).toBe('InTriage')
  })

  it('unites lists that are given several times', () => {
    const read = listOf(WORDS)

    expect(read('in-triage,notassessed', read('InTriage'))).toEqual(['InTriage', 'NotAssessed'])
  })

  it.each(['', 'triage', 'InTriage,'])('refuses %j, saying what there is', (text) => {
    expect(() => listOf(WORDS)(text)).toThrow('Use one of: NotAssessed, InTriage.')
  })

  it.each(['', ' ', '0', '-1', 'x', 'Infinity', '1e999'])(
    'takes %j for no length of time',
    (text) => {
      expect(() => positive(text)).toThrow('It must be a number above 0.')
    },
  )

  it('takes a fraction for a time, not for a count', () => {
    expect(positive('0.5')).toBe(0.5)
    expect(() => positiveInteger('0.5')).toThrow('whole number')
  })

  it('collects labels, whose values may hold anything', () => {
    expect(labels('b=c=d', labels('a='))).toEqual({ a: '', b: 'c=d' })
    expect(() => labels('=x')).toThrow('name=value')
  })
})
