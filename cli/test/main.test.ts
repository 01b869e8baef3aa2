/** The client as people run it: a process. The other tests run it as a function. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { findProgram } from '../../server/test/programs.ts'
import { EXIT } from '../src/exit-codes.ts'
import { startService } from './service.ts'

const MAIN = await findProgram('client')

const service = await startService({ withWorker: false })

function plimsoll(env: Record<string, string>, ...args: string[]) {
  return promisify(execFile)(process.execPath, [MAIN, ...args], { env })
}

it('answers on stdout and takes its settings from the environment', async () => {
  const environment = service.environmentOf(await service.givenWorkspace())

  const { stdout, stderr } = await plimsoll(environment, 'device', 'list', '--json')

  expect(JSON.parse(stdout)).toEqual({ devices: [], hasMore: false })
  expect(stderr).toBe('')
})

it('says on stderr why it fails, and with which exit code', async () => {
  await expect(plimsoll({ PLIMSOLL_URL: service.url }, 'device', 'list')).rejects.toMatchObject({
    code: EXIT.unauthorised,
    stdout: '',
    stderr: 'No API key: use plimsoll login, set PLIMSOLL_API_KEY or pass --api-key.\n',
  })
})

it('keeps its compiled code where no other user of the machine can write', async () => {
  const [cache, temporary] = ['cache-', 'tmp-'].map((name) => mkdtempSync(join(tmpdir(), name)))

  await plimsoll({ XDG_CACHE_HOME: cache ?? '', TMPDIR: temporary ?? '' }, '--version')

  expect(readdirSync(cache ?? '')).toEqual(['plimsoll'])
  expect(readdirSync(temporary ?? '')).toEqual([])
})
