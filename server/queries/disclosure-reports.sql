-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/disclosure-reports/mails-store.ts listWaitingWorkspaces
select told.workspace_id
from (
  select workspace_id, max(received_at) as at
  from disclosure_reports
  group by workspace_id
  union all select workspace_id, max(recorded_at) as at
  from disclosure_report_events
  where kind = 'Addition'
  group by workspace_id
) as told
left join disclosure_report_mails as mail on mail.workspace_id = told.workspace_id
where told.at > coalesce(mail.told_until, '-infinity')
  and (mail.sent_at is null or mail.sent_at <= $1)
group by told.workspace_id
order by min(told.at), told.workspace_id;

-- server/src/features/disclosure-reports/mails-store.ts takeTurn
insert into disclosure_report_mails as mail (workspace_id, told_until, sent_at)
select $1::uuid, newest.at, $2::timestamptz
from (
  select greatest(
    (select max(received_at) from disclosure_reports where workspace_id = $3),
      (
        select max(recorded_at)
        from disclosure_report_events
        where workspace_id = $4 and kind = 'Addition'
      )
  ) as at
) as newest
where newest.at is not null
on conflict (workspace_id)
do update
set told_until = excluded.told_until, sent_at = excluded.sent_at
where mail.sent_at <= $5 and excluded.told_until > mail.told_until
returning true;

-- server/src/features/disclosure-reports/policy-store.ts findPolicy
select workspace.name as workspace_name, coalesce(held.is_public, $1) as is_public, held.policy,
  coalesce(held.shows_product_lines, $2) as shows_product_lines,
  coalesce(held.answer_days, $3::int) as answer_days,
  coalesce(held.assessment_days, $4::int) as assessment_days,
  coalesce(held.disclosure_days, $5::int) as disclosure_days,
  coalesce(held.most_per_day, $6::int) as most_per_day, held.updated_at
from workspaces as workspace
left join disclosure_policies as held on held.workspace_id = workspace.id
where workspace.id = $7;

-- server/src/features/disclosure-reports/policy-store.ts lockPolicy
select pg_advisory_xact_lock(hashtextextended('disclosure-policy:' || $1, 0));

-- server/src/features/disclosure-reports/policy-store.ts writePolicy
insert into disclosure_policies (
  workspace_id, is_public, policy, shows_product_lines, answer_days, assessment_days,
    disclosure_days, most_per_day, updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (workspace_id)
do update
set is_public = $10, policy = $11, shows_product_lines = $12, answer_days = $13,
  assessment_days = $14, disclosure_days = $15, most_per_day = $16, updated_at = $17;

-- server/src/features/disclosure-reports/store.ts countReports
select count(*)::int as all, count(*) filter (where received_at > $1)::int as recent
from disclosure_reports
where workspace_id = $2;

-- server/src/features/disclosure-reports/store.ts eraseContact
update disclosure_reports
set contact = null
where workspace_id = $1 and id = $2 and contact is not null
returning id;

-- server/src/features/disclosure-reports/store.ts findReportOfToken
select id, product_line_id, product_line_name, title, text, contact, credit, received_at
from disclosure_reports
where workspace_id = $1 and token_hash = $2;

-- server/src/features/disclosure-reports/store.ts insertEvent
insert into disclosure_report_events (
  workspace_id, id, report_id, kind, recorded_at, by_type, by_id, by_email, text, instant, detail
)
select $1::uuid, $2::uuid, $3::uuid, $4::text,
  greatest($5::timestamptz, max(known.recorded_at) + interval '1 millisecond'), $6::text, $7::text,
  $8::text, $9::text, $10::timestamptz, $11::jsonb
from disclosure_report_events as known
where known.workspace_id = $12 and known.report_id = $13;

-- server/src/features/disclosure-reports/store.ts insertReport
insert into disclosure_reports (
  workspace_id, id, token_hash, product_line_id, product_line_name, title, text, contact, credit,
    received_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- server/src/features/disclosure-reports/store.ts listEvents
select report_id, id, kind, recorded_at, by_type, by_email, instant, detail, text as text
from disclosure_report_events
where workspace_id = $1 and report_id = any($2::uuid[])
order by recorded_at, id;

-- server/src/features/disclosure-reports/store.ts listEvents
select report_id, id, kind, recorded_at, by_type, by_email, instant, detail, case
  when kind = 'Credit' then text end as text
from disclosure_report_events
where workspace_id = $1 and report_id = any($2::uuid[])
order by recorded_at, id;

-- server/src/features/disclosure-reports/store.ts listReports
select id, product_line_id, product_line_name, title, '' as text, contact, credit, received_at
from disclosure_reports
where workspace_id = $1 and true
order by received_at desc, id desc
limit $2;

-- server/src/features/disclosure-reports/store.ts listReports
select id, product_line_id, product_line_name, title, text as text, contact, credit, received_at
from disclosure_reports
where workspace_id = $1 and id = $2
order by received_at desc, id desc
limit $3;

-- server/src/features/disclosure-reports/store.ts lockIntake
select pg_advisory_xact_lock(hashtextextended('disclosure-reports:' || $1, 0));

-- server/src/features/disclosure-reports/store.ts lockReport
select id from disclosure_reports where workspace_id = $1 and id = $2 for update;
