import { Type } from 'typebox'
import {
  Exactly,
  Name,
  Nullable,
  OneOf,
  Reference,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { defineMessage } from '../../platform/jobs/queue.ts'
import { LINK_KINDS, PASSWORD_CHARACTERS, ROLES, SCOPES, SIGN_IN_METHODS } from '../auth/index.ts'

/** A password that somebody enters. It may be any text: those of other rules end here too. */
const EnteredPassword = Type.String({ minLength: 1, maxLength: PASSWORD_CHARACTERS.max })
const NewPassword = Type.String({
  minLength: PASSWORD_CHARACTERS.min,
  maxLength: PASSWORD_CHARACTERS.max,
  description:
    'Any characters. Passwords that were leaked elsewhere are refused, checked without asking anybody',
})
const Email = Type.String({ minLength: 3, maxLength: 320, examples: ['ada@example.com'] })
const Token = Type.String({ minLength: 1, maxLength: 200 })

export const SignInOptions = Shape('SignInOptions', {
  password: Type.Boolean({ description: 'People sign in with e-mail address and password' }),
  passkeys: Type.Boolean(),
  providers: Type.Array(Reference, {
    description: 'OpenID providers; /auth/oidc/{id}/start begins a sign-in',
  }),
  mail: Type.Boolean({ description: 'Links are sent by mail; false: the operator makes them' }),
  passwordCharacters: Type.Object({ min: Type.Integer(), max: Type.Integer() }),
})

export const SignInCommand = Exactly(
  { email: Email, password: EnteredPassword },
  { examples: [{ email: 'ada@example.com', password: 'correct horse battery staple' }] },
)

const SECOND_FACTORS = ['Totp', 'RecoveryCode', 'Passkey'] as const

export const SignInState = Shape('SignInState', {
  state: Type.Enum(['SignedIn', 'SecondFactorNeeded']),
  secondFactors: Type.Array(Type.Enum([...SECOND_FACTORS]), {
    description: 'What the second step takes',
  }),
})

export const PasswordResetCommand = Exactly(
  { email: Email },
  { examples: [{ email: 'ada@example.com' }] },
)

export const ReadLinkCommand = Exactly({ token: Token })

export const LinkShown = Shape('PasswordLink', {
  kind: Type.Enum([...LINK_KINDS]),
  email: Type.String(),
  displayName: Type.String(),
  workspaceName: Nullable(Type.String(), { description: 'Of an invitation' }),
  role: Nullable(OneOf('Role', ROLES), { description: 'Of an invitation' }),
  expiresAt: Timestamp,
  needsPassword: Type.Boolean({ description: 'Accepting it takes a new password' }),
  needsSignIn: Type.Boolean({
    description: 'The person has an account and signs in before accepting it',
  }),
})

export const AcceptLinkCommand = Exactly({
  token: Token,
  password: Type.Optional(NewPassword),
  displayName: Type.Optional(Name),
})

export const Me = Shape('Me', {
  id: Type.String(),
  email: Type.String(),
  displayName: Type.String(),
  hasPassword: Type.Boolean(),
  totp: Type.Boolean({ description: 'Codes of an authenticator app are the second factor' }),
  recoveryCodesLeft: Type.Integer(),
  passkeys: Type.Integer(),
  providers: Type.Array(Type.Object({ id: Nullable(Type.String()), name: Type.String() }), {
    description:
      'Linked accounts at OpenID providers; id is null for one that is not configured any more',
  }),
  tour: Type.Array(
    Type.Object({ title: Type.String(), text: Type.String(), path: Type.String() }),
    { description: 'What to try first, with the paths of the pages: of the demo; else empty' },
  ),
})

export const ChangeMeCommand = Exactly({ displayName: Name })

export const ChangePasswordCommand = Exactly({
  currentPassword: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: PASSWORD_CHARACTERS.max,
      description: 'Needed by people who have a password',
    }),
  ),
  newPassword: NewPassword,
  endsTerminals: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Also end the logins of terminals (`plimsoll login`), in all workspaces',
    }),
  ),
})

const Code = Type.String({ minLength: 1, maxLength: 50, examples: ['005924'] })

/** Either of the two. */
export const SecondFactorCommand = Type.Union([
  Exactly({ code: Code }),
  Exactly({ recoveryCode: Code }),
])

export const TotpBegun = Shape('TotpBegun', {
  secret: Type.String({ description: 'In base32, to type into an app' }),
  uri: Type.String({ description: 'The content of the QR code (otpauth://…)' }),
})

export const ConfirmTotpCommand = Exactly({ code: Code })

export const RemoveTotpCommand = Exactly({
  password: Type.Optional(EnteredPassword),
  code: Type.Optional(Code),
})

export const RecoveryCodes = Shape('RecoveryCodes', {
  recoveryCodes: Type.Array(Type.String(), { description: 'Shown this once; each works once' }),
})

/** The options and answers of WebAuthn in JSON (Web Authentication, level 3, section 5.1.8), as browsers make them. */
export const PasskeyOptions = Shape(
  'PasskeyOptions',
  { challenge: Type.String() },
  {
    additionalProperties: true,
    description: 'For `navigator.credentials`, in JSON (WebAuthn level 3)',
  },
)

const PasskeyText = Type.String({ maxLength: 100_000 })
const credential = {
  id: Type.String({ minLength: 1, maxLength: 2_000 }),
  rawId: Type.String({ maxLength: 2_000 }),
  type: Type.Literal('public-key'),
  clientExtensionResults: Type.Object({}, { additionalProperties: true }),
  authenticatorAttachment: Type.Optional(
    Nullable(Type.Union([Type.Literal('platform'), Type.Literal('cross-platform')])),
  ),
}

export const AddPasskeyCommand = Exactly({
  name: Name,
  response: Type.Object(
    {
      ...credential,
      response: Type.Object(
        {
          clientDataJSON: PasskeyText,
          attestationObject: PasskeyText,
          transports: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 20 })),
        },
        { additionalProperties: true },
      ),
    },
    { additionalProperties: true },
  ),
})

export const PasskeySignInCommand = Shape(
  'PasskeySignInCommand',
  {
    ...credential,
    response: Type.Object(
      {
        clientDataJSON: PasskeyText,
        authenticatorData: PasskeyText,
        signature: PasskeyText,
        userHandle: Type.Optional(Nullable(PasskeyText)),
      },
      { additionalProperties: true },
    ),
  },
  { additionalProperties: true },
)

export const Passkey = Shape('Passkey', {
  id: Type.String(),
  name: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
})

export const PasskeyParams = Type.Object({ passkeyId: Type.String() })

export const Sessions = Type.Array(
  Shape('Session', {
    id: Type.String(),
    current: Type.Boolean(),
    method: Type.Enum([...SIGN_IN_METHODS]),
    createdAt: Timestamp,
    lastUsedAt: Timestamp,
    expiresAt: Timestamp,
    userAgent: Nullable(Type.String()),
    address: Type.String(),
  }),
)

export const SessionParams = Type.Object({ sessionId: Type.String() })

export const MyWorkspaces = Type.Array(
  Shape('MyWorkspace', {
    id: Type.String(),
    name: Type.String(),
    role: OneOf('Role', ROLES),
    scopes: Type.Array(OneOf('Scope', SCOPES)),
    secondFactorMissing: Type.Boolean({
      description: 'The workspace demands a second factor, and this session has none',
    }),
  }),
)

/** Somebody entered what does not open the account. The address may be nobody's. */
export const SignInRefused = defineMessage(
  'people.sign-in-refused',
  Type.Object({
    email: Type.String(),
    method: Type.String(),
    address: Type.String(),
    requestId: Type.String(),
  }),
)

/** Somebody asked for a new password. The address may be nobody's. */
export const PasswordResetRequested = defineMessage(
  'people.password-reset-requested',
  Type.Object({ email: Type.String(), requestId: Type.String() }),
)
