-- Names of versions may have no spaces around them any more. Those that have some lose them, unless another version of the firmware would
-- have the same name then: nothing is united unseen, and such a version is found by its name as it is.
update firmware_versions as version set name = named.meant
from (
  select workspace_id, firmware_id, max(id::text)::uuid as id, meant
  from (
    select workspace_id, firmware_id, id,
      normalize(regexp_replace(name, '^[\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+|[\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+$', '', 'g'), NFC) as meant
    from firmware_versions
  ) as each
  group by workspace_id, firmware_id, meant having count(*) = 1
) as named
where version.workspace_id = named.workspace_id and version.id = named.id
  and version.name <> named.meant and named.meant <> '';

-- What devices run has the name of the version that it is linked to.
update device_firmwares as running set version = version.name
from firmware_versions as version
where running.workspace_id = version.workspace_id and running.firmware_version_id = version.id
  and running.version <> version.name;
