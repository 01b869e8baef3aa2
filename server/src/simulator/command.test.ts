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
