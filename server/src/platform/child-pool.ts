/**
 * Child processes for work on untrusted input, limited in memory and time. A child that exceeds a limit ends without the
 * service (a worker thread that runs out of memory can abort the whole process).
 */
import { type ChildProcess, fork } from 'node:child_process'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { lowerPriority } from './priority.ts'

/** The child ended without an answer, or took too long. */
export class ChildFailure extends Error {
  override readonly name = 'ChildFailure'
  readonly reason: 'memory' | 'time' | 'crash'

  constructor(reason: 'memory' | 'time' | 'crash', message: string) {
    super(message)
    this.reason = reason
  }
}

export interface ChildPoolOptions {
  /** The module the child runs; it answers tasks with `serveTasks`. */
  entry: string
  size: number
  /** How many of these are for short tasks only. */
  reserved?: number
  heapMegabytes: number
  /** Idle children end after this time, so that an idle service is small. */
  idleMs: number
  /** The environment of the children. Those that read what strangers sent get none. */
  env?: NodeJS.ProcessEnv
  /** Added to the niceness of the service for children of tasks that are not short. */
  niceness?: number
}

export interface RunOptions {
  /** It may take a place that is kept for short tasks. */
  isShort?: boolean | undefined
  /** Ends the task, and its wait for a place; `run` throws the reason. */
  signal?: AbortSignal | undefined
}

interface Envelope {
  message?: unknown
  done?: boolean
  /** The stack of an error that the task threw. It is a bug, as faults of the input are messages. */
  thrown?: string
}

interface WaitingCall {
  isShort: boolean
  begin: () => void
}

export class ChildPool {
  private readonly options: ChildPoolOptions
  private readonly idle = new Map<ChildProcess, NodeJS.Timeout>()
  /** A priority that was lowered stays so: other children run short tasks. */
  private readonly lowered = new WeakSet<ChildProcess>()
  private readonly all = new Set<ChildProcess>()
  private readonly waiting: WaitingCall[] = []
  private running = 0
  private runningLong = 0

  constructor(options: ChildPoolOptions) {
    this.options = options
  }

  /**
   * Runs one task and yields the messages of the child one by one. The child is at most one message ahead. Leaving the loop
   * early ends the child.
   */
  async *run(
    task: unknown,
    limitSeconds: number,
    { isShort = false, signal }: RunOptions = {},
  ): AsyncGenerator<unknown, undefined, undefined> {
    await this.acquire(isShort, signal)
    const child = this.takeIdle(isShort) ?? this.start(isShort)
    let finished = false
    try {
      const conversation = new Conversation(child, { limitSeconds, signal })
      child.send({ task })
      for (;;) {
        const envelope = await conversation.next()
        if (envelope.done === true) break
        if (envelope.thrown !== undefined) throw new ChildFailure('crash', envelope.thrown)
        // The child makes the next message while this one is handled, and no more.
        child.send({ taken: true })
        yield envelope.message
      }
      conversation.end()
      finished = true
      return undefined
    } finally {
      if (finished) this.rest(child)
      else child.kill('SIGKILL')
      this.release(isShort)
    }
  }

  /** The answer of a task that has one. It is read to its end, as the child of an abandoned task is killed. */
  async answer(task: unknown, limitSeconds: number): Promise<unknown> {
    let answer: unknown
    for await (const message of this.run(task, limitSeconds)) answer = message
    return answer
  }

  /** Ends all children. Running tasks fail. */
  close(): void {
    for (const child of this.all) child.kill('SIGKILL')
  }

  private async acquire(isShort: boolean, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    if (this.isFree(isShort)) return this.begin(isShort)
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1)
        reject(signal?.reason as Error)
      }
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const waiter = { isShort, begin }
      this.waiting.push(waiter)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  private isFree(isShort: boolean): boolean {
    const { size, reserved = 0 } = this.options
    return this.running < size && (isShort || this.runningLong < size - reserved)
  }

  private begin(isShort: boolean): void {
    this.running += 1
    if (!isShort) this.runningLong += 1
  }

  private release(isShort: boolean): void {
    this.running -= 1
    if (!isShort) this.runningLong -= 1
    const next = this.waiting.findIndex((waiting) => this.isFree(waiting.isShort))
    const [waiting] = next === -1 ? [] : this.waiting.splice(next, 1)
    if (!waiting) return
    this.begin(waiting.isShort)
    waiting.begin()
  }

  private start(isShort: boolean): ChildProcess {
    const child = fork(this.options.entry, {
      execArgv: [
        `--max-old-space-size=${this.options.heapMegabytes}`,
        '--disable-warning=ExperimentalWarning',
      ],
      serialization: 'advanced',
      // V8's report of an exhausted heap is not needed: the exit code tells.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Where the service caches compiled modules, so that a child starts in a third of the time.
      env: { ...this.options.env, NODE_COMPILE_CACHE: compileCacheFolder() },
    })
    this.all.add(child)
    this.giveWay(child, isShort)
    // Without a listener an error would end the service. The running task reports it.
    child.on('error', () => undefined)
    child.once('exit', () => {
      this.all.delete(child)
      clearTimeout(this.idle.get(child))
      this.idle.delete(child)
    })
    return child
  }

  private giveWay(child: ChildProcess, isShort: boolean): void {
    const { niceness = 0 } = this.options
    if (isShort || niceness === 0) return
    this.lowered.add(child)
    lowerPriority(child.pid, niceness)
  }

  private takeIdle(isShort: boolean): ChildProcess | undefined {
    const isLowered = !isShort && (this.options.niceness ?? 0) > 0
    for (const [child, timer] of this.idle) {
      if (this.lowered.has(child) !== isLowered) continue
      clearTimeout(timer)
      this.idle.delete(child)
      if (!child.connected) continue
      child.ref()
      child.channel?.ref()
      return child
    }
    return undefined
  }

  private rest(child: ChildProcess): void {
    const timer = setTimeout(() => child.kill('SIGKILL'), this.options.idleMs)
    timer.unref()
    // It ends with the process that started it.
    child.unref()
    child.channel?.unref()
    this.idle.set(child, timer)
  }
}

/** The messages of one task, or how the child ended. */
class Conversation {
  private readonly child: ChildProcess
  private readonly arrived: Envelope[] = []
  private failure: Error | undefined
  private wake: () => void = () => undefined
  private readonly timer: NodeJS.Timeout
  private readonly signal: AbortSignal | undefined

  constructor(
    child: ChildProcess,
    { limitSeconds, signal }: { limitSeconds: number; signal: AbortSignal | undefined },
  ) {
    this.child = child
    this.signal = signal
    child.on('message', this.onMessage)
    child.on('exit', this.onExit)
    this.timer = setTimeout(() => {
      this.fail(new ChildFailure('time', `took longer than ${limitSeconds} s`))
      child.kill('SIGKILL')
    }, limitSeconds * 1000)
    signal?.addEventListener('abort', this.onAbort)
    if (signal?.aborted === true) this.onAbort()
  }

  async next(): Promise<Envelope> {
    for (;;) {
      const envelope = this.arrived.shift()
      if (envelope) return envelope
      if (this.failure) throw this.failure
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }

  end(): void {
    clearTimeout(this.timer)
    this.child.off('message', this.onMessage)
    this.child.off('exit', this.onExit)
    this.signal?.removeEventListener('abort', this.onAbort)
  }

  private readonly onAbort = (): void => this.fail(this.signal?.reason as Error)

  private readonly onMessage = (envelope: unknown): void => {
    this.arrived.push(envelope as Envelope)
    this.wake()
  }

  private readonly onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
    // V8 aborts when its heap limit is reached: SIGABRT, or 134 and 5 (SIGTRAP) where a shell or sandbox maps it.
    const outOfMemory = signal === 'SIGABRT' || signal === 'SIGTRAP' || code === 134 || code === 133
    this.fail(
      outOfMemory
        ? new ChildFailure('memory', 'ran out of memory')
        : new ChildFailure(
            'crash',
            `ended unexpectedly (${signal ?? `exit code ${String(code)}`})`,
          ),
    )
  }

  private fail(failure: Error): void {
    this.failure ??= failure
    this.end()
    this.wake()
  }
}

/** Runs in the child: answers each task with messages, and sends the next one when the service has taken the last. */
export function serveTasks(handle: (task: unknown) => AsyncIterable<unknown>): void {
  let taken: () => void = () => undefined
  process.on('message', (received: { task?: unknown; taken?: true }) => {
    if (received.taken) taken()
    else void answer(received.task)
  })
  // The service has ended, so nobody waits for an answer.
  process.on('disconnect', () => process.exit(0))

  async function answer(task: unknown): Promise<void> {
    try {
      for await (const message of handle(task)) {
        await new Promise<void>((resolve) => {
          taken = resolve
          process.send?.({ message })
        })
      }
      process.send?.({ done: true })
      // Idle children are killed, which would leave the cache unwritten.
      flushCompileCache()
    } catch (error) {
      // The service ends this process, as its state is unknown.
      process.send?.({ thrown: error instanceof Error ? error.stack : String(error) })
    }
  }
}

/** The cache makes a folder for the version of Node below the one that it is given. Empty: there is no cache. */
export function compileCacheFolder(): string {
  const folder = getCompileCacheDir()
  return folder === undefined ? '' : dirname(folder)
}
