import { beforeAll, expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, runPlimsoll, startService } from './service.ts'

let environment: Environment
let workspaceId: string

beforeAll(async () => {
  const service = await startService({ withWorker: false })
  const workspace = await service.givenWorkspace()
  workspaceId = workspace.workspaceId
  environment = service.environmentOf(workspace)
})

const run = (...args: string[]) => runPlimsoll(environment, args)
const ask = (...args: string[]) => run('api', ...args)

it('asks with the key of the login, by paths of the interface or of the workspace', async () => {
  const who = await ask('get', '/whoami', '--jq', '.workspaceId')
  const whole = await ask('GET', '/workspaces/{workspaceId}/settings')
  const short = await ask('GET', 'settings')

  expect(who.stdout).toBe(`${workspaceId}\n`)
  expect(JSON.parse(short.stdout)).toHaveProperty('listFuzzingFindings')
  expect(whole.stdout).toBe(short.stdout)
})

it('sends fields as JSON or text, and those beside a file', async () => {
  const file = givenFile('firmware.json', '{"slug": "modem", "name": "Modem"}')

  const made = await ask('POST', 'firmwares', '-f', 'slug=gateway', '-f', 'name=2.10')
  const other = await ask('POST', 'firmwares', '--input', file, '-f', 'name=LTE modem')
  const devices = await ask('POST', 'devices', '-f', 'id=d-1', '-f', 'tags=["a","b"]')
  const listed = await ask('GET', 'firmwares', '--jq', '[.firmwares[].name] | sort | join(",")')

  expect(JSON.parse(made.stdout)).toMatchObject({ slug: 'gateway', name: '2.10' })
  expect(JSON.parse(other.stdout)).toMatchObject({ slug: 'modem', name: 'LTE modem' })
  expect(JSON.parse(devices.stdout)).toMatchObject({ id: 'd-1', tags: ['a', 'b'] })
  expect(listed.stdout).toBe('2.10,LTE modem\n')
})

it('reads all pages as one answer', async () => {
  for (const id of ['p-1', 'p-2', 'p-3']) await ask('POST', 'devices', '-f', `id=${id}`)
  const all = ['POST', 'devices/list', '-f', 'limit=1', '-f', 'filter={"text":"p-"}']

  const first = JSON.parse((await ask(...all)).stdout) as Record<string, unknown>
  const answer = await ask(...all, '--paginate')
  const log = await ask(
    'GET',
    'audit-log',
    '-f',
    'limit=2',
    '--paginate',
    '--jq',
    '.entries|length',
  )
  const none = await ask('GET', 'settings', '--paginate')

  expect(first).toMatchObject({ hasMore: true })
  expect(JSON.parse(answer.stdout)).toMatchObject({
    devices: [{ id: 'p-1' }, { id: 'p-2' }, { id: 'p-3' }],
    hasMore: false,
  })
  expect(Number(log.stdout)).toBeGreaterThan(4)
  expect(none.stderr).toMatch(/GET \/workspaces\/.*settings does not answer in pages/)
})

it('passes on what is no JSON, and what is nothing', async () => {
  const csv = await ask('POST', 'devices/export', '-f', 'filter={}')
  const gone = await ask('DELETE', 'devices/p-1', '--yes')

  expect(csv.stdout).toMatch(/^[^{].*\r\n/)
  expect(gone).toMatchObject({ exitCode: EXIT.ok, stdout: '' })
})

it('fails as other commands do, and asks before it deletes', async () => {
  const missing = await ask('GET', 'devices/nobody')
  const invalid = await ask('POST', 'firmwares', '-f', 'slug=7')
  const unasked = await ask('DELETE', 'devices/p-2')
  const elsewhere = await ask('GET', '//evil.example/x')
  const upwards = await ask('GET', '../../whoami')
  const noBody = await ask('GET', 'settings', '--input', '-')
  const wrongKey = await runPlimsoll({ ...environment, PLIMSOLL_API_KEY: 'plm_x' }, [
    'api',
    'GET',
    '/whoami',
    '--workspace',
    workspaceId,
  ])

  expect(missing).toMatchObject({ exitCode: EXIT.error, stdout: '' })
  expect(missing.stderr).toContain('nobody')
  expect(invalid.stderr).toContain('/slug')
  expect(unasked.stderr).toMatch(/Send DELETE .*p-2\? Nobody can be asked here: .*--yes/)
  for (const refused of [elsewhere, upwards])
    expect(refused.stderr).toContain('is not a path of the interface')
  expect(noBody.stderr).toContain('GET has no body')
  expect(wrongKey.exitCode).toBe(EXIT.unauthorised)
  expect((await ask('GET', 'devices/p-2')).exitCode).toBe(EXIT.ok)
})
