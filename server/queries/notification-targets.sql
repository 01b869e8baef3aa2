-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/notification-targets/addresses/store.ts addAddresses
insert into notification_addresses (workspace_id, address, created_at)
select $1, address, $2
from unnest($3::text[]) as address
order by address
on conflict (workspace_id, address)
do nothing;

-- server/src/features/notification-targets/addresses/store.ts confirmAddress
update notification_addresses
set confirmed_at = $1, unsubscribed_at = $2, dead_at = $3, asked_count = $4
where workspace_id = $5 and address = $6;

-- server/src/features/notification-targets/addresses/store.ts findRecipientAddress
select known.confirmed_at, known.unsubscribed_at, known.dead_at, held.*
from notification_addresses as known
cross join lateral (
  select count(*) > 0 as has_target,
    count(*) filter (where target.state = 'Enabled') > 0 as has_enabled_target
  from notification_target_addresses as one
  join notification_targets as target on target.workspace_id = one.workspace_id
    and target.id = one.target_id
  where one.workspace_id = $1 and one.address = known.address
) as held
where known.workspace_id = $2 and known.address = $3;

-- server/src/features/notification-targets/addresses/store.ts listHeldAddresses
select address, confirmed_at, unsubscribed_at, dead_at, asked_at, asked_count, last_answer,
  last_answer_at, last_delivered_at
from notification_addresses as known
where known.workspace_id = $1 and known.address = any($2)
  and exists (
    select
    from notification_target_addresses as held
    where held.workspace_id = $3 and held.address = known.address
  );

-- server/src/features/notification-targets/addresses/store.ts lockTargets
select pg_advisory_xact_lock(hashtext('notification-targets'), hashtext($1));

-- server/src/features/notification-targets/addresses/store.ts recordAsked
update notification_addresses
set asked_at = $1, asked_count = asked_count + 1
where workspace_id = $2 and address = any($3);

-- server/src/features/notification-targets/addresses/store.ts recordMailAnswer
update notification_addresses
set last_answer = $1, last_answer_at = $2
where workspace_id = $3 and address = $4;

-- server/src/features/notification-targets/addresses/store.ts recordMailAnswer
update notification_addresses
set last_answer = $1, last_answer_at = $2, dead_at = coalesce(dead_at, $3)
where workspace_id = $4 and address = $5;

-- server/src/features/notification-targets/addresses/store.ts recordMailAnswer
update notification_addresses
set last_answer = $1, last_answer_at = $2, last_delivered_at = $3, dead_at = $4
where workspace_id = $5 and address = $6;

-- server/src/features/notification-targets/addresses/store.ts releaseAddresses
update notification_addresses as known
set confirmed_at = $1, dead_at = $2
where known.workspace_id = $3 and known.confirmed_at is not null
  and not exists (
    select
    from notification_target_addresses as held
    where held.workspace_id = $4 and held.address = known.address
  );

-- server/src/features/notification-targets/addresses/store.ts releaseAddresses
delete from notification_addresses as known
where known.workspace_id = $1
  and not exists (
    select
    from notification_target_addresses as held
    where held.workspace_id = $2 and held.address = known.address
  ) and coalesce(greatest(known.asked_at, known.unsubscribed_at) < $3, true);

-- server/src/features/notification-targets/addresses/store.ts unsubscribeAddress
update notification_addresses
set unsubscribed_at = $1, confirmed_at = $2
where workspace_id = $3 and address = $4;

-- server/src/features/notification-targets/store.ts countTargets
select count(*)::int as count from notification_targets where workspace_id = $1;

-- server/src/features/notification-targets/store.ts deleteTarget
delete from notification_targets where workspace_id = $1 and id = $2;

-- server/src/features/notification-targets/store.ts findTarget
select target.id, target.name, target.type, target.state, target.quiet_hours as quiet_hours,
  target.digest as digest, target.created_at, target.updated_at,
  (
    select count(distinct rule.rule_id)::int
    from alert_rule_targets as rule
    where rule.workspace_id = $1 and rule.notification_target_id = target.id
  ) as alert_rule_count
from notification_targets as target
where target.workspace_id = $2 and target.id = $3;

-- server/src/features/notification-targets/store.ts findTargetName
select name from notification_targets where workspace_id = $1 and id = $2;

-- server/src/features/notification-targets/store.ts insertTarget
insert into notification_targets (
  workspace_id, id, name, type, state, quiet_hours, digest, created_at, updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- server/src/features/notification-targets/store.ts listTargetAddresses
select held.target_id, held.email_address, held.address, known.confirmed_at, known.unsubscribed_at,
  known.dead_at, known.last_delivered_at, known.last_answer, known.last_answer_at
from notification_target_addresses as held
inner join notification_addresses as known on known.workspace_id = held.workspace_id
  and known.address = held.address
where held.workspace_id = $1
order by held.target_id, held."position";

-- server/src/features/notification-targets/store.ts listTargetAddresses
select held.target_id, held.email_address, held.address, known.confirmed_at, known.unsubscribed_at,
  known.dead_at, known.last_delivered_at, known.last_answer, known.last_answer_at
from notification_target_addresses as held
inner join notification_addresses as known on known.workspace_id = held.workspace_id
  and known.address = held.address
where held.workspace_id = $1 and held.target_id = $2
order by held.target_id, held."position";

-- server/src/features/notification-targets/store.ts listTargets
select target.id, target.name, target.type, target.state, target.quiet_hours as quiet_hours,
  target.digest as digest, target.created_at, target.updated_at,
  (
    select count(distinct rule.rule_id)::int
    from alert_rule_targets as rule
    where rule.workspace_id = $1 and rule.notification_target_id = target.id
  ) as alert_rule_count
from notification_targets as target
where target.workspace_id = $2
order by target.created_at, target.id;

-- server/src/features/notification-targets/store.ts replaceTargetAddresses
delete from notification_target_addresses where workspace_id = $1 and target_id = $2;

-- server/src/features/notification-targets/store.ts replaceTargetAddresses
insert into notification_target_addresses (
  workspace_id, target_id, "position", email_address, address
)
values ($1, $2, $3, $4, $5);

-- server/src/features/notification-targets/store.ts updateTarget
update notification_targets
set name = $1, type = $2, state = $3, quiet_hours = $4, digest = $5, updated_at = $6
where workspace_id = $7 and id = $8;

-- server/src/features/notification-targets/webhooks/store.ts countWebhooks
select count(*)::int as count from webhooks where workspace_id = $1;

-- server/src/features/notification-targets/webhooks/store.ts deleteWebhook
delete from webhooks where workspace_id = $1 and id = $2;

-- server/src/features/notification-targets/webhooks/store.ts findEnabledWebhook
select id, url, secret, former_secret, former_secret_until, format as format
from webhooks
where workspace_id = $1 and id = $2 and state = $3;

-- server/src/features/notification-targets/webhooks/store.ts findWebhook
select webhook.id, webhook.name, webhook.url, webhook.state, webhook.created_at, webhook.updated_at,
  webhook.format as format, case
  when webhook.former_secret_until > $1 then webhook.former_secret_until end as former_secret_until,
  webhook.last_delivered_at, webhook.last_answer, webhook.last_answer_at, webhook.failing_since,
  (
    select count(distinct target.rule_id)::int
    from alert_rule_targets as target
    where target.workspace_id = $2 and target.webhook_id = webhook.id
  ) as alert_rule_count
from webhooks as webhook
where webhook.workspace_id = $3 and webhook.id = $4;

-- server/src/features/notification-targets/webhooks/store.ts insertWebhook
insert into webhooks (workspace_id, id, name, url, state, format, created_at, secret, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- server/src/features/notification-targets/webhooks/store.ts listWebhooks
select webhook.id, webhook.name, webhook.url, webhook.state, webhook.created_at, webhook.updated_at,
  webhook.format as format, case
  when webhook.former_secret_until > $1 then webhook.former_secret_until end as former_secret_until,
  webhook.last_delivered_at, webhook.last_answer, webhook.last_answer_at, webhook.failing_since,
  (
    select count(distinct target.rule_id)::int
    from alert_rule_targets as target
    where target.workspace_id = $2 and target.webhook_id = webhook.id
  ) as alert_rule_count
from webhooks as webhook
where webhook.workspace_id = $3
order by webhook.created_at, webhook.id;

-- server/src/features/notification-targets/webhooks/store.ts lockAdding
select pg_advisory_xact_lock(hashtext('webhooks'), hashtext($1));

-- server/src/features/notification-targets/webhooks/store.ts lockWebhook
select id, name, url, state, secret, format as format
from webhooks
where workspace_id = $1 and id = $2
for update;

-- server/src/features/notification-targets/webhooks/store.ts recordWebhookAnswer
update webhooks
set last_answer = $1, last_answer_at = $2, last_delivered_at = $3, failing_since = $4
where workspace_id = $5 and id = $6;

-- server/src/features/notification-targets/webhooks/store.ts recordWebhookAnswer
update webhooks
set last_answer = $1, last_answer_at = $2, failing_since = coalesce(failing_since, $3)
where workspace_id = $4 and id = $5;

-- server/src/features/notification-targets/webhooks/store.ts rotateSecret
update webhooks
set secret = $1, former_secret = $2, former_secret_until = $3, updated_at = $4
where workspace_id = $5 and id = $6;

-- server/src/features/notification-targets/webhooks/store.ts updateWebhook
update webhooks
set name = $1, url = $2, state = $3, format = $4, updated_at = $5, failing_since = case
  when url = $6 and state = $7 then failing_since end
where workspace_id = $8 and id = $9;
