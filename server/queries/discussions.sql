-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/discussions/store.ts countComments
select count(*)::int as count
from vulnerability_aliases as alias
join vulnerability_comments as stored on stored.workspace_id = $1
  and stored.vulnerability_id = alias.alias
where alias.vulnerability_id = $2;

-- server/src/features/discussions/store.ts deleteComment
delete from vulnerability_comments where workspace_id = $1 and id = $2;

-- server/src/features/discussions/store.ts findComment
select * from vulnerability_comments where workspace_id = $1 and id = $2;

-- server/src/features/discussions/store.ts insertComment
insert into vulnerability_comments (
  workspace_id, id, vulnerability_id, text, created_at, author_type, author_id, author_email,
    edited_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- server/src/features/discussions/store.ts listAssignedIds
select distinct alias.vulnerability_id as id
from vulnerability_assignees as given
join vulnerability_aliases as alias on alias.alias = given.vulnerability_id
where given.workspace_id = $1 and given.person_id = $2
order by id;

-- server/src/features/discussions/store.ts listComments
select *
from vulnerability_comments as comment
where workspace_id = $1
order by created_at desc, id desc
limit $2;

-- server/src/features/discussions/store.ts listComments
select *
from vulnerability_comments as comment
where workspace_id = $1
  and comment.vulnerability_id in (
    select alias from vulnerability_aliases where vulnerability_id = $2
  )
order by created_at desc, id desc
limit $3;

-- server/src/features/discussions/store.ts listComments
select *
from vulnerability_comments as comment
where workspace_id = $1
  and comment.vulnerability_id in (
    select alias from vulnerability_aliases where vulnerability_id = $2
  ) and (comment.created_at, comment.id) < ($3::timestamptz, $4::uuid)
order by created_at desc, id desc
limit $5;

-- server/src/features/discussions/store.ts listMembersAmong
select member.subject_id, person.email, person.display_name
from members as member
inner join people as person on person.id = member.subject_id
where member.workspace_id = $1 and (person.email = any($2::text[]) or person.id = any($3::uuid[]));

-- server/src/features/discussions/store.ts lockAssignees
select pg_advisory_xact_lock(hashtext('assignees'), hashtext($1));

-- server/src/features/discussions/store.ts lockComment
select * from vulnerability_comments where workspace_id = $1 and id = $2 for update;

-- server/src/features/discussions/store.ts readDiscussions
select asked.id, newest.assignee, newest.assigned_at, newest.assigned_by_email,
  counted.comment_count
from unnest($1::text[]) as asked (id) left join lateral (
  select stored.assigned_at, stored.assigned_by_email,
    (
      select json_build_object(
        'subjectId', person.id, 'email', person.email, 'displayName', person.display_name
      )
      from people as person
      where person.id = stored.person_id
    ) as assignee
  from vulnerability_aliases as alias
  join vulnerability_assignees as stored on stored.workspace_id = $2
    and stored.vulnerability_id = alias.alias
  where alias.vulnerability_id = asked.id
  order by stored.assigned_at desc
  limit 1
) as newest on true
cross join lateral (
  select count(*)::int as comment_count
  from vulnerability_aliases as alias
  join vulnerability_comments as stored on stored.workspace_id = $3
    and stored.vulnerability_id = alias.alias
  where alias.vulnerability_id = asked.id
) as counted;

-- server/src/features/discussions/store.ts replaceAssignees
delete from vulnerability_assignees
where workspace_id = $1
  and vulnerability_id in (
    select alias from vulnerability_aliases where vulnerability_id = any($2::text[])
  );

-- server/src/features/discussions/store.ts replaceAssignees
insert into vulnerability_assignees (
  workspace_id, vulnerability_id, person_id, assigned_at, assigned_by_email
)
select $1, id, $2, $3, $4
from unnest($5::text[]) as given (id)
order by id;

-- server/src/features/discussions/store.ts updateComment
update vulnerability_comments set text = $1, edited_at = $2 where workspace_id = $3 and id = $4;
