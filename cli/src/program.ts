import { Command, CommanderError } from 'commander'
import { addAlertRuleCommands } from './commands/alert-rule.ts'
import { addArtifactCommands } from './commands/artifact.ts'
import { addAuditCommands } from './commands/audit.ts'
import { addBlindSpotCommands } from './commands/blind-spots.ts'
import { addCohortCommands } from './commands/cohort.ts'
import { addCompletionCommands } from './commands/completion.ts'
import { addComponentsCommands } from './commands/components.ts'
import { addDeploymentCommands } from './commands/deployment.ts'
import { addExposureCommands } from './commands/exposure.ts'
import { addDeviceCommands } from './commands/device.ts'
import { addDeviceLogCommands } from './commands/device-log.ts'
import { addDiffCommand } from './commands/diff.ts'
import { addFindingsCommands } from './commands/findings.ts'
import { addFirmwareCommands } from './commands/firmware.ts'
import { addFirmwareVersionCommands } from './commands/firmware-version.ts'
import { addIncidentCommands } from './commands/incident.ts'
import { addKeyCommands } from './commands/key.ts'
import { addLoginCommands } from './commands/login.ts'
import { addMcpCommand } from './commands/mcp.ts'
import { addMemberCommands } from './commands/member.ts'
import { addMetricCommands } from './commands/metric.ts'
import { addNotificationTargetCommands } from './commands/notification-target.ts'
import { addOpenCommand } from './commands/open.ts'
import { addOverrideCommands } from './commands/override.ts'
import { addProfileCommands } from './commands/profile.ts'
import { addSbomCommands } from './commands/sbom.ts'
import { addSettingsCommands } from './commands/settings.ts'
import { addSourceCommands } from './commands/source.ts'
import { addStatusCommand } from './commands/status.ts'
import { addUsageCommand } from './commands/usage.ts'
import { addVexCommands } from './commands/vex.ts'
import { addCommentCommands } from './commands/comment.ts'
import { addReportCommands } from './commands/reports.ts'
import { addVulnerabilityCommands } from './commands/vulnerabilities.ts'
import { addWebhookCommands } from './commands/webhook.ts'
import { addWhoAmICommand } from './commands/whoami.ts'
import { describeFailure } from './failure.ts'
import { complain } from './print.ts'
import { withReplacement } from './replacement.ts'
import { runInTerminal, type Terminal, getTerminal } from './terminal.ts'
import { readVersion } from './version.ts'

/** Runs the client as its process would, and returns the exit code. */
export function run(args: readonly string[], given: Terminal): Promise<number> {
  return runInTerminal(given, async () => {
    try {
      await createProgram().parseAsync(withReplacement(args), { from: 'user' })
    } catch (error) {
      const { exitCode, lines } =
        error instanceof CommanderError
          ? { exitCode: error.exitCode, lines: [] }
          : describeFailure(error)
      for (const line of lines) complain(line)
      getTerminal().exitCode = exitCode
    }
  })
}

/** All commands. */
export function createProgram(): Command {
  const program = new Command('plimsoll')
    .description('What is inside your firmware, and which of it is vulnerable')
    // Valid only before a command: after one, --version names a firmware version.
    .enablePositionalOptions()
    .version(readVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => getTerminal().stdout.write(text),
      writeErr: (text) => getTerminal().stderr.write(text),
    })
    .showHelpAfterError('Run it with --help to see its options.')
  addLoginCommands(program)
  addProfileCommands(program)
  addWhoAmICommand(program)
  addStatusCommand(program)
  addCompletionCommands(program)
  addOpenCommand(program)
  addFirmwareCommands(program)
  addFirmwareVersionCommands(program)
  addSbomCommands(program)
  addArtifactCommands(program)
  addComponentsCommands(program)
  addOverrideCommands(program)
  addFindingsCommands(program)
  addVulnerabilityCommands(program)
  addCommentCommands(program)
  addAuditCommands(program)
  addReportCommands(program)
  addDiffCommand(program)
  addVexCommands(program)
  addDeviceCommands(program)
  addBlindSpotCommands(program)
  addCohortCommands(program)
  addDeploymentCommands(program)
  addExposureCommands(program)
  addMetricCommands(program)
  addDeviceLogCommands(program)
  addAlertRuleCommands(program)
  addIncidentCommands(program)
  addNotificationTargetCommands(program)
  addWebhookCommands(program)
  addSourceCommands(program)
  addSettingsCommands(program)
  addMemberCommands(program)
  addKeyCommands(program)
  addUsageCommand(program)
  addMcpCommand(program)
  return program
}
