-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/saved-views/store.ts countOwnViews
select pg_advisory_xact_lock(hashtext('saved-views'), hashtext($1));

-- server/src/features/saved-views/store.ts countOwnViews
select count(*)::int as count,
  coalesce(bool_or(list = $1 and name = $2 and id <> $3), false) as is_named
from saved_views
where workspace_id = $4 and person_id = $5;

-- server/src/features/saved-views/store.ts deleteOwnViews
delete from saved_views where workspace_id = $1 and person_id = $2 and is_shared = $3;

-- server/src/features/saved-views/store.ts deleteView
delete from saved_views where workspace_id = $1 and id = $2;

-- server/src/features/saved-views/store.ts insertView
insert into saved_views (workspace_id, list, name, search, is_shared, id, person_id, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- server/src/features/saved-views/store.ts listViews
select view.id, view.person_id, view.list, view.name, view.search, view.is_shared, view.updated_at,
  person.display_name as owner_name
from saved_views as view
left join members as member on member.subject_id = view.person_id and member.workspace_id = $1
left join people as person on person.id = member.subject_id
where view.workspace_id = $2 and (view.is_shared or view.person_id = $3::uuid)
order by view.list, view.name, view.id;

-- server/src/features/saved-views/store.ts listViews
select view.id, view.person_id, view.list, view.name, view.search, view.is_shared, view.updated_at,
  person.display_name as owner_name
from saved_views as view
left join members as member on member.subject_id = view.person_id and member.workspace_id = $1
left join people as person on person.id = member.subject_id
where view.workspace_id = $2 and (view.is_shared or view.person_id = $3::uuid) and view.list = $4
order by view.list, view.name, view.id;

-- server/src/features/saved-views/store.ts lockView
select id, person_id, list, name, search, is_shared, updated_at
from saved_views
where workspace_id = $1 and id = $2
for update;

-- server/src/features/saved-views/store.ts updateView
update saved_views
set name = $1, search = $2, is_shared = $3, updated_at = $4
where workspace_id = $5 and id = $6;
