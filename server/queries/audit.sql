-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/audit/store.ts hasWorkspace
select id from workspaces where id = $1;

-- server/src/features/audit/store.ts insertAuditRow
insert into audit_log (
  id, workspace_id, created_at, actor_type, actor_id, actor_email, action, resource_type,
    resource_id, before, after, request_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- server/src/features/audit/store.ts insertAuditRow
insert into audit_log (
  id, workspace_id, created_at, actor_type, actor_id, actor_email, action, resource_type,
    resource_id, before, after, request_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12);

-- server/src/features/audit/store.ts insertAuditRow
insert into audit_log (
  id, workspace_id, created_at, actor_type, actor_id, actor_email, action, resource_type,
    resource_id, before, after, request_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, $12);

-- server/src/features/audit/store.ts insertAuditRow
insert into audit_log (
  id, workspace_id, created_at, actor_type, actor_id, actor_email, action, resource_type,
    resource_id, before, after, request_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11::jsonb, $12);

-- server/src/features/audit/store.ts listAuditRows: the shortest and the longest of many variants
--   352b1b17 37ccfc20 3c048028 419714be 8a89641e b9aea096 d269efff e6c4f12e f2b39603 f45aa3b1
select id, created_at, actor_type, actor_id, actor_email, action, resource_type, resource_id,
  before, after, request_id
from audit_log
where workspace_id = $1
order by created_at desc, id desc
limit $2;

select id, created_at, actor_type, actor_id, actor_email, action, resource_type, resource_id,
  before, after, request_id
from audit_log
where workspace_id = $1 and (actor_email = $2 or actor_id = $3) and resource_type = $4
  and resource_id = $5 and created_at >= $6 and created_at < $7
  and strpos(
    lower(
      concat_ws(
        ' ', actor_email, actor_id, action, resource_type, resource_id, before::text, after::text,
          request_id
      )
    ), $8
  ) > 0
order by created_at desc, id desc
limit $9;
