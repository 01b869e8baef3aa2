import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createMissingLinks } from './embedded-binaries.ts'

let native: string
beforeEach(() => {
  native = join(mkdtempSync(join(tmpdir(), 'plimsoll-binaries-')), 'native')
  mkdirSync(join(native, 'lib'), { recursive: true })
})
afterEach(() => {
  rmSync(join(native, '..'), { recursive: true })
})

it('makes the library links that npm leaves out, and keeps those that are there', () => {
  const list = [
    { source: 'native/lib/liba.so.60.2', target: 'native/lib/liba.so.60' },
    { source: 'native/lib/liba.so.60.2', target: 'native/lib/liba.so' },
  ]
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(list))

  createMissingLinks(native, 'a-package')
  createMissingLinks(native, 'a-package')

  expect(readlinkSync(join(native, 'lib/liba.so.60'))).toBe('liba.so.60.2')
  expect(readlinkSync(join(native, 'lib/liba.so'))).toBe('liba.so.60.2')
})

it('names the command that helps where it may not make them', () => {
  const list = [{ source: 'native/lib/liba.so.1', target: 'native/absent/liba.so' }]
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(list))

  expect(() => {
    createMissingLinks(native, 'a-package')
  }).toThrow('Run "npm rebuild a-package"')
})

it('needs no list where the package has none', () => {
  createMissingLinks(native, 'a-package')
})
