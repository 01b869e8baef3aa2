/** One example of each message, as the guide, the AsyncAPI description and the tests of both have it. */

const UPDATE_ID = '019a0b52-6c1e-7d3a-9f00-2b7a1c9e4d01'

export const EXAMPLES = {
  session: {
    runId: '5f0c1e72-boot-118',
    firmware: [
      { slug: 'main', version: '2.3.0' },
      { slug: 'modem', version: '1.4.2' },
    ],
    attributes: { hardware: 'rev-c', flashKiB: 4096 },
  },
  configUp: {
    logSeverity: 'Info',
    compiledLogSeverity: 'Debug',
    acknowledgedDesiredConfigurationVersion: 6,
  },
  configDown: { version: 7, logSeverity: 'Debug' },
  metrics: [
    {
      name: 'battery.voltage',
      labels: { cell: '1' },
      value: 3.72,
      timestamp: '2026-08-22T09:30:00.000Z',
      sequence: 41,
    },
    { name: 'loop.milliseconds', sum: 126, count: 30, min: 2, max: 19, sequence: 12 },
  ],
  logs: {
    runId: '5f0c1e72-boot-118',
    lines: [
      {
        severity: 'Warning',
        message: 'modem did not answer, trying again',
        labels: { module: 'modem' },
        timestamp: '2026-08-22T09:30:02.000Z',
        sequence: 97,
      },
    ],
  },
  crashes: {
    runId: '5f0c1e72-boot-118',
    crashes: [
      {
        reason: 'HardFault',
        pc: '0x0800abcd',
        lr: '0x08001235',
        returnAddresses: ['0x08004567', '0x080011c9'],
        thread: 'modem',
        buildId: '4be1d0a7',
        timestamp: '2026-08-22T09:30:03.000Z',
        sequence: 3,
      },
    ],
  },
  updateDown: {
    updateId: UPDATE_ID,
    deploymentId: '019a0b50-11aa-7c44-8d21-6f3e9b5a7c02',
    artifacts: [
      {
        order: 0,
        slug: 'main',
        version: '2.4.0',
        isMain: true,
        url: 'https://plimsoll.example/device/v1/0199f3c1-5a70-7e11-b1c4-9d2e6f8a0b03/updates/019a0b52-6c1e-7d3a-9f00-2b7a1c9e4d01/artifacts/main-2.4.0.bin?position=0&secret=hGJ4-example',
        size: 412_160,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    ],
  },
  updateCancelled: { updateId: UPDATE_ID, cancel: true },
  keyDown: {
    rotate: true,
    url: 'https://plimsoll.example/device/v1/0199f3c1-5a70-7e11-b1c4-9d2e6f8a0b03/gw-0001/key',
  },
  updateUp: { updateId: UPDATE_ID, state: 'inProgress', progress: 40 },
  updateFailed: { updateId: UPDATE_ID, state: 'failed', reason: 'sha256 of main differs' },
  sync: {
    session: { runId: '5f0c1e72-boot-118', buildId: '4be1d0a7' },
    config: { acknowledgedDesiredConfigurationVersion: 7 },
  },
  syncAnswer: { config: null, update: { updateId: UPDATE_ID, cancel: true } },
} as const
