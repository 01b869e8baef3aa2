/** Every message of every slice, so that each one's queue exists before anything is enqueued. */
import { advisoryMessages } from './features/advisories/index.ts'
import { artifactMessages } from './features/artifacts/index.ts'
import { ProposalMail } from './features/decision-proposals/index.ts'
import { deviceMessages } from './features/devices/index.ts'
import { DisclosureReportMail } from './features/disclosure-reports/index.ts'
import { discussionMessages } from './features/discussions/index.ts'
import { ImportAsked, SyncAsked } from './features/feeds/index.ts'
import { findingMessages } from './features/findings/index.ts'
import { firmwareMessages } from './features/firmware/index.ts'
import { incidentMessages } from './features/incidents/index.ts'
import { invitationMessages } from './features/invitations/index.ts'
import { matchingMessages } from './features/matching/index.ts'
import { peopleMessages } from './features/people/index.ts'
import { sbomMessages } from './features/sboms/index.ts'
import { supplierFeedMessages } from './features/supplier-feeds/index.ts'
import { trustedKeyMessages } from './features/trusted-keys/index.ts'
import type { Message } from './platform/jobs/queue.ts'

export const MESSAGES: readonly Message[] = [
  ...peopleMessages,
  ...invitationMessages,
  ...firmwareMessages,
  ...deviceMessages,
  ...sbomMessages,
  ...advisoryMessages,
  SyncAsked,
  ImportAsked,
  ...matchingMessages,
  ...artifactMessages,
  ...trustedKeyMessages,
  ...findingMessages,
  ...discussionMessages,
  ...incidentMessages,
  ProposalMail,
  DisclosureReportMail,
  ...supplierFeedMessages,
]
