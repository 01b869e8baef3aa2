import type { ProblemPages } from '../../platform/errors.ts'

export const mqttProblems: ProblemPages = {
  'broker-unauthorized': {
    title: 'Not the broker',
    advice: 'Send `Authorization: Bearer …` with the value of `PLIMSOLL_MQTT_AUTH_SECRET`.',
  },
}
