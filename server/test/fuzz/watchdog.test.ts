/** A reader that never ends must not stop a run of the fuzz in silence. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

const LOOPING = `
import { startWatchdog } from '${import.meta.dirname}/watchdog.ts'
const watchdog = startWatchdog(200)
watchdog.begin('sbom, seed 7', 'one that ends')()
watchdog.begin('sbom, seed 7', { text: 'for ever' })
for (;;);
`

it('names the case that never ends, and ends the process', async () => {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', LOOPING], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Without the watchdog it would never end.
    timeout: 30_000,
    killSignal: 'SIGTERM',
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const [, signal] = (await once(child, 'close')) as [number | null, string]

  expect(signal).toBe('SIGKILL')
  expect(said).toContain('The event loop stands still')
  expect(said).toContain('sbom, seed 7: {"text":"for ever"}')
  expect(said).not.toContain('one that ends')
})
