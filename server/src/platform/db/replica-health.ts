/** What the management port says about the read replica. */
import { Counter, type Registry } from 'prom-client'
import type { Extra } from '../management.ts'
import type { Replica } from './replica.ts'

/** undefined: there is no read replica. */
export function reportReplicaHealth(replica: Replica | undefined, registry: Registry): Extra {
  countReads(replica, registry)
  return {
    detail: 'readReplica',
    describe: async () => {
      const bytesBehind = await replica?.bytesBehind()
      return replica && { isThere: bytesBehind !== undefined, bytesBehind }
    },
    gauges: [
      {
        name: 'plimsoll_replica_up',
        help: '1 when the read replica answers and replays; absent: there is none',
        labelNames: [],
        values: async () => {
          if (!replica) return []
          const bytesBehind = await replica.bytesBehind()
          return [{ labels: {}, value: bytesBehind === undefined ? 0 : 1 }]
        },
      },
      {
        name: 'plimsoll_replica_lag_bytes',
        help: 'What the read replica has not replayed of the log of the primary',
        labelNames: [],
        values: async () => {
          const value = await replica?.bytesBehind()
          return value === undefined ? [] : [{ labels: {}, value }]
        },
      },
    ],
  }
}

function countReads(replica: Replica | undefined, registry: Registry): void {
  const registers = [registry]
  new Counter({
    name: 'plimsoll_replica_requests_total',
    help: 'Requests that may read from the replica, by who answers them; the primary does while the replica is behind or away',
    labelNames: ['answered_by'],
    registers,
    collect() {
      this.reset()
      if (!replica) return
      this.inc({ answered_by: 'replica' }, replica.counts.replica)
      this.inc({ answered_by: 'primary' }, replica.counts.primary)
    },
  })
  new Counter({
    name: 'plimsoll_replica_failures_total',
    help: 'Statements and exports that the replica ended, and the primary answered',
    registers,
    collect() {
      this.reset()
      this.inc(replica?.counts.failed ?? 0)
    },
  })
}
