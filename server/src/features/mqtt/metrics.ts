import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** The metrics of the door. Labels have few values, and never texts of devices. */
export function createMqttMetrics(
  register: Registry,
  now: { connections: () => number; waiting: () => number },
) {
  const registers = [register]
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value())
      },
    })
  gauge('plimsoll_mqtt_connections', 'Devices connected to this node', now.connections)
  gauge(
    'plimsoll_mqtt_messages_waiting',
    'Messages that wait because too many are being stored',
    now.waiting,
  )
  return {
    logins: new Counter({
      name: 'plimsoll_mqtt_logins_total',
      help: 'Attempts to connect, by outcome (accepted, badIdentifier, badCredentials, notAuthorized, unavailable)',
      labelNames: ['outcome'],
      registers,
    }),
    messages: new Counter({
      name: 'plimsoll_mqtt_messages_total',
      help: 'Messages of devices by kind and outcome (stored, malformed, unknown, foreign, failed); malformed and unknown ones are acknowledged and dropped',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    storing: new Histogram({
      name: 'plimsoll_mqtt_storing_seconds',
      help: 'From the arrival of a message to its acknowledgement',
      buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
      registers,
    }),
    sent: new Counter({
      name: 'plimsoll_mqtt_sent_total',
      help: 'Desired configurations and updates sent',
      registers,
    }),
    drops: new Counter({
      name: 'plimsoll_mqtt_drops_total',
      help: 'Connections that the service ended, by reason (oversized, protocol, silent; the others are of revoked keys and deleted devices)',
      labelNames: ['reason'],
      registers,
    }),
  }
}

export type MqttMetrics = ReturnType<typeof createMqttMetrics>
