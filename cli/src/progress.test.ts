import type { Sbom } from '../../api-client/src/index.ts'
import { describe, expect, it } from 'vitest'
import { createProgress } from './progress.ts'

function givenStream(isTTY: boolean) {
  const parts: string[] = []
  const stream = { isTTY, columns: 80, write: (text: string) => parts.push(text) }
  return { stream, text: () => parts.join('') }
}

const sbom = (id: string, parsingState: Sbom['parsingState'], matchedAt: string | null = null) =>
  ({ id, fileName: `${id}.json`, parsingState, vulnerabilitiesParsedAt: matchedAt }) as Sbom

describe('progress', () => {
  it('redraws one line of a terminal', () => {
    const { stream, text } = givenStream(true)
    const progress = createProgress(stream)

    progress.sent(0, 2_500_000)
    progress.sent(2_500_000, 2_500_000)
    progress.states([sbom('a', 'InProgress'), sbom('b', 'Succeeded')])
    progress.end()

    expect(text().split('\r\u001b[2K')).toEqual([
      '',
      'Uploading [------------------------] 0% of 2.5 MB',
      'Uploading [########################] 100% of 2.5 MB',
      '[######------------------] 1 parsing, 1 matching\n',
    ])
  })

  it('draws no more often than a person can see', () => {
    const { stream, text } = givenStream(true)
    const progress = createProgress(stream)

    for (let sent = 0; sent < 1000; sent++) progress.sent(sent, 2000)

    expect(text().split('\r').length).toBeLessThan(10)
  })

  it('writes a line for each step to a log', () => {
    const { stream, text } = givenStream(false)
    const progress = createProgress(stream)

    progress.sent(0, 1200)
    progress.sent(600, 1200)
    progress.states([sbom('a', 'InProgress')])
    progress.states([sbom('a', 'InProgress')])
    progress.states([sbom('a', 'Succeeded', '2026-08-22T09:30:00.000Z')])
    progress.end()

    expect(text()).toBe('Uploading 2 kB\na.json: parsing\na.json: ready\n')
  })

  it('says in a log how far a large file is, and that the service works on it at the end', () => {
    const { stream, text } = givenStream(false)
    const progress = createProgress(stream)

    for (let sent = 0; sent <= 100; sent++) progress.sent(sent * 40_000_000, 4_000_000_000)

    const lines = text().split('\n')
    expect(lines.slice(0, 2)).toEqual(['Uploading 4000.0 MB', '10% of 4000.0 MB'])
    expect(lines.slice(-2)).toEqual(['100% of 4000.0 MB, the service stores it', ''])
    expect(lines).toHaveLength(12)
  })
})
