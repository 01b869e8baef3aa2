-- From which SBOMs what is kept of the licences of a version was counted: an older node changes them and counts nothing.

-- The MD5 of the SBOMs that could be read, with the times; null: it was never counted.
alter table firmware_versions add column licences_of text collate "C";

-- What was read within the last day may have come from an older node after the licences were counted (0095).
update firmware_versions as version set licences_of = held.sboms
from (
  select workspace_id, firmware_version_id,
    md5(string_agg(concat_ws(' ', id, extract(epoch from parsed_at)), ',' order by id)) as sboms
  from sboms where parsing_state = 'Succeeded' group by workspace_id, firmware_version_id
  having max(parsed_at) < now() - interval '1 day'
) as held
where version.workspace_id = held.workspace_id and version.id = held.firmware_version_id;
