import { chmodSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMissingLinks, findPostgresBinaries } from './embedded-binaries.ts'

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

describe('programs of a distribution', () => {
  const place = () => join(native, 'postgresql')
  function givenVersions(...versions: string[]): void {
    for (const version of versions) {
      const bin = join(place(), version, 'bin')
      mkdirSync(bin, { recursive: true })
      for (const name of ['postgres', 'initdb']) {
        writeFileSync(join(bin, name), '#!/bin/sh\necho "postgres (PostgreSQL) 16.4 (Debian)"\n')
        chmodSync(join(bin, name), 0o755)
      }
    }
  }
  function givenDatabaseOf(version: string): string {
    const cluster = join(native, 'cluster')
    mkdirSync(cluster, { recursive: true })
    writeFileSync(join(cluster, 'PG_VERSION'), `${version}\n`)
    return cluster
  }

  it('are the newest for a new database, and those that made one that exists', () => {
    givenVersions('15', '9', '17')
    mkdirSync(join(place(), '18'))
    const fresh = findPostgresBinaries({ place: place(), cluster: join(native, 'absent') })
    const cluster = givenDatabaseOf('15')

    const created = findPostgresBinaries({ place: place(), cluster })

    expect(fresh).toEqual({ folder: join(place(), '17'), major: 17, isBundled: false })
    expect(created).toMatchObject({ major: 15 })
  })

  it('may be named by their own folder', () => {
    givenVersions('any')

    const named = findPostgresBinaries({ place: join(place(), 'any') })

    expect(named).toEqual({ folder: join(place(), 'any'), major: 16, isBundled: false })
  })

  it.each`
    versions        | database     | text
    ${[]}           | ${undefined} | ${/^There is no PostgreSQL in .*apt install postgresql.*PLIMSOLL_EMBEDDED_POSTGRES/}
    ${['13', '14']} | ${undefined} | ${/^PostgreSQL 14 and 13 in .* is too old\. Install .*15 or newer/}
    ${['17']}       | ${'15'}      | ${/was made by PostgreSQL 15, and there is PostgreSQL 17\. Install PostgreSQL 15 again/}
  `(
    'are refused in words where there are $versions for $database',
    ({ versions, database, text }: { versions: string[]; database?: string; text: RegExp }) => {
      givenVersions(...versions)
      const cluster = database === undefined ? '' : givenDatabaseOf(database)

      expect(() => findPostgresBinaries({ place: place(), cluster })).toThrow(text)
    },
  )
})
