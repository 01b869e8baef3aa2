-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/people/factors/store.ts deleteSecret: not executed by tests

-- server/src/features/people/factors/store.ts lockSecret: not executed by tests

-- server/src/features/people/factors/store.ts putSecret: not executed by tests

-- server/src/features/people/factors/store.ts replaceRecoveryCodes: not executed by tests

-- server/src/features/people/factors/store.ts updateSecret: not executed by tests

-- server/src/features/people/factors/store.ts useRecoveryCode: not executed by tests

-- server/src/features/people/oidc/store.ts findPersonOfIdentity: not executed by tests

-- server/src/features/people/oidc/store.ts insertIdentity: not executed by tests

-- server/src/features/people/oidc/store.ts updateIdentityUse: not executed by tests

-- server/src/features/people/passkeys/store.ts deleteOldChallenges
delete from passkey_challenges where expires_at <= $1;

-- server/src/features/people/passkeys/store.ts deletePasskey: not executed by tests

-- server/src/features/people/passkeys/store.ts findPasskey: not executed by tests

-- server/src/features/people/passkeys/store.ts insertChallenge: not executed by tests

-- server/src/features/people/passkeys/store.ts insertPasskey: not executed by tests

-- server/src/features/people/passkeys/store.ts listPasskeys: not executed by tests

-- server/src/features/people/passkeys/store.ts updatePasskeyUse: not executed by tests

-- server/src/features/people/passkeys/store.ts useChallenge: not executed by tests

-- server/src/features/people/resets/store.ts forgetCredentials: not executed by tests

-- server/src/features/people/resets/store.ts forgetSecondFactors: not executed by tests

-- server/src/features/people/resets/store.ts listPeople: not executed by tests

-- server/src/features/people/sign-in/attempts-store.ts countAttempt: not executed by tests

-- server/src/features/people/sign-in/attempts-store.ts deleteAttempts: not executed by tests

-- server/src/features/people/sign-in/attempts-store.ts deleteOldAttempts
delete from sign_in_attempts where last_at < $1;

-- server/src/features/people/sign-in/attempts-store.ts findBlockEnd: not executed by tests

-- server/src/features/people/sign-in/attempts-store.ts uncountAttempt: not executed by tests

-- server/src/features/people/store.ts findPerson: not executed by tests

-- server/src/features/people/store.ts findPersonByEmail: not executed by tests

-- server/src/features/people/store.ts listIdentities: not executed by tests

-- server/src/features/people/store.ts listWorkspacesOf: not executed by tests

-- server/src/features/people/store.ts readCredentials: not executed by tests

-- server/src/features/people/store.ts updateDisplayName: not executed by tests
