-- Names of the vulnerabilities of a workspace beside what it keeps of them, for searches and orders by name: to look them up
-- among all that is known takes longer than all else. null: not copied yet. It takes about 5 seconds for a million.
alter table workspace_vulnerabilities add column name text collate "C";
update workspace_vulnerabilities as counted set name = known.name
from vulnerabilities as known where known.id = counted.vulnerability_id;
alter table workspace_kept_locks add column names_copied_at timestamptz(3);
