-- Vulnerabilities are found by the ids of the EU's database, which its list of exploited vulnerabilities states.
insert into vulnerability_aliases (alias, vulnerability_id)
select entry.euvd_id, entry.cve_id
from eu_exploited_entries as entry
join vulnerabilities on vulnerabilities.id = entry.cve_id
where starts_with(entry.euvd_id, 'EUVD-')
on conflict do nothing;
