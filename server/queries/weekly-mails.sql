-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/weekly-mails/store.ts claimMail
update weekly_mails as mail
set claimed_until = $1, attempts = mail.attempts + 1
from people as person, workspaces as workspace
where mail.workspace_id = $2 and mail.person_id = $3 and mail.due_at = $4
  and (mail.claimed_until is null or mail.claimed_until <= $5) and person.id = mail.person_id
  and workspace.id = mail.workspace_id
returning mail.workspace_id, mail.person_id, mail.due_at, mail.attempts, person.email,
  workspace.name as workspace_name, mail.day, mail.at, mail.time_zone;

-- server/src/features/weekly-mails/store.ts deleteWeekly
delete from weekly_mails where workspace_id = $1 and person_id = $2;

-- server/src/features/weekly-mails/store.ts findWeekly
select day, at, time_zone from weekly_mails where workspace_id = $1 and person_id = $2 for update;

-- server/src/features/weekly-mails/store.ts listDecisionsOfWeek
select vulnerability_id as cve_id, case when type = 'Assessment' then assessment
  else type end as decision, created_by_email as by,
  count(distinct firmware_version_id)::int as firmware_version_count, count(*) over ()::int as total
from finding_timeline
where workspace_id = $1 and created_at >= $2 and created_at < $3
  and source in ('User', 'ApiKey', 'Vex')
group by vulnerability_id, case when type = 'Assessment' then assessment else type end,
  created_by_email
order by max(created_at) desc, vulnerability_id desc
limit $4;

-- server/src/features/weekly-mails/store.ts listDueMails
select workspace_id, person_id, due_at
from weekly_mails
where due_at <= $1 and (claimed_until is null or claimed_until <= $2)
order by due_at, workspace_id, person_id
limit $3;

-- server/src/features/weekly-mails/store.ts listMyWorkspaces
select member.workspace_id, workspace.name as workspace_name, case
  when mail.day is not null then json_build_object(
    'day', mail.day, 'at', mail.at, 'timeZone', mail.time_zone
  ) end as weekly,
  not exists (
    select
    from muted_proposal_mails as muted
    where muted.workspace_id = member.workspace_id and muted.person_id = member.subject_id
  ) as proposal_mails, mail.due_at as next_at, mail.sent_at as last_sent_at,
  mail.answer as last_answer
from members as member
join workspaces as workspace on workspace.id = member.workspace_id
left join weekly_mails as mail on mail.workspace_id = member.workspace_id
  and mail.person_id = member.subject_id
where member.subject_id = $1
order by workspace.name, workspace.id;

-- server/src/features/weekly-mails/store.ts lockMembership
select subject_id from members where workspace_id = $1 and subject_id = $2 for share;

-- server/src/features/weekly-mails/store.ts recordDelay
update weekly_mails
set claimed_until = $1, answer = $2
where workspace_id = $3 and person_id = $4 and due_at = $5;

-- server/src/features/weekly-mails/store.ts recordEnd
update weekly_mails
set due_at = case when due_at = $1 then $2 else due_at end, claimed_until = null, attempts = 0,
  answer = $3, sent_at = coalesce($4::timestamptz, sent_at)
where workspace_id = $5 and person_id = $6;

-- server/src/features/weekly-mails/store.ts updateProposalMails
delete from muted_proposal_mails where workspace_id = $1 and person_id = $2;

-- server/src/features/weekly-mails/store.ts updateProposalMails
insert into muted_proposal_mails (workspace_id, person_id) values ($1, $2) on conflict do nothing;

-- server/src/features/weekly-mails/store.ts writeWeekly
insert into weekly_mails (workspace_id, person_id, day, at, time_zone, due_at)
values ($1, $2, $3, $4, $5, $6)
on conflict (workspace_id, person_id)
do update
set day = $7, at = $8, time_zone = $9, due_at = $10;
