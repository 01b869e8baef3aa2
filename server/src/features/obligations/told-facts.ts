/** What is told of the points of the law in a workspace: sentences with counts, and never that anything is complied with. */
import type { ObligationId } from './obligations.ts'
import { tellReleases, tellRemedies, tellReviews, tellSboms, tellUpdates } from './product-facts.ts'
import {
  tellAdvisories,
  tellAnswers,
  tellCases,
  tellContact,
  tellContacts,
  tellDrills,
  tellEvidence,
  tellPolicy,
  tellProposals,
  tellSeal,
  tellSecurityText,
  tellSupport,
  tellUpstream,
} from './team-facts.ts'
import { tellUnknown, type ToldFact, type WorkspaceFacts } from './told-fact.ts'

/** Of the points that are not here nothing is known: `people` says what they are about. */
export function tellFacts(facts: WorkspaceFacts): Record<ObligationId, ToldFact[]> {
  return {
    'known-vulnerabilities': tellReleases(facts),
    updates: tellUpdates(facts),
    properties: [tellUnknown('properties', 'Not known: Plimsoll does not look at it')],
    sboms: tellSboms(facts),
    remedies: tellRemedies(facts),
    tests: tellReviews(facts),
    'fixed-vulnerabilities': tellAdvisories(facts),
    'disclosure-policy': tellPolicy(facts),
    contact: tellContact(facts),
    'free-updates': [
      ...tellAdvisories(facts),
      ...tellContacts(facts),
      tellUnknown('price', 'What updates cost is not known'),
    ],
    components: tellUpstream(facts),
    support: tellSupport(facts),
    reports: tellCases(facts),
    authorities: tellEvidence(facts),
    documentation: [
      ...tellEvidence(facts),
      tellUnknown('other-documents', 'Documents outside of Plimsoll are not known'),
    ],
    'first-assessments': tellProposals(facts),
    'answer-times': tellAnswers(facts),
    'security-text': [tellSecurityText(facts)],
    drills: tellDrills(facts),
    'audit-seals': [tellSeal(facts)],
  }
}
