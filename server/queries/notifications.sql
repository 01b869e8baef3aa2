-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/notifications/outbox-store.ts claim
update notifications
set claimed_until = $1, message_id = $2, attempts = attempts + 1
where workspace_id = $3 and id = any($4::uuid[]);

-- server/src/features/notifications/outbox-store.ts deleteOldAttempts
delete from delivery_attempts as one using (
  select old.id
  from delivery_attempts as old
  where old.workspace_id = $1 and old.began_at < $2
    and not exists (
      select
      from notifications as kept
      where kept.workspace_id = $3 and kept.id = any(old.notification_ids)
    )
  limit $4
) as gone
where one.workspace_id = $5 and one.id = gone.id;

-- server/src/features/notifications/outbox-store.ts deleteOldNotifications
delete from notifications as one using (
  select id
  from notifications
  where workspace_id = $1 and created_at < $2 and finished_at < $3 and state <> $4
  limit $5
) as gone
where one.workspace_id = $6 and one.id = gone.id;

-- server/src/features/notifications/outbox-store.ts failOverdue: not executed by tests

-- server/src/features/notifications/outbox-store.ts insertAttempt
insert into delivery_attempts (
  workspace_id, address, webhook_id, id, message_id, attempt, began_at, ended_at, outcome, answer,
    notification_count, notification_ids
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::uuid[])
on conflict (workspace_id, id)
do nothing;

-- server/src/features/notifications/outbox-store.ts listClaimed
select id, kind, incident_id, target_id, notice, message_id, attempts - 1 as attempts, give_up_at
from notifications
where workspace_id = $1 and state = 'Pending' and address = $2 and claimed_until = $3
order by created_at, id;

-- server/src/features/notifications/outbox-store.ts listClaimed
select id, kind, incident_id, target_id, notice, message_id, attempts - 1 as attempts, give_up_at
from notifications
where workspace_id = $1 and state = 'Pending' and webhook_id = $2 and claimed_until = $3
order by created_at, id;

-- server/src/features/notifications/outbox-store.ts listDueRecipients
select workspace_id, address, webhook_id
from (
  select workspace_id, address, webhook_id, min(due_at) as due_at,
    row_number() over (partition by workspace_id order by min(due_at)) as place
  from notifications
  where state = 'Pending' and due_at <= $1 and address is not null
  group by workspace_id, address, webhook_id
  having bool_or(claimed_until > $2) is not true
) as waiting
order by place, due_at
limit $3;

-- server/src/features/notifications/outbox-store.ts listDueRecipients
select workspace_id, address, webhook_id
from (
  select workspace_id, address, webhook_id, min(due_at) as due_at,
    row_number() over (partition by workspace_id order by min(due_at)) as place
  from notifications
  where state = 'Pending' and due_at <= $1 and webhook_id is not null
  group by workspace_id, address, webhook_id
  having bool_or(claimed_until > $2) is not true
) as waiting
order by place, due_at
limit $3;

-- server/src/features/notifications/outbox-store.ts lockNextMessage
with first as materialized (
  select id, kind, message_id
  from notifications
  where workspace_id = $1 and state = 'Pending' and address = $2 and due_at <= $3
    and not exists (
      select
      from notifications
      where workspace_id = $4 and state = 'Pending' and address = $5 and claimed_until > $6
    )
  order by created_at, id
  limit 1
),
  together as (
    select id, kind, incident_id, target_id, notice, message_id, attempts, give_up_at, created_at
    from notifications
    where workspace_id = $7 and state = 'Pending' and address = $8
      and (
        id = (select id from first) or address is not null and kind = 'Incident'
          and (due_at <= $9 or attempts > 0)
          and exists (
            select
            from first
            where first.kind = 'Incident'
              and first.message_id is not distinct from notifications.message_id
          )
      )
    order by due_at <= $10 desc, created_at, id
    limit $11
    for update
  )
select id, kind, incident_id, target_id, notice, message_id, attempts, give_up_at
from together
order by created_at, id;

-- server/src/features/notifications/outbox-store.ts lockNextMessage
with first as materialized (
  select id, kind, message_id
  from notifications
  where workspace_id = $1 and state = 'Pending' and webhook_id = $2 and due_at <= $3
    and not exists (
      select
      from notifications
      where workspace_id = $4 and state = 'Pending' and webhook_id = $5 and claimed_until > $6
    )
  order by created_at, id
  limit 1
),
  together as (
    select id, kind, incident_id, target_id, notice, message_id, attempts, give_up_at, created_at
    from notifications
    where workspace_id = $7 and state = 'Pending' and webhook_id = $8
      and (
        id = (select id from first) or address is not null and kind = 'Incident'
          and (due_at <= $9 or attempts > 0)
          and exists (
            select
            from first
            where first.kind = 'Incident'
              and first.message_id is not distinct from notifications.message_id
          )
      )
    order by due_at <= $10 desc, created_at, id
    limit $11
    for update
  )
select id, kind, incident_id, target_id, notice, message_id, attempts, give_up_at
from together
order by created_at, id;

-- server/src/features/notifications/outbox-store.ts putOffDue
update notifications
set due_at = $1, answer = $2
where workspace_id = $3
  and id in (
    select id
    from notifications
    where workspace_id = $4 and state = $5 and address is not null and due_at <= $6
      and (claimed_until is null or claimed_until <= $7)
    for update skip locked
  );

-- server/src/features/notifications/outbox-store.ts putOffDue
update notifications
set due_at = $1, answer = $2
where workspace_id = $3
  and id in (
    select id
    from notifications
    where workspace_id = $4 and state = $5 and address is not null and address = $6 and due_at <= $7
      and (claimed_until is null or claimed_until <= $8)
    for update skip locked
  );

-- server/src/features/notifications/outbox-store.ts readNotificationHealth
select (count(*) filter (where state = 'Pending'))::int as pending,
  greatest(
    0,
      coalesce(
        extract(epoch from $1::timestamptz - min(give_up_at) filter (where state = 'Pending')) + $2::float8,
          0
      )
  )::float8 as oldest_pending_seconds,
  (count(*) filter (where state = 'Failed'))::int as failed_last_day
from notifications
where state = 'Pending' or state = 'Failed' and finished_at >= $3;

-- server/src/features/notifications/outbox-store.ts recordMissingServer
update notifications
set answer = coalesce(answer, $1), state = case when give_up_at <= $2 then 'Failed' else state end,
  finished_at = case when give_up_at <= $3 then $4::timestamptz end
where workspace_id = $5 and state = 'Pending' and address is not null and due_at <= $6
  and (answer is null or give_up_at <= $7) and (claimed_until is null or claimed_until <= $8);

-- server/src/features/notifications/outbox-store.ts recordResult
update notifications
set state = $1, answer = $2, claimed_until = $3, finished_at = $4
where workspace_id = $5 and id = any($6::uuid[]) and state = $7;

-- server/src/features/notifications/outbox-store.ts recordResult
update notifications
set state = $1, answer = $2, claimed_until = $3, finished_at = $4, due_at = $5
where workspace_id = $6 and id = any($7::uuid[]) and state = $8;

-- server/src/features/notifications/outbox-store.ts recordResult
update notifications
set state = $1, answer = $2, claimed_until = $3, finished_at = $4, due_at = $5, message_id = $6
where workspace_id = $7 and id = any($8::uuid[]) and state = $9;

-- server/src/features/notifications/outbox-store.ts tryLockRecipient
select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as is_locked;

-- server/src/features/notifications/outbox-store.ts workspacesWith
select distinct workspace_id
from notifications
where state = 'Pending' and attempts > 0 and due_at <= $1 and give_up_at <= $2;

-- server/src/features/notifications/outbox-store.ts workspacesWith
select distinct workspace_id
from notifications
where state = 'Pending' and address is not null and due_at <= $1
  and (answer is null or give_up_at <= $2);

-- server/src/features/notifications/store.ts findWebhookNotice
select one.webhook_id, webhook.url, webhook.format as format, one.notice as notice
from notifications as one
left join webhooks as webhook on webhook.workspace_id = $1 and webhook.id = one.webhook_id
where one.workspace_id = $2 and one.id = $3;

-- server/src/features/notifications/store.ts getNotification
select one.id, one.kind, one.incident_id, one.address, one.target_id, one.webhook_id,
  one.notice ->> 'event' as event, one.notice ->> 'title' as title,
  coalesce(target.name, webhook.name) as recipient_name, one.state, one.created_at, one.due_at,
  one.finished_at, one.attempts, one.answer, one.message_id
from notifications as one
left join notification_targets as target on target.workspace_id = $1 and target.id = one.target_id
left join webhooks as webhook on webhook.workspace_id = $2 and webhook.id = one.webhook_id
where one.workspace_id = $3 and one.id = $4;

-- server/src/features/notifications/store.ts hasNotification
select id from notifications where workspace_id = $1 and id = $2;

-- server/src/features/notifications/store.ts insertNotifications
insert into notifications (
  workspace_id, id, kind, event_key, incident_id, address, webhook_id, target_id, notice, state,
    created_at, due_at, give_up_at
)
select $1, row.id, event.kind, event.event_key, event.incident_id, row.address, row.webhook_id,
  row.target_id, event.notice::jsonb, 'Pending', $2, row.due_at, row.give_up_at
from unnest(
  $3::uuid[], $4::int[], $5::text[], $6::uuid[], $7::uuid[], $8::timestamptz[], $9::timestamptz[]
) as row (id, event, address, webhook_id, target_id, due_at, give_up_at)
join unnest($10::text[], $11::text[], $12::uuid[], $13::text[]) with ordinality as event (
  kind, event_key, incident_id, notice, number
) on event.number = row.event
order by row.address, row.webhook_id, event.event_key
on conflict
do nothing;

-- server/src/features/notifications/store.ts listAttempts
select id, message_id, attempt, notification_count, began_at, ended_at, outcome, answer
from delivery_attempts
where workspace_id = $1 and notification_ids @> array[$2::uuid]
order by began_at, id
limit $3;

-- server/src/features/notifications/store.ts listDeliverableAddresses
select target.id as target_id, held.address, target.quiet_hours as quiet_hours,
  target.digest as digest
from notification_targets as target
inner join notification_target_addresses as held on held.workspace_id = $1
  and held.target_id = target.id
inner join notification_addresses as reader on reader.workspace_id = $2
  and reader.address = held.address
where target.workspace_id = $3 and target.id = any($4::uuid[]) and target.state = $5
  and reader.confirmed_at is not null and reader.unsubscribed_at is null and reader.dead_at is null
order by target.id, held."position";

-- server/src/features/notifications/store.ts listEnabledWebhooks
select id from webhooks where workspace_id = $1 and id = any($2::uuid[]) and state = $3 order by id;

-- server/src/features/notifications/store.ts listNotifications: the shortest and the longest of many variants
--   08bd7a74 2a6a347a 4e7407b2 6e078d94 70112ec7 f5519431 f7f203ed fc69661a
select one.id, one.kind, one.incident_id, one.address, one.target_id, one.webhook_id,
  one.notice ->> 'event' as event, one.notice ->> 'title' as title,
  coalesce(target.name, webhook.name) as recipient_name, one.state, one.created_at, one.due_at,
  one.finished_at, one.attempts, one.answer, one.message_id
from notifications as one
left join notification_targets as target on target.workspace_id = $1 and target.id = one.target_id
left join webhooks as webhook on webhook.workspace_id = $2 and webhook.id = one.webhook_id
where one.workspace_id = $3
order by one.created_at desc, one.id desc
limit $4;

select one.id, one.kind, one.incident_id, one.address, one.target_id, one.webhook_id,
  one.notice ->> 'event' as event, one.notice ->> 'title' as title,
  coalesce(target.name, webhook.name) as recipient_name, one.state, one.created_at, one.due_at,
  one.finished_at, one.attempts, one.answer, one.message_id
from notifications as one
left join notification_targets as target on target.workspace_id = $1 and target.id = one.target_id
left join webhooks as webhook on webhook.workspace_id = $2 and webhook.id = one.webhook_id
where one.workspace_id = $3 and one.state = any($4::text[]) and one.state <> 'Delivered'
order by one.created_at desc, one.id desc
limit $5;

-- server/src/features/notifications/store.ts lockNotification
select id, kind, state, attempts, webhook_id, claimed_until
from notifications
where workspace_id = $1 and id = $2
for update;

-- server/src/features/notifications/store.ts makeDueAgain
update notifications
set state = $1, due_at = $2, give_up_at = $3, finished_at = $4, claimed_until = $5, message_id = $6
where workspace_id = $7 and id = $8;
