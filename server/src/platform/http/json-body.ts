/** Reads bodies of JSON: in UTF-8, and without two members of one name, of which readers would see different ones. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'

const TYPES = ['application/json', 'application/merge-patch+json']

export function installJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser(TYPES, { parseAs: 'string' }, (request, body, done) => {
    const charset = readCharset(request.headers['content-type'] ?? '')
    if (!/^(?:utf-?8|us-ascii)$/i.test(charset)) return done(notUtf8(charset))
    const text = String(body)
    void parse(request, text, (error, value: unknown) => {
      const twice = error ? undefined : findDuplicate(text)
      if (twice === undefined) done(error, value)
      else done(duplicate(twice))
    })
  })
}

function readCharset(contentType: string): string {
  return /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1] ?? 'utf-8'
}

function notUtf8(charset: string): AppError {
  const detail = `JSON is sent in UTF-8 (RFC 8259 section 8.1), not in ${JSON.stringify(charset)}.`
  return new AppError('unsupportedMediaType', 'unsupported-media-type', detail)
}

function duplicate(pointer: string): AppError {
  const detail = 'is there twice; which of the two is meant?'
  return new AppError('invalid', 'invalid-request', `${pointer} ${detail}`, [{ pointer, detail }])
}

interface Open {
  /** undefined: an array. */
  names: Set<string> | undefined
  /** The member that is being read; its name or its place. */
  at: string | number
  awaitsName: boolean
}

/** The JSON pointer of the first member whose name its object has already. The text has to be valid JSON. */
export function findDuplicate(text: string): string | undefined {
  const open: Open[] = []
  for (let at = 0; at < text.length; at += 1) {
    const inner = open.at(-1)
    switch (text.charAt(at)) {
      case '"': {
        const end = endOfString(text, at)
        if (inner?.awaitsName === true && isTaken(inner, text.slice(at, end)))
          return formatPointer(open)
        at = end - 1
        break
      }
      case '{':
        open.push({ names: new Set(), at: '', awaitsName: true })
        break
      case '[':
        open.push({ names: undefined, at: 0, awaitsName: false })
        break
      case '}':
      case ']':
        open.pop()
        break
      case ',':
        if (inner) goOn(inner)
        break
      default:
    }
  }
  return undefined
}

function isTaken(inner: Open, quoted: string): boolean {
  const name = JSON.parse(quoted) as string
  const isKnown = inner.names?.has(name) === true
  inner.names?.add(name)
  inner.at = name
  inner.awaitsName = false
  return isKnown
}

function goOn(inner: Open): void {
  if (typeof inner.at === 'number') inner.at += 1
  else inner.awaitsName = true
}

/** The place after its closing quote. */
function endOfString(text: string, from: number): number {
  let at = from + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function formatPointer(open: readonly Open[]): string {
  return open.map(({ at }) => `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
