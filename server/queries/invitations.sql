-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/invitations/store.ts endInvitation: not executed by tests

-- server/src/features/invitations/store.ts findInvitation: not executed by tests

-- server/src/features/invitations/store.ts insertInvitation: not executed by tests

-- server/src/features/invitations/store.ts listInvitations: not executed by tests

-- server/src/features/invitations/store.ts lockInvitation: not executed by tests

-- server/src/features/invitations/store.ts lockInvitationOf: not executed by tests

-- server/src/features/invitations/store.ts updateInvitation: not executed by tests
