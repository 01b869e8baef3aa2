-- Quotas without a default got one. A workspace that uses half of it goes on without a limit, until its operator sets one.
insert into workspace_limits (workspace_id, quota, most)
select used.workspace_id, used.quota, 9007199254740991
from (
  select workspace_id, quota, used from workspace_usage
  union all
  select workspace_id, quota, max(used + refused) from workspace_usage_windows group by workspace_id, quota
) as used
join (values
  ('storedBytes', 1099511627776),
  ('devices', 1000000),
  ('apiRequestsPerHour', 2000000),
  ('logLinesPerDay', 100000000),
  ('deviceRegistrationsPerMinute', 12000)
) as usual (quota, most) on usual.quota = used.quota
where used.used * 2 >= usual.most
on conflict (workspace_id, quota) do nothing;
