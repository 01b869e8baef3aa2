import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readConfig } from './config.ts'
import { applyEnvironmentFile, findOrigin, parseEnvironmentFile } from './environment-file.ts'

const parse = (text: string) => Object.fromEntries(parseEnvironmentFile(text, 'plimsoll.env'))

/** What systemd 252 makes of them (systemd.exec(5), EnvironmentFile=). */
it.each([
  ['A=b', 'b'],
  ['A = b ', 'b'],
  ['A=a#b', 'a#b'],
  ['A=a #b', 'a #b'],
  ['A=`date`', '`date`'],
  ['A=$HOME', '$HOME'],
  ["A='it is # this '", 'it is # this '],
  [`A='a"b'`, 'a"b'],
  ['A="a\\"b\\$c"', 'a"b$c'],
  ['A="a\\nb"', 'a\\nb'],
  ['A=a\\b', 'ab'],
  ['A=a\\\nb', 'ab'],
  [`A='a'"b"c`, 'abc'],
  ['A="one\ntwo"', 'one\ntwo'],
  ['# A=c\n; A=d\n\n  A=b\r\nB=c', 'b'],
  ['A=', ''],
  ['A=b=c', 'b=c'],
])('reads %j', (text, expected) => {
  expect(parse(text)['A']).toBe(expected)
})

it.each([
  ['A=b\nexport B=c', 'plimsoll.env, line 2: .* It begins with "export"'],
  ['A=b\n\n# c\nnothing', 'line 4: .*"nothing"'],
])('refuses %j by its line', (text, fault) => {
  expect(() => parse(text)).toThrow(RegExp(fault))
})

it('adds to the environment what that does not have, and knows where it came from', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'plimsoll-env-')), 'plimsoll.env')
  writeFileSync(path, 'PLIMSOLL_PORT=8081\nPLIMSOLL_HOST=::1\n')
  const environment: NodeJS.ProcessEnv = { PLIMSOLL_ENV_FILE: path, PLIMSOLL_PORT: '9' }

  applyEnvironmentFile(environment)

  expect(environment).toMatchObject({ PLIMSOLL_PORT: '9', PLIMSOLL_HOST: '::1' })
  expect([findOrigin('PLIMSOLL_PORT'), findOrigin('PLIMSOLL_HOST')]).toEqual(['environment', path])
})

it('refuses what Node has read before', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'plimsoll-env-')), 'plimsoll.env')
  writeFileSync(path, 'NODE_OPTIONS=--inspect\n')

  expect(() => applyEnvironmentFile({ PLIMSOLL_ENV_FILE: path })).toThrow(
    /NODE_OPTIONS has no effect/,
  )
})

it('takes the Node that the service was started with, as the installation writes it there', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'plimsoll-env-')), 'plimsoll.env')
  writeFileSync(path, 'PLIMSOLL_NODE=/opt/node/bin/node\n')
  const environment: NodeJS.ProcessEnv = { PLIMSOLL_ENV_FILE: path }

  applyEnvironmentFile(environment)

  expect(readConfig(environment).warnings).toEqual([])
})
