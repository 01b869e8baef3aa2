/** The settings of libconfig (https://hyperrealm.github.io/libconfig/libconfig_manual.html#Configuration-Files) as plain values. */
import { ImageFault } from './image-facts.ts'

const DEEPEST = 32

interface Token {
  kind: 'text' | 'name' | 'value' | 'sign' | 'end'
  text: string
}

/** Each matches at one place and has one way to do so: a hostile text costs no more than its length. */
const SKIPPED = [/\s+/y, /#[^\n]*/y, /\/\/[^\n]*/y]
const TEXT = /(?:[^"\\]|\\[\s\S])*/y
const NAME = /[A-Za-z*][-A-Za-z0-9_*]*/y
const VALUE = /[-+.0-9][-+.0-9A-Za-z]*/y
const SIGNS = '={}[]();:,'

/** Groups become objects; arrays and lists become arrays; numbers stay texts, as nobody needs them here. */
export function parseLibconfig(text: string): Record<string, unknown> {
  const reader = new Reader(text)
  const settings = reader.readSettings(0)
  reader.expectEnd()
  return settings
}

class Reader {
  private readonly text: string
  private at = 0
  private token: Token

  constructor(text: string) {
    this.text = text
    this.token = this.scan()
  }

  readSettings(depth: number): Record<string, unknown> {
    const settings = new Map<string, unknown>()
    while (this.token.kind === 'name') {
      const { text: name } = this.take()
      if (settings.has(name)) throw this.fault(`states ${name} twice in one group`)
      if (!this.skip('=') && !this.skip(':')) throw this.fault(`has no value for ${name}`)
      settings.set(name, this.readValue(depth))
      if (!this.skip(';')) this.skip(',')
    }
    return Object.fromEntries(settings)
  }

  expectEnd(): void {
    if (this.token.kind !== 'end') throw this.fault('does not end where it should')
  }

  private readValue(depth: number): unknown {
    if (depth > DEEPEST) throw this.fault(`is nested deeper than ${DEEPEST}`)
    if (this.token.kind === 'text') return this.readTexts()
    if (this.token.kind === 'value' || this.token.kind === 'name') return this.take().text
    if (this.skip('{')) {
      const group = this.readSettings(depth + 1)
      if (!this.skip('}')) throw this.fault('has a group that does not end')
      return group
    }
    for (const [open, close] of [
      ['[', ']'],
      ['(', ')'],
    ] as const)
      if (this.skip(open)) return this.readItems(close, depth + 1)
    throw this.fault('has a value that cannot be read')
  }

  private readItems(close: string, depth: number): unknown[] {
    const items: unknown[] = []
    while (!this.skip(close)) {
      items.push(this.readValue(depth))
      if (!this.skip(',') && this.token.text !== close)
        throw this.fault('has a list that does not end')
    }
    return items
  }

  /** Texts beside each other are one. */
  private readTexts(): string {
    let text = ''
    while (this.token.kind === 'text') text += this.take().text
    return text
  }

  private take(): Token {
    const { token } = this
    this.token = this.scan()
    return token
  }

  private skip(sign: string): boolean {
    if (this.token.kind !== 'sign' || this.token.text !== sign) return false
    this.take()
    return true
  }

  private scan(): Token {
    this.skipSpace()
    const sign = this.text[this.at]
    if (sign === undefined) return { kind: 'end', text: '' }
    if (sign === '@') throw this.fault('includes another file, which SWUpdate does not allow')
    if (sign === '"') return this.scanText()
    if (SIGNS.includes(sign)) {
      this.at += 1
      return { kind: 'sign', text: sign }
    }
    const name = this.match(NAME)
    if (name !== undefined) return { kind: 'name', text: name }
    const value = this.match(VALUE)
    if (value !== undefined) return { kind: 'value', text: value }
    throw this.fault('has a character that does not belong there')
  }

  private skipSpace(): void {
    for (;;) {
      if (this.text.startsWith('/*', this.at)) {
        const end = this.text.indexOf('*/', this.at + 2)
        if (end < 0) throw this.fault('has a comment that does not end')
        this.at = end + 2
      } else if (!SKIPPED.some((pattern) => this.match(pattern) !== undefined)) return
    }
  }

  private scanText(): Token {
    this.at += 1
    const text = this.match(TEXT) ?? ''
    if (this.text[this.at] !== '"') throw this.fault('has a text that does not end')
    this.at += 1
    return { kind: 'text', text: unescape(text) }
  }

  /** undefined also for a match without a character. */
  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (!found) return undefined
    this.at += found.length
    return found
  }

  private fault(what: string): ImageFault {
    const line = this.text.slice(0, this.at).split('\n').length
    return new ImageFault(`sw-description ${what} (line ${line}).`)
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f' }

const unescape = (text: string) =>
  text.replaceAll(/\\(?:x([0-9a-fA-F]{2})|([\s\S]))/g, (_all, hex?: string, one?: string) =>
    hex === undefined
      ? (ESCAPES[one ?? ''] ?? one ?? '')
      : String.fromCharCode(Number.parseInt(hex, 16)),
  )
