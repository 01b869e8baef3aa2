/** The commands of suppliers' feeds against a service whose operator reads none. */
import { expect, it } from 'vitest'
import { runPlimsoll, startService } from './service.ts'

const service = await startService({ withWorker: false })
const environment = service.environmentOf(await service.givenWorkspace())
const run = (...args: string[]) => runPlimsoll(environment, args)

it('subscribes, says that nothing is known yet, and asks before it ends a subscription', async () => {
  const none = await run('supplier-feed', 'list')
  const from = ['--from', 'https://8.8.8.8/csaf/provider-metadata.json']
  const made = await run('supplier-feed', 'create', '--name', 'Example Silicon', ...from)
  const listed = await run('supplier-feed', 'list')
  const renamed = await run('supplier-feed', 'update', 'Example Silicon', '--name', 'Silicon')
  const address = 'https://8.8.8.8/feed/'
  const kept = await run('supplier-feed', 'update', 'Silicon', '--from', address)
  const moved = await run('supplier-feed', 'update', 'Silicon', '--from', address, '--yes')
  await run('supplier-feed', 'update', 'Silicon', '--name', 'Example Silicon')
  const asked = await run('supplier-feed', 'delete', 'Example Silicon')
  const affected = await run('supplier-feed', 'affected', 'Example Silicon')
  const gone = await run('supplier-feed', 'delete', 'Example Silicon', '--yes')

  expect(none.stdout).toBe("No supplier's feeds.\n")
  expect(made.stdout).toMatch(/^Example Silicon: subscribed, /)
  expect(listed.stdout).toMatch(/Example Silicon +Off/)
  expect(listed.stdout).toContain('nothing that the supplier says is known here')
  expect(renamed.stdout).toMatch(/^Silicon: https:\/\/8\.8\.8\.8\/csaf\/provider-metadata\.json\. /)
  expect(kept.exitCode).not.toBe(0)
  expect(kept.stderr).toContain('0 statements of now count no more')
  expect(moved.stdout).toContain(`Silicon: ${address}. Never read`)
  expect(asked.stderr).toContain('0 statements count no more')
  expect(asked.exitCode).not.toBe(0)
  expect(affected.stdout).toBe('No statements.\n')
  expect(gone.stdout).toBe('Example Silicon: deleted\n')
})
