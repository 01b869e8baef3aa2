import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findStale, readFiles, update, writeFiles } from './files.ts'

const FIND = 'server/src/features/devices/store.ts findDevice'
const LIST = 'server/src/features/devices/list-store.ts listDevices'
const LOCK = 'server/src/platform/db/lead.ts tryLock'
const FUNCTIONS = new Set([FIND, LIST, LOCK])
const VARIANTS = [1, 2, 3, 4, 5, 6].map((filter) => `select id\nfrom devices\nwhere f = ${filter}`)

let folder: string

function executed(statements: Record<string, readonly string[]>) {
  return new Map(Object.entries(statements).map(([name, texts]) => [name, new Set(texts)]))
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-queries-'))
  const first = executed({ [FIND]: ['select 1', 'select 2'], [LIST]: VARIANTS })
  writeFiles(folder, update(new Map(), first, { functions: FUNCTIONS, isPartial: false }))
})
afterEach(() => rmSync(folder, { recursive: true }))

const stale = (statements: Record<string, readonly string[]>, functions = FUNCTIONS) =>
  findStale(readFiles(folder), executed(statements), functions)

it('writes a file for each slice, sorted, with the first and the last of many variants', () => {
  expect(readdirSync(folder)).toEqual(['devices.sql', 'platform.sql'])
  const text = readFileSync(join(folder, 'devices.sql'), 'utf8')
  expect(text.indexOf(LIST)).toBeLessThan(text.indexOf(FIND))
  expect(text).toContain(`-- ${FIND}\nselect 1;\n\n-- ${FIND}\nselect 2;\n`)
  expect(text).toContain(`${VARIANTS[0]};`)
  expect(text).toContain(`${VARIANTS[5]};`)
  expect(text).not.toContain(`${VARIANTS[3]};`)
})

it('is current when the same is executed, or less of it', () => {
  expect(stale({ [FIND]: ['select 1', 'select 2'], [LIST]: VARIANTS })).toEqual([])
  expect(stale({ [FIND]: ['select 2'], [LIST]: VARIANTS.slice(2, 3) })).toEqual([])
})

it('reads a text of several statements back as one', () => {
  const statements = { [LOCK]: ['set jit = off;\nset work_mem = 1', 'select 3'] }
  const first = executed(statements)
  writeFiles(folder, update(new Map(), first, { functions: FUNCTIONS, isPartial: false }))

  expect(stale(statements)).toEqual([])
  expect(stale({ [LOCK]: ['set jit = off'] })).toHaveLength(1)
})

it('is current when a function is executed that tests reach in some runs only', () => {
  expect(stale({ [LOCK]: ['select 3'] })).toEqual([])
})

it('is current when a list is asked for in a further way', () => {
  expect(stale({ [LIST]: ['select id from devices where g = 1', ...VARIANTS] })).toEqual([])
})

it('is current when a function executes a further statement beside all that are listed', () => {
  expect(stale({ [FIND]: ['select 1', 'select 2', 'select 3'] })).toEqual([])
})

it('is stale when a function executes another statement in place of a listed one', () => {
  expect(stale({ [FIND]: ['select 1', 'select 4'] })).toEqual([
    expect.stringContaining('findDevice executes another statement:\nselect 4'),
  ])
})

it('is stale when no variant of many is known', () => {
  expect(stale({ [LIST]: ['select name from devices'] })).toHaveLength(1)
})

it('is stale when a function comes or goes', () => {
  const renamed = new Set([FIND, LIST, `${LOCK}Now`])

  expect(stale({}, renamed)).toEqual([
    expect.stringContaining('tryLockNow executes statements and is not listed'),
    expect.stringContaining('tryLock is listed and executes no statement'),
  ])
})

it.each`
  isPartial | what                                | expected
  ${false}  | ${'what it executed before, too'}   | ${['select 3']}
  ${true}   | ${'nothing of it after some tests'} | ${['select 1', 'select 2', 'select 3']}
`('forgets $what', ({ isPartial, expected }: { isPartial: boolean; expected: string[] }) => {
  const now = executed({ [FIND]: ['select 3'] })
  writeFiles(folder, update(readFiles(folder), now, { functions: FUNCTIONS, isPartial }))

  const known = readFiles(folder)
  expect([...(known.get(FIND)?.shown ?? [])]).toEqual(expected)
  expect(known.get(LIST)?.hashes.size).toBe(VARIANTS.length)
})
