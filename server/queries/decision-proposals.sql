-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/decision-proposals/mails-store.ts listMuted
select person_id from muted_proposal_mails where workspace_id = $1;

-- server/src/features/decision-proposals/mails-store.ts listWaitingWorkspaces
select proposal.workspace_id
from decision_proposals as proposal
left join proposal_mails as mail on mail.workspace_id = proposal.workspace_id
where proposal.state = 'Open' and proposal.proposed_at > coalesce(mail.told_until, '-infinity')
  and (mail.sent_at is null or mail.sent_at <= $1)
group by proposal.workspace_id
having max(proposal.proposed_at) <= $2 or min(proposal.proposed_at) <= $3
order by min(proposal.proposed_at), proposal.workspace_id;

-- server/src/features/decision-proposals/mails-store.ts takeTurn
insert into proposal_mails as mail (workspace_id, told_until, sent_at)
select $1, max(proposal.proposed_at), $2::timestamptz
from decision_proposals as proposal
where proposal.workspace_id = $3 and proposal.state = 'Open'
having count(*) > 0
on conflict (workspace_id)
do update
set told_until = excluded.told_until, sent_at = excluded.sent_at
where mail.sent_at <= $4 and excluded.told_until > mail.told_until
returning true;

-- server/src/features/decision-proposals/store.ts countOpenProposals
select count(*)::int as open from decision_proposals where workspace_id = $1 and state = $2;

-- server/src/features/decision-proposals/store.ts endProposal
update decision_proposals
set state = $1, refusal = $2, decided_by_email = $3, decided_at = $4
where workspace_id = $5 and id = $6;

-- server/src/features/decision-proposals/store.ts endProposal
update decision_proposals
set state = $1, refusal = $2, decided_by_email = $3, decided_at = $4, decision_batch_id = $5
where workspace_id = $6 and id = $7;

-- server/src/features/decision-proposals/store.ts endProposal
update decision_proposals
set state = $1, refusal = $2, decided_by_email = $3, decision_batch_id = $4, decided_at = $5
where workspace_id = $6 and id = $7;

-- server/src/features/decision-proposals/store.ts findProposal
select firmware.name as firmware_name, version.name as firmware_version_name, proposal.id,
  proposal.firmware_version_id, proposal.package_id, proposal.vulnerability_id,
  proposal.component_name, proposal.component_version, proposal.assessment as assessment,
  proposal.justification, proposal.detail, proposal.response, proposal.reason,
  proposal.evidence as evidence, proposal.proposed_by_type, proposal.proposed_by_id,
  proposal.proposed_by_email,
  (
    select key.name
    from api_keys as key
    where key.workspace_id = $1 and key.id::text = proposal.proposed_by_id
  ) as proposed_by_key, proposal.state as state, proposal.proposed_at, proposal.decided_by_email,
  proposal.decided_at, proposal.refusal
from decision_proposals as proposal
inner join firmware_versions as version on version.workspace_id = proposal.workspace_id
  and version.id = proposal.firmware_version_id
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where proposal.workspace_id = $2 and proposal.id = $3;

-- server/src/features/decision-proposals/store.ts insertProposal
update decision_proposals
set state = 'Replaced', decided_at = $1
where workspace_id = $2 and state = 'Open' and firmware_version_id = $3 and package_id = $4
  and vulnerability_id = $5 and proposed_by_type = $6 and proposed_by_id is not distinct from $7;

-- server/src/features/decision-proposals/store.ts insertProposal
insert into decision_proposals (
  firmware_version_id, package_id, vulnerability_id, workspace_id, id, assessment, justification,
    detail, response, reason, evidence, component_name, component_version, proposed_by_type,
    proposed_by_id, proposed_by_email, proposed_at, state
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18);

-- server/src/features/decision-proposals/store.ts listAuthors
select distinct on (author.id) author.id, coalesce(key.name, author.email, 'Somebody') as name
from (
  select proposed_by_id as id, max(proposed_by_email) as email
  from decision_proposals
  where workspace_id = $1 and proposed_by_id is not null
  group by proposed_by_id
) as author
left join api_keys as key on key.workspace_id = $2 and key.id::text = author.id
order by author.id
limit $3;

-- server/src/features/decision-proposals/store.ts listProposals: the shortest and the longest of many variants
--   902462cc 95c7e5af 9e7da432 b19e4209 dec5d2a9
select firmware.name as firmware_name, version.name as firmware_version_name, proposal.id,
  proposal.firmware_version_id, proposal.package_id, proposal.vulnerability_id,
  proposal.component_name, proposal.component_version, proposal.assessment as assessment,
  proposal.justification, proposal.detail, proposal.response, proposal.reason,
  proposal.evidence as evidence, proposal.proposed_by_type, proposal.proposed_by_id,
  proposal.proposed_by_email,
  (
    select key.name
    from api_keys as key
    where key.workspace_id = $1 and key.id::text = proposal.proposed_by_id
  ) as proposed_by_key, proposal.state as state, proposal.proposed_at, proposal.decided_by_email,
  proposal.decided_at, proposal.refusal
from decision_proposals as proposal
inner join firmware_versions as version on version.workspace_id = proposal.workspace_id
  and version.id = proposal.firmware_version_id
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where proposal.workspace_id = $2 and proposal.state = $3
order by proposal.proposed_at desc, proposal.id desc
limit $4;

select firmware.name as firmware_name, version.name as firmware_version_name, proposal.id,
  proposal.firmware_version_id, proposal.package_id, proposal.vulnerability_id,
  proposal.component_name, proposal.component_version, proposal.assessment as assessment,
  proposal.justification, proposal.detail, proposal.response, proposal.reason,
  proposal.evidence as evidence, proposal.proposed_by_type, proposal.proposed_by_id,
  proposal.proposed_by_email,
  (
    select key.name
    from api_keys as key
    where key.workspace_id = $1 and key.id::text = proposal.proposed_by_id
  ) as proposed_by_key, proposal.state as state, proposal.proposed_at, proposal.decided_by_email,
  proposal.decided_at, proposal.refusal
from decision_proposals as proposal
inner join firmware_versions as version on version.workspace_id = proposal.workspace_id
  and version.id = proposal.firmware_version_id
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where proposal.workspace_id = $2 and proposal.state = $3
  and (proposal.firmware_version_id, proposal.package_id, proposal.vulnerability_id) = ($4, $5, $6)
order by proposal.proposed_at desc, proposal.id desc
limit $7;

-- server/src/features/decision-proposals/store.ts listUndone
select firmware.name as firmware_name, version.name as firmware_version_name, proposal.id,
  proposal.firmware_version_id, proposal.package_id, proposal.vulnerability_id,
  proposal.component_name, proposal.component_version, proposal.assessment as assessment,
  proposal.justification, proposal.detail, proposal.response, proposal.reason,
  proposal.evidence as evidence, proposal.proposed_by_type, proposal.proposed_by_id,
  proposal.proposed_by_email,
  (
    select key.name
    from api_keys as key
    where key.workspace_id = $1 and key.id::text = proposal.proposed_by_id
  ) as proposed_by_key, proposal.state as state, proposal.proposed_at, proposal.decided_by_email,
  proposal.decided_at, proposal.refusal,
  exists (
    select
    from decision_proposals as later
    where later.workspace_id = $2 and later.state = 'Open'
      and later.firmware_version_id = proposal.firmware_version_id
      and later.package_id = proposal.package_id
      and later.vulnerability_id = proposal.vulnerability_id
      and later.proposed_by_type = proposal.proposed_by_type
      and later.proposed_by_id is not distinct from proposal.proposed_by_id
  ) as is_replaced
from decision_proposals as proposal
inner join firmware_versions as version on version.workspace_id = proposal.workspace_id
  and version.id = proposal.firmware_version_id
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where proposal.workspace_id = $3 and proposal.decision_batch_id = $4 and proposal.state in ($5)
order by proposal.id;

-- server/src/features/decision-proposals/store.ts lockOpenProposal
select id from decision_proposals where workspace_id = $1 and id = $2 and state = $3 for update;

-- server/src/features/decision-proposals/store.ts lockProposals
select id
from decision_proposals
where workspace_id = $1 and id = any($2::uuid[]) and state = $3
order by id
for update;

-- server/src/features/decision-proposals/store.ts lockProposals
select firmware.name as firmware_name, version.name as firmware_version_name, proposal.id,
  proposal.firmware_version_id, proposal.package_id, proposal.vulnerability_id,
  proposal.component_name, proposal.component_version, proposal.assessment as assessment,
  proposal.justification, proposal.detail, proposal.response, proposal.reason,
  proposal.evidence as evidence, proposal.proposed_by_type, proposal.proposed_by_id,
  proposal.proposed_by_email,
  (
    select key.name
    from api_keys as key
    where key.workspace_id = $1 and key.id::text = proposal.proposed_by_id
  ) as proposed_by_key, proposal.state as state, proposal.proposed_at, proposal.decided_by_email,
  proposal.decided_at, proposal.refusal
from decision_proposals as proposal
inner join firmware_versions as version on version.workspace_id = proposal.workspace_id
  and version.id = proposal.firmware_version_id
inner join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where proposal.workspace_id = $2 and proposal.id in ($3)
order by proposal.id;
