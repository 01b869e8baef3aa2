/** The commands in the order of help. A group is loaded when its command is called: a start reads no other code. */
import type { Command } from 'commander'
import type { CommandNode } from './completion/command-tree.ts'

interface CommandGroup {
  /** Those that it adds to the program, which a test compares. */
  names: readonly string[]
  load: () => Promise<(program: Command) => void>
}

export const GROUPS: readonly CommandGroup[] = [
  {
    names: ['login', 'logout'],
    load: async () => (await import('./commands/login.ts')).addLoginCommands,
  },
  {
    names: ['profile'],
    load: async () => (await import('./commands/profile.ts')).addProfileCommands,
  },
  { names: ['whoami'], load: async () => (await import('./commands/whoami.ts')).addWhoAmICommand },
  { names: ['status'], load: async () => (await import('./commands/status.ts')).addStatusCommand },
  {
    names: ['options'],
    load: async () => (await import('./commands/options.ts')).addOptionsCommand,
  },
  {
    names: ['completion', '__complete'],
    load: async () => (await import('./commands/completion.ts')).addCompletionCommands,
  },
  { names: ['open'], load: async () => (await import('./commands/open.ts')).addOpenCommand },
  {
    names: ['firmware'],
    load: async () => (await import('./commands/firmware.ts')).addFirmwareCommands,
  },
  {
    names: ['firmware-version'],
    load: async () => (await import('./commands/firmware-version.ts')).addFirmwareVersionCommands,
  },
  { names: ['line'], load: async () => (await import('./commands/line.ts')).addLineCommands },
  { names: ['sbom'], load: async () => (await import('./commands/sbom.ts')).addSbomCommands },
  {
    names: ['artifact'],
    load: async () => (await import('./commands/artifact.ts')).addArtifactCommands,
  },
  {
    names: ['provenance'],
    load: async () => (await import('./commands/provenance.ts')).addProvenanceCommands,
  },
  {
    names: ['components'],
    load: async () => (await import('./commands/components.ts')).addComponentsCommands,
  },
  {
    names: ['override'],
    load: async () => (await import('./commands/override.ts')).addOverrideCommands,
  },
  {
    names: ['licence'],
    load: async () => (await import('./commands/licence.ts')).addLicenceCommands,
  },
  {
    names: ['support'],
    load: async () => (await import('./commands/support.ts')).addSupportCommands,
  },
  {
    names: ['proposal'],
    load: async () => (await import('./commands/proposal.ts')).addProposalCommands,
  },
  {
    names: ['findings'],
    load: async () => (await import('./commands/findings.ts')).addFindingsCommands,
  },
  {
    names: ['acceptance'],
    load: async () => (await import('./commands/acceptance.ts')).addAcceptanceCommands,
  },
  { names: ['owner'], load: async () => (await import('./commands/owner.ts')).addOwnerCommands },
  {
    names: ['vulnerabilities'],
    load: async () => (await import('./commands/vulnerabilities.ts')).addVulnerabilityCommands,
  },
  {
    names: ['comment'],
    load: async () => (await import('./commands/comment.ts')).addCommentCommands,
  },
  { names: ['audit'], load: async () => (await import('./commands/audit.ts')).addAuditCommands },
  {
    names: ['figures'],
    load: async () => (await import('./commands/figures.ts')).addFigureCommands,
  },
  {
    names: ['reports'],
    load: async () => (await import('./commands/reports.ts')).addReportCommands,
  },
  { names: ['diff'], load: async () => (await import('./commands/diff.ts')).addDiffCommand },
  { names: ['vex'], load: async () => (await import('./commands/vex.ts')).addVexCommands },
  {
    names: ['supplier-feed'],
    load: async () => (await import('./commands/supplier-feed.ts')).addSupplierFeedCommands,
  },
  {
    names: ['product-line'],
    load: async () => (await import('./commands/product-line.ts')).addProductLineCommands,
  },
  {
    names: ['evidence'],
    load: async () => (await import('./commands/evidence.ts')).addEvidenceCommands,
  },
  {
    names: ['obligation'],
    load: async () => (await import('./commands/obligation.ts')).addObligationCommands,
  },
  { names: ['case'], load: async () => (await import('./commands/case.ts')).addCaseCommands },
  {
    names: ['advisory'],
    load: async () => (await import('./commands/advisory.ts')).addAdvisoryCommands,
  },
  {
    names: ['disclosure'],
    load: async () => (await import('./commands/disclosure.ts')).addDisclosureCommands,
  },
  {
    names: ['upstream-report'],
    load: async () => (await import('./commands/upstream-report.ts')).addUpstreamReportCommands,
  },
  {
    names: ['customer'],
    load: async () => (await import('./commands/customer.ts')).addCustomerCommands,
  },
  {
    names: ['standing-address'],
    load: async () => (await import('./commands/standing-address.ts')).addStandingAddressCommands,
  },
  { names: ['device'], load: async () => (await import('./commands/device.ts')).addDeviceCommands },
  {
    names: ['blind-spots'],
    load: async () => (await import('./commands/blind-spots.ts')).addBlindSpotCommands,
  },
  { names: ['cohort'], load: async () => (await import('./commands/cohort.ts')).addCohortCommands },
  {
    names: ['deployment'],
    load: async () => (await import('./commands/deployment.ts')).addDeploymentCommands,
  },
  {
    names: ['exposure'],
    load: async () => (await import('./commands/exposure.ts')).addExposureCommands,
  },
  { names: ['metric'], load: async () => (await import('./commands/metric.ts')).addMetricCommands },
  {
    names: ['device-log'],
    load: async () => (await import('./commands/device-log.ts')).addDeviceLogCommands,
  },
  { names: ['crash'], load: async () => (await import('./commands/crash.ts')).addCrashCommands },
  {
    names: ['alert-rule'],
    load: async () => (await import('./commands/alert-rule.ts')).addAlertRuleCommands,
  },
  {
    names: ['incident'],
    load: async () => (await import('./commands/incident.ts')).addIncidentCommands,
  },
  {
    names: ['notification-target'],
    load: async () =>
      (await import('./commands/notification-target.ts')).addNotificationTargetCommands,
  },
  {
    names: ['webhook'],
    load: async () => (await import('./commands/webhook.ts')).addWebhookCommands,
  },
  { names: ['source'], load: async () => (await import('./commands/source.ts')).addSourceCommands },
  {
    names: ['settings'],
    load: async () => (await import('./commands/settings.ts')).addSettingsCommands,
  },
  { names: ['ssvc'], load: async () => (await import('./commands/ssvc.ts')).addSsvcCommands },
  { names: ['member'], load: async () => (await import('./commands/member.ts')).addMemberCommands },
  {
    names: ['device-issuer'],
    load: async () => (await import('./commands/device-issuer.ts')).addDeviceIssuerCommands,
  },
  {
    names: ['device-key'],
    load: async () => (await import('./commands/device-key.ts')).addDeviceKeyCommands,
  },
  {
    names: ['trusted-key'],
    load: async () => (await import('./commands/trusted-key.ts')).addTrustedKeyCommands,
  },
  { names: ['key'], load: async () => (await import('./commands/key.ts')).addKeyCommands },
  { names: ['usage'], load: async () => (await import('./commands/usage.ts')).addUsageCommand },
  { names: ['api'], load: async () => (await import('./commands/api.ts')).addApiCommand },
  { names: ['mcp'], load: async () => (await import('./commands/mcp.ts')).addMcpCommand },
]

/** Adds the commands that these arguments can mean: one group where its name comes first, else all. */
export async function addCommands(program: Command, args: readonly string[]): Promise<void> {
  const name = findGroupName(args)
  if (VERSION.has(args[0] ?? '')) return
  const called = GROUPS.filter(({ names }) => name !== undefined && names.includes(name))
  const completing = GROUPS.filter(({ names }) => names.includes(args[0] ?? ''))
  const wanted = called.length > 0 ? new Set([...completing, ...called]) : GROUPS
  if (wanted === GROUPS && (await addOutlines(program))) return
  for (const { load } of wanted) (await load())(program)
}

/** What help lists of the commands, and what an unknown one is compared with, where a release has it ready. */
async function addOutlines(program: Command): Promise<boolean> {
  const { BUILT_COMMANDS } = await import('./completion/built-commands.ts')
  for (const command of BUILT_COMMANDS?.commands ?? [])
    if (command.name !== 'help') addOutline(program, command)
  return BUILT_COMMANDS !== undefined
}

function addOutline(program: Command, { name, description, options, operands }: CommandNode): void {
  const outline = program.command(name).description(description)
  if (options.some(({ flags }) => !flags.includes('--help'))) outline.option('--any')
  for (const operand of operands) {
    const text = operand.isVariadic ? `${operand.name}...` : operand.name
    outline.argument(operand.isRequired ? `<${text}>` : `[${text}]`)
  }
}

const VERSION: ReadonlySet<string> = new Set(['-V', '--version'])

/** Help names a command after itself, and a line to be completed has the word being typed as its last. */
function findGroupName([first, ...others]: readonly string[]): string | undefined {
  if (first === 'help') return others[0]
  if (first !== COMPLETE) return first
  const typed = others[0] === '--' ? others.slice(1) : others
  return typed.length > 1 ? typed[0] : undefined
}

/** What the shells call. */
const COMPLETE = '__complete'
