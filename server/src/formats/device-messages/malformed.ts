export interface Fault {
  /** JSON pointer into the message; empty: the message as a whole. */
  pointer: string
  detail: string
}

/** A message of a device cannot be read; nothing of it is stored. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    const [first] = faults
    const place = first && first.pointer !== '' ? first.pointer : 'The message'
    super(`${place} ${first?.detail ?? 'is malformed'}.`)
    this.faults = faults
  }
}

export function malformed(detail: string, pointer = ''): MalformedMessage {
  return new MalformedMessage([{ pointer, detail }])
}
