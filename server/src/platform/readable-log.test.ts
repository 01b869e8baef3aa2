import { describe, expect, it } from 'vitest'
import { createLog } from './log.ts'
import { formatLogLine } from './readable-log.ts'

const plain = (entry: object) => formatLogLine(JSON.stringify(entry), (_colour, text) => text)
const at = '2026-11-23T10:15:00.123Z'

describe('a line of the log on a terminal', () => {
  it('begins with time and level, and ends with the fields', () => {
    const line = plain({
      level: 40,
      time: at,
      source: 'nvd',
      file: 'a b',
      count: 3,
      msg: 'skipped',
    })

    expect(line).toBe('10:15:00 WARN  skipped  source=nvd  file="a b"  count=3\n')
  })

  it('shows an error below, indented', () => {
    const err = { message: 'gone', stack: 'Error: gone\n    at here' }

    expect(plain({ level: 50, time: at, msg: 'failed', err })).toBe(
      '10:15:00 ERROR failed\n    Error: gone\n        at here\n',
    )
  })

  it('lets no text steer the terminal', () => {
    expect(plain({ level: 30, time: at, msg: 'a\u001b[2Jb' })).toBe('10:15:00 INFO  a\uFFFD[2Jb\n')
  })

  it('leaves what is no JSON as it is', () => {
    expect(formatLogLine('hello\n', (_colour, text) => text)).toBe('hello\n')
  })

  it('is JSON where nobody reads it, and redacts secrets in both', () => {
    const written: string[] = []
    const output = { isTTY: false, write: (text: string) => written.push(text) }
    createLog('info', output).info({ apiKey: 'plm_x' }, 'json')
    createLog('info', { ...output, isTTY: true }).info({ apiKey: 'plm_x' }, 'text')

    expect(JSON.parse(written[0] ?? '')).toMatchObject({ msg: 'json', apiKey: '[redacted]' })
    expect(written[1]).toMatch(/^\d\d:\d\d:\d\d INFO  text  apiKey="\[redacted\]"\n$/)
  })
})
