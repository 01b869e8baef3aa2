/** Whatever is lost, repeated and overtaken on the way: versions never go back, and device and service agree in the end. */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { givenDevices, reportConfiguration } from '../../../../test/given-configuration.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import {
  type ConfigReport,
  LOG_SEVERITIES,
  type LogSeverity,
} from '../../../formats/device-messages/model.ts'
import { newId } from '../../../platform/ids.ts'
import {
  getDesiredConfiguration,
  getReportedConfiguration,
  issueDesiredConfigurations,
  setDesiredConfiguration,
} from './service.ts'

let test: TestApp
let workspaceId: string

beforeAll(async () => {
  test = await sharedTestApp()
  workspaceId = (await test.givenWorkspace()).workspaceId
})

const severity = fc.constantFrom(...LOG_SEVERITIES)
const at = fc.nat({ max: 1_000 })
const command = fc.oneof(
  fc.record({ type: fc.constant('own' as const), value: fc.option(severity) }),
  fc.record({ type: fc.constant('default' as const), value: severity }),
  fc.record({ type: fc.constant('deliver' as const) }),
  // The device takes one of what was sent, in any order, as often as the network likes.
  fc.record({ type: fc.constant('take' as const), at }),
  // The service hears one of what the device has said so far.
  fc.record({ type: fc.constant('hear' as const), at }),
  fc.record({ type: fc.constant('say' as const), compiled: severity }),
)
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never

interface SentConfiguration {
  version: number
  logSeverity: LogSeverity
}

/** What there should be, told without a database. */
class Model {
  own: LogSeverity | null = null
  standard: LogSeverity = 'Info'
  effective: LogSeverity = 'Info'
  version = 1
  readonly sent: SentConfiguration[] = []
  readonly said: ConfigReport[] = []
  device: SentConfiguration | undefined
  reported: ConfigReport | undefined
  reports = 0

  /** What makes a version of a default is that somebody looks, or that the own value changes. */
  look(): void {
    const effective = this.own ?? this.standard
    if (effective !== this.effective) this.version += 1
    this.effective = effective
  }

  hear(report: ConfigReport): void {
    const { acknowledgedDesiredConfigurationVersion: acknowledged, ...values } = report
    const before = this.reported?.acknowledgedDesiredConfigurationVersion
    if (acknowledged !== undefined && before !== undefined && acknowledged < before) return
    const after: ConfigReport = { ...this.reported, ...values }
    if (acknowledged !== undefined && acknowledged <= this.version)
      after.acknowledgedDesiredConfigurationVersion = acknowledged
    const keys = [
      'logSeverity',
      'compiledLogSeverity',
      'acknowledgedDesiredConfigurationVersion',
    ] as const
    if (this.reported && keys.every((key) => this.reported?.[key] === after[key])) return
    this.reported = after
    this.reports += 1
  }
}

const ACTOR = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const

async function setDefault(defaultLogSeverity: LogSeverity): Promise<void> {
  await test.ctx.db
    .updateTable('workspaces')
    .set({ defaultLogSeverity })
    .where('id', '=', workspaceId)
    .execute()
}

function pick<Value>(values: readonly Value[], index: number): Value | undefined {
  return values[index % Math.max(values.length, 1)]
}

/** A device that follows the protocol: it takes what is newer, and says which version it has. */
function take(model: Model, sent: SentConfiguration | undefined): void {
  if (!sent) return
  if (!model.device || sent.version >= model.device.version) model.device = sent
  const { version, logSeverity } = model.device
  model.said.push({ logSeverity, acknowledgedDesiredConfigurationVersion: version })
}

async function perform(model: Model, deviceId: string, done: Command): Promise<void> {
  const { ctx } = test
  switch (done.type) {
    case 'own':
      model.own = done.value
      model.look()
      return setDesiredConfiguration(ctx, {
        workspaceId,
        deviceId,
        logSeverity: done.value,
        actor: ACTOR,
      })
    case 'default':
      model.standard = done.value
      return setDefault(done.value)
    case 'deliver':
      model.look()
      return deliver(model, deviceId)
    case 'take':
      return take(model, pick(model.sent, done.at))
    case 'say':
      model.said.push({ compiledLogSeverity: done.compiled })
      return
    case 'hear': {
      const report = pick(model.said, done.at)
      if (!report) return
      model.hear(report)
      return reportConfiguration(ctx, workspaceId, [[deviceId, report]])
    }
  }
}

async function deliver(model: Model, deviceId: string): Promise<void> {
  const read = (await issueDesiredConfigurations(test.ctx, workspaceId, [deviceId])).get(deviceId)
  expect(read).toEqual({
    version: model.version,
    logSeverity: model.effective,
    acknowledgedVersion: model.reported?.acknowledgedDesiredConfigurationVersion ?? null,
    isAskedForKey: false,
  })
  if (read) model.sent.push({ version: read.version, logSeverity: read.logSeverity })
}

async function expectAgreement(model: Model, deviceId: string): Promise<void> {
  const { ctx } = test
  model.look()
  await deliver(model, deviceId)
  take(model, model.sent.at(-1))
  const last = model.said.at(-1) ?? {}
  model.hear(last)
  await reportConfiguration(ctx, workspaceId, [[deviceId, last]])

  const desired = await getDesiredConfiguration(ctx, { workspaceId, deviceId })
  const reported = await getReportedConfiguration(ctx, { workspaceId, deviceId })
  expect(desired).toMatchObject({
    configuration: { logSeverity: model.own },
    effective: { logSeverity: model.own ?? model.standard },
    version: model.version,
    acknowledgedVersion: model.version,
  })
  expect(reported).toMatchObject({
    version: model.reports,
    configuration: {
      logSeverity: model.own ?? model.standard,
      compiledLogSeverity: model.reported?.compiledLogSeverity ?? null,
      acknowledgedDesiredConfigurationVersion: model.version,
    },
  })
}

it('keeps versions and acknowledgements as a model does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), async (commands) => {
      const deviceId = newId()
      await setDefault('Info')
      await givenDevices(test.ctx, workspaceId, [deviceId])
      const model = new Model()

      for (const one of commands) await perform(model, deviceId, one)

      await expectAgreement(model, deviceId)
    }),
    { numRuns: propertyRuns(60) },
  )
})
