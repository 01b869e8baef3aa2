/** Changes that readers stumble over: of values (structure), of JSON text (syntax) and of bytes. */
import fc from 'fast-check'
import { gzipSync } from 'node:zlib'
import { type StoredBytes, stored } from './bytes.ts'

const REPEATED = ['a', '\u{1F6A2}', '../', '%00', '{', '\u0301'] as const

/** Texts that mean something to one of the layers, or to a reader. */
export const oddTexts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\uD800',
    'x\uDC00y',
    '\u202Egnp.exe',
    'zero\u200Bwidth\u200D',
    '\uFEFFmark',
    'a\nb\rc\td',
    '\u0085\u2028\u2029',
    'e\u0301',
    'İstanbul ſharp ß',
    '../../etc/passwd',
    '/',
    '\\',
    "'; --",
    '"',
    '%',
    '_',
    '{}',
    '{1}',
    '\\x00',
    '\\.',
    '$1',
    '-1',
    '1e400',
    'NaN',
    '0x10',
    'null',
    'true',
    '__proto__',
    'constructor',
    'toString',
    '0000-00-00',
    '2024-02-30T00:00:00Z',
    '-271821-04-20T00:00:00.000Z',
    '+275760-09-13T00:00:00.000Z',
    '9999-12-31T23:59:60Z',
    '2026-01-01T00:00:00+99:99',
    '294276-12-31T23:59:59Z',
    '00000000-0000-0000-0000-000000000000',
    'CVE-2021-44228',
    'CVE-0000-0000',
    'pkg:npm/%40a/b@1?c=d#e',
    'pkg:generic/',
    'cpe:2.3:a:b:c:1:*:*:*:*:*:*:*',
    'cpe:2.3:*:*:*:*:*:*:*:*:*:*:*',
    'cpe:/a:b:c:1%02',
    'http://[::1]:0/',
    'http://127.0.0.1/',
    '١٢٣',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc
    .tuple(fc.constantFrom(...REPEATED), fc.constantFrom(3, 65, 129, 256, 1025, 4097, 70_000))
    .map(([text, times]) => text.repeat(times)),
)

const oddNumbers = fc.oneof(
  fc.constantFrom(
    -1,
    0,
    -0,
    1.5,
    2 ** 31,
    -(2 ** 31) - 1,
    2 ** 53,
    -(2 ** 63),
    1e21,
    1e308,
    5e-324,
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
)

const oddValues: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: oddTexts, weight: 4 },
  { arbitrary: oddNumbers, weight: 3 },
  fc.constantFrom(null, true, false, {}, [], [[]], [null], { '': '' }),
  fc.constantFrom(2, 50, 101, 1500).map(nested),
  fc.jsonValue({ maxDepth: 2 }),
)

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = level % 2 ? { a: value } : [value]
  return value
}

interface Change {
  /** Chooses the place, whatever the number of places. */
  at: number
  kind: 'replace' | 'remove' | 'repeat' | 'rename' | 'wrap' | 'move' | 'add'
  odd: unknown
  name: string
}

const changes: fc.Arbitrary<Change> = fc.record(
  {
    at: fc.nat(),
    kind: fc.constantFrom('replace', 'remove', 'repeat', 'rename', 'wrap', 'move', 'add'),
    odd: oddValues,
    name: oddTexts,
  },
  { noNullPrototype: true },
)

/** Up to so many changes of the structure; a third of the values stays as it is. */
export function mutated<Value>(values: fc.Arbitrary<Value>, most = 3): fc.Arbitrary<unknown> {
  const all = fc.oneof(
    { arbitrary: fc.constant<Change[]>([]), weight: 1 },
    { arbitrary: fc.array(changes, { minLength: 1, maxLength: most }), weight: 2 },
  )
  return fc.tuple(values, all).map(([value, made]) => made.reduce<unknown>(changed, value))
}

type Path = readonly (string | number)[]
const MOST_PLACES = 5_000

function placesIn(value: unknown, at: Path = [], found: Path[] = []): Path[] {
  if (found.length >= MOST_PLACES || at.length > 100) return found
  found.push(at)
  if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value))
      placesIn(inner, [...at, Array.isArray(value) ? Number(name) : name], found)
  return found
}

/** The value with the change made at the place that `at` chooses. */
function changed(value: unknown, change: Change): unknown {
  const places = placesIn(value)
  const place = places[change.at % places.length] ?? []
  const other = valueAt(value, places[(change.at * 31 + 7) % places.length] ?? [])
  return changedAt(value, place, (inner) => changesOf(inner, other, change))
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], value)
}

const GONE = Symbol('gone')
const REPEATS = 40

function changesOf(inner: unknown, other: unknown, { kind, odd, name }: Change): unknown {
  switch (kind) {
    case 'replace':
      return odd
    case 'remove':
      return GONE
    case 'repeat':
      return Array.isArray(inner)
        ? Array.from({ length: REPEATS }, () => inner as unknown[]).flat()
        : [inner, inner]
    case 'rename':
      return renamed(inner, name)
    case 'wrap':
      return Array.isArray(inner) ? { items: inner } : [inner]
    case 'move':
      return other
    case 'add':
    default:
      return added(inner, name, odd)
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function renamed(inner: unknown, name: string): unknown {
  if (!isRecord(inner)) return name
  const [first, ...rest] = Object.entries(inner)
  return first ? Object.fromEntries([[name, first[1]], ...rest]) : inner
}

function added(inner: unknown, name: string, odd: unknown): unknown {
  if (Array.isArray(inner)) return [...(inner as unknown[]), odd]
  return isRecord(inner) ? Object.fromEntries([...Object.entries(inner), [name, odd]]) : odd
}

function changedAt(value: unknown, path: Path, change: (inner: unknown) => unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) {
    const made = change(value)
    return made === GONE ? null : made
  }
  const last = rest.length === 0
  const put = (inner: unknown) => (last ? change(inner) : changedAt(inner, rest, change))
  if (Array.isArray(value))
    return value.flatMap((inner, index) => {
      const made: unknown = index === name ? put(inner) : inner
      return made === GONE ? [] : [made]
    })
  const entries = Object.entries(value as object).map(
    ([one, inner]) => [one, one === name ? put(inner) : inner] as const,
  )
  return Object.fromEntries(entries.filter(([, inner]) => inner !== GONE))
}

const OF_BYTES_KINDS = [
  'flip',
  'insert',
  'cut',
  'truncate',
  'double',
  'mark',
  'utf16',
  'gzip',
] as const
const OF_TEXT_KINDS = ['twice', 'number', 'comma', 'control', 'deep'] as const
type OfBytes = (typeof OF_BYTES_KINDS)[number]
type OfText = (typeof OF_TEXT_KINDS)[number]

export interface ByteMutation {
  at: number
  kind: OfBytes | OfText
  byte: number
}

const spoilings: fc.Arbitrary<ByteMutation> = fc.record(
  { at: fc.nat(), kind: fc.constantFrom(...OF_BYTES_KINDS, ...OF_TEXT_KINDS), byte: fc.nat(255) },
  { noNullPrototype: true },
)

/** Most are as they were: the reader behind the syntax is to be reached. */
export function spoiled(bytes: fc.Arbitrary<Buffer>, share = 4): fc.Arbitrary<StoredBytes> {
  const all = fc.oneof(
    { arbitrary: fc.constant<ByteMutation[]>([]), weight: share },
    { arbitrary: fc.array(spoilings, { minLength: 1, maxLength: 3 }), weight: 1 },
  )
  return fc.tuple(bytes, all).map(([sent, made]) => stored(made.reduce(spoil, sent)))
}

const DEEP = 3_000
const MARK = Buffer.from([0xef, 0xbb, 0xbf])

const OF_BYTES: Record<OfBytes, (bytes: Buffer, place: number, byte: number) => Buffer> = {
  flip: (bytes, place, byte) => around(bytes, place, Buffer.of(byte), 1),
  insert: (bytes, place, byte) => around(bytes, place, Buffer.of(byte), 0),
  cut: (bytes, place, byte) => around(bytes, place, Buffer.alloc(0), 1 + (byte % 64)),
  truncate: (bytes, place) => Buffer.from(bytes.subarray(0, place)),
  double: (bytes) => Buffer.concat([bytes, bytes]),
  mark: (bytes) => Buffer.concat([MARK, bytes]),
  utf16: (bytes) =>
    Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(bytes.toString('utf8'), 'utf16le')]),
  gzip: (bytes) => gzipSync(bytes),
}

/** `part` in the place of so many bytes. */
function around(bytes: Buffer, place: number, part: Buffer, instead: number): Buffer {
  return Buffer.concat([bytes.subarray(0, place), part, bytes.subarray(place + instead)])
}

const OF_TEXT: Record<OfText, (text: string, at: number) => string> = {
  twice: (text, at) =>
    replacedOne(text, /"((?:[^"\\]|\\.)*)"\s*:/g, at, (one) => `${one}null,${one}`),
  number: (text, at) => replacedOne(text, /\b\d+\b/g, at, () => '1e999'),
  comma: (text, at) => replacedOne(text, /[}\]]/g, at, (one) => `,${one}`),
  control: (text, at) => replacedOne(text, /"/g, at, (one) => `${one}\u0001`),
  deep: (text) => `${'['.repeat(DEEP)}${text}${']'.repeat(DEEP)}`,
}

export function spoil(bytes: Buffer, { at, kind, byte }: ByteMutation): Buffer {
  const place = bytes.length === 0 ? 0 : at % bytes.length
  if (isOfBytes(kind)) return OF_BYTES[kind](bytes, place, byte)
  return Buffer.from(OF_TEXT[kind](bytes.toString('utf8'), at))
}

function isOfBytes(kind: OfBytes | OfText): kind is OfBytes {
  return kind in OF_BYTES
}

function replacedOne(
  text: string,
  pattern: RegExp,
  at: number,
  replace: (one: string) => string,
): string {
  const found = [...text.matchAll(pattern)]
  const chosen = found[at % Math.max(1, found.length)]
  if (!chosen) return text
  const end = chosen.index + chosen[0].length
  return text.slice(0, chosen.index) + replace(chosen[0]) + text.slice(end)
}

/** JSON text of the value. Lone surrogates and U+0000 are escaped, as a sender would. */
export const jsonBytes = (value: unknown): Buffer =>
  Buffer.from(JSON.stringify(value) ?? 'null', 'utf8')
