/**
 * Which messages arrived more than once, and whether that could have been avoided. A sender learns of an arrival by the answer and
 * then records it. Whoever is killed before that cannot tell anybody, so the next one has to send again. Everything else could
 * have been avoided: the sender lived, or it had the time and the database to record what it knew.
 */
export interface Arrival {
  /** Of the mail, or of the call. */
  messageId: string
  /** The process that sent it. undefined: it had ended when the receiver looked. */
  pid: number | undefined
  at: number
  answeredAt: number | undefined
}

export interface Kill {
  pid: number
  at: number
}

/** The database could not be reached. */
export interface Outage {
  from: number
  to: number
}

export interface Repetitions {
  /** By message. */
  unavoidable: string[]
  avoidable: string[]
}

/** Milliseconds in which a living sender records an answer on a busy machine, also after an outage: it asks once a second. */
const RECORDED_WITHIN_MS = 3_000

export function judgeRepetitions(
  arrivals: readonly Arrival[],
  { kills, outages }: { kills: readonly Kill[]; outages: readonly Outage[] },
): Repetitions {
  const judged: Repetitions = { unavoidable: [], avoidable: [] }
  const last = new Map<string, Arrival>()
  for (const arrival of arrivals.toSorted((one, other) => one.at - other.at)) {
    const { messageId } = arrival
    const before = last.get(messageId)
    last.set(messageId, arrival)
    if (before === undefined) continue
    const couldRecord = hadTimeToRecord(before, { kills, outages, until: arrival.at })
    judged[couldRecord ? 'avoidable' : 'unavoidable'].push(messageId)
  }
  return judged
}

function hadTimeToRecord(
  { pid, at, answeredAt = at }: Arrival,
  { kills, outages, until }: { kills: readonly Kill[]; outages: readonly Outage[]; until: number },
): boolean {
  if (pid === undefined) return false
  const kill = kills.find((one) => one.pid === pid && one.at <= until)
  if (kill === undefined) return true
  const away = outages.reduce((sum, outage) => sum + overlap(outage, answeredAt, kill.at), 0)
  return kill.at - answeredAt - away > RECORDED_WITHIN_MS
}

const overlap = ({ from, to }: Outage, begin: number, end: number) =>
  Math.max(0, Math.min(to, end) - Math.max(from, begin))
