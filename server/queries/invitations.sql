-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/invitations/store.ts endInvitation
update invitations set outcome = $1, ended_at = $2 where workspace_id = $3 and id = $4;

-- server/src/features/invitations/store.ts findInvitation
select invitation.id, invitation.person_id, person.email, invitation.role,
  invitation.invited_by_email, invitation.created_at, invitation.expires_at, invitation.sent_at
from invitations as invitation
inner join people as person on person.id = invitation.person_id
where invitation.workspace_id = $1 and invitation.outcome is null and invitation.id = $2;

-- server/src/features/invitations/store.ts insertInvitation
insert into invitations (
  workspace_id, id, person_id, role, invited_by_email, created_at, expires_at
)
values ($1, $2, $3, $4, $5, $6, $7);

-- server/src/features/invitations/store.ts listInvitations
select invitation.id, invitation.person_id, person.email, invitation.role,
  invitation.invited_by_email, invitation.created_at, invitation.expires_at, invitation.sent_at
from invitations as invitation
inner join people as person on person.id = invitation.person_id
where invitation.workspace_id = $1 and invitation.outcome is null
order by invitation.created_at desc, invitation.id;

-- server/src/features/invitations/store.ts lockInvitation
select invitation.id, invitation.person_id, person.email, invitation.role,
  invitation.invited_by_email, invitation.created_at, invitation.expires_at, invitation.sent_at
from invitations as invitation
inner join people as person on person.id = invitation.person_id
where invitation.workspace_id = $1 and invitation.outcome is null and invitation.id = $2
for update of invitation;

-- server/src/features/invitations/store.ts lockInvitationOfPerson
select invitation.id, invitation.person_id, person.email, invitation.role,
  invitation.invited_by_email, invitation.created_at, invitation.expires_at, invitation.sent_at
from invitations as invitation
inner join people as person on person.id = invitation.person_id
where invitation.workspace_id = $1 and invitation.outcome is null and invitation.person_id = $2
for update of invitation;

-- server/src/features/invitations/store.ts lockInvitationsAround
select invitation.id, invitation.person_id, person.email, invitation.role,
  invitation.invited_by_email, invitation.created_at, invitation.expires_at, invitation.sent_at,
  maker.id as maker_id
from invitations as invitation
inner join people as person on person.id = invitation.person_id
left join people as maker on maker.email = invitation.invited_by_email
where invitation.workspace_id = $1 and invitation.outcome is null
  and (maker.id = $2 or invitation.person_id = $3)
order by invitation.id
for update of invitation;

-- server/src/features/invitations/store.ts updateInvitation
update invitations set sent_at = $1 where workspace_id = $2 and id = $3;

-- server/src/features/invitations/store.ts updateInvitation
update invitations set expires_at = $1, invited_by_email = $2 where workspace_id = $3 and id = $4;
