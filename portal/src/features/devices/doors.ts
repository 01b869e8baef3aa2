/** What the ways in which devices connect are called. */
export const DOORS = { Mqtt: 'MQTT', Http: 'HTTP', Ddi: 'hawkBit DDI' } as const
