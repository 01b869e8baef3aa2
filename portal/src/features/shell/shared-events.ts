/**
 * One stream of events for all tabs of a browser. A browser opens six connections to a host by HTTP/1.1, and a stream holds
 * one for ever: with a stream for each tab the seventh would never load. One visible tab holds the lock and the stream, and
 * tells the others.
 */
export interface EventListener {
  /** Answers about the topic are stale. */
  onTopic: (topic: string) => void
  /** Something may have been said that nobody heard: all answers may be stale. */
  onGap: () => void
  /** undefined: there is a connection. */
  onSilence: (since: number | undefined) => void
}

type Message =
  | { kind: 'topic'; topic: string }
  /** A new stream knows nothing of the time before it; one that was resumed repeats everything by itself. */
  | { kind: 'open'; isNew: boolean }
  | { kind: 'silent'; since: number }
  /** A tab that came later asks whether there is a connection. */
  | { kind: 'asked' }

/** Listens until the signal aborts. */
export function listenToEvents(url: string, listener: EventListener, signal: AbortSignal): void {
  const channel = new BroadcastChannel(`events of ${url}`)
  signal.addEventListener('abort', () => channel.close())
  let wasOpen = false
  const hear = (message: Message) => {
    switch (message.kind) {
      case 'topic':
        return listener.onTopic(message.topic)
      case 'silent':
        return listener.onSilence(message.since)
      case 'open':
        listener.onSilence(undefined)
        if (wasOpen && message.isNew) listener.onGap()
        wasOpen = true
        return undefined
      case 'asked':
        return undefined
    }
  }
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => hear(data))
  send(channel, { kind: 'asked' })
  const lead = () => holdStream(url, { channel, hear, signal })
  // There are no locks where the address is neither HTTPS nor of this machine: each visible tab has a stream then.
  if (isSecureContext)
    void navigator.locks
      .request(`events of ${url}`, { signal }, lead)
      .catch((error: unknown) => throwUnlessAborted(error))
  else void lead()
}

function send(channel: BroadcastChannel, message: Message): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
  channel.postMessage(message)
}

function throwUnlessAborted(error: unknown): void {
  if (!(error instanceof DOMException && error.name === 'AbortError')) throw error
}

const FIRST_WAIT_MS = 2_000
const LONGEST_WAIT_MS = 60_000

interface Held {
  channel: BroadcastChannel
  hear: (message: Message) => void
  signal: AbortSignal
}

/** Resolves when the signal aborts, so that another tab gets the lock. */
function holdStream(url: string, { channel, hear, signal }: Held): Promise<void> {
  let state: Message | undefined
  const tell = (message: Message) => {
    if (message.kind !== 'topic') state = message
    send(channel, message)
    hear(message)
  }
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind !== 'asked' || !state) return
    send(channel, state.kind === 'open' ? { kind: 'open', isNew: false } : state)
  })
  let waitMs = FIRST_WAIT_MS
  const open = () => {
    const stream = new EventSource(url)
    let isNew = true
    stream.addEventListener('open', () => {
      tell({ kind: 'open', isNew })
      isNew = false
      waitMs = FIRST_WAIT_MS
    })
    stream.addEventListener('message', ({ data }: MessageEvent<string>) =>
      tell({ kind: 'topic', ...(JSON.parse(data) as { topic: string }) }),
    )
    stream.addEventListener('error', () => {
      if (state?.kind !== 'silent') tell({ kind: 'silent', since: Date.now() })
      // An answer that is no stream ends it for good, as that of a proxy does while the service starts again.
      if (stream.readyState !== EventSource.CLOSED || signal.aborted) return
      const timer = setTimeout(open, waitMs)
      signal.addEventListener('abort', () => clearTimeout(timer))
      waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
    })
    signal.addEventListener('abort', () => stream.close())
  }
  return new Promise((resolve) => {
    open()
    signal.addEventListener('abort', () => resolve())
  })
}
