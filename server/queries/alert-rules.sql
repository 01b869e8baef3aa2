-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/alert-rules/store.ts countRules
select count(*)::int as count from alert_rules where workspace_id = $1;

-- server/src/features/alert-rules/store.ts deleteRule
delete from alert_rules where workspace_id = $1 and id = $2;

-- server/src/features/alert-rules/store.ts findLastScheduledAt
select scheduled_at
from alert_evaluations
where workspace_id = $1 and rule_id = $2
order by scheduled_at desc
limit $3;

-- server/src/features/alert-rules/store.ts insertRule
insert into alert_rules (
  type, condition, evaluation_frequency, name, description, state, repeat_interval_seconds,
    notify_resolved, notify_owners, created_at, created_by_email, next_evaluation_at, workspace_id,
    id, updated_at, effective_since
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);

-- server/src/features/alert-rules/store.ts insertRule
insert into alert_rules (
  workspace_id, id, type, condition, name, description, state, evaluation_frequency,
    repeat_interval_seconds, notify_resolved, notify_owners, created_at, created_by_email,
    next_evaluation_at, updated_at, effective_since
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);

-- server/src/features/alert-rules/store.ts listEvaluations
select evaluation.id,
  to_char(evaluation.evaluated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
  "evaluatedAt",
  to_char(evaluation.scheduled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
  "evaluationScheduledAt",
  to_char(evaluation.window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
  "evaluationWindowStart",
  to_char(evaluation.window_end at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
  "evaluationWindowEnd", evaluation.status, evaluation.reason,
  evaluation.series_count as "seriesCount", evaluation.value_count as "valueCount",
  evaluation.firing_count as "firingCount", evaluation.lowest, evaluation.highest
from alert_evaluations as evaluation
where evaluation.workspace_id = $1 and evaluation.rule_id = $2
order by evaluation.scheduled_at desc
limit $3;

-- server/src/features/alert-rules/store.ts listEvaluations
select evaluation.id,
  to_char(evaluation.evaluated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
  "evaluatedAt",
  to_char(evaluation.scheduled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
  "evaluationScheduledAt",
  to_char(evaluation.window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
  "evaluationWindowStart",
  to_char(evaluation.window_end at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
  "evaluationWindowEnd", evaluation.status, evaluation.reason,
  evaluation.series_count as "seriesCount", evaluation.value_count as "valueCount",
  evaluation.firing_count as "firingCount", evaluation.lowest, evaluation.highest
from alert_evaluations as evaluation
where evaluation.workspace_id = $1 and evaluation.rule_id = $2 and evaluation.scheduled_at < $3
order by evaluation.scheduled_at desc
limit $4;

-- server/src/features/alert-rules/store.ts listReferencedNames
select id, name
from deployment_cohorts
where workspace_id = $1 and id = any($2::uuid[])
union all select id, name
from firmwares
where workspace_id = $3 and id = any($4::uuid[]);

-- server/src/features/alert-rules/store.ts listRules
select rule.id, rule.name, rule.description, rule.state, rule.type, rule.condition,
  rule.evaluation_frequency, rule.repeat_interval_seconds, rule.notify_resolved, rule.notify_owners,
  rule.created_at, rule.created_by_email, rule.updated_at, rule.next_evaluation_at,
  rule.incident_id,
  (
    select coalesce(
      json_agg(
        json_build_object(
          'id', coalesce(target.id, webhook.id), 'name', coalesce(target.name, webhook.name),
            'type', coalesce(target.type, 'Webhook')
        )
        order by link.position
      ), '[]'
    )
    from alert_rule_targets as link
    left join notification_targets as target on target.workspace_id = $1
      and target.id = link.notification_target_id
    left join webhooks as webhook on webhook.workspace_id = $2 and webhook.id = link.webhook_id
    where link.workspace_id = $3 and link.rule_id = rule.id
  ) as targets,
  (
    select coalesce(json_agg(latest), '[]')
    from (
      select evaluation.id,
        to_char(evaluation.evaluated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
        "evaluatedAt",
        to_char(evaluation.scheduled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
        "evaluationScheduledAt",
        to_char(evaluation.window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
        "evaluationWindowStart",
        to_char(evaluation.window_end at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
        "evaluationWindowEnd", evaluation.status, evaluation.reason,
        evaluation.series_count as "seriesCount", evaluation.value_count as "valueCount",
        evaluation.firing_count as "firingCount", evaluation.lowest, evaluation.highest
      from alert_evaluations as evaluation
      where evaluation.workspace_id = $4 and evaluation.rule_id = rule.id
      order by evaluation.scheduled_at desc
      limit $5
    ) as latest
  ) as evaluations
from alert_rules as rule
where rule.workspace_id = $6
order by rule.created_at, rule.id;

-- server/src/features/alert-rules/store.ts listRules
select rule.id, rule.name, rule.description, rule.state, rule.type, rule.condition,
  rule.evaluation_frequency, rule.repeat_interval_seconds, rule.notify_resolved, rule.notify_owners,
  rule.created_at, rule.created_by_email, rule.updated_at, rule.next_evaluation_at,
  rule.incident_id,
  (
    select coalesce(
      json_agg(
        json_build_object(
          'id', coalesce(target.id, webhook.id), 'name', coalesce(target.name, webhook.name),
            'type', coalesce(target.type, 'Webhook')
        )
        order by link.position
      ), '[]'
    )
    from alert_rule_targets as link
    left join notification_targets as target on target.workspace_id = $1
      and target.id = link.notification_target_id
    left join webhooks as webhook on webhook.workspace_id = $2 and webhook.id = link.webhook_id
    where link.workspace_id = $3 and link.rule_id = rule.id
  ) as targets,
  (
    select coalesce(json_agg(latest), '[]')
    from (
      select evaluation.id,
        to_char(evaluation.evaluated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
        "evaluatedAt",
        to_char(evaluation.scheduled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
        "evaluationScheduledAt",
        to_char(evaluation.window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
        "evaluationWindowStart",
        to_char(evaluation.window_end at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
        "evaluationWindowEnd", evaluation.status, evaluation.reason,
        evaluation.series_count as "seriesCount", evaluation.value_count as "valueCount",
        evaluation.firing_count as "firingCount", evaluation.lowest, evaluation.highest
      from alert_evaluations as evaluation
      where evaluation.workspace_id = $4 and evaluation.rule_id = rule.id
      order by evaluation.scheduled_at desc
      limit $5
    ) as latest
  ) as evaluations
from alert_rules as rule
where rule.workspace_id = $6 and rule.id = $7
order by rule.created_at, rule.id;

-- server/src/features/alert-rules/store.ts listRules
select rule.id, rule.name, rule.description, rule.state, rule.type, rule.condition,
  rule.evaluation_frequency, rule.repeat_interval_seconds, rule.notify_resolved, rule.notify_owners,
  rule.created_at, rule.created_by_email, rule.updated_at, rule.next_evaluation_at,
  rule.incident_id,
  (
    select coalesce(
      json_agg(
        json_build_object(
          'id', coalesce(target.id, webhook.id), 'name', coalesce(target.name, webhook.name),
            'type', coalesce(target.type, 'Webhook')
        )
        order by link.position
      ), '[]'
    )
    from alert_rule_targets as link
    left join notification_targets as target on target.workspace_id = $1
      and target.id = link.notification_target_id
    left join webhooks as webhook on webhook.workspace_id = $2 and webhook.id = link.webhook_id
    where link.workspace_id = $3 and link.rule_id = rule.id
  ) as targets,
  (
    select coalesce(json_agg(latest), '[]')
    from (
      select evaluation.id,
        to_char(evaluation.evaluated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
        "evaluatedAt",
        to_char(evaluation.scheduled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
        "evaluationScheduledAt",
        to_char(evaluation.window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
        "evaluationWindowStart",
        to_char(evaluation.window_end at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as
        "evaluationWindowEnd", evaluation.status, evaluation.reason,
        evaluation.series_count as "seriesCount", evaluation.value_count as "valueCount",
        evaluation.firing_count as "firingCount", evaluation.lowest, evaluation.highest
      from alert_evaluations as evaluation
      where evaluation.workspace_id = $4 and evaluation.rule_id = rule.id
      order by evaluation.scheduled_at desc
      limit $5
    ) as latest
  ) as evaluations
from alert_rules as rule
where rule.workspace_id = $6 and rule.state = $7
order by rule.created_at, rule.id;

-- server/src/features/alert-rules/store.ts lockRule
select id from alert_rules where workspace_id = $1 and id = $2 for update;

-- server/src/features/alert-rules/store.ts lockRuleCreation
select pg_advisory_xact_lock(hashtext('alert-rules'), hashtext($1));

-- server/src/features/alert-rules/store.ts lockTargets
select id from webhooks where workspace_id = $1 and id in ($2) order by id for key share;

-- server/src/features/alert-rules/store.ts lockTargets
select id from notification_targets where workspace_id = $1 and id in ($2) order by id for key share;

-- server/src/features/alert-rules/store.ts replaceTargets
delete from alert_rule_targets where workspace_id = $1 and rule_id = $2;

-- server/src/features/alert-rules/store.ts replaceTargets
insert into alert_rule_targets (
  workspace_id, rule_id, "position", notification_target_id, webhook_id
)
values ($1, $2, $3, $4, $5);

-- server/src/features/alert-rules/store.ts restartRule
delete from alert_running_versions where workspace_id = $1 and rule_id = $2;

-- server/src/features/alert-rules/store.ts restartRule
update alert_rules
set effective_since = $1, next_evaluation_at = $2, evaluated_until = $3, incident_id = $4
where workspace_id = $5 and id = $6;

-- server/src/features/alert-rules/store.ts restartRule
update alert_rules
set effective_since = coalesce(least(findings_from, evaluated_until), effective_since),
  next_evaluation_at = $1, evaluated_until = $2, incident_id = $3
where workspace_id = $4 and id = $5;

-- server/src/features/alert-rules/store.ts updateRule
update alert_rules
set type = $1, name = $2, description = $3, state = $4, evaluation_frequency = $5,
  repeat_interval_seconds = $6, notify_resolved = $7, notify_owners = $8, updated_at = $9,
  condition = $10
where workspace_id = $11 and id = $12;

-- server/src/features/alert-rules/store.ts updateState
update alert_rules set state = $1, updated_at = $2 where workspace_id = $3 and id = $4;

-- server/src/features/alert-rules/warnings/store.ts findMetricRetentionDays
select metric_retention_days from workspaces where id = $1;

-- server/src/features/alert-rules/warnings/store.ts listMetricNames
with recursive names (name) as (
  (select name from metric_series where workspace_id = $1 order by name limit 1)
  union all select (
    select name
    from metric_series
    where workspace_id = $2 and metric_series.name > names.name
    order by name
    limit 1
  )
  from names
  where names.name is not null
)
select name
from names
where name is not null
limit $3;

-- server/src/features/alert-rules/warnings/store.ts listUnknownMetrics
select asked.name
from unnest($1::text[]) as asked (name)
where not exists (
  select from metric_series as series where series.workspace_id = $2 and series.name = asked.name
);
