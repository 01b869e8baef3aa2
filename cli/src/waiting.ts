/** Waits between questions to the service, until Ctrl-C. */
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT } from './exit-codes.ts'
import { note } from './print.ts'
import { isAway } from './retry.ts'
import { getTerminal } from './terminal.ts'

export interface Pause {
  /** Whether to go on: Ctrl-C ends the waiting in place of the process. */
  wait: (ms: number) => Promise<boolean>
  end: () => void
}

export function createWaiting(): Pause {
  const { signals, pause } = getTerminal()
  const controller = new AbortController()
  const { signal } = controller
  const abort = () => controller.abort()
  signals?.once('SIGINT', abort)
  return {
    wait: async (ms) => {
      await (pause ? pause(ms) : sleep(ms, undefined, { signal }).catch(() => {}))
      if (signal.aborted) getTerminal().exitCode = EXIT.interrupted
      return !signal.aborted
    },
    end: () => signals?.off('SIGINT', abort),
  }
}

/** Asks again and again, until Ctrl-C. A service that answered once is asked again while it is away. */
export async function repeatUntilInterrupted(
  look: () => Promise<void>,
  pauseMs: number,
): Promise<void> {
  const waiting = createWaiting()
  let isAnswering: boolean | undefined
  try {
    do {
      isAnswering = await look().then(
        () => true,
        (error: unknown) => {
          if (isAnswering === undefined || !isAway(error)) throw error
          if (isAnswering) note('The service does not answer. It is asked again.')
          return false
        },
      )
    } while (await waiting.wait(pauseMs))
  } finally {
    waiting.end()
  }
}
