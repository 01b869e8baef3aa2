/**
 * One child process that answers questions in their order. Several may be under way, so that it never waits for the next
 * one. `ChildPool` is for tasks that may hang or need much memory each.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { ChildFailure, compileCacheFolder } from './child-pool.ts'
import { lowerPriority } from './priority.ts'

interface PendingCall {
  resolve: (answer: unknown) => void
  reject: (error: Error) => void
}

interface ChildWorkerOptions {
  entry: string
  heapMegabytes: number
  /** As much as the child yields to the service and its database. */
  niceness?: number
}

type Envelope = { answer: unknown } | { thrown: string }

export class ChildWorker {
  readonly #entry: string
  readonly #heapMegabytes: number
  readonly #niceness: number
  readonly #asked: PendingCall[] = []
  #child: ChildProcess | undefined

  constructor({ entry, heapMegabytes, niceness = 0 }: ChildWorkerOptions) {
    this.#entry = entry
    this.#heapMegabytes = heapMegabytes
    this.#niceness = niceness
  }

  /** How many questions have no answer yet. */
  get pending(): number {
    return this.#asked.length
  }

  /** Starts the child at the first question. */
  ask(question: unknown): Promise<unknown> {
    this.#child ??= this.#start()
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#asked.push({ resolve, reject })
    this.#child.send(question as object)
    return promise
  }

  /** Ends the child. Open questions fail. */
  close(): void {
    this.#child?.kill('SIGKILL')
  }

  #start(): ChildProcess {
    const child = fork(this.#entry, {
      execArgv: [
        `--max-old-space-size=${this.#heapMegabytes}`,
        // A larger one takes more memory and no less time.
        '--max-semi-space-size=8',
        // Messages are large buffers: for each few of them V8 would begin to mark the heap, which costs more than it frees.
        '--no-incremental-marking',
        // Helper threads save no time where both cores have work, and cost an eighth more of it.
        '--single-threaded-gc',
        '--disable-warning=ExperimentalWarning',
      ],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Most modules of the child are modules of the service, too.
      env: { NODE_COMPILE_CACHE: compileCacheFolder() },
    })
    if (this.#niceness > 0) lowerPriority(child.pid, this.#niceness)
    child.on('message', (envelope) => {
      const asked = this.#asked.shift()
      const received = envelope as Envelope
      if ('answer' in received) asked?.resolve(received.answer)
      else asked?.reject(new ChildFailure('crash', received.thrown))
    })
    const fail = (reason: string) => {
      for (const { reject } of this.#asked.splice(0))
        reject(new ChildFailure('crash', `ended unexpectedly (${reason})`))
    }
    child.once('error', (error) => {
      fail(error.message)
    })
    child.once('exit', (code, signal) => {
      fail(signal ?? `exit code ${String(code)}`)
    })
    return child
  }
}

/** Runs in the child. */
export function answerQuestions(answerOf: (question: unknown) => unknown): void {
  process.on('message', (question) => {
    try {
      process.send?.({ answer: answerOf(question) })
    } catch (error) {
      process.send?.({ thrown: error instanceof Error ? error.stack : String(error) })
    }
  })
  // The service has ended, so nobody waits for an answer.
  process.on('disconnect', () => process.exit(0))
}
