/** The HTTP app, built from the slices' routes. */
/* eslint-disable max-lines */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import { readConfig, type Role, ROLES } from './config/config.ts'
import { EXPENSIVE_SHARES } from './config/limits.ts'
import { openDoors } from './device-doors.ts'
import { registerDryRunRoutes } from './features/alert-evaluation/index.ts'
import { alertRuleProblems, registerAlertRuleRoutes } from './features/alert-rules/index.ts'
import {
  registerArtifactDownloadRoute,
  artifactProblems,
  registerArtifactRoutes,
} from './features/artifacts/index.ts'
import {
  registerSbomSignatureRoutes,
  sbomSignatureProblems,
} from './features/sbom-signatures/index.ts'
import {
  imageCheckProblems,
  registerArtifactSignatureRoutes,
  registerImageCheckRoutes,
} from './features/image-checks/index.ts'
import {
  provenanceProblems,
  registerChainRoutes,
  registerKeyProofRoutes,
  registerProvenanceRoutes,
} from './features/provenance/index.ts'
import { registerTrustedKeyRoutes, trustedKeyProblems } from './features/trusted-keys/index.ts'
import { registerEvidenceRoutes } from './features/evidence/index.ts'
import { registerExportRoutes } from './features/exports/index.ts'
import { feedProblems, registerFeedRoutes } from './features/feeds/index.ts'
import { auditProblems, auditRoutes } from './features/audit/index.ts'
import {
  registerApiKeyRoutes,
  authProblems,
  installAuthentication,
  installGuard,
  installOriginCheck,
  installPersonGuard,
  registerSetupRoutes,
} from './features/auth/index.ts'
import { ddiProblems, registerDdiRoutes } from './features/ddi/index.ts'
import {
  deviceIssuerProblems,
  registerDeviceIssuerRoutes,
} from './features/device-issuers/index.ts'
import { registerBulkDeviceRoutes } from './features/bulk-devices/index.ts'
import { caseProblems, registerCaseRoutes } from './features/cases/index.ts'
import { cohortProblems, registerCohortRoutes } from './features/cohorts/index.ts'
import {
  registerConfigurationRoutes,
  type DeviceDoors,
  deviceProblems,
  registerDeviceRoutes,
} from './features/devices/index.ts'
import {
  deploymentProblems,
  registerDeploymentRoutes,
  registerRiskRoutes,
} from './features/deployments/index.ts'
import { deviceKeyProblems, registerDeviceKeyRoutes } from './features/device-keys/index.ts'
import { deviceSyncProblems, registerDeviceSyncRoutes } from './features/device-sync/index.ts'
import { registerCoverageRoutes } from './features/coverage/index.ts'
import { crashProblems, registerCrashRoutes } from './features/crashes/index.ts'
import { findingProblems, registerFindingRoutes } from './features/findings/index.ts'
import { discussionProblems, registerDiscussionRoutes } from './features/discussions/index.ts'
import { installOwnerNames, registerOwnerRoutes } from './features/owners/index.ts'
import { registerWatchRoutes, watchProblems } from './features/watches/index.ts'
import { registerJudgementRoutes } from './features/judgements/index.ts'
import { registerSsvcRoutes, ssvcProblems } from './features/ssvc/index.ts'
import {
  customerProblems,
  registerCustomerPageRoutes,
  registerCustomerRoutes,
  registerStandingAddressRoutes,
} from './features/customers/index.ts'
import {
  registerAdvisoryMailPages,
  registerPublicAdvisoryRoutes,
  registerSecurityAdvisoryRoutes,
  securityAdvisoryProblems,
} from './features/security-advisories/index.ts'
import {
  disclosureReportProblems,
  registerDisclosureIntake,
  registerDisclosureReportRoutes,
} from './features/disclosure-reports/index.ts'
import {
  registerUpstreamReportRoutes,
  upstreamReportProblems,
} from './features/upstream-reports/index.ts'
import { registerSavedViewRoutes, savedViewProblems } from './features/saved-views/index.ts'
import { registerSbomCheckRoutes } from './features/sbom-checks/index.ts'
import { registerSbomGradeRoutes } from './features/sbom-grades/index.ts'
import { registerOverridePreviewRoutes } from './features/override-preview/index.ts'
import {
  registerBadgeImageRoute,
  firmwareProblems,
  registerFirmwareRoutes,
} from './features/firmware/index.ts'
import { idempotencyProblems, installIdempotency } from './features/idempotency/index.ts'
import {
  registerAlertIncidentRoutes,
  registerIncidentPageRoute,
  incidentProblems,
} from './features/incidents/index.ts'
import {
  registerAddressRoutes,
  notificationProblems,
  registerNotificationTargetRoutes,
  registerWebhookRoutes,
} from './features/notification-targets/index.ts'
import { mailProblems } from './features/mails/index.ts'
import { registerDeliveryRoutes } from './features/notification-delivery/index.ts'
import { invitationProblems, registerInvitationRoutes } from './features/invitations/index.ts'
import {
  registerSbomContentRoute,
  sbomProblems,
  registerSbomRoutes,
} from './features/sboms/index.ts'
import { registerComponentRoutes } from './features/components/index.ts'
import { registerLicenceRoutes } from './features/licences/index.ts'
import { registerSupportRoutes, supportProblems } from './features/support/index.ts'
import { registerMqttAuthRoutes, mqttProblems } from './features/mqtt/index.ts'
import {
  registerOwnAccountRoutes,
  registerOwnTerminalRoutes,
  peopleProblems,
  signInRoutes,
  registerTerminalLoginRoutes,
} from './features/people/index.ts'
import { quotaProblems, registerQuotaRoutes } from './features/quotas/index.ts'
import { registerFigureRoutes } from './features/figures/index.ts'
import { registerPrintedReportRoutes } from './features/printed-reports/index.ts'
import {
  registerSupplierFeedRoutes,
  supplierFeedProblems,
} from './features/supplier-feeds/index.ts'
import { obligationProblems, registerObligationRoutes } from './features/obligations/index.ts'
import { productLineProblems, registerProductLineRoutes } from './features/product-lines/index.ts'
import { reportRoutes } from './features/reports/index.ts'
import { telemetryProblems, registerTelemetryRoutes } from './features/telemetry/index.ts'
import { registerComparisonRoutes } from './features/comparisons/index.ts'
import { registerFailureRoutes } from './features/deployment-failures/index.ts'
import { registerArtifactOfferRoutes, registerTakerRoutes } from './features/takers/index.ts'
import {
  decisionProposalProblems,
  registerDecisionProposalRoutes,
} from './features/decision-proposals/index.ts'
import { registerTriageRoutes } from './features/triage/index.ts'
import { registerVulnerabilityRoutes } from './features/vulnerabilities/index.ts'
import { vexProblems, registerVexRoutes } from './features/vex/index.ts'
import {
  registerOwnNotificationRoutes,
  registerWeeklyMailPages,
} from './features/weekly-mails/index.ts'
import {
  installNames,
  registerWhoamiRoute,
  workspaceProblems,
  registerWorkspaceRoutes,
} from './features/workspaces/index.ts'
import type { Actor } from './platform/actor.ts'
import type { AppContext } from './platform/context.ts'
import {
  type App,
  createApp,
  installRateLimit,
  type RateLimitOptions,
} from './platform/http/app.ts'
import { asking } from './platform/asking.ts'
import { take } from './platform/db/fair-pool.ts'
import { installEntityTags } from './platform/http/editing.ts'
import { getKeyTries } from './platform/key-tries.ts'
import { NodeMemory } from './platform/node-memory.ts'
import { Turns } from './platform/turns.ts'
import { createLog } from './platform/log.ts'
import { AppError, type ProblemPages } from './platform/errors.ts'
import { HTTP_PROBLEMS, registerProblemPageRoute } from './platform/http/problem-pages.ts'
import { ignoreBodies } from './platform/http/pages.ts'
import { isMembers } from './platform/http/read-only.ts'
import { findPortalPath } from './formats/portal-pages.ts'
import { PROBLEM_LINKS } from './portal/problem-links.ts'
import { registerGuideRoutes } from './portal/guides.ts'
import { registerPortalRoutes } from './portal/routes.ts'
import { VERSION } from './version.ts'

/** The pages of all problem types, by slug. */
export const PROBLEMS: ProblemPages = {
  ...HTTP_PROBLEMS,
  ...auditProblems,
  ...authProblems,
  ...workspaceProblems,
  ...quotaProblems,
  ...mailProblems,
  ...idempotencyProblems,
  ...peopleProblems,
  ...invitationProblems,
  ...firmwareProblems,
  ...productLineProblems,
  ...sbomProblems,
  ...supportProblems,
  ...feedProblems,
  ...findingProblems,
  ...decisionProposalProblems,
  ...discussionProblems,
  ...watchProblems,
  ...savedViewProblems,
  ...ssvcProblems,
  ...vexProblems,
  ...supplierFeedProblems,
  ...telemetryProblems,
  ...crashProblems,
  ...deviceProblems,
  ...deviceIssuerProblems,
  ...deviceKeyProblems,
  ...deviceSyncProblems,
  ...ddiProblems,
  ...mqttProblems,
  ...artifactProblems,
  ...cohortProblems,
  ...deploymentProblems,
  ...caseProblems,
  ...securityAdvisoryProblems,
  ...disclosureReportProblems,
  ...obligationProblems,
  ...upstreamReportProblems,
  ...trustedKeyProblems,
  ...imageCheckProblems,
  ...provenanceProblems,
  ...sbomSignatureProblems,
  ...customerProblems,
  ...alertRuleProblems,
  ...incidentProblems,
  ...notificationProblems,
}

export interface ApiOptions {
  /** Called before the first route: tests look at every answer. */
  watch?: (app: App) => void
  /** Serve the pages at /docs; most tests do without. */
  showsDocs?: boolean
  /** `api` for the API, `gateway` for the doors of devices. */
  roles: readonly Role[]
  doors: DeviceDoors
  /** The folder of the built portal. Without it, `/` leads to the documentation. */
  portal?: string | undefined
  /** The folder of the built guides; that of the release or checkout if left out. */
  guides?: string | undefined
  /** For the doors of devices, with connections of their own. The API's if left out. */
  atDoors?: AppContext
  /** Gets how long requests take. */
  metrics?: Registry
}

export async function buildApi(
  ctx: AppContext,
  { watch, showsDocs = true, roles, doors, portal, guides, atDoors = ctx, metrics }: ApiOptions,
): Promise<App> {
  const { log, config } = ctx
  const tries = getKeyTries(ctx.memory)
  const pageOf = portal === undefined ? undefined : findPortalPath
  const shown = { version: VERSION, showsDocs, pageOf }
  const app = await createApp({ ...config, log, ...shown, tries, metrics, findActor })
  watch?.(app)
  registerProblemPageRoute(app, PROBLEMS, portal === undefined ? undefined : PROBLEM_LINKS)
  if (roles.includes('gateway')) await deviceRoutes(app, atDoors, doors)
  if (roles.includes('api')) await apiRoutes(app, ctx, { hasPortal: portal !== undefined })
  if (roles.includes('api') && showsDocs) await registerGuideRoutes(app, guides)
  if (roles.includes('api') && portal !== undefined) await registerPortalRoutes(app, portal)
  // A person who opens the address in a browser looks for the documentation.
  else app.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/docs'))
  return app
}

/** The person of a session, or the key. undefined: the request was refused before it was known who asks. */
function findActor(request: FastifyRequest): Actor | undefined {
  const { principal, signedIn }: Partial<FastifyRequest> = request
  return principal?.actor ?? signedIn?.actor
}

/** The limit of one address. Without it somebody could try the tokens of setup links one by one. */
const SETUPS_PER_MINUTE = 60

/** The HTTP doors of devices. */
async function deviceRoutes(app: App, ctx: AppContext, doors: DeviceDoors): Promise<void> {
  await registerDdiRoutes(app, ctx, doors)
  await registerDeviceSyncRoutes(app, ctx, doors)
  registerArtifactDownloadRoute(app, ctx)
  await registerMqttAuthRoutes(app, ctx, doors)
}

async function apiRoutes(
  app: App,
  ctx: AppContext,
  { hasPortal }: { hasPortal: boolean },
): Promise<void> {
  const rateLimit: RateLimitOptions = {
    perMinute: ctx.config.rateLimitPerMinute,
    who: 'key',
    keyOf: ({ principal, ip }) => principal.actor.id ?? ip,
  }
  await app.register(async (setup: App) => {
    const perMinute = Math.min(rateLimit.perMinute, SETUPS_PER_MINUTE)
    await installRateLimit(setup, { perMinute, who: 'address', keyOf: ({ ip }) => ip })
    registerSetupRoutes(setup, { hasPortal })
  })
  await publicRoutes(app, ctx, { rateLimit, hasPortal })
  await personRoutes(app, ctx, { rateLimit, hasPortal })
  await app.register(async (authenticated: App) => {
    installAuthentication(authenticated, ctx)
    await installRateLimit(authenticated, rateLimit)
    registerWhoamiRoute(authenticated, ctx, { hasPortal })
  })
  await app.register(
    async (workspace: App) => {
      installGuard(workspace, ctx)
      await installRateLimit(workspace, rateLimit)
      installIdempotency(workspace, ctx)
      installTurns(workspace, ctx)
      registerQuotaRoutes(workspace, ctx)
      installConventions(workspace, ctx)
      administrationRoutes(workspace, ctx)
      productRoutes(workspace, ctx)
      deviceManagementRoutes(workspace, ctx)
      registerSbomRoutes(workspace, ctx)
      registerComponentRoutes(workspace, ctx)
      registerLicenceRoutes(workspace, ctx)
      registerSupportRoutes(workspace, ctx)
      registerFeedRoutes(workspace, ctx)
      registerFindingRoutes(workspace, ctx)
      registerCoverageRoutes(workspace)
      registerVulnerabilityRoutes(workspace, ctx)
      registerJudgementRoutes(workspace, ctx)
      registerOverridePreviewRoutes(workspace)
      registerSbomCheckRoutes(workspace, ctx)
      registerSbomGradeRoutes(workspace)
      registerTriageRoutes(workspace, ctx)
      registerDecisionProposalRoutes(workspace, ctx)
      registerDiscussionRoutes(workspace, ctx)
      registerWatchRoutes(workspace, ctx)
      tellingRoutes(workspace)
      statementRoutes(workspace, ctx)
      registerTelemetryRoutes(workspace, ctx)
      registerCrashRoutes(workspace, ctx)
      registerArtifactRoutes(workspace, ctx)
      rollOutRoutes(workspace, ctx)
      alertRoutes(workspace, ctx)
    },
    { prefix: '/workspaces/:workspaceId' },
  )
}

/** Firmware, and what is placed on the market with it. */
function productRoutes(workspace: App, ctx: AppContext): void {
  registerFirmwareRoutes(workspace, ctx)
  registerProductLineRoutes(workspace, ctx)
}

/** Devices, what lets them in, and how they are configured. */
function deviceManagementRoutes(workspace: App, ctx: AppContext): void {
  registerDeviceRoutes(workspace, ctx)
  registerDeviceIssuerRoutes(workspace, ctx)
  registerConfigurationRoutes(workspace, ctx)
}

/** What VEX documents say, by whoever brings them. */
function statementRoutes(workspace: App, ctx: AppContext): void {
  registerVexRoutes(workspace, ctx)
  registerSupplierFeedRoutes(workspace, ctx)
}

/** Cohorts, what is deployed to them, and cases about what is on devices. */
function rollOutRoutes(workspace: App, ctx: AppContext): void {
  registerCohortRoutes(workspace, ctx)
  registerBulkDeviceRoutes(workspace, ctx)
  registerDeviceKeyRoutes(workspace, ctx)
  registerDeploymentRoutes(workspace, ctx)
  registerArtifactOfferRoutes(workspace, ctx)
  registerRiskRoutes(workspace, ctx)
  registerComparisonRoutes(workspace)
  registerFailureRoutes(workspace)
  registerTakerRoutes(workspace, ctx)
  registerCaseRoutes(workspace, ctx)
  registerSecurityAdvisoryRoutes(workspace, ctx)
  registerDisclosureReportRoutes(workspace, ctx)
  registerUpstreamReportRoutes(workspace, ctx)
  registerTrustedKeyRoutes(workspace, ctx)
  registerImageCheckRoutes(workspace, ctx)
  registerSbomSignatureRoutes(workspace, ctx)
  registerArtifactSignatureRoutes(workspace, ctx)
  registerProvenanceRoutes(workspace, ctx)
  registerChainRoutes(workspace, ctx)
  registerKeyProofRoutes(workspace, ctx)
  registerCustomerRoutes(workspace, ctx)
  registerEvidenceRoutes(workspace, ctx)
  registerObligationRoutes(workspace, ctx)
}

/** What the workspace tells of itself: reports, figures and exports. */
function tellingRoutes(workspace: App): void {
  reportRoutes(workspace)
  registerFigureRoutes(workspace)
  registerExportRoutes(workspace)
  registerPrintedReportRoutes(workspace)
}

/** Rules, their incidents, and whom they tell. */
function alertRoutes(workspace: App, ctx: AppContext): void {
  registerDryRunRoutes(workspace)
  registerAlertRuleRoutes(workspace, ctx)
  registerAlertIncidentRoutes(workspace, ctx)
  registerNotificationTargetRoutes(workspace, ctx)
  registerWebhookRoutes(workspace, ctx)
  registerDeliveryRoutes(workspace, ctx)
}

/** Settings, members and keys of a workspace, and what was changed in it. */
function administrationRoutes(workspace: App, ctx: AppContext): void {
  registerWorkspaceRoutes(workspace, ctx)
  registerInvitationRoutes(workspace, ctx)
  registerApiKeyRoutes(workspace, ctx)
  auditRoutes(workspace, ctx)
  registerSavedViewRoutes(workspace, ctx)
  registerSsvcRoutes(workspace, ctx)
  registerOwnerRoutes(workspace, ctx)
}

/** Pages and pictures for those who have a link to them. */
async function publicRoutes(
  app: App,
  ctx: AppContext,
  { rateLimit, hasPortal }: { rateLimit: RateLimitOptions; hasPortal: boolean },
): Promise<void> {
  await app.register(async (pages: App) => {
    await installRateLimit(pages, { ...rateLimit, who: 'address', keyOf: ({ ip }) => ip })
    ignoreBodies(pages)
    registerAddressRoutes(pages, ctx)
    registerWeeklyMailPages(pages, ctx)
    registerAdvisoryMailPages(pages, ctx)
    registerBadgeImageRoute(pages, ctx)
    registerSbomContentRoute(pages, ctx)
    registerIncidentPageRoute(pages, { hasPortal })
    registerPublicAdvisoryRoutes(pages, ctx)
    registerCustomerPageRoutes(pages, ctx)
    registerStandingAddressRoutes(pages, ctx)
  })
  await app.register(async (forms: App) => {
    await installRateLimit(forms, { ...rateLimit, who: 'address', keyOf: ({ ip }) => ip })
    registerDisclosureIntake(forms, ctx)
  })
}

/** Signing in, and the account of whoever is signed in. */
async function personRoutes(
  app: App,
  ctx: AppContext,
  { rateLimit, hasPortal }: { rateLimit: RateLimitOptions; hasPortal: boolean },
): Promise<void> {
  await app.register(async (signIn: App) => {
    installOriginCheck(signIn, ctx)
    await installRateLimit(signIn, { ...rateLimit, who: 'address', keyOf: ({ ip }) => ip })
    signInRoutes(signIn, ctx)
  })
  await app.register(async (programs: App) => {
    await installRateLimit(programs, { ...rateLimit, who: 'address', keyOf: ({ ip }) => ip })
    registerTerminalLoginRoutes(programs, ctx, { hasPortal })
  })
  await app.register(async (mine: App) => {
    installPersonGuard(mine, ctx)
    const keyOf: RateLimitOptions['keyOf'] = ({ signedIn }) => signedIn.personId
    await installRateLimit(mine, { ...rateLimit, who: 'person', keyOf })
    registerOwnAccountRoutes(mine, ctx)
    registerOwnTerminalRoutes(mine, ctx)
    registerOwnNotificationRoutes(mine, ctx)
  })
}

/** As long as an expensive request waits for its turn. */
const EXPENSIVE_WAIT_MS = 10_000

/** The guard has checked that the key is of this workspace. Bodies are read before this hook, or by the route. */
function installTurns(workspace: App, ctx: AppContext): void {
  const { config } = ctx
  const each = config.expensiveRequestsPerWorkspace
  const turns = new Turns({ all: EXPENSIVE_SHARES * each, each, waitMs: EXPENSIVE_WAIT_MS })
  const ends = new WeakMap<FastifyRequest, () => void>()
  const statementMs = () => config.readSeconds * 1000
  workspace.addHook<WorkspaceRequest>('preHandler', async (request, reply) => {
    if (!isExpensive(request)) return
    const read = { statementMs: statementMs(), hungUp: watchHangUp(reply) }
    const end = await take(turns, { ...request.params, read })
    ends.set(request, end)
    // `onResponse` is not called when the client leaves.
    onClose(reply.raw, end)
  })
  workspace.addHook('onResponse', (request, _reply, done) => {
    ends.get(request)?.()
    done()
  })
  workspace.addHook<WorkspaceRequest>('preHandler', (request, reply, done) => {
    const { workspaceId } = request.params
    const read = changesNothing(request) && {
      statementMs: statementMs(),
      hungUp: watchHangUp(reply),
    }
    asking.run({ workspaceId, ...(read && { read }) }, done)
  })
  workspace.decorateRequest('reading', {
    getter(this: FastifyRequest) {
      // Others would wait for its locks.
      if (!changesNothing(this))
        throw new Error('a route that changes something asks for `reading`')
      return { ...ctx, db: isExpensive(this) ? ctx.reads.slow : ctx.reads.quick }
    },
  })
}

function changesNothing({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.changesNothing === true || config.scope?.endsWith(': read') === true
}

/** Each pattern is compared with each name of the workspace, and its other connections would do the same meanwhile. */
const FEW_PATTERNS = 5

function isExpensive({ routeOptions, body }: FastifyRequest): boolean {
  return routeOptions.config.isExpensive === true || countPatterns(body) > FEW_PATTERNS
}

function countPatterns(body: unknown): number {
  const filter = isMembers(body) && isMembers(body['filter']) ? Object.values(body['filter']) : []
  return filter.flat().filter((one) => isMembers(one) && 'contains' in one).length
}

interface WorkspaceRequest {
  Params: { workspaceId: string }
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * For routes that read only, and take longer than to ask how far the replica is (decision 39): their statements may be
     * answered by it, and those of expensive reads by the slow pool.
     */
    readonly reading: AppContext
  }
  interface FastifyContextConfig {
    /** Reads much or calculates long: a workspace has few such requests at work at once. */
    isExpensive?: true
    /** Though its scope is one for changes, so that it ends when its client hangs up. */
    changesNothing?: true
  }
}

/** Aborted when the client closes its connection before it has the answer. */
function watchHangUp({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  onClose(raw, () => {
    if (!raw.writableFinished)
      controller.abort(
        new AppError('unavailable', 'client-left', 'The client closed the connection.'),
      )
  })
  return controller.signal
}

/** Also where the client left before anybody listened, while its key was looked up: that is told once. */
function onClose(raw: FastifyReply['raw'], act: () => void): void {
  if (raw.closed) act()
  else raw.once('close', act)
}

/** What routes of workspaces have in common: entity tags, and names beside ids in filters. */
function installConventions(workspace: App, ctx: AppContext): void {
  installEntityTags(workspace)
  installNames(workspace, ctx)
  installOwnerNames(workspace, ctx)
}

/** The description of the API. It needs no real context, as routes use theirs only when they are called. */
export async function describeApi(): Promise<unknown> {
  const memory = new NodeMemory()
  const described = { config: readConfig({}), log: createLog('silent'), memory } as AppContext
  const app = await buildApi(described, { roles: ROLES, doors: openDoors(described) })
  await app.ready()
  return app.swagger()
}
