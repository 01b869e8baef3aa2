import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { replaceFile } from './replaced-file.ts'

const givenFolder = () => mkdtempSync(join(tmpdir(), 'plimsoll-replaced-'))
const replace = (path: string, options = {}) => replaceFile(path, Readable.from(['new']), options)
const modeOf = (path: string) => statSync(path).mode & 0o777

it('makes a file, and replaces one with the permissions it had', async () => {
  const path = join(givenFolder(), 'file')
  await replace(path, { mode: 0o600 })
  expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['new', 0o600])

  chmodSync(path, 0o640)
  await replace(path)

  expect(modeOf(path)).toBe(0o640)
})

it.each([
  { link: 'a relative link', to: () => '../kept/file', isThere: true },
  { link: 'a link to what is not there yet', to: () => '../kept/file', isThere: false },
  { link: 'an absolute link', to: (folder: string) => join(folder, 'kept/file'), isThere: true },
  { link: 'a link to a link', to: () => '../second', isThere: true },
])('writes to what $link names', async ({ to, isThere }) => {
  const folder = givenFolder()
  const at = (name: string) => join(folder, name)
  for (const name of ['kept', 'linked']) mkdirSync(at(name))
  if (isThere) writeFileSync(at('kept/file'), 'old')
  symlinkSync('kept/file', at('second'))
  symlinkSync(to(folder), at('linked/link'))

  await replace(at('linked/link'))

  expect(readlinkSync(at('linked/link'))).toBe(to(folder))
  expect(readlinkSync(at('second'))).toBe('kept/file')
  expect(readFileSync(at('kept/file'), 'utf8')).toBe('new')
  expect([readdirSync(at('kept')), readdirSync(at('linked'))]).toEqual([['file'], ['link']])
})

it('writes into a pipe and leaves it there', async () => {
  const path = join(givenFolder(), 'pipe')
  execFileSync('mkfifo', [path])

  const [, text] = await Promise.all([replace(path), readFile(path, 'utf8')])

  expect([text, statSync(path).isFIFO()]).toEqual(['new', true])
})

it('leaves what was there, and nothing beside it, where the content fails', async () => {
  const path = join(givenFolder(), 'file')
  writeFileSync(path, 'old')
  const failing = Readable.from(
    (async function* () {
      yield 'ne'
      await Promise.reject(new Error('the service went away'))
    })(),
  )

  await expect(replaceFile(path, failing)).rejects.toThrow('the service went away')

  expect(readFileSync(path, 'utf8')).toBe('old')
  expect(readdirSync(join(path, '..'))).toEqual(['file'])
})

it('names what was to be written where there is no such folder, or a folder in its place', async () => {
  const folder = givenFolder()

  await expect(replace(join(folder, 'nowhere', 'file'))).rejects.toThrow(
    `Cannot write ${join(folder, 'nowhere', 'file')}: there is no folder ${join(folder, 'nowhere')}.`,
  )
  await expect(replace(folder)).rejects.toThrow('EISDIR')
})

/** Without the right of root to pass by the modes of files. */
const AS_ANYBODY =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : []

it('says that it may not write in a folder, and keeps the file there', () => {
  const folder = givenFolder()
  writeFileSync(join(folder, 'file'), 'old')
  chmodSync(folder, 0o555)
  const module = join(import.meta.dirname, 'replaced-file.ts')
  const script = `import { Readable } from 'node:stream'
import { replaceFile } from ${JSON.stringify(module)}
await replaceFile(${JSON.stringify(join(folder, 'file'))}, Readable.from(['new'])).catch(({ message }) => console.log(message))`
  const command = [...AS_ANYBODY, process.execPath, '--input-type=module', '--eval', script]

  const { stdout } = spawnSync(command[0] ?? '', command.slice(1), { encoding: 'utf8' })
  chmodSync(folder, 0o755)

  expect(stdout).toBe(
    `Cannot write ${join(folder, 'file')}: this user may not make a file in ${folder}.\n`,
  )
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('old')
})
