/** The mail of an invitation. */
import { writeLetter, type Letter } from '../../platform/mail/letter.ts'

export interface InvitationTexts {
  workspaceName: string
  role: string
  invitedBy: string | null
  link: string
}

export function writeInvitationLetter({
  workspaceName,
  role,
  invitedBy,
  link,
}: InvitationTexts): Letter {
  const who = invitedBy === null ? 'You are invited' : `${invitedBy} invites you`
  return writeLetter({
    subject: `Invitation to ${workspaceName}`,
    before: [
      `${who} to the workspace "${workspaceName}" of Plimsoll, as ${role}.`,
      'Plimsoll knows what is inside every firmware version, which of it is vulnerable, and which devices run it.',
    ],
    link: { label: 'Accept the invitation', url: link },
    after: [
      'The link works once, and for seven days. If you expected no invitation, ignore this mail.',
    ],
  })
}
