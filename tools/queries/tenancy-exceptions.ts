const FEATURES = 'server/src/features/'

/** The functions that may reach rows of any workspace, and why. */
export const CROSSING_WORKSPACES: readonly { name: string; reason: string }[] = [
  ...of('the key is looked up by its hash or id, and names the workspace', [
    'auth/store.ts findApiKeyByHash',
    'auth/store.ts updateApiKeyUse',
    'auth/store.ts findApiKey',
    'auth/store.ts revokeApiKey',
  ]),
  ...of('a program asks by its code before anybody has said for which workspace', [
    'people/terminal-logins/store.ts decideLogin',
    'people/terminal-logins/store.ts deleteLogin',
    'people/terminal-logins/store.ts deleteOldLogins',
    'people/terminal-logins/store.ts findOpenLogin',
    'people/terminal-logins/store.ts insertTerminalLogin',
    'people/terminal-logins/store.ts lockLogin',
    'people/terminal-logins/store.ts updatePoll',
  ]),
  ...of('the key of an authority belongs to one workspace, whichever asks for it', [
    'device-issuers/store.ts claimKey',
  ]),
  ...of('the operator learns how many SBOMs fail, and maintenance tries them again', [
    'sboms/failures/store.ts countFailing',
    'sboms/failures/store.ts listUnmatchedSboms',
  ]),
  ...of('a person may be a member of several workspaces', [
    'auth/store.ts listMemberships',
    'auth/store.ts revokeLoginKeys',
    'people/store.ts listWorkspacesOfPerson',
    'people/terminal-logins/store.ts deleteLoginsOfPerson',
    'people/terminal-logins/store.ts listLoginKeys',
    'weekly-mails/store.ts listMyWorkspaces',
    'workspaces/whole/store.ts listPeopleOfOne',
  ]),
  ...of('the operator learns how many crashes of which workspaces were not kept', [
    'crashes/hours-store.ts sumNotKept',
  ]),
  ...of('an operator lists all workspaces with `npm run admin`', [
    'workspaces/whole/store.ts listWorkspaces',
  ]),
  ...of('an operator lists people of all workspaces with `npm run admin`', [
    'people/resets/store.ts listPeople',
  ]),
  ...of('a schedule of all workspaces finds which ones have something to do', [
    'alert-evaluation/store.ts listDueWorkspaces',
    'audit/seals/store.ts listWaiting',
    'audit/seals/store.ts lockNextDay',
    'licences/kept-store.ts listUncounted',
    'security-advisories/mails/store.ts listDueMails',
    'cases/proposals-store.ts listWorkspacesToSweep',
    'disclosure-reports/mails-store.ts listWaitingWorkspaces',
    'artifacts/uploads/store.ts listWorkspacesWithExpired',
    'deployments/schedule/store.ts listDueDeployments',
    'comparisons/due-store.ts listDueComparisons',
    'device-keys/key-ages-store.ts listWorkspacesWithAges',
    'crashes/reporting/store.ts listReportingWorkspaces',
    'crashes/retention/store.ts listCrashRetentions',
    'deployments/schedule/store.ts listOverdueWorkspaces',
    'incidents/reminders/store.ts listWorkspacesToRemind',
    'notifications/outbox-store.ts listDueRecipients',
    'decision-proposals/mails-store.ts listWaitingWorkspaces',
    'incidents/owner-mails/store.ts listWaitingWorkspaces',
    'notifications/outbox-store.ts workspacesWith',
    'release-gate/urgency-store.ts listAskingWorkspaces',
    'sboms/reidentification/store.ts listOutdatedWorkspaces',
    'supplier-feeds/documents-store.ts listDueFeeds',
    'telemetry/logs/stretches-store.ts listWorkspacesToRead',
    'telemetry/retention/store.ts listWorkspacesWithDeletions',
    'telemetry/rollup/store.ts findWorkspaceWithSeries',
    'telemetry/rollup/store.ts listWorkspacesWithMetrics',
    'triage/acceptances/met-store.ts listWorkspacesAwaitingFixes',
    'triage/acceptances/met-store.ts listWorkspacesDue',
    'triage/acceptances/notices-store.ts listWaitingOwners',
    'triage/acceptances/notices-store.ts noteNearEnds',
    'watches/store.ts listDueWatchers',
    'weekly-mails/store.ts listDueMails',
  ]),
  ...of('health and metrics count over all workspaces; they show numbers only, to the operator', [
    'alert-evaluation/store.ts readAlertHealth',
    'notifications/outbox-store.ts readNotificationHealth',
    'quotas/store.ts listNearLimits',
    'reports/workspace-metrics/store.ts chooseWorkspaces',
    'reports/workspace-metrics/store.ts countByPresence',
    'reports/workspace-metrics/store.ts countBySeverity',
    'reports/workspace-metrics/store.ts countByUpdateState',
    'telemetry/store.ts countDefaultRows',
    'telemetry/store.ts findRolledUntil',
    'telemetry/store.ts listDroppedPoints',
  ]),
  ...of('a file that was left over is known by the id of its import alone', [
    'feeds/by-hand/store.ts isImportUnfinished',
  ]),
  ...of('keys of requests are forgotten by their age alone', [
    'idempotency/store.ts deleteKeysBefore',
  ]),
  ...of('an operator parses the SBOMs of all workspaces again with `npm run admin`', [
    'sboms/reidentification/store.ts listSelectedWorkspaces',
  ]),
  ...of('what waits for a clock that was set back is brought forward for everybody', [
    'server/src/clock/due-instants-store.ts advanceColumn',
  ]),
  ...of('the operator encrypts the secrets of the whole installation', [
    'server/src/stored-secrets.ts readPage',
  ]),
  ...of('partitions hold the rows of all workspaces', [
    'telemetry/retention/partitions-store.ts createPartition',
    'telemetry/retention/partitions-store.ts findHolder',
    'telemetry/retention/partitions-store.ts hasRows',
    'telemetry/retention/partitions-store.ts listDefaultPartitionDays',
  ]),
  ...of(
    'matches are of packages, which all workspaces share: each workspace that holds some is changed by itself',
    ['findings/counters-store.ts listChangedWorkspaces'],
  ),
]

/** Names without a folder of the server are below its features. */
function of(reason: string, names: readonly string[]): { name: string; reason: string }[] {
  return names.map((name) => ({
    name: name.startsWith('server/') ? name : FEATURES + name,
    reason,
  }))
}
