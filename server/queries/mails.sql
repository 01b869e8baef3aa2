-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/mails/store.ts addToCounts
update mail_counts as held
set used = held.used + planned.amount
from unnest($1::text[], $2::int[]) as planned (key, amount)
where held.key = decode(planned.key, 'hex') and held.began_at = $3;

-- server/src/features/mails/store.ts deleteCountsBefore
delete from mail_counts where began_at < $1;

-- server/src/features/mails/store.ts listMailUsage
select bound, max(used)::int as used, (count(*) filter (where used >= most))::int as spent
from mail_counts
where began_at = $1
group by bound
order by bound;

-- server/src/features/mails/store.ts lockCounts
insert into mail_counts as held (key, began_at, bound, used, most)
select decode(key, 'hex'), $1, bound, 0, most
from unnest($2::text[], $3::text[], $4::int[]) as planned (key, bound, most)
order by key
on conflict (key, began_at)
do update
set most = excluded.most
returning encode(key, 'hex') as key, used;
