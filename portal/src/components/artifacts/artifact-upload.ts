/** Sends a file of a version in parts. What has arrived is kept by the service, so an upload goes on after a pause, a reload or a lost connection. */
import { describeFailure } from '../states.tsx'
import { addUpload, changeUpload, removeUpload } from '../uploads/uploads.ts'
import { describeRole } from './artifact-name.ts'
import {
  deleteUpload,
  hashFile,
  isPassing,
  isSameFile,
  findPlace,
  type Next,
  sendPart,
  type StatedUpload,
} from './part-sending.ts'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

interface Sending {
  id: number
  stated: StatedUpload
  /** Ends the present attempts. */
  running: AbortController
  /** undefined: not read yet. */
  sha256: string | undefined
  /** Parts were sent: an upload that comes into its place later is of somebody else. */
  hasBegun: boolean
  /** As the service said last. */
  arrivedBytes: number
  /** The service has another file, or another unfinished upload, than before. */
  onChange: () => void
}

export function startArtifactUpload(stated: StatedUpload, onChange: () => void): void {
  const { place, file, fileName } = stated
  const id = addUpload({
    versionId: place.versionId,
    kind: 'artifact',
    fileName,
    target: describeRole(place),
    sizeBytes: file.size,
    doneBytes: 0,
    state: 'Reading',
    control: {
      pause: () => {
        sending.running.abort()
        changeUpload(id, { state: 'Paused', fault: undefined, ...countArrived(sending) })
      },
      goOn: () => void run(sending),
      discard: async () => {
        sending.running.abort()
        const { sha256, hasBegun } = sending
        if (sha256 !== undefined && hasBegun)
          await deleteUpload(place, (one) => isSameFile(one, { stated, sha256 }))
        removeUpload(id)
        onChange()
      },
    },
  })
  const sending: Sending = {
    id,
    stated,
    running: new AbortController(),
    sha256: undefined,
    hasBegun: false,
    arrivedBytes: 0,
    onChange,
  }
  void run(sending)
}

/** What was read, or was on its way when the connection broke, is not at the service for sure. */
const countArrived = ({ arrivedBytes: doneBytes }: Sending) => ({ doneBytes })

/** Tries until it is done, is paused, or fails in a way that does not pass by itself. */
async function run(sending: Sending): Promise<void> {
  const { id, onChange } = sending
  sending.running.abort()
  sending.running = new AbortController()
  const { signal } = sending.running
  let waitMs = FIRST_WAIT_MS
  const onProgress = () => {
    waitMs = FIRST_WAIT_MS
  }
  while (!signal.aborted)
    try {
      await sendAll(sending, signal, onProgress)
      changeUpload(id, { state: 'Done', fault: undefined })
      onChange()
      return
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error)) {
        const fault = describeFailure(error)
        changeUpload(id, { state: 'Failed', fault, ...countArrived(sending) })
        return
      }
      changeUpload(id, { state: 'Waiting', fault: describeWait(error), ...countArrived(sending) })
      await waitForConnection(waitMs, signal)
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
    }
}

async function sendAll(
  sending: Sending,
  signal: AbortSignal,
  onProgress: () => void,
): Promise<void> {
  const { id, stated } = sending
  const show = (state: 'Reading' | 'Sending', doneBytes?: number) =>
    changeUpload(id, { state, fault: undefined, ...(doneBytes !== undefined && { doneBytes }) })
  show(sending.sha256 === undefined ? 'Reading' : 'Sending')
  sending.sha256 ??= await hashFile(stated.file, signal, (bytes) => show('Reading', bytes))
  const { sha256 } = sending
  const found = await findPlace({ stated, sha256, hasBegun: sending.hasBegun })
  if (found === 'present') return
  let next: Next = found
  for (;;) {
    signal.throwIfAborted()
    const { offset } = next
    sending.arrivedBytes = offset
    show('Sending', offset)
    sending.hasBegun = true
    const watched = { signal, onSent: (bytes: number) => show('Sending', offset + bytes) }
    const answer = await sendPart(stated, { ...next, sha256 }, watched)
    if (answer === 'saved') return
    if (answer.offset > offset) onProgress()
    next = answer
  }
}

const describeWait = (error: unknown): string =>
  error instanceof TypeError
    ? 'The connection broke. It is tried again by itself.'
    : `${describeFailure(error)} It is tried again by itself.`

async function waitForConnection(ms: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    const once = { once: true, signal: over.signal }
    globalThis.addEventListener('online', () => resolve(), once)
    signal.addEventListener('abort', () => resolve(), once)
    over.signal.addEventListener('abort', () => clearTimeout(timer))
  })
  over.abort()
}
