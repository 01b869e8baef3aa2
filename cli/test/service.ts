/** The service on a port of its own, and the client, run as a function. */
import type { EventEmitter } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { startTestApp, type TestWorkspace } from '../../server/test/app.ts'
import { run } from '../src/program.ts'

export interface Outcome {
  exitCode: number
  stdout: string
  stderr: string
}

export type Environment = Record<string, string>

interface CommandInput {
  /** On stdin. */
  input?: string
  /** Called instead of waiting, with what was written to stderr. */
  pause?: (stderr: string) => Promise<unknown>
  /** A person is at a terminal. */
  isTerminal?: boolean
  /** What Ctrl-C reaches. */
  signals?: EventEmitter
  /** The width of the terminal. */
  columns?: number
}

/** Of the environment of the test run, the client sees nothing but what it is given. */
export async function runPlimsoll(
  environment: Environment,
  args: readonly string[],
  { input = '', pause, isTerminal: isTTY = false, columns, signals }: CommandInput = {},
): Promise<Outcome> {
  const [stdout, stderr] = [written(isTTY, columns), written(isTTY, columns)]
  const exitCode = await run(args, {
    env: environment,
    stdin: Object.assign(Readable.from(input === '' ? [] : [input]), { isTTY }),
    stdout,
    stderr,
    ...(signals && { signals }),
    ...(pause && { pause: () => pause(stderr.text()) }),
  })
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() }
}

const written = (isTTY: boolean, columns?: number) =>
  Object.assign(new WrittenText(), { isTTY, ...(columns !== undefined && { columns }) })

class WrittenText extends Writable {
  private readonly chunks: Buffer[] = []

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk)
    done()
  }

  text(): string {
    return Buffer.concat(this.chunks).toString()
  }
}

export async function startService(
  { withWorker }: { withWorker: boolean },
  overrides: Parameters<typeof startTestApp>[0] = {},
) {
  const service = await startTestApp(overrides)
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' })
  if (withWorker) await service.startWorker()
  const environmentOf = ({ apiKey }: TestWorkspace): Environment => ({
    PLIMSOLL_URL: url,
    PLIMSOLL_API_KEY: apiKey,
  })
  return { ...service, url, environmentOf }
}

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-cli-'))

export function givenFile(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

export function givenSbom(name: string, components: readonly object[]): string {
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    // Equal documents are one SBOM to the service.
    serialNumber: `urn:uuid:${crypto.randomUUID()}`,
    components: components.map((component) => ({ type: 'library', ...component })),
  }
  return givenFile(name, JSON.stringify(document))
}
