import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { readSimulateCommand } from './command.ts'

const NEEDED = ['--workspace', 'w', '--device-key', 'plmd_x', '--firmware', 'gateway=1.0=rc1']

it('reads options, with defaults for the rest', () => {
  const args =
    '--firmware modem=7 --door mixed --url http://localhost:9000/ --success 1 --failure 0 --bad-release 2.0 --no-download --duration 3 --json'
  const command = readSimulateCommand([...NEEDED, ...args.split(' ')])

  expect(command).toMatchObject({ durationSeconds: 3, isJson: true })
  expect(command.options).toMatchObject({
    workspaceId: 'w',
    deviceKey: 'plmd_x',
    firmware: { gateway: '1.0=rc1', modem: '7' },
    door: 'mixed',
    url: 'http://localhost:9000',
    mqttUrl: 'mqtt://localhost:1883',
    devices: 100,
    outcomes: { success: 1, failure: 0, fallback: 3, silence: 2 },
    isDownloading: false,
    badRelease: '2.0',
  })
})

it.each`
  args                                                                         | message
  ${['--devices', '1.5']}                                                      | ${'whole number'}
  ${['--rate', '0']}                                                           | ${'at least 0.01'}
  ${['--success', '-1']}                                                       | ${'at least 0'}
  ${['--door', 'window']}                                                      | ${'Allowed choices are mqtt, http, mixed'}
  ${['--firmware', 'gateway']}                                                 | ${'slug=version'}
  ${['--mqtt', 'http://localhost']}                                            | ${'mqtt://'}
  ${['--prefix', '-a']}                                                        | ${'a letter or digit first'}
  ${['--colour', 'red']}                                                       | ${'unknown option'}
  ${['--success', '0', '--failure', '0', '--fallback', '0', '--silence', '0']} | ${'above 0'}
`('refuses $args, saying $message', ({ args, message }: { args: string[]; message: string }) => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)

  expect(() => readSimulateCommand([...NEEDED, ...args])).toThrow(message)

  stderr.mockRestore()
})

it.each(['--workspace', '--device-key', '--firmware'])('asks for %s', (name) => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const at = NEEDED.indexOf(name)

  expect(() => readSimulateCommand(NEEDED.toSpliced(at, 2))).toThrow(name)

  stderr.mockRestore()
})

it('reads the keys of single devices from a file, which gets their next ones', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'plimsoll-keys-')), 'keys')
  writeFileSync(path, 'sim-1 plmd_a\n\nsim-2 plmd_b plmd_c\nsim-1 plmd_d\n')

  const { options } = readSimulateCommand([...NEEDED, '--device-keys', path, '--unable', '20'])
  options.onOwnKeys('sim-2', { present: 'plmd_b', next: 'plmd_e' })

  expect(options.unablePercent).toBe(20)
  expect([...options.ownKeys]).toEqual([
    ['sim-1', { present: 'plmd_d' }],
    ['sim-2', { present: 'plmd_b', next: 'plmd_c' }],
  ])
  expect(
    readSimulateCommand([...NEEDED, '--device-keys', path]).options.ownKeys.get('sim-2'),
  ).toEqual({
    present: 'plmd_b',
    next: 'plmd_e',
  })
})

it('says which line of the file with keys is none, and that there is no file', () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const path = join(mkdtempSync(join(tmpdir(), 'plimsoll-keys-')), 'keys')
  writeFileSync(path, 'sim-1 plmd_a\nsim-2\n')

  expect(() => readSimulateCommand([...NEEDED, '--device-keys', path])).toThrow('line 2')
  expect(() => readSimulateCommand([...NEEDED, '--device-keys', `${path}.none`])).toThrow(
    'there is no file',
  )

  stderr.mockRestore()
})
